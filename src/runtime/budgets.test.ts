import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
import type { Limits } from '../kernel/agent/budget.ts';
import { charge, hold, insertBudget, readBudget } from '../ledger/operations/leases.ts';
import { giveBack, holdAll, settleAll, shortfallError, takeAllowance } from './budgets.ts';

const parents = ['operation:a1', 'agent:jean'];
const child = 'agent:kid';

async function ledgerWith(operation: Limits, agent: Limits = {}): Promise<SimulatedLedger> {
  const ledger = await SimulatedLedger.create(new SimulatedClock());
  await ledger.transact(async (tx) => {
    await insertBudget(tx, 'operation:a1', operation);
    await insertBudget(tx, 'agent:jean', agent);
  });
  return ledger;
}

const take = (ledger: SimulatedLedger, limits: Limits, to = child) =>
  ledger.transact((tx) => takeAllowance(tx, { from: parents, to, limits }));

test('holdAll() holds in every budget', async () => {
  await using ledger = await ledgerWith({ tokens: 100 }, { tokens: 50 });

  const short = await ledger.transact((tx) =>
    holdAll(tx, [...parents, 'agent:jean'], { tokens: 50 }),
  );

  expect(short).toBeUndefined();
  for (const id of parents) {
    expect(await readBudget(ledger.committed, id)).toMatchObject({ tokens: { held: 50 } });
  }
  await ledger.transact((tx) =>
    settleAll(tx, [...parents, 'agent:jean'], { held: { tokens: 50 }, used: { tokens: 20 } }),
  );
  for (const id of parents) {
    expect(await readBudget(ledger.committed, id)).toMatchObject({ tokens: { used: 20, held: 0 } });
  }
});

test('where one budget does not cover it the others hold nothing, and it is told which', async () => {
  await using ledger = await ledgerWith({ tokens: 100 }, { tokens: 40 });

  const short = await ledger.transact((tx) => holdAll(tx, parents, { tokens: 50, cost: 3 }));

  expect(short).toEqual({
    whose: 'agent "jean"',
    resource: 'tokens',
    account: { limit: 40, used: 0, held: 0 },
    wanted: 50,
  });
  expect(short && shortfallError(short)).toMatchObject({
    code: 'budget.spent',
    message: 'The budget of agent "jean" does not cover 50 tokens: 40 of 40 tokens left',
  });
  expect(await readBudget(ledger.committed, 'operation:a1')).toMatchObject({
    tokens: { held: 0 },
    cost: { held: 0 },
  });
});

test('a budget that is missing covers nothing', async () => {
  await using ledger = await ledgerWith({});

  const attempt = ledger.transact((tx) => holdAll(tx, ['agent:nobody'], { tokens: 1 }));

  await expect(attempt).rejects.toThrow(/is not there/);
});

test('a child gets its allowance out of all budgets of its parent, and counts as one child', async () => {
  await using ledger = await ledgerWith({ tokens: 1000, children: 2 });

  await take(ledger, { tokens: 300 });

  expect(await readBudget(ledger.committed, child)).toMatchObject({
    tokens: { limit: 300, used: 0 },
    children: { limit: 0 },
  });
  for (const id of parents) {
    expect(await readBudget(ledger.committed, id)).toMatchObject({
      tokens: { used: 300, held: 0 },
      children: { used: 1, held: 0 },
    });
  }
});

test('children=2 makes two children and no third, also when they come and go', async () => {
  await using ledger = await ledgerWith({ tokens: 1000, children: 2 });

  for (const name of ['one', 'two']) {
    await take(ledger, { tokens: 10 }, `agent:${name}`);
    await ledger.transact((tx) => giveBack(tx, `agent:${name}`));
  }

  await expect(take(ledger, { tokens: 10 })).rejects.toMatchObject({
    code: 'budget.spent',
    message: 'The budget of operation "a1" does not cover 1 child: 0 of 2 children left',
  });
  expect(await readBudget(ledger.committed, child)).toBeUndefined();
});

test('children of a child come out of the same number', async () => {
  await using ledger = await ledgerWith({ children: 3 });

  await expect(take(ledger, { children: 3 })).rejects.toMatchObject({ code: 'budget.spent' });
  await take(ledger, { children: 2 });

  expect(await readBudget(ledger.committed, 'operation:a1')).toMatchObject({
    children: { used: 3 },
  });
  await ledger.transact((tx) => giveBack(tx, child));
  expect(await readBudget(ledger.committed, 'operation:a1')).toMatchObject({
    children: { used: 1 },
  });
});

