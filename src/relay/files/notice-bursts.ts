/**
 * More notices in one turn than are usual may be fewer than there were: the system's queue
 * has room for so many, for all folders together, and what does not fit is dropped unsaid.
 */
import type { EventLoop } from '../../kernel/ports.ts';

const noticesPerTurn = 4000;

export class NoticeBursts {
  readonly #eventLoop: EventLoop;
  readonly #listeners = new Set<() => void>();
  #inTurn = 0;

  constructor(eventLoop: EventLoop) {
    this.#eventLoop = eventLoop;
  }

  /** A notice has come, of whatever folder. */
  count(): void {
    if (++this.#inTurn === 1) this.#eventLoop.atEndOfTurn(() => this.#endTurn());
  }

  /** Calls after every turn that brought too many. */
  listen(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #endTurn(): void {
    const isBurst = this.#inTurn > noticesPerTurn;
    this.#inTurn = 0;
    if (isBurst) for (const listener of this.#listeners) listener();
  }
}
