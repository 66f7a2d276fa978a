/** Who is told, and how often, when an operation comes near a limit or goes beyond one. */
import { truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type TemporaryOperations,
  temporaryOperations,
} from '../../tests/support/temporary-operations.ts';
import type { OperationRow } from '../ledger/operations/operations.ts';

const room = 1_000_000;

function fill({ folder }: TemporaryOperations, { agent }: OperationRow, sizeBytes: number): void {
  const path = folder.at('agents', agent, 'workspace', 'file.bin');
  writeFileSync(path, '');
  truncateSync(path, sizeBytes);
}

const spend = ({ ledger }: TemporaryOperations, { id }: OperationRow, ms: number) =>
  ledger.transact((tx) =>
    tx.run('update budgets set wall_used = $2 where id = $1', [`operation:${id}`, ms]),
  );

/** What is on its way to people, and what everybody can see. */
async function told({ ledger }: TemporaryOperations) {
  const sql = ledger.committed;
  const notes = await sql.all<{ payload: string }>(
    `select payload from pending_operations where operation_type = 'tell' order by id`,
  );
  const events = await sql.all<{ data: string }>(
    `select data from events where kind = 'operation.alert' order by seq`,
  );
  return {
    notes: notes.map(({ payload }) => JSON.parse(payload)),
    events: events.map(({ data }) => JSON.parse(data)),
  };
}

test('nobody is told below four fifths of a limit', async () => {
  await using world = await temporaryOperations();
  const row = await world.begin(await world.outsider());
  fill(world, row, 0.8 * room - 1);
  await spend(world, row, 479_999);

  await world.operations.watchResources();

  expect(await told(world)).toEqual({ notes: [], events: [] });
});

test('near a limit and beyond it somebody is told once each, also after a restart', async () => {
  await using world = await temporaryOperations();
  const alice = await world.outsider();
  const row = await world.begin(alice);
  const look = () => world.operations.watchResources();
  fill(world, row, 0.8 * room);
  await spend(world, row, 480_000);
  for (let n = 0; n < 40; n++) await world.store(row, `${n}.txt`, '');

  await look();
  await look();
  await world.restart();
  await look();
  const near = await told(world);
  fill(world, row, room + 1);
  await look();
  await world.restart();
  await look();
  const beyond = await told(world);

  expect(near.events).toEqual([
    { what: 'time', used: 480_000, limit: 600_000, stage: 'near' },
    { what: 'disk', used: 800_000, limit: room, stage: 'near' },
    { what: 'artifacts', used: 40, limit: 50, stage: 'near' },
  ]);
  expect(near.notes).toHaveLength(3);
  // An outsider has no mailbox here.
  expect(near.notes[1]).toMatchObject({ to: 'owner', body: expect.stringContaining(row.id) });
  expect(near.notes[1].body).toContain(alice.address);
  expect(beyond.events.slice(3)).toEqual([
    expect.objectContaining({ what: 'disk', stage: 'beyond', limit: room }),
  ]);
  expect(world.logged.filter((words) => words.startsWith('an operation is'))).toEqual([
    ...Array(3).fill('an operation is near a limit'),
    'an operation is beyond a limit',
  ]);
});

test('one that is over is not looked at, and one that cannot be looked at hides no other', async () => {
  await using world = await temporaryOperations();
  const alice = await world.outsider();
  const [over, broken, other] = [
    await world.begin(alice),
    await world.begin(alice),
    await world.begin(alice),
  ];
  await spend(world, over, 600_000);
  await world.end(over);
  writeFileSync(world.folder.at('agents', broken.agent, 'workspace', 'x'), '');
  const hold = world.deps.disk.holdFolder;
  Object.assign(world.deps, {
    disk: {
      ...world.deps.disk,
      holdFolder: (path: string) =>
        path.includes(broken.agent) ? Promise.reject(new Error('broken')) : hold(path),
    },
  });
  await spend(world, other, 590_000);

  await world.operations.watchResources();

  const { events } = await told(world);
  expect(events).toEqual([expect.objectContaining({ what: 'time', used: 590_000 })]);
  expect(world.logged).toContain('an operation cannot be looked at now');
});

test('one whose grant was revoked while nobody looked is ended', async () => {
  await using world = await temporaryOperations();
  const alice = await world.outsider();
  const grant = await world.grant(alice);
  const row = await world.begin(alice, { grant });
  await world.ledger.transact((tx) =>
    tx.run('update grants set revoked_at = $2 where id = $1', [grant, world.clock.now()]),
  );
  await world.restart();

  await world.operations.watchResources();

  expect(world.cancelled).toEqual([expect.stringContaining(row.id)]);
  expect(await told(world)).toEqual({ notes: [], events: [] });
});
