/** Who may know of an operation, who may have what it made, and for how long. */
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Grantee } from '../../tests/support/grantee.ts';
import { day, temporaryOperations } from '../../tests/support/temporary-operations.ts';
import { until } from '../../tests/support/until.ts';
import { expiredArtifacts } from '../ledger/operations/artifacts.ts';

const idOf = ({ address }: Grantee): string => `grantee:${address}`;

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (failure: { readonly code: string }) => failure.code,
  );

test('an operation is there for whoever submitted it, the owner, and who holds a grant on it', async () => {
  await using world = await temporaryOperations();
  const { operations } = world;
  const [alice, bob, reader, canceller] = [
    await world.outsider(),
    await world.outsider(),
    await world.outsider(),
    await world.outsider(),
  ];
  const row = await world.begin(alice);
  const { id } = row;
  await world.store(row, 'a.txt', 'text');
  await world.grant(reader, `operation:${id}:read`);
  await world.grant(canceller, `operation:${id}:cancel`);
  const asked = async (principal: string) => ({
    read: await codeOf(operations.see(principal, { id, action: 'read' })),
    cancel: await codeOf(operations.see(principal, { id, action: 'cancel' })),
    artifacts: await codeOf(operations.artifacts(principal, id)),
    download: await codeOf(operations.download(principal, { id, name: 'a.txt' })),
  });
  const all = (code: string) => ({ read: code, cancel: code, artifacts: code, download: code });

  expect(await asked(idOf(alice))).toEqual(all('ok'));
  expect(await asked('owner')).toEqual(all('ok'));
  expect(await asked(idOf(bob))).toEqual(all('operation.unknown'));
  expect(await asked('agent:worker-1')).toEqual(all('operation.unknown'));
  expect(await asked(idOf(reader))).toEqual({ ...all('operation.not-yours'), read: 'ok' });
  expect(await asked(idOf(canceller))).toEqual({ ...all('operation.not-yours'), cancel: 'ok' });
});

test('what is not there is told in the same words as what is not yours', async () => {
  await using world = await temporaryOperations();
  const { operations } = world;
  const [alice, bob] = [await world.outsider(), await world.outsider()];
  const { id } = await world.begin(alice);
  const missing = `${id.slice(0, -4)}0000`;
  const wordsOf = (of: string) =>
    operations.see(idOf(bob), { id: of, action: 'read' }).catch((failure) => ({
      ...{ code: failure.code, fix: failure.fix, details: failure.details },
      message: failure.message.replaceAll(of, 'ID'),
    }));

  expect(await wordsOf(id)).toEqual(await wordsOf(missing));
});

test('with the grant that it was submitted under, everything ends at once', async () => {
  await using world = await temporaryOperations();
  const { operations } = world;
  const alice = await world.outsider();
  const grant = await world.grant(alice);
  const row = await world.begin(alice, { grant });
  await world.store(row, 'a.txt', 'text');
  const download = await operations.download(idOf(alice), { id: row.id, name: 'a.txt' });
  const stream = await download.open({ from: 0, to: download.artifact.stored_bytes });
  const seen = () => codeOf(operations.see(idOf(alice), { id: row.id, action: 'read' }));
  const before = await seen();

  await world.revoke(grant);

  expect(before).toBe('ok');
  expect(await seen()).toBe('capability.denied');
  expect(await codeOf(operations.artifacts(idOf(alice), row.id))).toBe('capability.denied');
  expect(await codeOf(Array.fromAsync(stream))).toBe('capability.denied');
  expect((await operations.list(idOf(alice), { limit: 10 })).rows).toEqual([]);
  await until(() =>
    expect(world.cancelled).toEqual([expect.stringContaining(`${row.id}: the grant`)]),
  );
});

test('an artifact is kept for so long, and not longer than its grant', async () => {
  await using world = await temporaryOperations();
  const alice = await world.outsider();
  const now = world.clock.now();
  const end = new Date(now + 2 * day).toISOString().replace('.000', '');
  const short = await world.grant(alice, `operation:*:start{expires:${end}}`);

  const kept = await world.store(await world.begin(alice), 'a.txt', 'text');
  const cut = await world.store(await world.begin(alice, { grant: short }), 'a.txt', 'text');

  expect(kept.expires_at).toBe(now + 7 * day);
  expect(cut.expires_at).toBe(now + 2 * day);
});

