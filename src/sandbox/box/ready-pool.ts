/**
 * Sandboxes that wait for their one use, so that a call does not wait for its sandbox.
 *
 * R1. One serves one call. What was inside once is never given to another call.
 * R2. One is made ready only for who has just used one, and goes when it is not used for a
 *     while. A second is kept for who uses many.
 * R3. One that is still being made is given as well: it is nearer than a new one.
 */

import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';

export interface WaitingBox {
  readonly isOver: boolean;
  kill(): Promise<void>;
}

export interface ReadyPoolOptions {
  readonly clock: Clock;
  /** Of all keys together. */
  readonly most: number;
  readonly idleMs: number;
  /** Called when one could not be made: the next caller that wants one is told. */
  onTrouble(failure: unknown): void;
}

interface Shelf<Box> {
  readonly waiting: Box[];
  making: number;
  uses: number;
  /** Ends the waiting for idleness. */
  rest: AbortController;
}

const eachAtMost = 2;
// After the answer: making one holds up the thread that makes it.
const restockAfterMs = 5;

export class ReadyPool<Box extends WaitingBox> implements AsyncDisposable {
  readonly #options: ReadyPoolOptions;
  readonly #shelves = new Map<string, Shelf<Box>>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: ReadyPoolOptions) {
    this.#options = options;
  }

  /** One that waits; undefined when there is none. R1 */
  take(key: string): Box | undefined {
    const waiting = this.#shelves.get(key)?.waiting ?? [];
    for (let box = waiting.shift(); box !== undefined; box = waiting.shift()) {
      if (!box.isOver) return box;
    }
    return undefined;
  }

  /** R2: to be called after each use. */
  restock(key: string, make: () => Promise<Box>): void {
    if (this.#closing.signal.aborted || this.#options.most === 0) return;
    const shelf = this.#shelfFor(key);
    shelf.uses += 1;
    shelf.rest.abort(early);
    shelf.rest = new AbortController();
    this.#inBackground(this.#fill(key, shelf, make));
    this.#inBackground(this.#clearWhenIdle(key, shelf, shelf.rest.signal));
  }

  /** All whose key begins so. */
  async discard(keyStart: string): Promise<void> {
    const keys = [...this.#shelves.keys()].filter((key) => key.startsWith(keyStart));
    await Promise.all(keys.map((key) => this.#clear(key)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(early);
    await this.discard('');
    await Promise.all(this.#underWay);
  }

  #shelfFor(key: string): Shelf<Box> {
    const known = this.#shelves.get(key);
    if (known !== undefined) return known;
    const made = { waiting: [], making: 0, uses: 0, rest: new AbortController() };
    this.#shelves.set(key, made);
    return made;
  }

  async #fill(key: string, shelf: Shelf<Box>, make: () => Promise<Box>): Promise<void> {
    await this.#options.clock.sleep(restockAfterMs, this.#closing.signal);
    const count = ({ waiting, making }: Shelf<Box>): number => waiting.length + making;
    const all = [...this.#shelves.values()].reduce((sum, each) => sum + count(each), 0);
    const isStocked = count(shelf) >= Math.min(shelf.uses, eachAtMost);
    if (isStocked || all >= this.#options.most) return;
    shelf.making += 1;
    try {
      const box = await make();
      // Cleared meanwhile.
      if (this.#shelves.get(key) === shelf) shelf.waiting.push(box);
      else await box.kill();
    } finally {
      shelf.making -= 1;
    }
  }

  async #clearWhenIdle(key: string, shelf: Shelf<Box>, used: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([used, this.#closing.signal]);
    await this.#options.clock.sleep(this.#options.idleMs, signal);
    if (this.#shelves.get(key) === shelf) await this.#clear(key);
  }

  async #clear(key: string): Promise<void> {
    const shelf = this.#shelves.get(key);
    this.#shelves.delete(key);
    shelf?.rest.abort(early);
    await Promise.all((shelf?.waiting ?? []).map((box) => box.kill()));
  }

  #inBackground(work: Promise<void>): void {
    const settled = work
      .catch((failure: unknown) => {
        if (failure !== early) this.#options.onTrouble(failure);
      })
      .finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }
}
