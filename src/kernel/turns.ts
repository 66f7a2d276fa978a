/** Waiting for each other inside of one process. */
import type { Clock } from './ports.ts';

/**
 * The reason of an abort that only ends a wait, and that no code looks at. Made once: the one that
 * the system makes for every abort without a reason takes as long as a file.
 */
export const early: Error = new Error('The wait was ended early');

/**
 * Wakes the callers that wait for something, by its name. A bell is a hint to look, never the
 * truth.
 */
export class Bells {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<AbortController>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(name: string): void {
    for (const bell of this.#waiting.get(name) ?? []) bell.abort(early);
  }

  /** Resolves when it rings, or when the time is up; rejects when the signal aborts. */
  async wait(name: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const bell = new AbortController();
    const bells = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, bells.add(bell));
    const either = signal === undefined ? bell.signal : AbortSignal.any([signal, bell.signal]);
    try {
      await this.#clock.sleep(timeoutMs, either);
    } catch {
      // Woken: by the bell, which is what this waits for, or by the caller.
      signal?.throwIfAborted();
    } finally {
      bells.delete(bell);
      if (bells.size === 0) this.#waiting.delete(name);
    }
  }
}

/** Those that want to hear of something. A part that is put together later joins when it is there. */
export class Listeners<T> {
  readonly #all: ((value: T) => void)[] = [];

  add(listener: (value: T) => void): void {
    this.#all.push(listener);
  }

  /** In the order in which they joined. */
  call(value: T): void {
    for (const listener of this.#all) listener(value);
  }
}

/** One after another, in the order in which they were asked for. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    // The caller hears of a failure; the next in turn does not mind.
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/** Work on the same name waits for its turn; work on different names does not. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    // The caller before has reported its own failure.
    const mine = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}
