/**
 * What has happened and only remains to be written down goes along with the next message
 * that is accepted, because each commit costs a flush, for which that message would wait.
 * When none comes, it is written after a moment.
 *
 * N1. Nothing is lost by waiting: whoever waits here has left what tells the next start.
 */

import type { Clock } from '../kernel/ports.ts';
import { early } from '../kernel/turns.ts';

export class Notes {
  readonly #clock: Clock;
  readonly #withinMs: number;
  #moment: AbortController | undefined;
  #waiting: Promise<void> | undefined;

  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#withinMs = withinMs;
  }

  /** Resolves when it is time to write. */
  async turn(): Promise<void> {
    if (this.#withinMs <= 0) return;
    this.#waiting ??= this.#wait();
    await this.#waiting;
  }

  /** A transaction is about to be made; what waits joins it. */
  flush(): void {
    this.#moment?.abort(early);
  }

  async #wait(): Promise<void> {
    const moment = new AbortController();
    this.#moment = moment;
    // Ended early is what flush() is for.
    await this.#clock.sleep(this.#withinMs, moment.signal).catch(() => {});
    this.#moment = undefined;
    this.#waiting = undefined;
  }
}
