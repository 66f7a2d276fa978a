import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../../../tests/support/keep-compiled.ts';
import { type SearchWorld, searchWorld } from '../../../../tests/support/search-world.ts';
import type { SwapNames } from '../../../../tests/support/swap-names.ts';
import { isFull } from '../../../../tests/support/tier.ts';

const support = join(import.meta.dirname, '../../../../tests/support');
const wantedSwaps = isFull ? 10_000 : 1500;

keepCompiled();

/** Lets a folder of the tree and a symlink to a secret one change places, while `work` runs. */
async function whileSwapping(world: SearchWorld, work: () => Promise<void>): Promise<number> {
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(shared);
  const [one, other] = [world.at('docs'), world.at('link')];
  const workerData: SwapNames = { one, other, aside: world.at('aside'), shared };
  const worker = new Worker(join(support, 'swap-names.ts'), { workerData });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  try {
    while (Atomics.load(cells, 0) < wantedSwaps) await work();
  } finally {
    Atomics.store(cells, 1, 1);
    await ended;
  }
  return Atomics.load(cells, 0);
}

function fill(world: SearchWorld): void {
  for (let index = 0; index < 50; index++) {
    world.write(`docs/${index}.txt`, 'Ahmed inside\n');
  }
  mkdirSync(world.outside('secret'));
  for (let index = 0; index < 50; index++) {
    writeFileSync(world.outside('secret', `${index}.txt`), 'Ahmed secret\n');
    writeFileSync(world.outside('secret', `ahmed-${index}.txt`), 'Ahmed secret\n');
  }
  symlinkSync(world.outside('secret'), world.at('link'));
}

test.each([
  ['ripgrep', {}],
  ['our own scan', { ripgrep: 'none' }],
] as const)(
  'nothing from outside is shown while a folder is swapped (%s)',
  async (_how, options) => {
    await using world = searchWorld(options);
    fill(world);
    let [searches, escapes] = [0, 0];

    const swaps = await whileSwapping(world, async () => {
      const { hits } = await world.search({ query: 'Ahmed', filters: { kind: 'file' } });
      searches++;
      escapes += hits.filter(
        ({ file, line }) => line?.text.includes('secret') || file.path.includes('ahmed-'),
      ).length;
    });

    expect(swaps).toBeGreaterThanOrEqual(wantedSwaps);
    expect(searches).toBeGreaterThan(0);
    expect(escapes).toBe(0);
  },
);

test('nothing from outside is shown by an index while a folder is swapped', async () => {
  await using world = searchWorld();
  fill(world);
  await world.index();
  let escapes = 0;

  await whileSwapping(world, async () => {
    const { hits } = await world.search({ query: 'Ahmed', filters: { kind: 'file' } });
    escapes += hits.filter(
      ({ file, line }) => line?.text.includes('secret') || file.path.includes('ahmed-'),
    ).length;
  });

  expect(escapes).toBe(0);
});
