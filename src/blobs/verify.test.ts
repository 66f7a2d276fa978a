import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seededRandom } from '../../tests/sim/random.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { realEventLoop } from '../engines/clock.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { diskError } from '../kernel/disk/errors.ts';
import { FileBlobs } from './fs.ts';
import { type ExpectedBlob, type VerifiedStore, verifyBlobs } from './verify.ts';

function place() {
  const folder = temporaryFolder();
  for (const name of ['blobs', 'tmp']) mkdirSync(folder.at(name));
  const blobs = new FileBlobs(
    { disk: realDisk, random: seededRandom(1) },
    { root: folder.at('blobs'), temporary: folder.at('tmp') },
  );
  const rows = new Map<string, ExpectedBlob>();
  const store: VerifiedStore = {
    ...{ store: 'blobs', blobs },
    async *expected() {
      for (const hash of [...rows.keys()].sort()) yield rows.get(hash) ?? { hash };
    },
    neededBy: async (hash) => (rows.has(hash) ? ['transfer:1'] : []),
  };
  return {
    ...{ ...folder, blobs, rows, store },
    pathOf: (hash: string) => folder.at('blobs', hash.slice(0, 2), hash),
    async put(text: string): Promise<string> {
      const { hash, sizeBytes } = await blobs.put(bytesOf(text));
      rows.set(hash, { hash, sizeBytes });
      return hash;
    },
    verify: (signal?: AbortSignal, stores = [store]) =>
      verifyBlobs({ eventLoop: realEventLoop, stores }, { signal }),
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const texts = Array.from({ length: 7 }, (_, index) => `text ${index}`);

test('what is whole is counted, and nothing is told', async () => {
  await using home = place();
  for (const text of texts) await home.put(text);

  const found = await home.verify();

  const bytes = texts.join('').length;
  const nothing = { corrupt: [], missing: [], orphans: 0, more: 0 };
  expect(found).toEqual({ checked: texts.length, bytes, ...nothing });
});

test('changed and cut bytes are told with who needs them', async () => {
  await using home = place();
  const [changed, cut] = [await home.put('hello'), await home.put('other')];
  await home.put('whole');
  writeFileSync(home.pathOf(changed), 'hellO');
  truncateSync(home.pathOf(cut), 2);

  const { corrupt, checked } = await home.verify();

  expect(checked).toBe(3);
  const facts = { store: 'blobs', neededBy: ['transfer:1'] };
  expect(new Set(corrupt)).toEqual(
    new Set([
      { ...facts, hash: changed, why: 'its bytes have another SHA-256' },
      { ...facts, hash: cut, why: 'it has 2 bytes instead of 5' },
    ]),
  );
});

test('what is needed and not there is told, wherever it stands among the others', async () => {
  for (const gone of texts) {
    await using home = place();
    const hashes = new Map<string, string>();
    for (const text of texts) hashes.set(text, await home.put(text));
    const hash = hashes.get(gone) ?? '';
    rmSync(home.pathOf(hash));

    const found = await home.verify();

    expect(found).toMatchObject({ checked: texts.length - 1, orphans: 0, corrupt: [] });
    expect(found.missing).toEqual([
      { hash, store: 'blobs', why: 'it is not there', neededBy: ['transfer:1'] },
    ]);
  }
});

test('a row that nobody needs may have lost its file', async () => {
  await using home = place();
  const hash = createHash('sha256').update('gone').digest('hex');
  home.rows.set(hash, { hash });

  const { missing } = await home.verify(undefined, [{ ...home.store, neededBy: async () => [] }]);

  expect(missing).toEqual([]);
});

test('files that no row speaks of are counted, and read too', async () => {
  await using home = place();
  const orphan = await home.put('orphan');
  home.rows.clear();
  writeFileSync(home.pathOf(orphan), 'orphaN');

  const found = await home.verify();

  expect(found).toMatchObject({ checked: 1, orphans: 1 });
  expect(found.corrupt).toMatchObject([{ hash: orphan, neededBy: [] }]);
});

test('one that cannot be read is told in words, and the others are read', async () => {
  await using home = place();
  const [first = '', ...rest] = [await home.put('hello'), await home.put('other')];
  const get: FileBlobs['get'] = async (hash, range) => {
    if (hash === first) throw diskError('EIO', home.pathOf(hash));
    return home.blobs.get(hash, range);
  };
  const blobs = { get, list: () => home.blobs.list(), stat: () => Promise.resolve(undefined) };

  const { checked, corrupt } = await home.verify(undefined, [{ ...home.store, blobs }]);

  expect(rest).toHaveLength(1);
  expect(checked).toBe(2);
  expect(corrupt).toMatchObject([
    { hash: first, why: expect.stringMatching(/^it cannot be read/) },
  ]);
});

test('it stops when nobody waits for it any more', async () => {
  await using home = place();
  await home.put('hello');

  const attempt = home.verify(AbortSignal.abort(new Error('nobody waits')));

  await expect(attempt).rejects.toThrow('nobody waits');
});

test('others get their turns while it reads', async () => {
  await using home = place();
  await home.put('x'.repeat(5 * 2 ** 20));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);

  await home.verify();
  isOver = true;

  expect(turns).toBeGreaterThan(4);
});
