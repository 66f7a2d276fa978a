import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../../tests/sim/ledger.ts';
import type { Transaction } from '../ledger.ts';
import {
  charge,
  closeAllowance,
  deleteBudget,
  hold,
  insertBudget,
  readBudget,
  refund,
  release,
  settle,
} from './leases.ts';

const jean = 'agent:jean';

async function ledgerWithBudget(limits: object): Promise<SimulatedLedger> {
  const ledger = await SimulatedLedger.create(new SimulatedClock());
  await ledger.transact((tx) => insertBudget(tx, jean, limits));
  return ledger;
}

test('a new budget has its limits, and nothing used or held', async () => {
  await using ledger = await ledgerWithBudget({ tokens: 100, children: 0 });

  const free = { used: 0, held: 0 };
  expect(await readBudget(ledger.committed, jean)).toEqual({
    tokens: { limit: 100, ...free },
    cost: { limit: undefined, ...free },
    wall: { limit: undefined, ...free },
    tool_calls: { limit: undefined, ...free },
    children: { limit: 0, ...free },
  });
  expect(await ledger.transact((tx) => insertBudget(tx, jean, {}))).toBe(false);
});

test('hold() holds all of it or nothing', async () => {
  await using ledger = await ledgerWithBudget({ tokens: 100, cost: 5 });
  const holdNow = (amounts: object) => ledger.transact((tx) => hold(tx, jean, amounts));

  expect(await holdNow({ tokens: 60, tool_calls: 1 })).toBe(true);
  expect(await holdNow({ tokens: 40, cost: 6 })).toBe(false);
  expect(await holdNow({ tokens: 41 })).toBe(false);
  expect(await holdNow({ tokens: 40, cost: 5 })).toBe(true);
  expect(await holdNow({ tokens: 1 })).toBe(false);
  expect(await holdNow({ tool_calls: 1_000_000 })).toBe(true);
  expect(await readBudget(ledger.committed, jean)).toMatchObject({
    tokens: { used: 0, held: 100 },
    cost: { held: 5 },
    tool_calls: { held: 1_000_001 },
  });
});

test('of a hundred who want the last ten tokens ten get one each', async () => {
  await using ledger = await ledgerWithBudget({ tokens: 10 });

  const got = await Promise.all(
    Array.from({ length: 100 }, () => ledger.transact((tx) => hold(tx, jean, { tokens: 1 }))),
  );

  expect(got.filter(Boolean)).toHaveLength(10);
});

test('what is settled is held no longer, and counts as used, also beyond what was held', async () => {
  await using ledger = await ledgerWithBudget({ tokens: 100 });

  await ledger.transact(async (tx) => {
    await hold(tx, jean, { tokens: 90 });
    await settle(tx, jean, { held: { tokens: 90 }, used: { tokens: 120 } });
    await charge(tx, jean, { wall: 7 });
  });

  expect(await readBudget(ledger.committed, jean)).toMatchObject({
    tokens: { used: 120, held: 0 },
    wall: { used: 7 },
  });
  expect(await ledger.transact((tx) => hold(tx, jean, { tokens: 1 }))).toBe(false);
  expect(await ledger.transact((tx) => hold(tx, jean, { wall: 1 }))).toBe(true);
});

test('release() and refund() give back, never below nothing', async () => {
  await using ledger = await ledgerWithBudget({ tokens: 100 });

  await ledger.transact(async (tx) => {
    await hold(tx, jean, { tokens: 50 });
    await release(tx, jean, { tokens: 70 });
    await charge(tx, jean, { tokens: 30 });
    await refund(tx, jean, { tokens: 20 });
    await refund(tx, jean, { cost: 20 });
  });

  expect(await readBudget(ledger.committed, jean)).toMatchObject({
    tokens: { used: 10, held: 0 },
    cost: { used: 0 },
  });
});

test('what is used never grows beyond what can be read back', async () => {
  await using ledger = await ledgerWithBudget({});
  const most = Number.MAX_SAFE_INTEGER;

  await ledger.transact(async (tx) => {
    for (const amounts of [{ tokens: most }, { tokens: most }]) {
      await charge(tx, jean, amounts);
      await hold(tx, jean, amounts);
    }
  });

  expect(await readBudget(ledger.committed, jean)).toMatchObject({
    tokens: { used: most, held: most },
  });
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
  'an amount of %d is refused everywhere',
  async (tokens) => {
    await using ledger = await ledgerWithBudget({});
    const actions = [
      (tx: Transaction) => hold(tx, jean, { tokens }),
      (tx: Transaction) => charge(tx, jean, { tokens }),
      (tx: Transaction) => release(tx, jean, { tokens }),
      (tx: Transaction) => refund(tx, jean, { tokens }),
      (tx: Transaction) => insertBudget(tx, 'agent:other', { tokens }),
    ];

    for (const action of actions) {
      await expect(ledger.transact<boolean>(action)).rejects.toThrow(/no whole number/);
    }
  },
);

test('an allowance is closed once, and covers nothing more', async () => {
  await using ledger = await SimulatedLedger.create(new SimulatedClock());
  const taken = [{ budget: 'operation:a1', amounts: { tokens: 100 } }];
  await ledger.transact(async (tx) => {
    await insertBudget(tx, jean, { tokens: 100 }, taken);
    await charge(tx, jean, { tokens: 10 });
  });
  const close = () => ledger.transact((tx) => closeAllowance(tx, jean));

  expect(await close()).toEqual(taken);
  expect(await close()).toBeUndefined();
  expect(await ledger.transact((tx) => hold(tx, jean, { tokens: 1 }))).toBe(false);
  expect(await ledger.transact((tx) => hold(tx, jean, { cost: 1 }))).toBe(true);
});

test('a budget that is not there covers nothing', async () => {
  await using ledger = await ledgerWithBudget({});

  expect(await ledger.transact((tx) => deleteBudget(tx, jean))).toBe(true);

  expect(await readBudget(ledger.committed, jean)).toBeUndefined();
  expect(await ledger.transact((tx) => hold(tx, jean, {}))).toBe(false);
  expect(await ledger.transact((tx) => charge(tx, jean, {}))).toBe(false);
  expect(await ledger.transact((tx) => closeAllowance(tx, jean))).toBeUndefined();
});
