/** Wakes everybody who waits for something new. */
export class Doorbell {
  readonly #waiting = new Set<() => void>();
  #rings = 0;

  /** Goes up with every ring: whoever looked before waiting sees what they would miss. */
  get rings(): number {
    return this.#rings;
  }

  ring(): void {
    this.#rings++;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Until the next ring, or until the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
