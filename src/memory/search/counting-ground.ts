/**
 * A ground that has only what counts at a moment, and follows time.
 *
 * C1. What ends leaves it by itself as soon as it is asked of a later moment.
 * C2. Where something begins, an older version comes to count again, or the clock was set back
 *     behind something that has ended, it is made anew: it knows from when to when it is right.
 */
import type { Instant } from '../../kernel/ports.ts';
import { Ground, type GroundRow, none } from './ground.ts';

/** From when and until when a version counts; null where it always has, or will. */
export interface CountingTime {
  readonly countsFrom: Instant | null;
  readonly countsTo: Instant | null;
}

export type CountingRow = GroundRow & CountingTime;

export class CountingGround {
  readonly ground = new Ground();
  readonly #ends = new Map<number, Instant>();
  #nextEnd = Number.POSITIVE_INFINITY;
  /** C2: it is right from the one moment to the other. */
  #since = Number.NEGATIVE_INFINITY;
  #until = Number.POSITIVE_INFINITY;
  #now: Instant;

  constructor(now: Instant) {
    this.#now = now;
  }

  /** False where it has to be made anew. */
  moveTo(now: Instant): boolean {
    if (now < this.#since || now >= this.#until) return false;
    this.#now = now;
    if (now >= this.#nextEnd) this.#dropEnded();
    return !this.ground.isWorn;
  }

  /** The only version of its key. False where it cannot be added any more. */
  add(row: CountingRow): boolean {
    if (!this.#counts(row)) return true;
    if (!this.ground.add(row)) return false;
    this.#setEnd(row.number, row.countsTo);
    return true;
  }

  /** When it counts has changed. False where it would have to come in between others. */
  setTime(number: number, time: CountingTime): boolean {
    const isIn = this.ground.rowOf(number) !== none;
    if (!this.#counts(time)) this.remove(number);
    else if (isIn) this.#setEnd(number, time.countsTo);
    else return false;
    return true;
  }

  /** One of several versions of a key: whenever one begins or ends another one may count. */
  noteVersion({ countsFrom, countsTo }: CountingTime): void {
    for (const turn of [countsFrom, countsTo]) {
      if (turn === null) continue;
      if (turn <= this.#now) this.#since = Math.max(this.#since, turn);
      else this.#until = Math.min(this.#until, turn);
    }
  }

  remove(number: number): void {
    this.ground.remove(number);
    this.#ends.delete(number);
  }

  #counts({ countsFrom, countsTo }: CountingTime): boolean {
    const isCounting = countsAt({ countsFrom, countsTo }, this.#now);
    // An end that is still to come is waited for by itself (C1).
    this.noteVersion({ countsFrom, countsTo: isCounting ? null : countsTo });
    return isCounting;
  }

  #setEnd(number: number, countsTo: Instant | null): void {
    if (countsTo === null) {
      this.#ends.delete(number);
      return;
    }
    this.#ends.set(number, countsTo);
    this.#nextEnd = Math.min(this.#nextEnd, countsTo);
  }

  /** C1 */
  #dropEnded(): void {
    this.#nextEnd = Number.POSITIVE_INFINITY;
    for (const [number, end] of this.#ends) {
      if (end > this.#now) {
        this.#nextEnd = Math.min(this.#nextEnd, end);
        continue;
      }
      this.remove(number);
      this.#since = Math.max(this.#since, end);
    }
  }
}

export function countsAt({ countsFrom, countsTo }: CountingTime, now: Instant): boolean {
  return (countsFrom === null || countsFrom <= now) && (countsTo === null || countsTo > now);
}
