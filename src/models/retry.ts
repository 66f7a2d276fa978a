/** Asking a busy or broken vendor again, as long as nothing of an answer has come. */

import { must } from '../kernel/must.ts';
import type { Clock, Random } from '../kernel/ports.ts';
import { type Failure, isWorthRetrying } from './failure.ts';

export const mostTries = 6;
/** A vendor that asks for more than this is not waited for. */
export const longestRetryAfterMs = 300_000;

export type RetryOutcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface ModelRetryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly limiter: Limiter;
  /** Hears of every failure after which it is tried again. */
  readonly onRetry: (failure: Failure, tries: number) => void;
}

/** Rejects only with the signal's reason, or when `attempt` does. */
export async function withRetries<T>(
  deps: ModelRetryDeps,
  signal: AbortSignal,
  attempt: () => Promise<RetryOutcome<T>>,
): Promise<RetryOutcome<T>> {
  for (let tries = 1; ; tries++) {
    const outcome = await tryOnce(deps, signal, attempt);
    if (outcome.kind === 'answered') return outcome;
    const { failure } = outcome;
    if (tries === mostTries || !isWorthRetrying(failure) || asksTooMuch(failure)) return outcome;
    deps.onRetry(failure, tries);
    // A busy vendor is waited for at the limiter, with all other calls.
    if (failure.kind !== 'busy') await deps.clock.sleep(backoffMs(tries, deps.random), signal);
  }
}

async function tryOnce<T>(
  { limiter }: ModelRetryDeps,
  signal: AbortSignal,
  attempt: () => Promise<RetryOutcome<T>>,
): Promise<RetryOutcome<T>> {
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

interface LimiterDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly concurrency: number;
}

/** Held while a call runs. */
export interface LimiterEntry extends Disposable {
  readonly beganMs: number;
}

const firstDelayMs = 500;
const longestDelayMs = 60_000;

/**
 * All calls with one key of one vendor go through here.
 *
 * L1. At most `concurrency` calls run at a time; the rest wait in the order they came.
 * L2. When the vendor says that it is busy, no call begins until the cool-down is over, and it
 *     doubles each time. What failed in one wave counts once: a call that began before the last
 *     cool-down tells nothing that is not known.
 * L3. An answer ends the doubling.
 */
export class Limiter {
  readonly #deps: LimiterDeps;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #refusals = 0;
  #coolFromMs = Number.NEGATIVE_INFINITY;
  #coolUntilMs = Number.NEGATIVE_INFINITY;

  constructor(deps: LimiterDeps) {
    this.#deps = deps;
  }

  async enter(signal: AbortSignal): Promise<LimiterEntry> {
    signal.throwIfAborted();
    await this.#takePlace(signal);
    try {
      await this.#untilCool(signal);
    } catch (error) {
      this.#leave();
      throw error;
    }
    let isHeld = true;
    return {
      beganMs: this.#deps.clock.monotonicMs(),
      [Symbol.dispose]: () => {
        if (isHeld) this.#leave();
        isHeld = false;
      },
    };
  }

  /** The vendor turned that call away; `retryAfterMs` is what it asked for, if anything. */
  coolDown({ beganMs }: LimiterEntry, retryAfterMs: number | undefined): void {
    const nowMs = this.#deps.clock.monotonicMs();
    // L2
    if (beganMs >= this.#coolFromMs) {
      this.#refusals++;
      this.#coolFromMs = nowMs;
    }
    const delayMs = Math.max(retryAfterMs ?? 0, backoffMs(this.#refusals, this.#deps.random));
    this.#coolUntilMs = Math.max(this.#coolUntilMs, nowMs + delayMs);
  }

  answered(): void {
    this.#refusals = 0;
  }

  // L1
  async #takePlace(signal: AbortSignal): Promise<void> {
    if (this.#running < this.#deps.concurrency) {
      this.#running++;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(take), 1);
      reject(signal.reason);
    };
    const take = (): void => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    this.#waiting.push(take);
    signal.addEventListener('abort', giveUp, { once: true });
    await promise;
  }

  // The place of who leaves goes to who waited longest.
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }

  // Another call may prolong it meanwhile.
  async #untilCool(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (;;) {
      const leftMs = this.#coolUntilMs - clock.monotonicMs();
      if (!(leftMs > 0)) return;
      await clock.sleep(leftMs, signal);
    }
  }
}

/** How long to wait after that many failures in a row, spread over the upper half. */
export function backoffMs(failures: number, random: Random): number {
  const delayMs = Math.min(firstDelayMs * 2 ** (Math.max(1, failures) - 1), longestDelayMs);
  return Math.round(delayMs * (0.5 + fraction(random) / 2));
}

function fraction(random: Random): number {
  const [high, low] = random.bytes(2);
  return (must(high, 'a byte of chance') * 256 + must(low, 'a byte of chance')) / 65_536;
}

/**
 * `fetch` for asking vendors: it follows no redirect, because the key would go along, and it
 * reads no more than an answer can be.
 */

const mostAnswerBytes = 64 * 1024 * 1024;
const mostErrorBytes = 64 * 1024;

export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.body === null) return response;
    const body = response.body.pipeThrough(
      response.ok ? refusingAfter(mostAnswerBytes) : endingAfter(mostErrorBytes),
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function refusingAfter(limitBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > limitBytes) controller.error(new Error('the answer is too long to be read'));
      else controller.enqueue(chunk);
    },
  });
}

// Of an error its beginning is enough.
function endingAfter(limitBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, limitBytes - bytes));
      bytes += chunk.length;
      if (bytes >= limitBytes) controller.terminate();
    },
  });
}
