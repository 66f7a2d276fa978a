import { expect, test } from 'vitest';
import { filesWith } from '../../tests/support/files-with.ts';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import { callerFor, jean, memoryWorld, place, sam } from '../../tests/support/memory-world.ts';
import { callKey } from '../kernel/journal/step.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { purgeDebts } from '../ledger/memory/uses.ts';
import { insertOperation } from '../ledger/operations/operations.ts';
import { endCall, insertCall } from '../ledger/security/journal.ts';
import { storersOf } from './purge.ts';

keepCompiled();

const canary = 'canary-7f3a91';

test('purge() leaves no byte of any version in any file', async () => {
  await using world = await memoryWorld();
  for (let version = 0; version < 20; version++) {
    await world.store('plan', `${canary} is in version ${version} ${'x'.repeat(version * 500)}`);
  }
  await world.store('plan/below', { deep: [canary] });
  await world.store('other', 'stays');
  expect(await world.found(canary)).toHaveLength(2);
  expect(filesWith(world.folder, canary).length).toBeGreaterThan(0);

  const purged = await world.memory.purge(place('plan'), { below: true, actor: 'owner' });

  expect(purged).toEqual({ versions: 21, later: [] });
  expect(filesWith(world.folder, canary)).toEqual([]);
  expect(await world.memory.history(callerFor(jean), place('plan'))).toEqual([]);
  expect(await world.found('stays')).toEqual(['other']);
});

