import type { Instant } from '../kernel/ports.ts';

const perMillisecond = 1_000_000;
const digits = { ms: 13, within: 6 } as const;

/**
 * Nanoseconds since 1970 that only go up, whatever the clock does: inbox files are named
 * by them, and whoever sorts the names has the order in which messages were accepted.
 */
export class Stamps {
  #ms: number;
  #within: number;

  /** Goes on behind `last`, the newest that was given out. */
  constructor(last: string | undefined) {
    this.#ms = Number(last?.slice(0, -digits.within) ?? 0);
    this.#within = Number(last?.slice(-digits.within) ?? 0);
  }

  next(now: Instant): string {
    if (now > this.#ms) {
      this.#ms = now;
      this.#within = 0;
    } else if (++this.#within === perMillisecond) {
      this.#ms++;
      this.#within = 0;
    }
    const ms = String(this.#ms).padStart(digits.ms, '0');
    return ms + String(this.#within).padStart(digits.within, '0');
  }

  /** How far the clock is behind what has been given out already. */
  behindMs(now: Instant): number {
    return Math.max(0, this.#ms - now);
  }
}
