/** One after another, in the order in which they were asked for. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    // Whoever asked hears of a failure; the next in turn does not mind.
    this.#last = mine.catch(() => {});
    return mine;
  }
}
