import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../../tests/sim/ledger.ts';
import { integerBelow, seededRandom } from '../../../tests/sim/random.ts';
import { compareGoals } from '../../kernel/agent/operation.ts';
import { changeState, insertAgent } from '../agents.ts';
import { insertBudget, readBudget } from './leases.ts';
import {
  askToEnd,
  changeOperation,
  claimOperation,
  countByState,
  countOpenOf,
  deleteOperationsBefore,
  endOperation,
  findOperation,
  insertOperation,
  lateOperations,
  listOperations,
  type NewOperation,
  openChildrenOf,
  openOperationsOf,
  operationIdsFrom,
  putOff,
  queuedOperations,
  queueInOrder,
  setPriority,
} from './operations.ts';
import { appendSteps, readSteps } from './steps.ts';

const start = Date.UTC(2030, 0, 1);
const page = { now: start, ageingMs: 60_000, limit: 100 };

async function ledgerWith(...agents: string[]): Promise<SimulatedLedger> {
  const ledger = await SimulatedLedger.create(new SimulatedClock());
  const facts = {
    registered_at: start,
    status: 'active',
    state: 'pending',
    body: 'model',
  } as const;
  await ledger.transact(async (tx) => {
    for (const name of agents) await insertAgent(tx, { name, ...facts });
  });
  return ledger;
}

function operation(id: string, facts: Partial<NewOperation> = {}): NewOperation {
  return {
    id,
    agent: 'jean',
    owner: 'owner',
    parent: null,
    goal: 'count the files',
    because: 'it was named',
    priority: 5,
    due_at: start,
    deadline_at: null,
    created_at: start,
    of_mail: 0,
    ...facts,
  };
}

const insert = (ledger: SimulatedLedger, ...all: NewOperation[]) =>
  ledger.transact(async (tx) => {
    for (const one of all) await insertOperation(tx, one);
  });

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

test('an operation is read back as it was submitted', async () => {
  await using ledger = await ledgerWith('jean');

  await insert(ledger, operation('a1', { deadline_at: start + 5, of_mail: 1 }));

  expect(await findOperation(ledger.committed, 'a1')).toEqual({
    ...operation('a1', { deadline_at: start + 5, of_mail: 1 }),
    state: 'queued',
    waits_for: null,
    result: null,
    queued_at: start,
    started_at: null,
    ended_at: null,
    steps: 0,
    grant_id: null,
    is_sealed: 0,
    finish: null,
  });
  expect(await findOperation(ledger.committed, 'a2')).toBeUndefined();
});

test('operationIdsFrom() finds ids by their beginning', async () => {
  await using ledger = await ledgerWith('jean');
  await insert(ledger, operation('aa1'), operation('aaf'), operation('ab1'));

  expect(await operationIdsFrom(ledger.committed, 'aa', 9)).toEqual(['aa1', 'aaf']);
  expect(await operationIdsFrom(ledger.committed, 'a', 1)).toEqual(['aa1']);
});

test('of two that claim an operation at once one gets it', async () => {
  await using ledger = await ledgerWith('jean');
  await insert(ledger, operation('a1'));

  const claims = await Promise.all(
    [1, 2].map((later) => ledger.transact((tx) => claimOperation(tx, 'a1', start + later))),
  );

  expect(claims.map((row) => row?.state)).toEqual(['running', undefined]);
  expect(await findOperation(ledger.committed, 'a1')).toMatchObject({ started_at: start + 1 });
});

test('an agent that works on something, or is paused, gets nothing else', async () => {
  await using ledger = await ledgerWith('jean', 'jared');
  await insert(ledger, operation('a1'), operation('a2'), operation('b1', { agent: 'jared' }));
  const claim = (id: string) => ledger.transact((tx) => claimOperation(tx, id, start));
  await ledger.transact((tx) =>
    changeState(tx, 'jared', { from: ['pending'], to: 'paused', reason: null, at: start }),
  );

  expect(ids(await queuedOperations(ledger.committed, page))).toEqual(['a1']);
  expect(await claim('a1')).toBeDefined();
  expect(await claim('a2')).toBeUndefined();
  expect(await claim('b1')).toBeUndefined();
  expect(await queuedOperations(ledger.committed, page)).toEqual([]);
});

