import type { Clock } from '../../kernel/ports.ts';

export interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Time brings tokens, up to a burst of them. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #rate: BucketRate;
  #tokens: number;
  #filledAt: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, rate: BucketRate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = clock.monotonicMs();
  }

  /** Whether there was one left. */
  take(): boolean {
    const now = this.#clock.monotonicMs();
    const earned = ((now - this.#filledAt) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + earned);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
