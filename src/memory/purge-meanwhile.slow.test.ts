/** What happens while a purge is under way. */
import { expect, test } from 'vitest';
import { complainingLog } from '../../tests/support/complaining-log.ts';
import { filesWith } from '../../tests/support/files-with.ts';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import {
  callerFor,
  jean,
  type MemoryWorld,
  memoryWorld,
  place,
} from '../../tests/support/memory-world.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { copyMemoryUses } from '../ledger/memory/uses.ts';
import { endCall, insertCall } from '../ledger/security/journal.ts';
import { tellOfEnd } from '../tools/notes.ts';

keepCompiled();

const canary = 'canary-7f3a91';
const only = { below: false, actor: 'owner' } as const;

/** Does something in front of the transaction of that number, counted from when it is armed. */
function interrupted(ledger: Ledger) {
  let left = Number.POSITIVE_INFINITY;
  let act: () => Promise<void> = async () => {};
  const watched: Ledger = {
    ...{ committed: ledger.committed, forget: () => ledger.forget() },
    ...{ openView: () => ledger.openView(), onEvents: (wake) => ledger.onEvents(wake) },
    copyTo: (path) => ledger.copyTo(path),
    transact: async (work) => {
      if (--left === 0) await act();
      return ledger.transact(work);
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
  const before = (transaction: number, work: () => Promise<void>) => {
    left = transaction;
    act = work;
  };
  return { watched, before };
}

async function interruptedWorld() {
  let before: ReturnType<typeof interrupted>['before'] = () => {};
  const world = await memoryWorld({
    watch: (ledger) => {
      const made = interrupted(ledger);
      before = made.before;
      return made.watched;
    },
  });
  return { world, before };
}

async function begin(ledger: Ledger, id: string): Promise<void> {
  await ledger.transact((tx) =>
    insertCall(tx, {
      ...{ call_id: id, principal: jean, tool: 'memory.get', effect: 'read', repeatable: 1 },
      ...{ state: 'started', idempotency_key: id, arguments: '{"key":"plan"}' },
      ...{ arguments_digest: 'x', asked_at: 1, started_at: 1 },
    }),
  );
}

async function answer(ledger: Ledger, id: string, value: unknown): Promise<void> {
  const result = JSON.stringify({ value });
  await ledger.transact((tx) =>
    endCall(tx, id, { from: 'started', to: 'answered', result, at: 2 }),
  );
}

async function look({ ledger, memory }: MemoryWorld, id: string): Promise<void> {
  const seen = await memory.retrieve(
    { ...callerFor(jean), user: `tool-call:${id}` },
    place('plan'),
  );
  await answer(ledger, id, seen?.value);
}

test.each([1, 2, 3, 4, 5])('a look in front of step %i of a purge leaves nothing', async (step) => {
  const { world, before } = await interruptedWorld();
  await using _ = world;
  await world.store('plan', canary);
  for (const id of ['first', 'second']) await begin(world.ledger, id);
  await look(world, 'first');
  before(step, () => look(world, 'second'));

  await world.memory.purge(place('plan'), only);

  expect(filesWith(world.folder, canary)).toEqual([]);
});

test.each([1, 2, 3, 4, 5])('a copy in front of step %i of a purge leaves nothing', async (step) => {
  const { world, before } = await interruptedWorld();
  await using _ = world;
  await world.store('plan', canary);
  for (const id of ['first', 'second']) await begin(world.ledger, id);
  await look(world, 'first');
  before(step, async () => {
    await world.ledger.transact(async (tx) => {
      await copyMemoryUses(tx, 'tool-call:first', 'tool-call:second');
      await tx.run(
        `update journal set result = (select result from journal where call_id = 'first')
         where call_id = 'second'`,
      );
    });
  });

  await world.memory.purge(place('plan'), only);

  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('a call that has seen it and ends after the purge writes nothing of it', async () => {
  await using world = await memoryWorld();
  await world.store('plan', canary);
  await begin(world.ledger, 'late');
  const user = 'tool-call:late';
  const seen = await world.memory.retrieve({ ...callerFor(jean), user }, place('plan'));

  await world.memory.purge(place('plan'), only);
  await answer(world.ledger, 'late', seen?.value);

  expect(filesWith(world.folder, canary)).toEqual([]);
  const row = await world.ledger.committed.get('select state, result from journal');
  expect(row).toEqual({ state: 'answered', result: '{"erased":"purged"}' });
});

test('many looks at something long while it is purged leave nothing', async () => {
  await using world = await memoryWorld();
  await world.store('plan', `${canary} ${'x'.repeat(300_000)}`);
  const ids = Array.from({ length: 12 }, (_, place) => `look-${place}`);
  for (const id of ids) await begin(world.ledger, id);

  const looks = ids.map((id) => look(world, id));
  await Promise.all(looks.slice(0, 6));
  const purge = world.memory.purge(place('plan'), only);
  const more = Array.from({ length: 12 }, (_, place) => `more-${place}`);
  for (const id of more) {
    await begin(world.ledger, id);
    looks.push(look(world, id));
  }
  await Promise.all([...looks, purge]);

  await world.ledger.forget();
  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('what is pinned and purged while a model begins is not told', async () => {
  let meanwhile: () => Promise<unknown> = async () => {};
  await using world = await memoryWorld({
    watchIndex: (index) => ({
      ...{ position: () => index.position(), clear: () => index.clear() },
      ...{ counts: () => index.counts(), forget: () => index.forget() },
      ...{ [Symbol.asyncDispose]: () => index[Symbol.asyncDispose]() },
      apply: (...given) => index.apply(...given),
      withoutVector: (...given) => index.withoutVector(...given),
      putVectors: (...given) => index.putVectors(...given),
      search: async (...given) => {
        await meanwhile();
        return index.search(...given);
      },
    }),
  });
  await world.store('plan', canary, { isPinned: true });
  await world.store('other', 'stays', { isPinned: true });
  meanwhile = () => world.memory.purge(place('plan'), only);

  const caller = { ...callerFor(jean), user: `operation:${'a'.repeat(32)}` };
  const told = await world.memory.pack(caller, { goal: 'Do the work', tokens: 1000 });

  expect(told.map(({ key }) => key)).toEqual(['other']);
});

test('whoever is told later how a call ended is told nothing that was purged while it ran', async () => {
  await using world = await memoryWorld();
  await world.store('plan', canary);
  await begin(world.ledger, 'late');
  const user = 'tool-call:late';
  const seen = await world.memory.retrieve({ ...callerFor(jean), user }, place('plan'));
  await world.memory.purge(place('plan'), only);
  const told: string[] = [];

  await tellOfEnd(
    {
      ...{ ledger: world.ledger, log: complainingLog },
      notify: async ({ body }) => void told.push(body),
    },
    { call_id: 'late', principal: jean, tool: 'memory.get', runs: 1, idempotency_key: 'late' },
    { kind: 'answered', callId: 'late', tool: 'memory.get', output: seen?.value, bytes: 1 },
  );

  expect(told.join()).toContain('purged');
  expect(told.join()).not.toContain(canary);
});