test('queuedOperations() tells of each owner at each agent the first, and only what is due', async () => {
  await using ledger = await ledgerWith('jean', 'jared');
  await insert(
    ledger,
    operation('a1'),
    operation('a2', { priority: 2 }),
    operation('a3', { owner: 'agent:x' }),
    operation('b1', { agent: 'jared', due_at: start + 1000 }),
    operation('b2', { agent: 'jared', priority: 9 }),
  );

  expect(ids(await queuedOperations(ledger.committed, page))).toEqual(['a2', 'a3', 'b2']);
  const later = { ...page, now: start + 1000 };
  expect(ids(await queuedOperations(ledger.committed, later))).toEqual(['a2', 'a3', 'b1']);
});

test('the order in the ledger is that of the kernel, also after a clock that jumped', async () => {
  const agents = Array.from({ length: 40 }, (_, place) => `a${place}`);
  await using ledger = await ledgerWith(...agents);
  const random = seededRandom(7);
  const all = agents.map((agent, place) =>
    operation(`${place + 10}`, {
      agent,
      priority: integerBelow(random, 10),
      created_at: start + integerBelow(random, 1_200_000) - 600_000,
      due_at: 0,
    }),
  );
  await insert(ledger, ...all);

  for (const now of [start, start - 86_400_000, start + 86_400_000]) {
    const rows = await queuedOperations(ledger.committed, { ...page, now });
    const none = { running: new Map(), lastTurns: new Map(), busy: new Set<string>() };
    const moment = { now, ageingMs: 60_000, ...none };
    expect(rows).toHaveLength(40);
    expect(ids(rows)).toEqual(ids(rows.toSorted((a, b) => compareGoals(a, b, moment))));
    expect(ids(await queueInOrder(ledger.committed, { ...page, now }))).toEqual(ids(rows));
  }
});

test('listOperations() goes back from the newest, a page at a time, without what is long', async () => {
  await using ledger = await ledgerWith('jean', 'jared');
  await insert(
    ledger,
    operation('a1', { goal: 'g'.repeat(5000) }),
    operation('a2', { parent: 'a1', owner: 'agent:jean' }),
    operation('a3', { agent: 'jared' }),
  );
  await ledger.transact((tx) =>
    endOperation(tx, 'a3', { to: 'completed', result: '1', at: start }),
  );
  const list = async (filter: object) =>
    ids(await listOperations(ledger.committed, { limit: 9, ...filter }));

  expect(await list({})).toEqual(['a3', 'a2', 'a1']);
  expect(await list({ limit: 2 })).toEqual(['a3', 'a2']);
  expect(await list({ before: 'a2' })).toEqual(['a1']);
  expect(await list({ states: ['completed', 'failed'] })).toEqual(['a3']);
  expect(await list({ states: [] })).toEqual([]);
  expect(await list({ agent: 'jean', owner: 'owner' })).toEqual(['a1']);
  expect(await list({ parent: 'a1' })).toEqual(['a2']);
  const [newest, , oldest] = await listOperations(ledger.committed, { limit: 3 });
  expect(newest?.result).toBeNull();
  expect(oldest?.goal).toHaveLength(500);
});

test('what is open is found by agent, by parent and by owner', async () => {
  await using ledger = await ledgerWith('jean');
  await insert(
    ledger,
    operation('a1'),
    operation('a2', { parent: 'a1' }),
    operation('a3', { parent: 'a1' }),
  );
  await ledger.transact((tx) => endOperation(tx, 'a3', { to: 'failed', result: '{}', at: start }));

  expect(ids(await openOperationsOf(ledger.committed, 'jean'))).toEqual(['a1', 'a2']);
  expect(ids(await openChildrenOf(ledger.committed, 'a1'))).toEqual(['a2']);
  expect(await countOpenOf(ledger.committed, 'owner', 10)).toBe(2);
  expect(await countOpenOf(ledger.committed, 'owner', 1)).toBe(1);
  expect(await countOpenOf(ledger.committed, 'nobody', 10)).toBe(0);
  expect(await countByState(ledger.committed)).toEqual({
    ...{ queued: 2, running: 0, waiting: 0, paused: 0, completed: 0, failed: 1, cancelled: 0 },
  });
});

