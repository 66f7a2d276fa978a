import type { Clock, Instant } from '../../../src/kernel/ports.ts';

/** A clock on which every wait is over at once, and noted: for retries against a real server. */
export class HastyClock implements Clock {
  readonly waits: number[] = [];
  #elapsedMs = 0;

  now(): Instant {
    return Date.UTC(2030, 0, 1) + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.waits.push(durationMs);
    this.#elapsedMs += durationMs;
  }
}
