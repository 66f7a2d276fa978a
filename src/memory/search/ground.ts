/**
 * What may be found: the memories of one place, as far as the caller may look, with what the
 * ranking has to know of each. Nothing else counts for anything: rarities, lengths and neighbours
 * are those of these memories, so that no caller learns from a score what it may not see.
 *
 * G1. Rows are in the order of their numbers, which is that in which they came.
 * G2. The neighbours of a row are those next to it in its thread, of what is here.
 */

import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';

export interface GroundRow {
  /** Rising. */
  readonly number: number;
  readonly thread: string | null;
  /** In words. */
  readonly length: number;
  readonly validFrom: Instant;
  readonly speaker: string | null;
  readonly asks: 0 | 1;
}

/** No row: the end of a thread. */
export const none = -1;

export class Ground {
  /** By row, each list. */
  readonly lengths: number[] = [];
  readonly times: Instant[] = [];
  readonly asks: (0 | 1)[] = [];
  readonly threads: number[] = [];
  readonly speakers: number[] = [];
  readonly before: number[] = [];
  readonly after: number[] = [];
  readonly #numbers: number[] = [];
  readonly #gone = new Set<number>();
  readonly #threadNames = new Map<string, number>();
  readonly #speakerNames = new Map<string, number>();
  /** By thread. */
  readonly #last: number[] = [];
  totalLength = 0;

  /** How many can be found. */
  get size(): number {
    return this.#numbers.length - this.#gone.size;
  }

  /** With those that are gone: rows are below this. */
  get rows(): number {
    return this.#numbers.length;
  }

  /** So many are gone that it is better made anew. */
  get isWorn(): boolean {
    return this.#gone.size > 1000 && this.#gone.size > this.size;
  }

  /** Whether it could be added: only behind all others (G1). */
  add(row: GroundRow): boolean {
    if (row.number <= (this.#numbers.at(-1) ?? 0)) return false;
    const index = this.#numbers.length;
    this.#numbers.push(row.number);
    this.lengths.push(row.length);
    this.times.push(row.validFrom);
    this.asks.push(row.asks);
    this.speakers.push(row.speaker === null ? none : numberIn(this.#speakerNames, row.speaker));
    this.totalLength += row.length;
    this.#link(index, row.thread === null ? none : numberIn(this.#threadNames, row.thread));
    return true;
  }

  remove(number: number): void {
    const row = this.rowOf(number);
    if (row === none) return;
    const before = must(this.before[row], 'the row before');
    const after = must(this.after[row], 'the row after');
    if (before !== none) this.after[before] = after;
    if (after !== none) this.before[after] = before;
    const thread = must(this.threads[row], 'the thread of a row');
    if (this.#last[thread] === row) this.#last[thread] = before;
    this.totalLength -= must(this.lengths[row], 'the length of a row');
    this.#gone.add(row);
  }

  numberOf(row: number): number {
    return this.#numbers[row] ?? none;
  }

  /** Where the number is, if it can be found. */
  rowOf(number: number): number {
    const row = this.placeOf(number);
    return this.#numbers[row] === number && !this.#gone.has(row) ? row : none;
  }

  /** The first row that has this number or a higher one. */
  placeOf(number: number): number {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (must(this.#numbers[middle], 'a number') < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Those of whom the words name one. */
  speakersIn(words: ReadonlySet<string>): ReadonlySet<number> {
    const named = [...this.#speakerNames].filter(([name]) =>
      name.split(/[ .'’_-]+/).some((part) => words.has(part)),
    );
    return new Set(named.map(([, number]) => number));
  }

  /** G2 */
  #link(row: number, thread: number): void {
    const before = thread === none ? none : (this.#last[thread] ?? none);
    this.threads.push(thread);
    this.before.push(before);
    this.after.push(none);
    if (before !== none) this.after[before] = row;
    if (thread !== none) this.#last[thread] = row;
  }
}

function numberIn(names: Map<string, number>, name: string): number {
  const number = names.get(name) ?? names.size;
  names.set(name, number);
  return number;
}
