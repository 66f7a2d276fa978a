/**
 * A ledger that several machines share, as Postgres will be: between a look at what waits and
 * the claim, another machine may have claimed it. SQLite has one writer and no such moment, so
 * here looks bring back what the other node saw a little earlier.
 */

import type { Ledger, Sql, Transaction } from '../../src/ledger/ledger.ts';
import type { MailRow } from '../../src/ledger/messages/find-mail.ts';
import type { SimulatedClock } from './clock.ts';
import type { Dice } from './dice.ts';

interface Look {
  readonly atMs: number;
  readonly rows: readonly MailRow[];
}

const waiting = /d\.state = 'accepted'\s+and d\.owner is null/;
const stalestMs = 100;

export class StaleLooks {
  readonly #clock: SimulatedClock;
  readonly #dice: Dice;
  /** By node and by question. */
  readonly #looks = [new Map<string, Look>(), new Map<string, Look>()] as const;

  constructor(clock: SimulatedClock, dice: Dice) {
    this.#clock = clock;
    this.#dice = dice;
  }

  ledgerOf(place: number, ledger: Ledger): Ledger {
    const [own, others] = place === 0 ? this.#looks : [this.#looks[1], this.#looks[0]];
    const look = async <Row>(tx: Sql, ...[text, parameters]: Parameters<Sql['all']>) => {
      const rows = await tx.all<Row>(text, parameters);
      if (!waiting.test(text)) return rows;
      // Of which queue; the others are the time and how many.
      const question = `${text} ${JSON.stringify(parameters?.slice(0, 2))}`;
      // Only mail is asked for so.
      const fresh = rows as unknown as MailRow[];
      own.set(question, { atMs: this.#clock.monotonicMs(), rows: fresh });
      return this.#withOlder(fresh, others.get(question)) as unknown as Row[];
    };
    return {
      ...borrowed(ledger),
      transact: (work) =>
        ledger.transact((tx) => {
          const seen: Transaction = { ...bound(tx), all: (...call) => look(tx, ...call) };
          return work(seen);
        }),
    };
  }

  #withOlder(fresh: readonly MailRow[], older: Look | undefined): readonly MailRow[] {
    const isFar = older === undefined || this.#clock.monotonicMs() - older.atMs > stalestMs;
    if (isFar || !this.#dice.chance(50)) return fresh;
    const known = new Set(fresh.map(({ delivery }) => delivery));
    const gone = older.rows.filter(({ delivery }) => !known.has(delivery));
    return [...fresh, ...gone].sort(
      (one, other) => one.priority - other.priority || one.delivery - other.delivery,
    );
  }
}

/** The same ledger, for who changes some of its methods. */
export function borrowed(ledger: Ledger): Ledger {
  return {
    transact: (work) => ledger.transact(work),
    committed: ledger.committed,
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** The same transaction, for who changes some of its methods. */
export function bound(tx: Transaction): Transaction {
  return {
    all: (...call) => tx.all(...call),
    get: (...call) => tx.get(...call),
    run: (...call) => tx.run(...call),
    record: (event) => tx.record(event),
  };
}
