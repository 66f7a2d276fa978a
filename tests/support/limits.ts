/**
 * How long a test may wait for anything. Every limit is far above what the thing takes, so that
 * only what hangs is failed, by name; and all of them are stretched on a machine that is slow or
 * busy, by what vitest.config.ts measured before the first test.
 */

/** How much slower than the machine on which the limits were chosen; never below 1. */
export const slowness = Math.max(1, Number(process.env['AOS_TEST_SLOWNESS'] ?? '1'));

/** A limit in milliseconds, as long as this machine needs it. */
export function limitMs(ms: number): number {
  return Math.ceil(ms * slowness);
}

/** One test that says nothing else; one start, stop or run of a program; one wait. */
export const testMs = limitMs(process.env['AOS_TEST_FULL'] === '1' ? 600_000 : 60_000);
export const programMs = limitMs(40_000);
export const waitMs = limitMs(20_000);
