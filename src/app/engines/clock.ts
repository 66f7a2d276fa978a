import type { Clock } from '../../kernel/ports.ts';

// A Node timer holds 31 bits; one that is longer fires at once.
const longestTimerMs = 2 ** 31 - 1;

// process.hrtime and plain timers: `performance` and node:timers/promises load some
// twenty modules, which a short command would pay for.
export const realClock: Clock = {
  now: () => Date.now(),
  monotonicMs,

  async sleep(durationMs, signal) {
    signal?.throwIfAborted();
    const wakeAt = monotonicMs() + durationMs;
    for (let leftMs = durationMs; leftMs > 0; leftMs = wakeAt - monotonicMs()) {
      await timer(Math.min(Math.ceil(leftMs), longestTimerMs), signal);
    }
  },
};

function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

function timer(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timeout);
      reject(signal?.reason);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, durationMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
