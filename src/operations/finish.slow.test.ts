/** What is left of an operation when it is over, and what is not. */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  said,
  type TemporaryOperations,
  temporaryOperations,
} from '../../tests/support/temporary-operations.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { endOperation, findOperation, type OperationRow } from '../ledger/operations/operations.ts';
import { finishAll } from './finish.ts';
import { goneIn, metadataLabel } from './folder.ts';

const folderOf = ({ folder }: TemporaryOperations, { id }: OperationRow): string =>
  folder.at('artifacts', 'operations', id);

/** By the agent, in its workspace. */
function leave({ folder }: TemporaryOperations, { agent }: OperationRow, files: object): string {
  const artifacts = folder.at('agents', agent, 'workspace', 'artifacts');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(artifacts, name, '..'), { recursive: true });
    writeFileSync(join(artifacts, name), String(text));
  }
  return artifacts;
}

const noSignal = new AbortController().signal;

test('the journal is erased, the key and the workspace are gone, and its lines are kept', async () => {
  await using world = await temporaryOperations();
  const { operations, ledger, deps, folder } = world;
  const alice = await world.outsider();
  const row = await world.begin(alice);
  leave(world, row, { 'left.txt': 'left' });
  await operations.beforeDone(row, noSignal);
  const before = await operations.logs(row);

  await world.end(row);

  expect(await operations.logs(row)).toEqual(before);
  expect(before).toEqual([expect.stringMatching(/a warning: test\.note$/)]);
  expect(deps.operationKeys.has(row.id)).toBe(false);
  expect(readdirSync(folder.at('keys', 'operations'))).toEqual([]);
  expect(existsSync(folder.at('agents', row.agent, 'workspace'))).toBe(false);
  expect(await findOperation(ledger.committed, row.id)).toMatchObject({
    goal: '(erased)',
    finish: null,
  });
  for (const name of readdirSync(folder.path).filter((file) => file.startsWith('ledger.db'))) {
    expect(readFileSync(folder.at(name)).includes(said)).toBe(false);
  }
  expect(await world.read(alice, row, 'left.txt')).toBe('left');
});

test('its folder has the sealed bytes, sealed metadata, and who has had them', async () => {
  await using world = await temporaryOperations();
  const { operations, deps } = world;
  const alice = await world.outsider();
  const row = await world.begin(alice);
  await world.store(row, 'deep/a.txt', 'text');
  await world.end(row);
  await world.read(alice, row, 'deep/a.txt');
  await operations.cleanUp();

  const folder = folderOf(world, row);
  const file = JSON.parse(readFileSync(join(folder, 'metadata.json'), 'utf8'));
  const plain = deps.serverKeys.open('metadata', metadataLabel(row.id), file.sealed);
  const log = JSON.parse(readFileSync(join(folder, 'access_log.json'), 'utf8'));

  expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual([
    ...['access_log.json', 'artifacts', 'artifacts/deep', 'artifacts/deep/a.txt.enc'],
    'metadata.json',
  ]);
  expect(JSON.stringify(file)).not.toContain(alice.address);
  expect(JSON.parse(Buffer.from(plain).toString())).toMatchObject({
    ...{ operation_id: row.id, grantee_address: alice.address, total_size: 4 },
    artifacts: [{ name: 'deep/a.txt', size: 4, path: 'artifacts/deep/a.txt.enc', e2e: true }],
  });
  expect(log.accesses.at(-1)).toMatchObject({ action: 'downloaded', address: alice.address });
});

test('a step that fails is told, and the operation is finished the next time', async () => {
  await using world = await temporaryOperations();
  const { ledger, deps, clock } = world;
  const row = await world.begin(await world.outsider());
  const destroy = deps.operationKeys.destroy.bind(deps.operationKeys);
  deps.operationKeys.destroy = () => Promise.reject(new Error('the disk is busy'));
  const end = { to: 'completed', result: '{"text":""}', at: clock.now() } as const;
  await ledger.transact((tx) => endOperation(tx, row.id, end));

  await finishAll(deps);
  const stuck = await findOperation(ledger.committed, row.id);
  deps.operationKeys.destroy = destroy;
  await finishAll(deps);

  expect(stuck).toMatchObject({ finish: 'stored', state: 'completed' });
  expect(world.logged).toContain('an operation cannot be finished now');
  expect(await findOperation(ledger.committed, row.id)).toMatchObject({ finish: null });
});

test('what lies in the folder is stored once, however often it is looked at', async () => {
  await using world = await temporaryOperations();
  const { operations } = world;
  const alice = await world.outsider();
  const row = await world.begin(alice);
  leave(world, row, { 'a.txt': 'a', 'deep/er/b.txt': 'b', empty: '' });

  await operations.beforeDone(row, noSignal);
  const first = await operations.present(row.id);
  await operations.beforeDone(row, noSignal);
  const second = await operations.present(row.id);

  expect(first.map(({ name }) => name).toSorted()).toEqual(['a.txt', 'deep/er/b.txt', 'empty']);
  expect(second).toEqual(first);
  expect(await world.read(alice, row, 'empty')).toBe('');
});

