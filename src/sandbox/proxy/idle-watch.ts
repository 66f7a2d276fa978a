import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';

/** Tells, once, when nothing has happened for so long. */
export class IdleWatch implements Disposable {
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #touchedAt: number;

  constructor(clock: Clock, limitMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#touchedAt = clock.monotonicMs();
    this.#untilIdle(limitMs).then(
      () => {
        if (!this.#over.signal.aborted) onIdle();
      },
      () => {
        // It was disposed of.
      },
    );
  }

  /** One number, and no new timer: it is called for every piece of what flows. */
  touch(): void {
    this.#touchedAt = this.#clock.monotonicMs();
  }

  [Symbol.dispose](): void {
    this.#over.abort(early);
  }

  async #untilIdle(limitMs: number): Promise<void> {
    for (;;) {
      const leftMs = limitMs - (this.#clock.monotonicMs() - this.#touchedAt);
      if (leftMs <= 0) return;
      await this.#clock.sleep(leftMs, this.#over.signal);
    }
  }
}