test('what was only forgotten is purged too', async () => {
  await using world = await memoryWorld();
  await world.store('plan', canary);
  await world.memory.forget(place('plan'), { below: false, actor: jean });

  const purged = await world.memory.purge(place('plan'), { below: false, actor: 'owner' });

  expect(purged.versions).toBe(1);
  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('only the key that was named is purged', async () => {
  await using world = await memoryWorld();
  for (const key of ['plan', 'plan/below', 'plans', 'plan0'])
    await world.store(key, `about ${key}`);

  await world.memory.purge(place('plan'), { below: false, actor: 'owner' });

  const left = await world.memory.list(callerFor(jean), {
    ...{ owner: jean, scope: 'long-term', limit: 10 },
  });
  expect(left.map(({ key }) => key)).toEqual(['plan/below', 'plan0', 'plans']);
});

test('the calls that stored and read it say nothing of it any more', async () => {
  await using world = await memoryWorld();
  await callWith(world.ledger, 'stored', canary);
  await world.store('plan', canary, { source: 'tool-call:stored' });
  const reader = { ...callerFor(sam), user: 'tool-call:read' };
  await callWith(world.ledger, 'read', canary);
  await callWith(world.ledger, 'another', 'nothing of it');
  await world.give(sam, 'memory:of/jean/**:read');
  await world.memory.retrieve(reader, place('plan'));

  await world.memory.purge(place('plan'), { below: false, actor: 'owner' });

  expect(filesWith(world.folder, canary)).toEqual([]);
  const calls = await world.ledger.committed.all<{ call_id: string; arguments: string }>(
    'select call_id, arguments from journal order by id',
  );
  expect(calls.map((call) => call.arguments)).toEqual([
    '{"erased":"purged"}',
    '{"erased":"purged"}',
    '{"text":"nothing of it"}',
  ]);
});

test('the call that stored the same once more says nothing of it any more', async () => {
  await using world = await memoryWorld();
  for (const call of ['first', 'second']) {
    await callWith(world.ledger, call, canary);
    await world.store('plan', canary, { source: `tool-call:${call}` });
  }

  await world.memory.purge(place('plan'), { below: false, actor: 'owner' });

  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('what was submitted by an operation that has seen it says nothing of it any more', async () => {
  await using world = await memoryWorld();
  const [parent, child, grandchild] = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
  await endedOperation(world.ledger, parent ?? '', null);
  await endedOperation(world.ledger, child ?? '', parent ?? null);
  await endedOperation(world.ledger, grandchild ?? '', child ?? null);
  await world.store('plan', canary);
  await world.memory.retrieve(callerFor(jean, parent), place('plan'));

  const purged = await world.memory.purge(place('plan'), { below: false, actor: 'owner' });

  expect(purged.later).toEqual([]);
  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('the files of a message that is on its way are looked for until they are gone', async () => {
  const asked: string[] = [];
  const eraseFiles = async (id: string) => asked.push(id) > 2;
  await using world = await memoryWorld({ eraseFiles });
  await world.store('plan', canary, { source: 'message:abc' });

  await world.memory.purge(place('plan'), { below: false, actor: 'owner' });
  const debts = [await purgeDebts(world.ledger.committed)];
  for (const _round of [1, 2, 3]) {
    await world.memory.keepHouse();
    debts.push(await purgeDebts(world.ledger.committed));
  }

  expect(debts).toEqual([['message:abc'], ['message:abc'], [], []]);
  expect(asked).toEqual(['abc', 'abc', 'abc']);
});

/** Whose goal and only call say it. */
async function endedOperation(ledger: Ledger, id: string, parent: string | null): Promise<void> {
  await ledger.transact(async (tx) => {
    await insertOperation(tx, {
      ...{ id, agent: 'jean', owner: 'owner', parent, goal: `About ${canary}`, because: 'asked' },
      ...{ priority: 5, due_at: 1, deadline_at: null, created_at: 1, of_mail: 0 },
    });
    await tx.run(`update operations set state = 'completed', ended_at = 2 where id = $1`, [id]);
  });
  await callWith(ledger, callKey(id, 1, 1), canary);
}

async function callWith(ledger: Ledger, id: string, text: string): Promise<void> {
  await ledger.transact(async (tx) => {
    await insertCall(tx, {
      ...{ call_id: id, principal: jean, tool: 'memory.get', effect: 'read', repeatable: 1 },
      ...{ state: 'started', idempotency_key: id, arguments: JSON.stringify({ text }) },
      ...{ arguments_digest: '', asked_at: 1, started_at: 1 },
    });
    const result = JSON.stringify({ text });
    await endCall(tx, id, { from: 'started', to: 'answered', result, at: 2 });
  });
}

test('what has expired and is emptied is purged from the calls that saw it', async () => {
  await using world = await memoryWorld();
  await callWith(world.ledger, 'stored', canary);
  await world.store('plan', canary, { source: 'tool-call:stored', ttlMs: 1000 });
  await world.clock.advance(5000);
  await world.memory.keepHouse();

  const purged = await world.memory.purge(place('plan'), { below: false, actor: 'owner' });

  expect(purged.versions).toBe(1);
  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('the record of a purge does not name the key', async () => {
  await using world = await memoryWorld();
  await world.store(canary, 'x');

  await world.memory.purge(place(canary), { below: false, actor: 'owner' });

  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('a long journal is looked through without keeping everybody else waiting', async () => {
  await using world = await memoryWorld();
  const value = 'lorem ipsum '.repeat(80_000);
  await world.ledger.transact(async (tx) => {
    for (let call = 0; call < 100; call++) {
      const text = call === 70 ? canary : value;
      await insertCall(tx, {
        ...{ call_id: `c${call}`, principal: jean, tool: 'memory.store', effect: 'write' },
        ...{ repeatable: 1, state: 'started', idempotency_key: `c${call}`, arguments_digest: 'x' },
        arguments: JSON.stringify({ key: `plan${call}`, scope: 'long-term', value: text }),
        ...{ asked_at: 1, started_at: 1 },
      });
      const end = { from: 'started', to: 'failed', result: '{}', at: 2 } as const;
      await endCall(tx, `c${call}`, end);
    }
  });
  let turns = 0;
  const counting = setInterval(() => turns++, 0);

  await storersOf(world.ledger, place('plan70'), { below: false });
  clearInterval(counting);
  await world.memory.purge(place('plan70'), { below: false, actor: 'owner' });

  expect(turns).toBeGreaterThan(10);
  expect(filesWith(world.folder, canary)).toEqual([]);
});
