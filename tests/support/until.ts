/** Waiting for a condition, and no longer than limits.ts allows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { waitMs } from './limits.ts';

/**
 * Looks again and again until `look` does not throw, and returns what it returned then. A limit
 * other than the usual one is given as `limitMs(…)`.
 */
export async function until<T>(look: () => T | Promise<T>, withinMs = waitMs): Promise<T> {
  let failure: unknown;
  const found = await poll(async () => {
    try {
      return { value: await look() };
    } catch (error) {
      failure = error;
      return undefined;
    }
  }, withinMs);
  if (found === undefined) throw failure;
  return found.value;
}

/** Looks again and again until `look` returns something truthy; what it throws is thrown at once. */
export async function untilTrue<T>(look: () => T | Promise<T>, withinMs = waitMs): Promise<T> {
  const found = await poll(look, withinMs);
  if (!found) throw new Error(`it never came true within ${withinMs} ms: ${look}`);
  return found;
}

// What comes at once is seen at once, and a long wait or a costly look leaves the processor to
// what is waited for.
const [firstPauseMs, pauseGrowth, usualPauseMs, longestPauseMs] = [1, 1.3, 10, 100];

/** What the last look returned: something truthy, or what it was when the time was over. */
async function poll<T>(look: () => T | Promise<T>, withinMs: number): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * pauseGrowth, usualPauseMs)) {
    const begun = performance.now();
    const found = await look();
    const ended = performance.now();
    if (found || ended > deadline) return found;
    await sleep(Math.max(pauseMs, Math.min(ended - begun, longestPauseMs)));
  }
}
