import { early } from './early.ts';
import type { Clock } from './ports.ts';

/** Wakes those who wait for something, by its name. A bell is a hint to look, never the truth. */
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
