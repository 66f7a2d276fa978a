/** Whoever changes what is stored: it is found out, and nothing of it is received. */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import type { AgentTransfer } from '../../src/app/library/agent-transfer.ts';
import { chunkBytes, headerBytes, sealedChunkBytes } from '../../src/blobs/seal/aosb1.ts';
import { cases } from '../support/tier.ts';
import {
  libraryOf,
  libraryWithHandle,
  type ServedHome,
  sharedServedHome,
  someBytes,
  storedFiles,
} from '../support/transfer-ends.ts';

const served = sharedServedHome();

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
  const { id } = await libraryOf(home, 'samantha').send(home.folder.at(name), {
    to: home.names.jared,
  });
  const stored = storedFiles(home).find((path) => !before.has(path)) ?? '';
  return { id, name, plain, stored };
}

interface Changed extends Damaged {
  readonly how: string;
}

async function sendAndDamage(home: ServedHome, label = ''): Promise<Changed[]> {
  const other = await sendOne(home, `${label} other.bin`);
  const all = [];
  for (const [index, { how, damage }] of damages.entries()) {
    const sent = await sendOne(home, `${label} ${index}.bin`);
    damage(sent.stored, other.stored);
    all.push({ ...sent, how });
  }
  return all;
}

// The first, because it names no more than twenty: others change more in the same store.
test('aos blobs verify names all that was changed in the store, and who needs it', async () => {
  const home = await served();
  const sent = await sendAndDamage(home);

  const run = await home.type('owner', 'aos blobs verify');

  expect(run.code).toBe(1);
  const said = run.stdout + run.stderr;
  for (const { how, stored, id } of sent) {
    expect(said, how).toContain(stored.slice(-64));
    expect(said, how).toContain(`transfer:${id}`);
  }
});

/** Jared's two ways to what was sent to him. */
const doors = [
  { door: 'from the store itself', withHandle: false },
  { door: 'through his socket', withHandle: true },
] as const;

test('jared gets nothing of what was changed in the store, and it is good once it is sent again', async () => {
  const home = await served();
  const attempts: Promise<void>[] = [];
  const changed = [];
  for (const { door, withHandle } of doors) {
    const sent = await sendAndDamage(home, door);
    const library = (withHandle ? libraryWithHandle : libraryOf)(home, 'jared');
    const shell = withHandle ? home.withHandle('jared') : home.environmentOf('jared');
    const typed = cases(door, sent, 2);
    // All at once: each is tried again after a while before it is given up.
    attempts.push(
      ...sent.map((one) =>
        typed.includes(one) ? typedRefusal(home, shell, one) : refusal(home, library, one),
      ),
    );
    changed.push(...sent);
  }
  await Promise.all(attempts);

  const [samantha, jared] = [libraryOf(home, 'samantha'), libraryOf(home, 'jared')];
  const mended = cases('good again', changed, 4);
  for (const { how, name, plain, stored } of mended) {
    const again = await samantha.send(home.folder.at(name), { to: home.names.jared });
    const { path } = await jared.download(again.id, { dest: home.folder.at('got') });

    expect(readFileSync(path).equals(plain), how).toBe(true);
    expect(existsSync(stored), how).toBe(true);
  }
  const { corrupt, missing } = await home.daemon.client.verifyBlobs();
  const hashes = mended.map(({ stored }) => stored.slice(-64));
  expect([...corrupt, ...missing].filter(({ hash }) => hashes.includes(hash))).toEqual([]);
});

async function refusal(home: ServedHome, jared: AgentTransfer, { id, how }: Changed) {
  const dest = home.folder.at(`got-${id}`);
  await expect(jared.download(id, { dest }), how).rejects.toMatchObject({
    ...{ code: 'transfer.corrupt', message: expect.stringContaining('is corrupt and was not') },
  });
  expect(readdirSync(dest), how).toEqual([]);
}

async function typedRefusal(
  home: ServedHome,
  shell: Readonly<Record<string, string>>,
  { id, how }: Changed,
): Promise<void> {
  const run = await home.typeIn(shell, `agent-transfer download ${id} --dest got-${id}`);
  expect(run.code, `${how}: ${run.stderr}`).toBe(1);
  expect(run.stderr, how).toMatch(/^.*is corrupt and was not received\./);
  expect(run.stdout, how).toBe('');
  expect(readdirSync(home.folder.at(`got-${id}`)), how).toEqual([]);
}

test('what aos blobs verify has found to be corrupt is not sent to anybody else', async () => {
  const home = await served();
  const [sent] = [await sendOne(home, 'plan.bin')];
  flip(() => chunkAt(1) + 7)(sent.stored);
  await home.type('owner', 'aos blobs verify');

  const again = await libraryOf(home, 'samantha').send(home.folder.at(sent.name), {
    to: home.names.jean,
  });
  const { path } = await libraryOf(home, 'jean').download(again.id, {
    dest: home.folder.at('got'),
  });

  expect(readFileSync(path).equals(sent.plain)).toBe(true);
});
