/** What operations that still run when a memory is purged leave behind afterwards. */
import { expect, test } from 'vitest';
import { complainingLog } from '../../tests/support/complaining-log.ts';
import { filesWith } from '../../tests/support/files-with.ts';
import { keepCompiled } from '../../tests/support/keep-compiled.ts';
import { callerFor, jean, memoryWorld, place, sam } from '../../tests/support/memory-world.ts';
import type { Note } from '../kernel/message/message.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { insertOperation } from '../ledger/operations/operations.ts';
import { appendSteps } from '../ledger/operations/steps.ts';
import { tellAll } from '../relay/tell.ts';
import { concludeIn } from '../runtime/conclude.ts';

keepCompiled();

const canary = 'canary-7f3a91';
const only = { below: false, actor: 'owner' } as const;
const [parent, child] = ['a'.repeat(32), 'b'.repeat(32)];

async function begin(
  ledger: Ledger,
  id: string,
  { parent: of = null as string | null, goal = 'Work' },
) {
  const owner = of === null ? 'owner' : jean;
  await ledger.transact(async (tx) => {
    await insertOperation(tx, {
      ...{ id, agent: of === null ? 'jean' : 'sam', owner, parent: of, goal, because: 'asked' },
      ...{ priority: 5, due_at: 1, deadline_at: null, created_at: 1, of_mail: 0 },
    });
    await tx.run(`update operations set state = 'running' where id = $1`, [id]);
  });
}

async function end(ledger: Ledger, id: string, text: string): Promise<void> {
  await ledger.transact(async (tx) => {
    const operation = await tx.get<{ id: string; agent: string; owner: string; parent: string }>(
      'select id, agent, owner, parent from operations where id = $1',
      [id],
    );
    if (operation === undefined) throw new Error('no such operation');
    const ending = { state: 'completed', text } as const;
    await concludeIn(tx, { operation, ending, actor: `agent:${operation.agent}`, at: 5 });
  });
}

test('what is submitted after the purge by one that has seen it goes when both are over', async () => {
  await using world = await memoryWorld();
  const { ledger, memory } = world;
  await world.store('plan', canary);
  await begin(ledger, parent, {});
  await memory.retrieve(callerFor(jean, parent), place('plan'));

  const { later } = await memory.purge(place('plan'), only);
  await begin(ledger, child, { parent, goal: `Look after ${canary}` });
  await end(ledger, parent, `I have seen ${canary}`);
  await memory.keepHouse();
  await end(ledger, child, `Done with ${canary}`);
  await memory.keepHouse();

  expect(later).toEqual([parent]);
  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('what an operation left behind that ends in the middle of a purge goes too', async () => {
  let isArmed = false;
  await using world = await memoryWorld({
    watch: (ledger) => ({
      ...{ committed: ledger.committed, forget: () => ledger.forget() },
      ...{ openView: () => ledger.openView(), onEvents: (wake) => ledger.onEvents(wake) },
      ...{ copyTo: (path) => ledger.copyTo(path) },
      [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
      transact: async (work) => {
        const done = await ledger.transact(work);
        // Behind the first of the purge.
        if (isArmed) {
          isArmed = false;
          await end(ledger, parent, `I have seen ${canary}`);
        }
        return done;
      },
    }),
  });
  await world.store('plan', canary);
  await begin(world.ledger, parent, {});
  await world.memory.retrieve(callerFor(jean, parent), place('plan'));
  isArmed = true;

  await world.memory.purge(place('plan'), only);

  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('a parent that was told what its child has seen says nothing of it', async () => {
  await using world = await memoryWorld();
  const { ledger, memory } = world;
  await begin(ledger, parent, {});
  await begin(ledger, child, { parent });
  await world.store('plan', canary);
  await world.give(sam, 'memory:of/jean/**:read');
  await memory.retrieve(callerFor(sam, child), place('plan'));
  await end(ledger, child, `It says ${canary}`);
  await tellAll({
    ...{ ledger, clock: world.clock, log: complainingLog },
    notify: (note) => takeNote(ledger, note),
  });
  await end(ledger, parent, `My child says ${canary}`);

  await memory.purge(place('plan'), only);

  expect(filesWith(world.folder, canary)).toEqual([]);
});

/** As the relay and a run of jean's do: it is a message, and then a step. */
async function takeNote(ledger: Ledger, { key, body }: Note): Promise<void> {
  const id = 'c'.repeat(32);
  await ledger.transact(async (tx) => {
    await tx.run(
      `insert into messages (message_id, agent_name, direction, status, message_type, target,
         discovered_at, priority, dedup_key, headers, body, size_bytes, expires_at)
       values ($1, '__orchestrator__', 'outbox', 'completed', 'message', 'jean', 1, 5, $2, '[]', $3,
         1, 9)`,
      [id, key, body],
    );
    await tx.run(
      `insert into deliveries (message, recipient, state, priority, stamp_ns, size_bytes, due_at,
         expires_at, accepted_at) select id, 'jean', 'read', 5, '1', 1, 1, 9, 1 from messages`,
    );
    const mail = { id, from: '__orchestrator__', kind: 'message', text: body } as const;
    await appendSteps(tx, parent, [{ kind: 'mail', messages: [mail] }], 3);
  });
}

test('what somebody is yet to be told of it is emptied, also while it is sent', async () => {
  await using world = await memoryWorld();
  const { ledger, memory } = world;
  await begin(ledger, parent, {});
  await begin(ledger, child, { parent });
  await world.store('plan', canary);
  await world.give(sam, 'memory:of/jean/**:read');
  await memory.retrieve(callerFor(sam, child), place('plan'));
  await end(ledger, child, `It says ${canary}`);

  await tellAll({
    ...{ ledger, clock: world.clock, log: complainingLog },
    notify: async (note) => {
      await memory.purge(place('plan'), only);
      await takeNote(ledger, note);
    },
  });
  await end(ledger, parent, `My child says ${canary}`);
  await memory.keepHouse();

  expect(filesWith(world.folder, canary)).toEqual([]);
});

test('a purge that was cut off behind its rows is brought to its end later', async () => {
  let isCut = false;
  await using world = await memoryWorld({
    watchIndex: (index) => ({
      ...{ position: () => index.position(), clear: () => index.clear() },
      ...{ counts: () => index.counts(), forget: () => index.forget() },
      ...{ [Symbol.asyncDispose]: () => index[Symbol.asyncDispose]() },
      search: (...given) => index.search(...given),
      withoutVector: (...given) => index.withoutVector(...given),
      putVectors: (...given) => index.putVectors(...given),
      apply: async (...given) => {
        if (isCut) throw new Error('the process died');
        await index.apply(...given);
      },
    }),
  });
  await world.store('plan', canary);
  expect(await world.found(canary)).toEqual(['plan']);
  isCut = true;
  await expect(world.memory.purge(place('plan'), only)).rejects.toThrow('died');
  isCut = false;

  await world.memory.keepHouse();

  expect(filesWith(world.folder, canary)).toEqual([]);
});
