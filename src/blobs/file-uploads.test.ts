import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { SimulatedCrash, SimulatedDisk } from '../../tests/sim/disk.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { realEventLoop } from '../engines/clock.ts';
import { realDisk } from '../engines/disk/disk.ts';
import type { Disk } from '../kernel/ports.ts';
import type { Blobs } from './blobs.ts';
import { FileUploads } from './file-uploads.ts';
import { FileBlobs } from './fs.ts';

function storeOn(disk: Disk, root: string, temporary: string) {
  const blobs = new FileBlobs({ disk, random: seededRandom(1) }, { root, temporary });
  const open = () => new FileUploads({ disk, eventLoop: realEventLoop, blobs }, root);
  return { blobs, open, uploads: open() };
}

function place() {
  const folder = temporaryFolder();
  for (const name of ['blobs', 'tmp']) mkdirSync(folder.at(name), { mode: 0o700 });
  return { ...folder, ...storeOn(realDisk, folder.at('blobs'), folder.at('tmp')) };
}

async function* parts(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('hel');
  throw new Error('the sender went away');
}

async function textOf(blobs: Blobs, hash: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync((await blobs.get(hash)).stream)).toString();
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const hello = hashOf('hello');

test('pieces become one blob, and nothing is left of the upload when it is discarded', async () => {
  await using home = place();
  const { uploads } = home;

  expect(await uploads.open('up_1')).toEqual({
    path: home.at('blobs', '.uploads', 'up_1'),
    sizeBytes: 0,
  });
  expect(await uploads.append('up_1', 0, parts('he', 'l'))).toBe(3);
  expect(await uploads.append('up_1', 3, parts('lo'))).toBe(5);
  expect(await uploads.finish('up_1')).toEqual({ hash: hello, sizeBytes: 5 });
  await uploads.discard('up_1');

  expect(await textOf(home.blobs, hello)).toBe('hello');
  expect(statSync(home.at('blobs', hello.slice(0, 2), hello))).toMatchObject({ nlink: 1 });
  expect(statSync(home.at('blobs', hello.slice(0, 2), hello)).mode & 0o777).toBe(0o600);
  expect(readdirSync(home.at('blobs', '.uploads'))).toEqual([]);
  expect(readdirSync(home.at('tmp'))).toEqual([]);
});

test('another process goes on where the first was, and the hash is that of all', async () => {
  await using home = place();
  await home.uploads.open('up_1');
  await expect(home.uploads.append('up_1', 0, broken())).rejects.toThrow('went away');

  const later = home.open();
  const { sizeBytes } = await later.open('up_1');
  await later.append('up_1', sizeBytes, parts('lo'));

  expect(sizeBytes).toBe(3);
  expect(await later.finish('up_1')).toEqual({ hash: hello, sizeBytes: 5 });
});

test('a source that breaks off leaves what came, and the same process goes on', async () => {
  await using home = place();
  const { uploads } = home;
  await uploads.open('up_1');

  await expect(uploads.append('up_1', 0, broken())).rejects.toThrow('went away');
  await uploads.append('up_1', 3, parts('lo'));

  expect(await uploads.finish('up_1')).toEqual({ hash: hello, sizeBytes: 5 });
});

test('what stands behind the place to go on from is dropped', async () => {
  await using home = place();
  const { uploads } = home;
  await uploads.open('up_1');
  await uploads.append('up_1', 0, parts('help me'));

  await uploads.append('up_1', 3, parts('lo'));

  expect(await uploads.finish('up_1')).toEqual({ hash: hello, sizeBytes: 5 });
});

test('a gap is refused, and says how much is there', async () => {
  await using home = place();
  await home.uploads.open('up_1');
  await home.uploads.append('up_1', 0, parts('hel'));

  const attempt = home.uploads.append('up_1', 4, parts('o'));

  await expect(attempt).rejects.toMatchObject({
    code: 'transfer.wrong-state',
    details: { stored_bytes: 3 },
  });
  expect(readFileSync(home.at('blobs', '.uploads', 'up_1'), 'utf8')).toBe('hel');
});

