import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface ThrottleRate {
  readonly perSecond: number;
  readonly burst: number;
}

// Far more than there are principals; full buckets say nothing and can go.
const mostBuckets = 10_000;

/** A bucket of tokens for each name: a request takes one, time brings them back. */
export class Throttle {
  readonly #clock: Clock;
  readonly #rate: ThrottleRate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, rate: ThrottleRate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** 0 when the request may pass, else how long to wait. */
  take(name: string): number {
    const now = this.#clock.monotonicMs();
    const bucket = this.#filled(name, now);
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / this.#rate.perSecond) * 1000);
    bucket.tokens -= 1;
    return 0;
  }

  #filled(name: string, now: number): Bucket {
    const { perSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      if (this.#buckets.size >= mostBuckets) this.#forgetFull(now);
      const fresh = { tokens: burst, filledAt: now };
      this.#buckets.set(name, fresh);
      return fresh;
    }
    const earned = ((now - bucket.filledAt) / 1000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + earned);
    bucket.filledAt = now;
    return bucket;
  }

  #forgetFull(now: number): void {
    const { perSecond, burst } = this.#rate;
    for (const [name, { tokens, filledAt }] of this.#buckets) {
      if (tokens + ((now - filledAt) / 1000) * perSecond >= burst) this.#buckets.delete(name);
    }
  }
}

export function tooMany(waitMs: number): AosError {
  return new AosError('gateway.too-many', {
    message: `Too many requests; the next one may come in ${waitMs} ms`,
    details: { retry_after_ms: waitMs },
  });
}
