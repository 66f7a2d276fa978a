import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { Disk } from '../../src/kernel/ports.ts';
import { fileRead } from '../../src/toolbox/file/read.ts';
import { fileWrite } from '../../src/toolbox/file/write.ts';
import { seededRandom } from '../sim/random.ts';
import type { SwapNames } from '../support/swap-names.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isFull } from '../support/tier.ts';
import { runTool } from '../support/tool-call.ts';

/** At least so many; more, until the swap was seen from both sides. */
const tries = isFull ? 10_000 : 600;
const mostTries = 10_000;

// What is raced for are names. A flush for each would take a minute and change none.
const disk: Disk = {
  ...realDisk,
  syncFolder: async () => {},
  async create(path, options) {
    const writer = await realDisk.create(path, options);
    return {
      append: (bytes) => writer.append(bytes),
      sync: async () => {},
      [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
    };
  },
};
const deps = { disk, clock: realClock, random: seededRandom(1), home: '/home/nobody/.aos' };
const tools = { read: fileRead(deps), write: fileWrite(deps) };

/** `root/mid/deep/file` within the grant, and `outside/deep/file` that nobody may touch. */
function plant() {
  const folder = temporaryFolder();
  for (const path of ['root/mid/deep', 'outside/deep']) {
    mkdirSync(folder.at(path), { recursive: true });
  }
  writeFileSync(folder.at('root/mid/deep/file'), 'inside');
  writeFileSync(folder.at('outside/deep/file'), 'OUTSIDE');
  const capabilities = [`file:${folder.at('root')}/**:read,write`];
  return { folder, call: { capabilities } };
}

/** Lets two names change places until it is disposed of. */
async function swapping(names: Omit<SwapNames, 'shared'>) {
  const shared = new SharedArrayBuffer(8);
  const cells = new Int32Array(shared);
  const worker = new Worker(join(import.meta.dirname, '../support/swap-names.ts'), {
    workerData: { ...names, shared } satisfies SwapNames,
  });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
  await new Promise((resolve) => worker.once('online', resolve));
  return {
    swaps: () => Atomics.load(cells, 0),
    async [Symbol.asyncDispose]() {
      Atomics.store(cells, 1, 1);
      await ended;
    },
  };
}

/** What came of a call: what it answered, or the code of its refusal. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work);
  } catch (failure) {
    if (failure instanceof AosError) return failure.code;
    throw failure;
  }
}

/** By name, as a program does that trusts the names: it has to be led astray here. */
function trustingly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The name has gone for a moment.
    return 'nothing';
  }
}

// What may be said when the way is not what it was a moment ago.
const refusals = ['capability.denied', 'file.missing', 'file.changed'];

test.skipIf(process.platform !== 'linux')(
  'a folder in the middle is swapped for a symlink to outside during many calls: none gets there',
  async () => {
    const { folder, call } = plant();
    await using _ = folder;
    symlinkSync(folder.at('outside'), folder.at('root/link'));
    const path = folder.at('root/mid/deep/file');
    const seen = { read: new Set<string>(), write: new Set<string>(), trusting: new Set<string>() };
    {
      await using swapper = await swapping({
        one: folder.at('root/mid'),
        other: folder.at('root/link'),
        aside: folder.at('root/aside'),
      });

      const isSeen = (): boolean =>
        [seen.read, seen.write].every((all) => all.has('done') && all.has('capability.denied')) &&
        seen.trusting.has('OUTSIDE');
      for (let index = 0; index < mostTries / 2; index++) {
        if (index >= tries / 2 && isSeen()) break;
        seen.read.add(wordsOf(await outcomeOf(runTool(tools.read, { path }, call))));
        const args = { path: folder.at(`root/mid/deep/new-${index}`), content: 'ours' };
        seen.write.add(wordsOf(await outcomeOf(runTool(tools.write, args, call))));
        seen.trusting.add(trustingly(path));
      }

      expect(swapper.swaps()).toBeGreaterThan(tries / 10);
    }

    // The swap was seen from both sides, or this would prove nothing.
    expect(seen.trusting).toContain('OUTSIDE');
    expect(seen.read).toContain('done');
    expect(seen.read).toContain('capability.denied');
    expect(seen.write).toContain('done');
    expect(seen.write).toContain('capability.denied');
    for (const words of [...seen.read, ...seen.write]) {
      expect(['done', ...refusals]).toContain(words);
    }
    // No other name either, not for a moment that nobody tidied up after.
    expect(readdirSync(folder.at('outside'))).toEqual(['deep']);
    expect(readdirSync(folder.at('outside/deep'))).toEqual(['file']);
    expect(trustingly(folder.at('outside/deep/file'))).toBe('OUTSIDE');
  },
);

test.skipIf(process.platform !== 'linux')(
  'the file itself is swapped for a symlink to outside: nothing of it is read or replaced',
  async () => {
    const { folder, call } = plant();
    await using _ = folder;
    const path = folder.at('root/mid/deep/file');
    symlinkSync(folder.at('outside/deep/file'), folder.at('root/link'));
    const seen = new Set<string>();
    {
      await using _swapper = await swapping({
        one: path,
        other: folder.at('root/link'),
        aside: folder.at('root/aside'),
      });

      for (let index = 0; index < mostTries / 4; index++) {
        if (index >= tries / 4 && seen.has('done') && seen.has('capability.denied')) break;
        seen.add(wordsOf(await outcomeOf(runTool(tools.read, { path }, call))));
      }
      const args = { path, content: 'ours', if_exists: 'replace' };
      for (let index = 0; index < tries / 20; index++) {
        await outcomeOf(runTool(tools.write, args, call));
      }
    }

    expect(seen).toContain('done');
    expect(seen).toContain('capability.denied');
    for (const words of seen) expect(['done', 'file.not-a-file', ...refusals]).toContain(words);
    expect(trustingly(folder.at('outside/deep/file'))).toBe('OUTSIDE');
    expect(readdirSync(folder.at('root/mid/deep'))).toEqual(['file']);
  },
);

/** `done` for an answer from inside; an answer from anywhere else stays as it is. */
function wordsOf(outcome: string): string {
  const isOurs = outcome.includes('"content":"inside"') || outcome.includes('"bytes":4}');
  return isOurs && !outcome.includes('outside') ? 'done' : outcome;
}
