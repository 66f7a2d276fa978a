import type { Ledger } from '../../src/ledger/ledger.ts';

/** Dies before that transaction, or for another reason: nothing is written from then on. */
export function dyingAt(number: number, why: Error = new Error('dead')) {
  return (ledger: Ledger): Ledger => {
    let left = number;
    const transact: Ledger['transact'] = (work) =>
      left-- > 0 ? ledger.transact(work) : Promise.reject(why);
    return new Proxy(ledger, {
      get: (target, name) => {
        if (name === 'transact') return transact;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
}
