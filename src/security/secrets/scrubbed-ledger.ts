/** The ledger with every event scrubbed, whoever records it: a path or an address may carry a secret. */
import type { Ledger, NewEvent, Transaction } from '../../ledger/ledger.ts';
import type { Scrub } from './scrub.ts';

export function scrubbedLedger(ledger: Ledger, scrubber: Pick<Scrub, 'scrubJson'>): Ledger {
  return {
    transact: (work) => ledger.transact((tx) => work(scrubbedTransaction(tx, scrubber))),
    committed: ledger.committed,
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

function scrubbedTransaction(tx: Transaction, scrubber: Pick<Scrub, 'scrubJson'>): Transaction {
  return {
    all: (text, parameters) => tx.all(text, parameters),
    get: (text, parameters) => tx.get(text, parameters),
    run: (text, parameters) => tx.run(text, parameters),
    bodies: tx.bodies,
    // What goes in as an event comes out as one: only its texts may change.
    record: (event) => tx.record(scrubber.scrubJson(event) as NewEvent),
  };
}
