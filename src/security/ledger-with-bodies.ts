/** The ledger, and with it what seals the journal of operations that have a key of their own. */

import type { Bodies, Ledger, Sql, Transaction } from '../ledger/ledger.ts';

export function ledgerWithBodies(ledger: Ledger, bodies: Bodies): Ledger {
  return {
    transact: (work) => ledger.transact((tx) => work(withBodies(tx, bodies))),
    committed: { ...callsOf(ledger.committed), bodies },
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

function withBodies(tx: Transaction, bodies: Bodies): Transaction {
  return { ...callsOf(tx), record: (event) => tx.record(event), bodies };
}

function callsOf(sql: Sql): Sql {
  return {
    all: (text, parameters) => sql.all(text, parameters),
    get: (text, parameters) => sql.get(text, parameters),
    run: (text, parameters) => sql.run(text, parameters),
  };
}
