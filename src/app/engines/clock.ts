import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../kernel/ports.ts';

// A Node timer holds 31 bits; one that is longer fires at once.
const longestTimerMs = 2 ** 31 - 1;

export const realClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),

  async sleep(durationMs, signal) {
    signal?.throwIfAborted();
    const wakeAt = performance.now() + durationMs;
    for (let leftMs = durationMs; leftMs > 0; leftMs = wakeAt - performance.now()) {
      await timer(Math.min(Math.ceil(leftMs), longestTimerMs), signal);
    }
  },
};

async function timer(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(durationMs, undefined, signal === undefined ? {} : { signal });
  } catch (failure) {
    // Node rejects with an AbortError of its own; the port promises the signal's reason.
    signal?.throwIfAborted();
    throw failure;
  }
}
