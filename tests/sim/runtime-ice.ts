/** A process that stands still, as one that was stopped or swapped out, and later goes on. */
import type { Clock } from '../../src/kernel/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { borrowed } from './stale-looks.ts';

export class Ice {
  #thawed: PromiseWithResolvers<void> | undefined;

  get isFrozen(): boolean {
    return this.#thawed !== undefined;
  }

  freeze(): void {
    this.#thawed ??= Promise.withResolvers();
  }

  thaw(): void {
    this.#thawed?.resolve();
    this.#thawed = undefined;
  }

  async gate(): Promise<void> {
    while (this.#thawed !== undefined) await this.#thawed.promise;
  }

  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      sleep: async (durationMs, signal) => {
        try {
          await clock.sleep(durationMs, signal);
        } finally {
          await this.gate();
        }
      },
    };
  }

  ledger(ledger: Ledger): Ledger {
    const { committed } = ledger;
    const within = async <T>(perform: () => Promise<T>): Promise<T> => {
      await this.gate();
      try {
        return await perform();
      } finally {
        await this.gate();
      }
    };
    return {
      ...borrowed(ledger),
      transact: (work) => within(() => ledger.transact(work)),
      committed: {
        all: (...call) => within(() => committed.all(...call)),
        get: (...call) => within(() => committed.get(...call)),
        run: (...call) => within(() => committed.run(...call)),
      },
    };
  }
}
