/** What the server seals, under a new key; and what it hands over to whom it was for. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Grantee } from '../../tests/support/grantee.ts';
import {
  type TemporaryOperations,
  temporaryOperations,
} from '../../tests/support/temporary-operations.ts';
import { type ArtifactRow, artifactsOf } from '../ledger/operations/artifacts.ts';
import type { OperationRow } from '../ledger/operations/operations.ts';
import { metadataLabel, metadataPath } from './folder.ts';

async function finished(world: TemporaryOperations, grantee: Grantee): Promise<OperationRow> {
  const row = await world.begin(grantee);
  await world.store(row, 'a.txt', 'text');
  await world.end(row);
  return row;
}

async function artifactOf(world: TemporaryOperations, { id }: OperationRow): Promise<ArtifactRow> {
  const [artifact] = await artifactsOf(world.ledger.committed, id);
  if (artifact === undefined) throw new Error('it is not there');
  return artifact;
}

function metadataOf({ deps, folder }: TemporaryOperations, { id }: OperationRow): string {
  const { sealed } = JSON.parse(readFileSync(metadataPath(folder.path, id), 'utf8'));
  return Buffer.from(deps.serverKeys.open('metadata', metadataLabel(id), sealed)).toString();
}

/** Everything in the home, with the log of the ledger. */
function isAnywhere({ folder }: TemporaryOperations, text: string): boolean {
  return readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`).includes(text));
}

test('a rotation seals everything anew, and forgets the old key', async () => {
  await using world = await temporaryOperations();
  const { operations, deps } = world;
  const [alice, bob] = [await world.outsider(), await world.outsider({ isKnown: false })];
  const [known, unknown] = [await finished(world, alice), await finished(world, bob)];
  const before = { wrap: await artifactOf(world, unknown), metadata: metadataOf(world, known) };
  const old = readFileSync(world.folder.at('keys', 'server.key'), 'utf8');
  const [, secret = ''] = /"secret_key":"0x([0-9a-f]{64})"/.exec(old) ?? [];

  const rotated = await operations.rotateKeys('owner');

  const after = await artifactOf(world, unknown);
  expect(rotated).toEqual({ key: deps.serverKeys.current, rewrapped: 1, resealed: 2 });
  expect(after).toMatchObject({ server_key: rotated.key, e2e: 0 });
  const open = ({ id, wrapped_key }: ArtifactRow) =>
    deps.serverKeys.open('artifact-key', id, wrapped_key);
  expect(open(after)).toHaveLength(32);
  expect(() => open(before.wrap)).toThrow(expect.objectContaining({ code: 'blob.wrong-key' }));
  expect(metadataOf(world, known)).toBe(before.metadata);
  expect(secret).toHaveLength(64);
  expect(isAnywhere(world, secret)).toBe(false);
  expect(isAnywhere(world, before.wrap.wrapped_key)).toBe(false);
  expect(await world.read(alice, known, 'a.txt')).toBe('text');
  const events = await world.ledger.committed.all<{ kind: string }>(
    `select kind from events where kind = 'keys.rotated'`,
  );
  expect(events).toHaveLength(1);
});

test('a metadata.json that cannot be read is told of, and keeps nothing from being sealed anew', async () => {
  await using world = await temporaryOperations();
  const alice = await world.outsider();
  const rows = [await finished(world, alice), await finished(world, alice)];
  const [broken, whole] = rows;
  if (broken === undefined || whole === undefined) throw new Error('they are not there');
  writeFileSync(metadataPath(world.folder.path, broken.id), 'no JSON');

  const rotated = await world.operations.rotateKeys('owner');

  expect(rotated).toMatchObject({ resealed: 1 });
  expect(world.logged).toContain('a metadata.json cannot be opened');
  expect(metadataOf(world, whole)).toContain(alice.address);
});

test('who signs for the first time has everything from then on, and the server nothing', async () => {
  await using world = await temporaryOperations();
  const { operations, ledger } = world;
  const bob = await world.outsider({ isKnown: false });
  const [first, second] = [await finished(world, bob), await finished(world, bob)];
  const running = await world.begin(bob);
  await world.store(running, 'b.txt', 'early');
  const wraps = [await artifactOf(world, first), await artifactOf(world, second)];

  await operations.learnKey(`grantee:${bob.address}`, bob.publicKey);

  expect(wraps.map(({ e2e }) => e2e)).toEqual([0, 0]);
  for (const row of [first, second]) {
    expect(await artifactOf(world, row)).toMatchObject({ e2e: 1, server_key: null });
    expect(await world.read(bob, row, 'a.txt')).toBe('text');
    expect(metadataOf(world, row)).toContain('"e2e":true');
  }
  expect(await world.read(bob, running, 'b.txt')).toBe('early');
  for (const { wrapped_key } of wraps) expect(isAnywhere(world, wrapped_key)).toBe(false);
  await world.store(running, 'c.txt', 'late');
  expect(await world.read(bob, running, 'c.txt')).toBe('late');
  const sql = `select kind from events where kind like 'identity.key-learnt%'`;
  await operations.learnKey(`grantee:${bob.address}`, bob.publicKey);
  expect(await ledger.committed.all(sql)).toHaveLength(1);
});

test('a key that was learnt stays, whoever says what later', async () => {
  await using world = await temporaryOperations();
  const [bob, eve] = [await world.outsider(), await world.outsider()];

  await world.operations.learnKey(`grantee:${bob.address}`, eve.publicKey);
  const row = await finished(world, bob);

  expect(await world.read(bob, row, 'a.txt')).toBe('text');
});