test('past its end an artifact is gone from the moment on in which somebody asks, or the timer comes', async () => {
  await using world = await temporaryOperations();
  const { operations, folder, clock } = world;
  const [alice, bob] = [await world.outsider(), await world.outsider()];
  const row = await world.begin(alice);
  for (const name of ['asked.txt', 'deep/timed.txt']) await world.store(row, name, name);
  await world.end(row);
  const folderOf = folder.at('artifacts', 'operations', row.id, 'artifacts');
  const sealed = () => readdirSync(folderOf, { recursive: true }).map(String).toSorted();
  const blobs = () =>
    readdirSync(folder.at('blobs'), { recursive: true }).filter((name) => String(name).length > 60);
  const ask = (grantee: Grantee) =>
    codeOf(operations.download(idOf(grantee), { id: row.id, name: 'asked.txt' }));
  const there = { sealed: sealed(), blobs: blobs().length };
  await clock.advance(7 * day - 1);
  const last = await ask(alice);
  await clock.advance(1);

  const asked = { alice: await ask(alice), bob: await ask(bob) };
  const afterAsking = { sealed: sealed(), blobs: blobs().length };
  const expired = await operations.cleanUp();

  expect(there).toEqual({ sealed: ['asked.txt.enc', 'deep', 'deep/timed.txt.enc'], blobs: 2 });
  expect(last).toBe('ok');
  expect(asked).toEqual({ alice: 'artifact.expired', bob: 'operation.unknown' });
  expect(afterAsking).toEqual({ sealed: ['deep', 'deep/timed.txt.enc'], blobs: 1 });
  expect(expired).toBe(1);
  expect(sealed()).toEqual([]);
  expect(blobs()).toEqual([]);
  expect(await operations.cleanUp()).toBe(0);
  expect(await expiredArtifacts(world.ledger.committed, clock.now(), 10)).toEqual([]);
  const timed = operations.download(idOf(alice), { id: row.id, name: 'deep/timed.txt' });
  expect(await codeOf(timed)).toBe('artifact.expired');
});

test('bytes that could not be removed are removed when they can', async () => {
  await using world = await temporaryOperations();
  const { operations, deps } = world;
  const alice = await world.outsider();
  const row = await world.begin(alice);
  const { hash } = await world.store(row, 'a.txt', 'text');
  await world.end(row);
  const remove = deps.blobs.delete.bind(deps.blobs);
  deps.blobs.delete = () => Promise.reject(new Error('the disk is busy'));

  await operations.delete(idOf(alice), { id: row.id, name: 'a.txt' });
  const path = world.folder.at('blobs', hash.slice(0, 2), hash);
  const stayed = existsSync(path);
  deps.blobs.delete = remove;
  await operations.cleanUp();

  expect(stayed).toBe(true);
  expect(existsSync(path)).toBe(false);
  expect(world.logged).toContain('the bytes of an artifact that is gone are left');
});

test('one of the same name takes the place of the one before, with its bytes and its key', async () => {
  await using world = await temporaryOperations();
  const alice = await world.outsider();
  const row = await world.begin(alice);

  const first = await world.store(row, 'a.txt', 'first');
  const second = await world.store(row, 'a.txt', 'second');
  await world.end(row);

  expect(await world.read(alice, row, 'a.txt')).toBe('second');
  expect(existsSync(world.folder.at('blobs', first.hash.slice(0, 2), first.hash))).toBe(false);
  const rows = await world.ledger.committed.all(
    'select wrapped_key, gone_why, is_swept from artifacts where id = $1',
    [first.id],
  );
  expect(rows).toEqual([{ wrapped_key: '', gone_why: 'replaced', is_swept: 1 }]);
  expect(second.wrapped_key).not.toBe(first.wrapped_key);
});

test('an operation that is over takes no more artifacts', async () => {
  await using world = await temporaryOperations();
  const row = await world.begin(await world.outsider());
  await world.end(row);

  expect(await codeOf(world.store(row, 'late.txt', 'late'))).toMatch(/^operation\./);
  expect(readdirSync(world.folder.at('tmp'))).toEqual([]);
});