test('a change of state is refused from any other state', async () => {
  await using ledger = await ledgerWith('jean');
  await insert(ledger, operation('a1'));
  const wait = { from: ['running'], to: 'waiting', at: start + 1, waitsFor: 'mail' } as const;
  const change = () => ledger.transact((tx) => changeOperation(tx, 'a1', wait));

  expect(await change()).toBe(false);
  await ledger.transact((tx) => claimOperation(tx, 'a1', start));
  expect(await change()).toBe(true);
  expect(await findOperation(ledger.committed, 'a1')).toMatchObject({
    waits_for: 'mail',
    queued_at: start,
  });

  const back = { from: ['waiting'], to: 'queued', at: start + 9 } as const;
  expect(await ledger.transact((tx) => changeOperation(tx, 'a1', back))).toBe(true);
  expect(await findOperation(ledger.committed, 'a1')).toMatchObject({
    ...{ state: 'queued', waits_for: null, created_at: start, queued_at: start + 9 },
  });
});

test('what runs can be put off, and is not due before', async () => {
  await using ledger = await ledgerWith('jean');
  await insert(ledger, operation('a1'));
  const putOffNow = () =>
    ledger.transact((tx) => putOff(tx, 'a1', { at: start + 1, dueAt: start + 500 }));

  expect(await putOffNow()).toBe(false);
  await ledger.transact((tx) => claimOperation(tx, 'a1', start));
  expect(await putOffNow()).toBe(true);
  expect(await queuedOperations(ledger.committed, { ...page, now: start + 499 })).toEqual([]);
  expect(await queuedOperations(ledger.committed, { ...page, now: start + 500 })).toHaveLength(1);
});

test('an operation ends once, and takes no priority afterwards', async () => {
  await using ledger = await ledgerWith('jean');
  await insert(ledger, operation('a1'));
  const end = (to: 'completed' | 'cancelled', from?: readonly ['running']) =>
    ledger.transact((tx) => endOperation(tx, 'a1', { from, to, result: `"${to}"`, at: start + 1 }));
  const prioritize = () => ledger.transact((tx) => setPriority(tx, 'a1', 0));

  expect(await prioritize()).toBe(true);
  expect(await end('completed', ['running'])).toBe(false);
  expect(await end('cancelled')).toBe(true);
  expect(await end('completed')).toBe(false);
  expect(await prioritize()).toBe(false);
  expect(await findOperation(ledger.committed, 'a1')).toMatchObject({
    ...{ state: 'cancelled', result: '"cancelled"', ended_at: start + 1 },
  });
});

test('lateOperations() tells what is past its deadline, and once of what runs', async () => {
  await using ledger = await ledgerWith('jean', 'jared');
  await insert(
    ledger,
    operation('a1', { deadline_at: start + 5 }),
    operation('b1', { agent: 'jared', deadline_at: start + 5 }),
    operation('a2'),
  );
  await ledger.transact((tx) => claimOperation(tx, 'a1', start));
  const ask = () => ledger.transact((tx) => askToEnd(tx, 'a1', '{}'));

  expect(await lateOperations(ledger.committed, start + 4, 9)).toEqual([]);
  expect(ids(await lateOperations(ledger.committed, start + 5, 9))).toEqual(['a1', 'b1']);
  expect([await ask(), await ask()]).toEqual([true, false]);
  expect(ids(await lateOperations(ledger.committed, start + 5, 9))).toEqual(['b1']);
});

test('pruning takes steps and budgets along, and no parent before its children', async () => {
  await using ledger = await ledgerWith('jean');
  await insert(ledger, operation('a1'), operation('a2', { parent: 'a1' }), operation('a3'));
  await ledger.transact(async (tx) => {
    await appendSteps(tx, 'a2', [{ kind: 'checkpoint', why: 'test' }], start);
    await insertBudget(tx, 'operation:a2', {});
    for (const id of ['a1', 'a2']) {
      await endOperation(tx, id, { to: 'completed', result: '1', at: start });
    }
  });
  const prune = (before: number) => ledger.transact((tx) => deleteOperationsBefore(tx, before, 9));

  expect(await prune(start)).toBe(0);
  expect(await prune(start + 1)).toBe(1);
  expect(await readSteps(ledger.committed, 'a2')).toEqual([]);
  expect(await readBudget(ledger.committed, 'operation:a2')).toBeUndefined();
  expect(await prune(start + 1)).toBe(1);
  expect(ids(await listOperations(ledger.committed, { limit: 9 }))).toEqual(['a3']);
});
