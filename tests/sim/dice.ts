/** Choices that follow from a seed; cheaper than `seededRandom`, for many small ones. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
  }

  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0];
  }

  /** One of the list; undefined when it is empty. */
  oneOf<T>(choices: readonly T[]): T | undefined {
    return choices[this.below(Math.max(1, choices.length))];
  }
}