test('two cannot add at once, and the second may when the first is done', async () => {
  await using home = place();
  const { uploads } = home;
  await uploads.open('up_1');
  const gate = Promise.withResolvers<void>();
  const waiting = async function* (): AsyncGenerator<Uint8Array> {
    await gate.promise;
    yield Buffer.from('hel');
  };

  const first = uploads.append('up_1', 0, waiting());
  await expect(uploads.append('up_1', 0, parts('x'))).rejects.toMatchObject({
    code: 'transfer.busy',
  });
  await expect(uploads.finish('up_1')).rejects.toMatchObject({ code: 'transfer.busy' });
  gate.resolve();
  await first;

  expect(await uploads.append('up_1', 3, parts('lo'))).toBe(5);
});

test('bytes that another process has added are hashed too', async () => {
  await using home = place();
  await home.uploads.open('up_1');
  await home.uploads.append('up_1', 0, parts('hel'));
  appendFileSync(home.at('blobs', '.uploads', 'up_1'), 'lo');

  expect(await home.uploads.finish('up_1')).toEqual({ hash: hello, sizeBytes: 5 });
});

test('finish() can be done again, and makes the file young', async () => {
  await using home = place();
  const { path } = await home.uploads.open('up_1');
  await home.uploads.append('up_1', 0, parts('hello'));
  await home.uploads.finish('up_1');
  utimesSync(path ?? '', 1000, 1000);

  expect(await home.open().finish('up_1')).toEqual({ hash: hello, sizeBytes: 5 });

  const stored = await home.blobs.stat(hello);
  expect(stored?.putAt).toBeGreaterThan(1_000_000);
  expect(readdirSync(home.at('tmp'))).toEqual([]);
});

test('a hash that was said is believed where nothing is stored under it', async () => {
  await using home = place();
  await home.uploads.open('up_1');
  await home.uploads.append('up_1', 0, parts('hello'));

  expect(await home.open().finish('up_1', { hash: hello })).toEqual({ hash: hello, sizeBytes: 5 });
});

test('a hash that was said wrongly replaces nothing that others refer to', async () => {
  await using home = place();
  await home.blobs.put(parts('hello'));
  await home.uploads.open('up_1');
  await home.uploads.append('up_1', 0, parts('hullo'));

  const attempt = home.uploads.finish('up_1', { hash: hello });

  await expect(attempt).rejects.toMatchObject({ code: 'blob.corrupt' });
  expect(await textOf(home.blobs, hello)).toBe('hello');
});

test('what is stored already is mended by the same bytes', async () => {
  await using home = place();
  await home.blobs.put(parts('hello'));
  writeFileSync(home.at('blobs', hello.slice(0, 2), hello), 'xxxxx');
  await home.uploads.open('up_1');
  await home.uploads.append('up_1', 0, parts('hello'));

  await home.uploads.finish('up_1', { hash: hello });

  expect(await textOf(home.blobs, hello)).toBe('hello');
});

test('what was finished is never written to again', async () => {
  await using home = place();
  const { uploads } = home;
  await uploads.open('up_1');
  await uploads.append('up_1', 0, parts('hello'));
  await uploads.finish('up_1');

  await expect(uploads.append('up_1', 5, parts('!'))).rejects.toMatchObject({
    code: 'transfer.wrong-state',
  });
  await expect(uploads.append('up_1', 2, parts('!'))).rejects.toMatchObject({
    code: 'transfer.wrong-state',
  });
  expect(await uploads.append('up_1', 0, parts('other'))).toBe(5);

  expect(await textOf(home.blobs, hello)).toBe('hello');
  expect(await uploads.finish('up_1')).toMatchObject({ hash: hashOf('other') });
});

test.each(['', '.', '..', '../x', 'a/b', 'a\0b', '.hidden', 'x'.repeat(101)])(
  '%j is no upload',
  async (id) => {
    await using home = place();
    const refusal = { code: 'blob.missing' };

    await expect(home.uploads.open(id)).rejects.toMatchObject(refusal);
    await expect(home.uploads.append(id, 0, parts('x'))).rejects.toMatchObject(refusal);
    await expect(home.uploads.finish(id)).rejects.toMatchObject(refusal);
    await expect(home.uploads.discard(id)).rejects.toMatchObject(refusal);
    expect(readdirSync(home.path).sort()).toEqual(['blobs', 'tmp']);
  },
);