test('a child is limited in all that its parent is limited in', async () => {
  await using ledger = await ledgerWith({ tokens: 1000 }, { cost: 5 });

  await expect(take(ledger, { tokens: 10 })).rejects.toMatchObject({
    code: 'budget.malformed',
    message: 'A child gets a part of your budget: say how much of your cost it gets',
    fix: 'Name each of them in its budget, such as cost=0.50',
  });
  await expect(take(ledger, {})).rejects.toMatchObject({ details: { unsaid: ['tokens', 'cost'] } });
});

test('an allowance that the parent cannot give is refused, and nothing is taken', async () => {
  await using ledger = await ledgerWith({ tokens: 1000 }, { tokens: 100 });

  await expect(take(ledger, { tokens: 101 })).rejects.toMatchObject({ code: 'budget.spent' });

  expect(await readBudget(ledger.committed, 'operation:a1')).toMatchObject({ tokens: { used: 0 } });
});

test('what a child left goes back once, and it can spend no more', async () => {
  await using ledger = await ledgerWith({ tokens: 1000 });
  await take(ledger, { tokens: 300, cost: 50 });
  await ledger.transact(async (tx) => {
    await charge(tx, child, { tokens: 100 });
    await hold(tx, child, { tokens: 20 });
  });

  await Promise.all([1, 2, 3].map(() => ledger.transact((tx) => giveBack(tx, child))));

  for (const id of parents) {
    expect(await readBudget(ledger.committed, id)).toMatchObject({
      tokens: { used: 120 },
      cost: { used: 0 },
    });
  }
  expect(await ledger.transact((tx) => hold(tx, child, { tokens: 1 }))).toBe(false);
});

test('what a child spent beyond its allowance its parent has spent', async () => {
  await using ledger = await ledgerWith({ tokens: 1000 });
  await take(ledger, { tokens: 100 });
  await ledger.transact((tx) => charge(tx, child, { tokens: 130 }));

  await ledger.transact((tx) => giveBack(tx, child));

  expect(await readBudget(ledger.committed, 'operation:a1')).toMatchObject({
    tokens: { used: 130 },
  });
});

test('giveBack() does nothing to a budget that was not taken out of another', async () => {
  await using ledger = await ledgerWith({ tokens: 1000 });

  await ledger.transact((tx) => giveBack(tx, 'operation:a1'));
  await ledger.transact((tx) => giveBack(tx, 'agent:nobody'));

  expect(await ledger.transact((tx) => hold(tx, 'operation:a1', { tokens: 1000 }))).toBe(true);
});

test('a family never spends more than its head may, in whatever order it takes and gives back', async () => {
  const action = fc.record({
    kind: fc.constantFrom('take', 'spend', 'give-back'),
    who: fc.nat({ max: 3 }),
    amount: fc.nat({ max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      await using ledger = await ledgerWith({ tokens: 100 });
      // The first is the head's own; each of the others is a child of the one before it.
      const family = ['operation:a1', 'agent:b', 'agent:c', 'agent:d'];
      let spentInAll = 0;
      for (const { kind, who, amount } of actions) {
        const [from = '', to] = family.slice(who);
        if (kind === 'give-back') await ledger.transact((tx) => giveBack(tx, from));
        if (kind === 'take' && to !== undefined) {
          const allowance = { from: [from], to, limits: { tokens: amount } };
          // Refused, or there already, or without a parent: nothing happens then.
          await ledger.transact((tx) => takeAllowance(tx, allowance)).catch(() => {});
        }
        if (kind === 'spend') {
          const short = await ledger
            .transact((tx) => holdAll(tx, [from], { tokens: amount }))
            .catch(() => 'no budget');
          if (short !== undefined) continue;
          const settlement = { held: { tokens: amount }, used: { tokens: amount } };
          await ledger.transact((tx) => settleAll(tx, [from], settlement));
          spentInAll += amount;
        }
      }

      expect(spentInAll).toBeLessThanOrEqual(100);
    }),
    { numRuns: 60 },
  );
});
