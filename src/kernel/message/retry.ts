/** After so many attempts a delivery is dead. */
export const maxAttempts = 8;

const firstDelayMs = 500;
export const longestDelayMs = 300_000;

/**
 * How long to wait after that attempt, counted from 1. `jitter`, from 0 up to 1, spreads
 * the waits over the upper half, so that what failed together does not come back together.
 */
export function retryDelayMs(attempt: number, jitter: number): number {
  const delayMs = Math.min(firstDelayMs * 2 ** (Math.max(1, attempt) - 1), longestDelayMs);
  return Math.round(delayMs * (0.5 + jitter / 2));
}
