/** Bugs that the simulator has to find. Each is put between the runtime and its ledger. */
import type { Ledger, Transaction } from '../../src/ledger/ledger.ts';
import { borrowed, bound } from './stale-looks.ts';

function changed(ledger: Ledger, change: (tx: Transaction) => Partial<Transaction>): Ledger {
  return {
    ...borrowed(ledger),
    transact: (work) => ledger.transact((tx) => work({ ...bound(tx), ...change(tx) })),
  };
}

/** Whoever works on something may write it down, also when somebody else does by now. */
export function leaseUnchecked(ledger: Ledger): Ledger {
  return changed(ledger, (tx) => ({
    get: async <Row>(...[text, parameters]: Parameters<Transaction['get']>) =>
      text.startsWith('select 1 as held from leases')
        ? // What holdsLease() looks for.
          ({ held: 1 } as Row)
        : tx.get<Row>(text, parameters),
  }));
}

/** What is about to be spent is held, whether it is there or not. */
export function holdUnguarded(ledger: Ledger): Ledger {
  return changed(ledger, (tx) => ({
    run: (text, parameters) =>
      tx.run(
        text.replace(/(where id = \$1) and \(\$2 = 0 or .*$/s, '$1 and $6 is not null'),
        parameters,
      ),
  }));
}

/** An operation that waited stays so when it is to go on. */
export function requeueLost(ledger: Ledger): Ledger {
  return changed(ledger, (tx) => ({
    run: async (text, parameters = []) => {
      const isRequeue = text.startsWith('update operations set state = $2, waits_for');
      const isWaiting = parameters[1] === 'queued' && parameters.includes('waiting');
      return isRequeue && isWaiting ? 1 : tx.run(text, parameters);
    },
  }));
}

/** That somebody is to be told is forgotten, so that no parent hears of its children. */
export function parentUntold(ledger: Ledger): Ledger {
  return changed(ledger, (tx) => ({
    get: async <Row>(...[text, parameters]: Parameters<Transaction['get']>) =>
      text.startsWith('insert into pending_operations') && parameters?.[0] === 'tell'
        ? ({ id: 0 } as Row)
        : tx.get<Row>(text, parameters),
  }));
}
