import { expect, test } from 'vitest';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import {
  addBlobReference,
  blobRow,
  blobRowsAfter,
  condemnBlobs,
  condemnedBlobs,
  deleteCondemnedBlob,
  dropPuttersBefore,
  dropReferencesOf,
  needBlob,
  pardonBlobs,
  referrersOf,
  reviveBlob,
} from './blobs.ts';

const hash = 'ab'.repeat(32);

async function world() {
  const temporary = await temporaryLedger();
  const { ledger } = temporary;
  return {
    ...temporary,
    need: (at: number, expiresAt?: number, referrer = 'transfer:1') =>
      ledger.transact(async (tx) => {
        await needBlob(tx, { hash, sizeBytes: 5, at });
        await addBlobReference(tx, { hash, referrer, at, expiresAt });
      }),
    condemn: (now: number) => ledger.transact((tx) => condemnBlobs(tx, now, 10)),
    pardon: (now: number) => ledger.transact((tx) => pardonBlobs(tx, now)),
    delete: (now: number, before: number) =>
      ledger.transact((tx) => deleteCondemnedBlob(tx, hash, { now, before })),
    row: () => blobRow(ledger.committed, hash),
    referrers: (now: number) => referrersOf(ledger.committed, hash, { now, limit: 10 }),
  };
}

test('what is referred to is neither condemned nor deleted', async () => {
  await using here = await world();
  await here.need(1, 100);

  expect(await here.condemn(99)).toBe(0);
  expect(await here.delete(99, 99)).toBe(false);

  expect(await here.row()).toMatchObject({ hash, size_bytes: 5, condemned_at: null });
});

test('what no unexpired reference needs is condemned, and deleted with what is left of them', async () => {
  await using here = await world();
  await here.need(1, 100);

  expect(await here.condemn(100)).toBe(1);
  expect(await here.delete(150, 99)).toBe(false);
  expect(await condemnedBlobs(here.ledger.committed, { before: 100, after: '', limit: 5 })).toEqual(
    [hash],
  );
  expect(await here.delete(150, 100)).toBe(true);

  expect(await here.row()).toBeUndefined();
  expect(await here.ledger.committed.all('select * from blob_references')).toEqual([]);
});

test('a reference that has no end needs it until it is dropped', async () => {
  await using here = await world();
  await here.need(1);

  expect(await here.condemn(1e12)).toBe(0);
  expect(await here.ledger.transact((tx) => dropReferencesOf(tx, 'transfer:1'))).toBe(1);

  expect(await here.condemn(1e12)).toBe(1);
});

test('needBlob() and reviveBlob() take back that it was condemned', async () => {
  await using here = await world();
  await here.need(1, 100);
  await here.condemn(100);

  await here.need(101, 200, 'transfer:2');
  const afterNeed = await here.row();
  await here.condemn(200);
  const isRevived = await here.ledger.transact((tx) => reviveBlob(tx, hash));

  expect(afterNeed).toMatchObject({ condemned_at: null, created_at: 1 });
  expect(isRevived).toBe(true);
  expect(await here.row()).toMatchObject({ condemned_at: null });
  expect(await here.ledger.transact((tx) => reviveBlob(tx, 'cd'.repeat(32)))).toBe(false);
});

test('a reference that comes after it was condemned keeps it, even if nobody took that back', async () => {
  await using here = await world();
  await here.need(1, 100);
  await here.condemn(100);
  const reference = { hash, referrer: 'transfer:2', at: 101, expiresAt: 9999 };
  await here.ledger.transact((tx) => addBlobReference(tx, reference));

  expect(await here.delete(5000, 4000)).toBe(false);
});

test('a clock that was ahead condemns nothing for good', async () => {
  await using here = await world();
  await here.need(1, 100);
  await here.condemn(1e9);

  await here.pardon(50);

  expect(await here.row()).toMatchObject({ condemned_at: null });
});

test('a second reference of the same one has the later end', async () => {
  await using here = await world();
  const add = (expiresAt: number | null) =>
    here.ledger.transact((tx) =>
      addBlobReference(tx, { hash, referrer: 'transfer:1', at: 1, expiresAt }),
    );

  await add(100);
  await add(50);
  const at99 = await here.referrers(99);
  await add(200);
  const at199 = await here.referrers(199);
  await add(null);
  await add(300);

  expect([at99, at199]).toEqual([['transfer:1'], ['transfer:1']]);
  expect(await here.referrers(1e12)).toEqual(['transfer:1']);
});

test('who has only put something is dropped, and transfers and messages are not', async () => {
  await using here = await world();
  for (const referrer of ['owner', 'agent:jean', 'message:1', 'transfer:1']) {
    await here.ledger.transact((tx) => addBlobReference(tx, { hash, referrer, at: 1 }));
  }

  await here.ledger.transact((tx) => dropPuttersBefore(tx, 10));

  expect(await here.referrers(1)).toEqual(['message:1', 'transfer:1']);
});

test('rows are told in pages, in the order of their hashes', async () => {
  await using here = await world();
  const hashes = ['aa', 'bb', 'cc'].map((two) => two.repeat(32));
  await here.ledger.transact(async (tx) => {
    for (const one of hashes) await needBlob(tx, { hash: one, sizeBytes: 1, at: 1 });
  });

  const first = await blobRowsAfter(here.ledger.committed, '', 2);
  const second = await blobRowsAfter(here.ledger.committed, hashes[1] ?? '', 2);

  expect([...first, ...second].map((row) => row.hash)).toEqual(hashes);
});
