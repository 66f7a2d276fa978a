import type { Ledger } from '../../src/ledger/ledger.ts';

/** Dies before that transaction: nothing is written from then on. */
export function dyingAt(number: number) {
  return (ledger: Ledger): Ledger => {
    let left = number;
    const transact: Ledger['transact'] = (work) =>
      left-- > 0 ? ledger.transact(work) : Promise.reject(new Error('dead'));
    return new Proxy(ledger, {
      get: (target, name) => {
        if (name === 'transact') return transact;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
}