test.each([
  ['a symlink to a file', (at: string) => symlinkSync('/etc/hostname', join(at, 'link'))],
  ['a symlink to a folder', (at: string) => symlinkSync('/etc', join(at, 'link'))],
  ['a symlink to nothing', (at: string) => symlinkSync('/no/such', join(at, 'link'))],
  ['a name that cannot be one', (at: string) => writeFileSync(join(at, 'a\nb'), '')],
  [
    'folders in folders in folders',
    (at: string) => {
      mkdirSync(join(at, 'a/b/c/d/e/f/g/h/i'), { recursive: true });
      writeFileSync(join(at, 'a/b/c/d/e/f/g/h/i/j'), '');
    },
  ],
])(
  '%s in the folder fails the operation, with nothing of the folder stored',
  async (_what, plant) => {
    await using world = await temporaryOperations();
    const { operations } = world;
    const row = await world.begin(await world.outsider());
    await world.store(row, 'before.txt', 'text');
    plant(leave(world, row, { 'a.txt': 'a', 'z.txt': 'z' }));

    await expect(operations.beforeDone(row, noSignal)).rejects.toMatchObject({
      code: 'artifact.bad-name',
    });
    expect((await operations.present(row.id)).map(({ name }) => name)).toEqual(['before.txt']);
  },
);

test('the folder itself may be no symlink, and may be missing', async () => {
  await using world = await temporaryOperations();
  const { operations, folder } = world;
  const alice = await world.outsider();
  const [linked, missing] = [await world.begin(alice), await world.begin(alice)];
  for (const { agent } of [linked, missing]) {
    rmSync(folder.at('agents', agent, 'workspace', 'artifacts'), { recursive: true });
  }
  symlinkSync('/etc', folder.at('agents', linked.agent, 'workspace', 'artifacts'));

  await expect(operations.beforeDone(linked, noSignal)).rejects.toMatchObject({
    code: 'artifact.bad-name',
  });
  await operations.beforeDone(missing, noSignal);
  expect(await operations.present(missing.id)).toEqual([]);
});

test('a file with another name elsewhere is sealed as it is, and its other name stays', async () => {
  await using world = await temporaryOperations();
  const { operations, folder } = world;
  const alice = await world.outsider();
  const row = await world.begin(alice);
  const at = leave(world, row, { 'a.txt': 'a' });
  linkSync(join(at, 'a.txt'), folder.at('elsewhere'));

  await operations.beforeDone(row, noSignal);
  await world.end(row);

  expect(await world.read(alice, row, 'a.txt')).toBe('a');
  expect(readFileSync(folder.at('elsewhere'), 'utf8')).toBe('a');
});

test('a folder that cannot be written holds up nothing, and is written when it can', async () => {
  await using world = await temporaryOperations();
  const { ledger, folder, deps, operations } = world;
  const alice = await world.outsider();
  const row = await world.begin(alice);
  await world.store(row, 'a.txt', 'text');
  const finishOf = async () => (await findOperation(ledger.committed, row.id))?.finish;
  writeFileSync(folder.at('artifacts', 'operations'), 'in the way');

  await world.end(row);
  const erased = { finish: await finishOf(), hasKey: deps.operationKeys.has(row.id) };
  const read = await world.read(alice, row, 'a.txt');
  rmSync(folder.at('artifacts', 'operations'));
  await operations.recover();

  expect(erased).toEqual({ finish: 'again', hasKey: false });
  expect(existsSync(folder.at('agents', row.agent, 'workspace'))).toBe(false);
  expect(read).toBe('text');
  expect(await finishOf()).toBeNull();
  expect(readdirSync(folderOf(world, row)).toSorted()).toEqual([
    ...['access_log.json', 'artifacts', 'metadata.json'],
  ]);
});

test('a workspace goes also where its agent has shut folders in it', async () => {
  await using world = await temporaryOperations();
  const row = await world.begin(await world.outsider());
  const workspace = world.folder.at('agents', row.agent, 'workspace');
  mkdirSync(join(workspace, 'shut', 'deeper'), { recursive: true });
  writeFileSync(join(workspace, 'shut', 'deeper', 'file'), said);
  chmodSync(join(workspace, 'shut', 'deeper'), 0);
  chmodSync(join(workspace, 'shut'), 0);

  await world.end(row);

  expect(existsSync(workspace)).toBe(false);
});

test('what is deleted while the folder is written does not get its name there again', async () => {
  await using world = await temporaryOperations();
  const { operations, deps, ledger } = world;
  const alice = await world.outsider();
  const row = await world.begin(alice);
  leave(world, row, { 'a.txt': 'stays', 'b.txt': 'goes' });
  await operations.beforeDone(row, noSignal);
  const end = { to: 'completed', result: '{"text":"done"}', at: 1 } as const;
  await ledger.transact((tx) => endOperation(tx, row.id, end));
  // Its row is gone when the folder, which was begun with it, comes to it; its bytes are not yet.
  const goes = (await operations.present(row.id)).find(({ name }) => name === 'b.txt');
  let isFirst = true;
  const blobs: typeof deps.blobs = {
    ...callsOf(deps.blobs),
    presign: async (hash) => {
      if (isFirst && goes !== undefined) {
        isFirst = false;
        await ledger.transact((tx) => goneIn(tx, goes, { why: 'deleted', at: 2 }));
      }
      return deps.blobs.presign(hash);
    },
  };

  await finishAll({ ...deps, blobs });

  expect(readdirSync(join(folderOf(world, row), 'artifacts'))).toEqual(['a.txt.enc']);
  expect(await findOperation(ledger.committed, row.id)).toMatchObject({ finish: null });
});

function callsOf(blobs: Blobs): Blobs {
  return {
    put: (source) => blobs.put(source),
    get: (hash, range) => blobs.get(hash, range),
    stat: (hash) => blobs.stat(hash),
    delete: (hash, options) => blobs.delete(hash, options),
    list: () => blobs.list(),
    presign: (hash) => blobs.presign(hash),
  };
}