test('an upload that nobody opened can be neither added to nor finished, and is discarded', async () => {
  await using home = place();

  await expect(home.uploads.append('up_1', 0, parts('x'))).rejects.toMatchObject({
    code: 'blob.missing',
  });
  await expect(home.uploads.finish('up_1')).rejects.toMatchObject({ code: 'blob.missing' });
  await expect(home.uploads.discard('up_1')).resolves.toBeUndefined();
  expect(await Array.fromAsync(home.uploads.list())).toEqual([]);
});

test('a symlink in place of the upload or of the folder is not followed', async () => {
  await using home = place();
  writeFileSync(home.at('outside'), 'secret');
  await home.uploads.open('up_1');
  symlinkSync(home.at('outside'), home.at('blobs', '.uploads', 'up_2'));

  await expect(home.uploads.open('up_2')).rejects.toMatchObject({ code: 'blob.missing' });
  await expect(home.uploads.append('up_2', 0, parts('x'))).rejects.toMatchObject({
    code: 'blob.missing',
  });

  expect(readFileSync(home.at('outside'), 'utf8')).toBe('secret');
  expect(await Array.fromAsync(home.uploads.list())).toMatchObject([{ id: 'up_1', sizeBytes: 0 }]);
});

test('a folder of uploads that is a symlink is refused', async () => {
  await using home = place();
  mkdirSync(home.at('elsewhere'));
  symlinkSync(home.at('elsewhere'), home.at('blobs', '.uploads'));

  await expect(home.uploads.open('up_1')).rejects.toMatchObject({ code: 'disk.not-a-folder' });

  expect(readdirSync(home.at('elsewhere'))).toEqual([]);
});

test('a full disk is told, and what fits stays to go on from', async () => {
  const disk = new SimulatedDisk({ seed: 1, capacityBytes: 4 });
  for (const path of ['/blobs', '/tmp']) await disk.makeFolder(path);
  const { uploads } = storeOn(disk, '/blobs', '/tmp');
  await uploads.open('up_1');

  const attempt = uploads.append('up_1', 0, parts('hel', 'lo'));

  await expect(attempt).rejects.toMatchObject({ code: 'disk.full' });
  const { sizeBytes } = await uploads.open('up_1');
  expect(sizeBytes).toBeLessThanOrEqual(4);
});

test('after a power cut at any call of finish() the blob is whole or not there', async () => {
  for (let call = 1; ; call++) {
    const disk = new SimulatedDisk({ seed: call });
    for (const path of ['/blobs', '/tmp']) await disk.makeFolder(path);
    await disk.syncFolder('/');
    const { blobs, uploads } = storeOn(disk, '/blobs', '/tmp');
    await uploads.open('up_1');
    await uploads.append('up_1', 0, parts('hel', 'lo'));
    disk.crashAtCall(disk.calls + call);
    let answered = false;
    try {
      await uploads.finish('up_1');
      answered = true;
      disk.crash();
    } catch (failure) {
      expect(failure).toBeInstanceOf(SimulatedCrash);
    }
    disk.restart();

    const there = await blobs.stat(hello);

    if (answered) expect(there).toBeDefined();
    if (there !== undefined) expect(await textOf(blobs, hello)).toBe('hello');
    if (answered) break;
  }
});

test('twenty uploads of the same bytes become one blob', async () => {
  await using home = place();
  const ids = Array.from({ length: 20 }, (_, index) => `up_${index}`);

  const finished = await Promise.all(
    ids.map(async (id) => {
      await home.uploads.open(id);
      await home.uploads.append(id, 0, parts('hello'));
      return home.uploads.finish(id);
    }),
  );

  expect(new Set(finished.map(({ hash }) => hash))).toEqual(new Set([hello]));
  expect(await Array.fromAsync(home.blobs.list())).toHaveLength(1);
});
