/** A ledger that counts what passes, kills its process at the n-th, and looks for lies. */
import type { Ledger } from '../../src/ledger/ledger.ts';

/** Counts what it passes, and ends the process at the one that it was told. */
export class Boundaries {
  readonly #dieAt: number;
  count = 0;
  isArmed = false;

  constructor(dieAt = Number.POSITIVE_INFINITY) {
    this.#dieAt = dieAt;
  }

  pass(): void {
    if (!this.isArmed) return;
    if (++this.count === this.#dieAt) process.kill(process.pid, 'SIGKILL');
  }
}

export class WatchedLedger implements Ledger {
  readonly #ledger: Ledger;
  readonly #boundaries: Boundaries;
  readonly lies: string[] = [];

  constructor(ledger: Ledger, boundaries: Boundaries) {
    this.#ledger = ledger;
    this.#boundaries = boundaries;
  }

  get committed() {
    return this.#ledger.committed;
  }

  async transact<T>(work: Parameters<Ledger['transact']>[0]): Promise<T> {
    this.#boundaries.pass();
    const result = await this.#ledger.transact(work);
    this.#boundaries.pass();
    await this.#lookForLies();
    // The caller's own type goes in and comes out.
    return result as T;
  }

  async #lookForLies(): Promise<void> {
    if (!this.#boundaries.isArmed) return;
    const liars = await this.#ledger.committed.all<{ name: string }>(
      `select name from agents where state = 'running' and not exists
         (select 1 from leases where subject = 'agent:' || agents.name and owner <> '')`,
    );
    for (const { name } of liars) this.lies.push(`${name} runs without a lease`);
  }

  openView() {
    return this.#ledger.openView();
  }

  onEvents(wake: () => void) {
    return this.#ledger.onEvents(wake);
  }

  forget() {
    return this.#ledger.forget();
  }

  copyTo(path: string) {
    return this.#ledger.copyTo(path);
  }

  [Symbol.asyncDispose]() {
    return this.#ledger[Symbol.asyncDispose]();
  }
}
