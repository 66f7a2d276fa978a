import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedCrash, SimulatedDisk } from '../../tests/sim/disk.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { realRandom } from '../engines/clock.ts';
import { realDisk } from '../engines/disk/disk.ts';
import type { OpenBlob } from './blobs.ts';
import { FileBlobs } from './fs.ts';

function place() {
  const folder = temporaryFolder();
  for (const name of ['blobs', 'tmp']) mkdirSync(folder.at(name), { mode: 0o700 });
  const where = { root: folder.at('blobs'), temporary: folder.at('tmp') };
  const blobs = new FileBlobs({ disk: realDisk, random: realRandom }, where);
  return { ...folder, blobs };
}

async function* parts(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('the sender went away');
}

async function textOf({ stream }: OpenBlob): Promise<string> {
  const found: Uint8Array[] = [];
  for await (const bytes of stream) found.push(bytes);
  return Buffer.concat(found).toString();
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const hello = hashOf('hello');

test('put() stores bytes under their SHA-256, and get() gives them back', async () => {
  await using home = place();

  const stored = await home.blobs.put(parts('hel', 'lo'));

  expect(stored).toEqual({ hash: hello, sizeBytes: 5 });
  const opened = await home.blobs.get(hello);
  expect(opened.sizeBytes).toBe(5);
  expect(await textOf(opened)).toBe('hello');
  expect(statSync(home.at('blobs', hello.slice(0, 2), hello)).mode & 0o777).toBe(0o600);
  expect(readdirSync(home.at('tmp'))).toEqual([]);
});

test('several megabytes and nothing at all come back as they are', async () => {
  await using home = place();
  const large = 'x'.repeat(3 * 2 ** 20 + 7);

  const stored = await home.blobs.put(parts(large));
  const empty = await home.blobs.put(parts());

  expect(await textOf(await home.blobs.get(stored.hash))).toBe(large);
  expect(await textOf(await home.blobs.get(empty.hash))).toBe('');
});

test('put() of the same bytes leaves one file, and mends a damaged one', async () => {
  await using home = place();
  await home.blobs.put(parts('hello'));
  writeFileSync(home.at('blobs', hello.slice(0, 2), hello), 'xxxxx');

  await home.blobs.put(parts('hello'));

  expect(await textOf(await home.blobs.get(hello))).toBe('hello');
  expect(await Array.fromAsync(home.blobs.list())).toHaveLength(1);
});

test('a source that breaks off leaves nothing', async () => {
  await using home = place();

  await expect(home.blobs.put(broken())).rejects.toThrow('went away');

  expect(readdirSync(home.at('tmp'))).toEqual([]);
  expect(await Array.fromAsync(home.blobs.list())).toEqual([]);
});

test.each(['changed', 'cut'])('bytes that were %s are never handed out whole', async (how) => {
  await using home = place();
  const text = 'a'.repeat(2 ** 20 + 5);
  const { hash } = await home.blobs.put(parts(text));
  const path = home.at('blobs', hash.slice(0, 2), hash);
  if (how === 'cut') truncateSync(path, 100);
  else writeFileSync(path, `b${text.slice(1)}`);

  const found: Uint8Array[] = [];
  const reading = async (): Promise<void> => {
    for await (const bytes of (await home.blobs.get(hash)).stream) found.push(bytes);
  };

  await expect(reading()).rejects.toMatchObject({ code: 'blob.corrupt' });
  expect(Buffer.concat(found).length).toBeLessThan(text.length);
});

test('a part that lies behind a cut is not taken for the end', async () => {
  await using home = place();
  const text = 'a'.repeat(2 ** 20 + 5);
  const { hash } = await home.blobs.put(parts(text));
  const { stream } = await home.blobs.get(hash, { from: 50 });
  truncateSync(home.at('blobs', hash.slice(0, 2), hash), 100);

  await expect(Array.fromAsync(stream)).rejects.toMatchObject({ code: 'blob.corrupt' });
});

test('what is put again while an old one is deleted is there afterwards', async () => {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  for (const path of ['/blobs', '/tmp']) await disk.makeFolder(path);
  const deps = { disk, random: seededRandom(1) };
  const blobs = new FileBlobs(deps, { root: '/blobs', temporary: '/tmp' });
  await blobs.put(parts('hello'));
  await clock.advance(5000);

  // However many turns the one is ahead.
  for (let turns = 0; turns < 200; turns++) {
    const putBefore = clock.now();
    const put = blobs.put(parts('hello'));
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await Promise.all([put, blobs.delete(hello, { putBefore })]);

    expect({ turns, stored: await blobs.stat(hello) }).toMatchObject({ stored: { hash: hello } });
    await clock.advance(5000);
  }
});

test.each(['../../etc/passwd', '', 'AB', hashOf('never stored'), hashOf('x').toUpperCase()])(
  'there is nothing under %j',
  async (hash) => {
    await using home = place();

    await expect(home.blobs.get(hash)).rejects.toMatchObject({ code: 'blob.missing' });
    expect(await home.blobs.stat(hash)).toBeUndefined();
    expect(await home.blobs.delete(hash)).toBe(false);
  },
);

test('a symlink is neither read nor listed, and is replaced by put()', async () => {
  await using home = place();
  writeFileSync(home.at('outside'), 'hello');
  mkdirSync(home.at('blobs', hello.slice(0, 2)), { mode: 0o700 });
  symlinkSync(home.at('outside'), home.at('blobs', hello.slice(0, 2), hello));

  await expect(home.blobs.get(hello)).rejects.toMatchObject({ code: 'blob.missing' });
  expect(await Array.fromAsync(home.blobs.list())).toEqual([]);
  await home.blobs.put(parts('hello'));

  expect(await textOf(await home.blobs.get(hello))).toBe('hello');
});

test('put() does not follow a symlink in place of a folder', async () => {
  await using home = place();
  mkdirSync(home.at('elsewhere'));
  symlinkSync(home.at('elsewhere'), home.at('blobs', hello.slice(0, 2)));

  await expect(home.blobs.put(parts('hello'))).rejects.toMatchObject({ code: 'disk.not-a-folder' });

  expect(readdirSync(home.at('elsewhere'))).toEqual([]);
  expect(readdirSync(home.at('tmp'))).toEqual([]);
});

test('list() tells each blob with its size and when it was put last', async () => {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  for (const path of ['/blobs', '/tmp', '/blobs/.strange']) await disk.makeFolder(path);
  const where = { root: '/blobs', temporary: '/tmp' };
  const blobs = new FileBlobs({ disk, random: seededRandom(1) }, where);
  await blobs.put(parts('hello'));
  await blobs.put(parts('other'));
  const later = clock.now() + 5000;
  await clock.advance(5000);

  await blobs.put(parts('hello'));

  const listed = await Array.fromAsync(blobs.list());
  expect(listed.map(({ hash }) => hash)).toEqual([hello, hashOf('other')].sort());
  expect(listed.find(({ hash }) => hash === hello)).toMatchObject({ sizeBytes: 5, putAt: later });
  expect(await blobs.delete(hello)).toBe(true);
  expect(await Array.fromAsync(blobs.list())).toHaveLength(1);
});

test('after a power cut at any call a blob is whole or not there, and an answered one is there', async () => {
  for (let call = 1; ; call++) {
    const disk = new SimulatedDisk({ seed: call });
    const where = { root: '/blobs', temporary: '/tmp' };
    for (const path of ['/blobs', '/tmp']) await disk.makeFolder(path);
    await disk.syncFolder('/');
    const blobs = new FileBlobs({ disk, random: seededRandom(1) }, where);
    disk.crashAtCall(disk.calls + call);
    let answered = false;
    try {
      await blobs.put(parts('hello'));
      answered = true;
      disk.crash();
    } catch (failure) {
      expect(failure).toBeInstanceOf(SimulatedCrash);
    }
    disk.restart();

    const there = await blobs.stat(hello);

    if (answered) expect(there).toBeDefined();
    if (there !== undefined) expect(await textOf(await blobs.get(hello))).toBe('hello');
    if (answered) break;
  }
});
