import { early } from '../kernel/early.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Party } from './envelope.ts';

/** Wakes those who wait for mail. A bell is a hint to look, never the truth. */
export class Bells {
  readonly #clock: Clock;
  readonly #waiting = new Map<Party, Set<AbortController>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(recipient: Party): void {
    for (const bell of this.#waiting.get(recipient) ?? []) bell.abort(early);
  }

  /** Resolves when it rings, or when the time is up; rejects when the signal aborts. */
  async wait(recipient: Party, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const bell = new AbortController();
    const bells = this.#waiting.get(recipient) ?? new Set();
    this.#waiting.set(recipient, bells.add(bell));
    const either = signal === undefined ? bell.signal : AbortSignal.any([signal, bell.signal]);
    try {
      await this.#clock.sleep(timeoutMs, either);
    } catch {
      // Woken: by the bell, which is what this waits for, or by the caller.
      signal?.throwIfAborted();
    } finally {
      bells.delete(bell);
      if (bells.size === 0) this.#waiting.delete(recipient);
    }
  }
}
