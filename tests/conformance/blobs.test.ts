import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Blobs, ByteRange, Uploads } from '../../src/blobs/blobs.ts';
import { FileUploads } from '../../src/blobs/file-uploads.ts';
import { FileBlobs } from '../../src/blobs/fs.ts';
import { realEventLoop, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { readWholeFile } from '../../src/kernel/disk/durable-file.ts';
import type { Disk } from '../../src/kernel/ports.ts';
import { SimulatedDisk } from '../sim/disk.ts';
import { seededRandom } from '../sim/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** An empty store, as every driver opens one. */
interface Store extends AsyncDisposable {
  readonly blobs: Blobs;
  readonly uploads: Uploads;
  /** What is read by whoever was told by presign() where the bytes are. */
  fetch(blobs: Blobs, hash: string): Promise<string>;
}

const forms: readonly { readonly form: string; open(): Promise<Store> }[] = [
  { form: 'files', open: openFiles },
  { form: 'files on a simulated disk', open: openSimulated },
];

async function openFiles(): Promise<Store> {
  const folder = temporaryFolder();
  for (const name of ['blobs', 'tmp']) mkdirSync(folder.at(name));
  const store = filesOn(realDisk, folder.at('blobs'), folder.at('tmp'));
  return {
    ...store,
    fetch: (blobs, hash) => fetchFile(blobs, hash, async (path) => readFileSync(path)),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function openSimulated(): Promise<Store> {
  const disk = new SimulatedDisk({ seed: 1 });
  for (const path of ['/blobs', '/tmp']) await disk.makeFolder(path);
  return {
    ...filesOn(disk, '/blobs', '/tmp'),
    fetch: (blobs, hash) =>
      fetchFile(blobs, hash, (path) => readWholeFile(disk, path, 1024 * 1024)),
    [Symbol.asyncDispose]: async () => {},
  };
}

function filesOn(disk: Disk, root: string, temporary: string) {
  const random = disk === realDisk ? realRandom : seededRandom(1);
  const blobs = new FileBlobs({ disk, random }, { root, temporary });
  return { blobs, uploads: new FileUploads({ disk, eventLoop: realEventLoop, blobs }, root) };
}

async function fetchFile(
  blobs: Blobs,
  hash: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<string> {
  const place = await blobs.presign(hash);
  expect(place.kind).toBe('file');
  return place.kind === 'file' ? Buffer.from(await read(place.path)).toString() : '';
}

async function* bytesOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('the sender went away');
}

async function textOf(blobs: Blobs, hash: string, range?: ByteRange): Promise<string> {
  const { stream } = await blobs.get(hash, range);
  return Buffer.concat(await Array.fromAsync(stream)).toString();
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const hello = hashOf('hello');

describe.each(forms)('the byte store as $form', ({ open }) => {
  test('gives back what was put, and tells its size', async () => {
    await using store = await open();
    const large = 'x'.repeat(2 * 2 ** 20 + 7);

    for (const text of ['', 'hello', large]) {
      const stored = await store.blobs.put(bytesOf(text));

      expect(stored).toEqual({ hash: hashOf(text), sizeBytes: text.length });
      expect(await textOf(store.blobs, stored.hash)).toBe(text);
      expect(await store.blobs.stat(stored.hash)).toMatchObject(stored);
    }
  });

  test.each([
    [{ from: 1 }, 'ello'],
    [{ to: 4 }, 'hell'],
    [{ from: 1, to: 3 }, 'el'],
    [{ from: 0, to: 5 }, 'hello'],
    [{ from: 4, to: 100 }, 'o'],
    [{ from: 5 }, ''],
    [{ from: 100, to: 200 }, ''],
    [{ from: 3, to: 3 }, ''],
    [{ from: 3, to: 1 }, ''],
    [{}, 'hello'],
  ])('gives the part %j', async (range, expected) => {
    await using store = await open();
    await store.blobs.put(bytesOf('hello'));

    expect(await textOf(store.blobs, hello, range)).toBe(expected);
    expect(await store.blobs.get(hello, range)).toMatchObject({ sizeBytes: 5 });
  });

  test('gives a part that goes over several reads', async () => {
    await using store = await open();
    const text = Array.from({ length: 300_000 }, (_, index) => index).join(' ');
    const { hash } = await store.blobs.put(bytesOf(text));

    expect(await textOf(store.blobs, hash, { from: 10, to: 1_500_000 })).toBe(
      text.slice(10, 1_500_000),
    );
  });

  test('keeps the same bytes once', async () => {
    await using store = await open();

    const stored = await Promise.all([1, 2, 3].map(() => store.blobs.put(bytesOf('hel', 'lo'))));

    expect(new Set(stored.map(({ hash }) => hash))).toEqual(new Set([hello]));
    expect(await Array.fromAsync(store.blobs.list())).toHaveLength(1);
  });

  test('keeps nothing of a source that breaks off', async () => {
    await using store = await open();

    await expect(store.blobs.put(broken())).rejects.toThrow('went away');

    expect(await Array.fromAsync(store.blobs.list())).toEqual([]);
  });

  test.each(['', '../../etc/passwd', 'AB'.repeat(32), hashOf('never stored')])(
    'has nothing under %j',
    async (hash) => {
      await using store = await open();
      const missing = { code: 'blob.missing' };

      await expect(store.blobs.get(hash)).rejects.toMatchObject(missing);
      await expect(store.blobs.get(hash, { from: 1 })).rejects.toMatchObject(missing);
      await expect(store.blobs.presign(hash)).rejects.toMatchObject(missing);
      expect(await store.blobs.stat(hash)).toBeUndefined();
      expect(await store.blobs.delete(hash)).toBe(false);
    },
  );

  test('lists in the order of the hashes, and no uploads', async () => {
    await using store = await open();
    const texts = Array.from({ length: 30 }, (_, index) => `text ${index}`);
    for (const text of texts) await store.blobs.put(bytesOf(text));
    await store.uploads.open('up_1');

    const listed = await Array.fromAsync(store.blobs.list());

    expect(listed.map(({ hash }) => hash)).toEqual(texts.map(hashOf).sort());
  });

  test('deletes what is there, and what was put in time only when it is old', async () => {
    await using store = await open();
    await store.blobs.put(bytesOf('hello'));
    const putAt = (await store.blobs.stat(hello))?.putAt ?? 0;

    expect(await store.blobs.delete(hello, { putBefore: putAt })).toBe(false);
    expect(await textOf(store.blobs, hello)).toBe('hello');
    expect(await store.blobs.delete(hello, { putBefore: putAt + 1 })).toBe(true);
    expect(await store.blobs.delete(hello)).toBe(false);

    expect(await store.blobs.stat(hello)).toBeUndefined();
  });

  test('says where the bytes can be had directly', async () => {
    await using store = await open();
    await store.blobs.put(bytesOf('hello'));

    expect(await store.fetch(store.blobs, hello)).toBe('hello');
  });

  test('takes bytes in pieces, and has them when they are finished', async () => {
    await using store = await open();
    const { blobs, uploads } = store;
    await uploads.open('up_1');

    expect(await uploads.append('up_1', 0, bytesOf('he', 'l'))).toBe(3);
    await expect(uploads.append('up_1', 3, broken())).rejects.toThrow('went away');
    expect(await uploads.open('up_1')).toMatchObject({ sizeBytes: 7 });
    await expect(uploads.append('up_1', 8, bytesOf('x'))).rejects.toMatchObject({
      code: 'transfer.wrong-state',
      details: { stored_bytes: 7 },
    });
    expect(await uploads.append('up_1', 3, bytesOf('lo'))).toBe(5);
    expect(await uploads.finish('up_1')).toEqual({ hash: hello, sizeBytes: 5 });
    await uploads.discard('up_1');

    expect(await textOf(blobs, hello)).toBe('hello');
    expect(await Array.fromAsync(uploads.list())).toEqual([]);
  });
});
