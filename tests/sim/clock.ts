import { setImmediate as untilMicrotasksAreDone } from 'node:timers/promises';
import type { Clock, Instant } from '../../src/kernel/ports.ts';

interface Sleeper {
  readonly wakeAt: number;
  wake(): void;
}

/** A clock that stands still until the test moves it. */
export class SimulatedClock implements Clock {
  #elapsedMs = 0;
  #wallAtZero: Instant = Date.UTC(2030, 0, 1);
  /** In the order in which they are due. */
  #sleepers: Sleeper[] = [];

  now(): Instant {
    return this.#wallAtZero + Math.floor(this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  /** How many sleeps are under way. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (!(durationMs > 0)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { wakeAt: this.#elapsedMs + durationMs, wake: resolve };
    const onAbort = (): void => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort);
    this.#enqueue(sleeper);
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Lets that much time pass. Sleepers wake one after another at their own moment;
   * each runs as far as it can before the next, and may go to sleep again.
   */
  async advance(durationMs: number): Promise<void> {
    const end = this.#elapsedMs + durationMs;
    while (this.wakeNext(end)) await untilMicrotasksAreDone();
  }

  /** Wakes who is due next. False when nobody is by that moment; then it is that moment. */
  wakeNext(endMs: number): boolean {
    const [next] = this.#sleepers;
    if (next === undefined || next.wakeAt > endMs) {
      this.#elapsedMs = endMs;
      return false;
    }
    this.#sleepers.shift();
    this.#elapsedMs = next.wakeAt;
    next.wake();
    return true;
  }

  /** Moves the wall clock only, either way, as an administrator or NTP does. */
  jump(durationMs: number): void {
    this.#wallAtZero += durationMs;
  }

  #enqueue(sleeper: Sleeper): void {
    const later = this.#sleepers.findIndex(({ wakeAt }) => wakeAt > sleeper.wakeAt);
    this.#sleepers.splice(later === -1 ? this.#sleepers.length : later, 0, sleeper);
  }
}
