/** Asking a busy or broken vendor again, as long as nothing of an answer has come. */
import type { Clock, Random } from '../kernel/ports.ts';
import { type Failure, isWorthRetrying } from './failure.ts';
import { backoffMs, type Limiter } from './limiter.ts';

export const mostTries = 6;
/** Who asks for more than this is not waited for. */
export const longestRetryAfterMs = 300_000;

export type Outcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface RetryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly limiter: Limiter;
  /** Hears of every failure after which it is tried again. */
  readonly onRetry: (failure: Failure, tries: number) => void;
}

/** Rejects only with the signal's reason, or when `attempt` does. */
export async function withRetries<T>(
  deps: RetryDeps,
  signal: AbortSignal,
  attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  for (let tries = 1; ; tries++) {
    const outcome = await tryOnce(deps, signal, attempt);
    if (outcome.kind === 'answered') return outcome;
    const { failure } = outcome;
    if (tries === mostTries || !isWorthRetrying(failure) || asksTooMuch(failure)) return outcome;
    deps.onRetry(failure, tries);
    // A busy vendor is waited for at the entrance, with everybody else.
    if (failure.kind !== 'busy') await deps.clock.sleep(backoffMs(tries, deps.random), signal);
  }
}

async function tryOnce<T>(
  { limiter }: RetryDeps,
  signal: AbortSignal,
  attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  using entry = await limiter.enter(signal);
  const outcome = await attempt();
  if (outcome.kind === 'answered') limiter.answered();
  else if (outcome.failure.kind === 'busy') {
    limiter.coolDown(entry, boundedWait(outcome.failure.retryAfterMs));
  }
  return outcome;
}

function asksTooMuch({ retryAfterMs = 0 }: Failure): boolean {
  return retryAfterMs > longestRetryAfterMs;
}

function boundedWait(retryAfterMs: number | undefined): number | undefined {
  return retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, longestRetryAfterMs);
}
