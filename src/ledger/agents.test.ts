import { expect, test } from 'vitest';
import { temporaryLedger } from '../../tests/support/temporary-ledger.ts';
import {
  changeStatus,
  countAgents,
  findAgent,
  findAgentInAnyCase,
  insertAgent,
  listAgents,
  type NewAgent,
  seeAgent,
  setPid,
} from './agents.ts';

function guest(name: string): NewAgent {
  return { name, registered_at: 1000, status: 'active', state: 'pending', body: 'guest' };
}

test('insertAgent() takes a name once, whatever its case', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  const insert = (name: string) => ledger.transact((tx) => insertAgent(tx, guest(name)));

  const answers = [await insert('Jean'), await insert('Jean'), await insert('jEAN')];

  expect(answers).toEqual([true, false, false]);
  expect(await countAgents(ledger.committed)).toMatchObject({ total: 1 });
  expect(await findAgent(ledger.committed, 'Jean')).toMatchObject({
    ...guest('Jean'),
    last_seen_at: null,
    pid: null,
    address: null,
  });
});

test('findAgent() wants the exact name, findAgentInAnyCase() only its letters', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => insertAgent(tx, guest('Jean')));

  expect(await findAgent(ledger.committed, 'jean')).toBeUndefined();
  expect(await findAgentInAnyCase(ledger.committed, 'jEAN')).toMatchObject({ name: 'Jean' });
  expect(await findAgentInAnyCase(ledger.committed, 'jea')).toBeUndefined();
});

test('listAgents() goes through all names, a page at a time', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  const names = Array.from({ length: 25 }, (_, index) => `agent-${String(index).padStart(2, '0')}`);
  await ledger.transact(async (tx) => {
    for (const name of names.toReversed()) await insertAgent(tx, guest(name));
  });

  const seen: string[] = [];
  for (;;) {
    const page = await listAgents(ledger.committed, { after: seen.at(-1), limit: 10 });
    if (page.length === 0) break;
    seen.push(...page.map(({ name }) => name));
  }

  expect(seen).toEqual(names);
});

test('changeStatus() changes only from the status that was expected', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => insertAgent(tx, guest('jean')));
  const change = (name: string) =>
    ledger.transact((tx) => changeStatus(tx, name, { from: 'active', to: 'inactive' }));

  const answers = [await change('jean'), await change('jean'), await change('nobody')];

  expect(answers).toEqual([true, false, false]);
  expect(await findAgent(ledger.committed, 'jean')).toMatchObject({ status: 'inactive' });
});

test('seeAgent() never moves back', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => insertAgent(tx, guest('jean')));
  const touch = (at: number) => ledger.transact((tx) => seeAgent(tx, 'jean', at));

  const answers = [await touch(2000), await touch(1500), await touch(2000), await touch(3000)];

  expect(answers).toEqual(['active', undefined, undefined, 'active']);
  expect(await findAgent(ledger.committed, 'jean')).toMatchObject({ last_seen_at: 3000 });
});

test('setPid() keeps the process and forgets it', async () => {
  await using home = await temporaryLedger();
  const { ledger } = home;
  await ledger.transact((tx) => insertAgent(tx, guest('jean')));

  await ledger.transact((tx) => setPid(tx, 'jean', 4711));
  const running = await findAgent(ledger.committed, 'jean');
  await ledger.transact((tx) => setPid(tx, 'jean', null));

  expect(running).toMatchObject({ pid: 4711 });
  expect(await findAgent(ledger.committed, 'jean')).toMatchObject({ pid: null });
  expect(await ledger.transact((tx) => setPid(tx, 'nobody', 1))).toBe(false);
});
