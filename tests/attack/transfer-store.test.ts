/** Whoever changes what is stored: it is found out, and nothing of it is received. */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chunkBytes, headerBytes, sealedChunkBytes } from '../../src/blobs/seal/aosb1.ts';
import {
  libraryOf,
  type ServedHome,
  servedHome,
  someBytes,
  storedFiles,
} from '../support/transfer-ends.ts';

// More than one reading of the store, and a last chunk that is not full.
const sizeBytes = 34 * chunkBytes + 1000;
const chunkAt = (index: number) => headerBytes + index * sealedChunkBytes;

interface Damage {
  readonly how: string;
  damage(path: string, other: string): void;
}

const flip = (offset: (size: number) => number) => (path: string) => {
  const bytes = readFileSync(path);
  const at = offset(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
};

const cut = (size: number) => (path: string) =>
  writeFileSync(path, readFileSync(path).subarray(0, size));

function swapChunks(path: string): void {
  const bytes = readFileSync(path);
  const [first, second] = [0, 1].map((index) =>
    Buffer.from(bytes.subarray(chunkAt(index), chunkAt(index + 1))),
  );
  bytes.set(second ?? [], chunkAt(0));
  bytes.set(first ?? [], chunkAt(1));
  writeFileSync(path, bytes);
}

function mixIn(path: string, other: string): void {
  const bytes = readFileSync(path);
  bytes.set(readFileSync(other).subarray(chunkAt(1), chunkAt(2)), chunkAt(1));
  writeFileSync(path, bytes);
}

const damages: readonly Damage[] = [
  { how: 'a byte of the header is flipped', damage: flip(() => 10) },
  { how: 'a byte of the first chunk is flipped', damage: flip(() => headerBytes + 5) },
  { how: 'a byte of the last chunk is flipped', damage: flip(() => chunkAt(34) + 5) },
  { how: 'a byte of the last tag is flipped', damage: flip((size) => size - 1) },
  { how: 'it is cut off at the end of a chunk', damage: cut(chunkAt(34)) },
  { how: 'it is cut off in a chunk', damage: cut(chunkAt(1) + 100) },
  { how: 'it is cut off in the header', damage: cut(20) },
  { how: 'it is cut off to nothing', damage: cut(0) },
  { how: 'two chunks are swapped', damage: swapChunks },
  { how: 'a chunk comes from another body', damage: mixIn },
  { how: 'another body is in its place', damage: (path, other) => copyFileSync(other, path) },
  { how: 'it is gone', damage: (path) => rmSync(path) },
];

interface Damaged {
  readonly id: string;
  readonly name: string;
  readonly plain: Uint8Array;
  readonly stored: string;
}

/** A file with content of its own, sent to jared, and where it is stored. */
async function sendOne(home: ServedHome, name: string): Promise<Damaged> {
  const before = new Set(storedFiles(home));
  const plain = someBytes(sizeBytes);
  writeFileSync(home.folder.at(name), plain);
  const { id } = await libraryOf(home, 'samantha').send(home.folder.at(name), { to: 'jared' });
  const stored = storedFiles(home).find((path) => !before.has(path)) ?? '';
  return { id, name, plain, stored };
}

async function sendAndDamage(home: ServedHome): Promise<(Damaged & { readonly how: string })[]> {
  const other = await sendOne(home, 'other.bin');
  const all = [];
  for (const [index, { how, damage }] of damages.entries()) {
    const sent = await sendOne(home, `${index}.bin`);
    damage(sent.stored, other.stored);
    all.push({ ...sent, how });
  }
  return all;
}

const download = (id: string) => `agent-transfer download ${id} --dest got-${id}`;

describe.each([
  { door: 'from the store itself', withHandle: false },
  { door: 'through his socket', withHandle: true },
])('jared, who fetches it $door,', ({ withHandle }) => {
  test('gets nothing of what was changed in the store, and is told that it is corrupt', async () => {
    await using home = await servedHome();
    const sent = await sendAndDamage(home);
    const jared = withHandle ? home.withHandle('jared') : home.environmentOf('jared');

    const runs = await Promise.all(sent.map(({ id }) => home.typeIn(jared, download(id))));

    for (const [index, { how, id }] of sent.entries()) {
      const run = runs[index];
      expect(run?.code, `${how}: ${run?.stderr}`).toBe(1);
      expect(run?.stderr, how).toMatch(/^.*is corrupt and was not received\./);
      expect(run?.stdout, how).toBe('');
      expect(readdirSync(home.folder.at(`got-${id}`)), how).toEqual([]);
    }
  });
});

test('aos blobs verify names all that was changed in the store, and who needs it', async () => {
  await using home = await servedHome();
  const sent = await sendAndDamage(home);

  const run = await home.type('owner', 'aos blobs verify');

  expect(run.code).toBe(1);
  const said = run.stdout + run.stderr;
  for (const { how, stored, id } of sent) {
    expect(said, how).toContain(stored.slice(-64));
    expect(said, how).toContain(`transfer:${id}`);
  }
});

test('what was found to be corrupt is good again once the same is sent again', async () => {
  await using home = await servedHome();
  const sent = await sendAndDamage(home);
  const [samantha, jared] = [libraryOf(home, 'samantha'), libraryOf(home, 'jared')];
  const dest = home.folder.at('got');
  await Promise.all(sent.map(({ id }) => jared.download(id, { dest }).catch(() => {})));

  for (const { how, name, plain, stored } of sent) {
    const again = await samantha.send(home.folder.at(name), { to: 'jared' });
    const { path } = await jared.download(again.id, { dest });

    expect(readFileSync(path).equals(plain), how).toBe(true);
    expect(existsSync(stored), how).toBe(true);
  }
  await expect(home.daemon.client.verifyBlobs()).resolves.toMatchObject({
    corrupt: [],
    missing: [],
  });
});

test('what aos blobs verify has found to be corrupt is not sent to anybody else', async () => {
  await using home = await servedHome();
  const [sent] = [await sendOne(home, 'plan.bin')];
  flip(() => chunkAt(1) + 7)(sent.stored);
  await home.type('owner', 'aos blobs verify');

  const again = await libraryOf(home, 'samantha').send(home.folder.at(sent.name), { to: 'jean' });
  const { path } = await libraryOf(home, 'jean').download(again.id, {
    dest: home.folder.at('got'),
  });

  expect(readFileSync(path).equals(sent.plain)).toBe(true);
});
