import { spawnSync } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programMs } from '../../../tests/support/limits.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openUseLite } from './use-lite.ts';
import { cosine } from './vector-table.ts';

const forEver = new AbortController().signal;
const root = join(import.meta.dirname, '../../..');

/** As far as they are there. */
function alike(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one === undefined || other === undefined ? Number.NaN : cosine(one, other, 0);
}

test('what means the same is nearer than what does not', async () => {
  await using embedder = await openUseLite();

  const [asked, near, far] = await embedder.embed(
    ['Where is my car parked?', 'The vehicle stands in the garage', 'She bakes bread on Sundays'],
    forEver,
  );

  expect(alike(asked, near)).toBeGreaterThan(alike(asked, far) + 0.1);
});

test('each text has its own vector of unit length, in its place', async () => {
  await using embedder = await openUseLite();
  const texts = Array.from({ length: 9 }, (_, index) => `The number ${index} is a number`);

  const together = await embedder.embed(texts, forEver);
  const [fifth] = await embedder.embed(texts.slice(5, 6), forEver);

  expect(together).toHaveLength(9);
  expect(together.map(({ length }) => length)).toEqual(texts.map(() => embedder.dimensions));
  for (const vector of together) expect(alike(vector, vector)).toBeCloseTo(1, 4);
  expect(alike(together[5], fifth)).toBeCloseTo(1, 4);
  expect(alike(together[4], fifth)).toBeLessThan(0.999);
});

test('no text at all is too odd to have a vector', async () => {
  await using embedder = await openUseLite();
  const odd = ['', ' ', '\0', '\ud800', '🙂', 'ﷺ', '__proto__', '<unk>', '\u2581', 'x'.repeat(1e6)];

  const vectors = await embedder.embed(odd, forEver);

  expect(vectors).toHaveLength(odd.length);
  for (const vector of vectors) expect(alike(vector, vector)).toBeCloseTo(1, 4);
});

test('who goes away while it works is let go, and the next is answered', async () => {
  await using embedder = await openUseLite();
  const going = new AbortController();
  const reason = new Error('enough');
  const texts = Array.from({ length: 400 }, (_, index) => `A sentence that is of number ${index}`);

  const left = embedder.embed(texts, going.signal);
  going.abort(reason);

  await expect(left).rejects.toBe(reason);
  await expect(embedder.embed(['one'], going.signal)).rejects.toBe(reason);
  expect(await embedder.embed(['one'], forEver)).toHaveLength(1);
});

test('what is under way when it is closed is broken off, and nothing comes after it', async () => {
  const embedder = await openUseLite();
  const texts = Array.from({ length: 400 }, (_, index) => `A sentence that is of number ${index}`);
  const under = embedder.embed(texts, forEver);
  under.catch(() => {});

  await embedder[Symbol.asyncDispose]();

  await expect(under).rejects.toMatchObject({ code: 'memory.embedder-failed' });
  await expect(embedder.embed(['one'], forEver)).rejects.toMatchObject({
    code: 'memory.embedder-failed',
  });
});

test('a program that has nothing else to do ends, though it is open', () => {
  const program = `
    import { openUseLite } from '${join(import.meta.dirname, 'use-lite.ts')}';
    const embedder = await openUseLite();
    const [vector] = await embedder.embed(['one'], new AbortController().signal);
    console.log(vector.length);`;

  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { encoding: 'utf8', timeout: programMs },
  );

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '512\n', stderr: '' });
});

test('where its packages are not installed it says what to install', async () => {
  await using folder = temporaryFolder();
  // The same sources, in a place that has no packages.
  await cp(join(root, 'src/engines'), folder.at('src/engines'), { recursive: true });
  await symlink(join(root, 'src/kernel'), folder.at('src/kernel'));
  const { openUseLite: openElsewhere } = await import(folder.at('src/engines/memory/use-lite.ts'));

  await expect(openElsewhere()).rejects.toMatchObject({
    code: 'memory.no-embedder',
    fix: expect.stringContaining('npm install @energetic-ai/core'),
  });
});
