/** The clock of the system, and the turns of the event loop. */
import type { Clock, EventLoop, Random } from '../kernel/ports.ts';

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
      await timer(Math.min(Math.ceil(leftMs) + roundedMs(leftMs), longestTimerMs), signal);
    }
  },
};

// Node's timers count whole milliseconds, so that one may be early by a part of one. A sleep
// would then be woken twice; where it is long, it is rather late by that much.
function roundedMs(leftMs: number): number {
  return leftMs < 20 ? 0 : 1;
}

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

export const realEventLoop: EventLoop = {
  atEndOfTurn: (work) => void setImmediate(work),
  // Node runs this queue when the queue of promises is empty, and before anything from
  // outside (a timer, a socket) gets its turn.
  whenSettled: (work) => process.nextTick(work),
};

// One call of the system's generator costs as much for a page as for a few bytes.
const pageBytes = 4096;
const largestFromPage = 64;

let page: Uint8Array = new Uint8Array(0);
let used = 0;

/** The system's own generator. No byte is handed out twice. */
export const realRandom: Random = {
  bytes(size) {
    if (size > largestFromPage) return fresh(size);
    if (used + size > page.length) {
      page = fresh(pageBytes);
      used = 0;
    }
    const bytes = page.slice(used, used + size);
    page.fill(0, used, used + size);
    used += size;
    return bytes;
  },
};

// Asked for when first needed: loading node:crypto is a fifth of a short command's time,
// and most commands throw no dice.
function fresh(size: number): Uint8Array {
  return new Uint8Array(process.getBuiltinModule('node:crypto').randomBytes(size));
}
