/**
 * Somebody swaps a folder for a symlink to outside, as fast as it can be done, while the file agent
 * is asked for things in it: thousands of tries, none of which gets there.
 */
import { hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { realDisk } from '../../src/engines/disk/disk.ts';
import type { FileAnswer, FileRequest } from '../../src/kernel/files/request.ts';
import type { Disk } from '../../src/kernel/ports.ts';
import {
  type AttackedWorld,
  attackedWorld,
  checkWords,
  endOf,
  shareThreads,
  swapping,
} from '../support/files-attack.ts';
import { png } from '../support/sample-files.ts';
import { isFull } from '../support/tier.ts';
import { treeEntries } from '../support/tree-hash.ts';

shareThreads();
afterEach(checkWords);

interface Tries {
  readonly least: number;
  /** Where the least have not seen the swap from both sides. */
  readonly most: number;
}

/** Ten thousand where everything is tried. */
const tries = isFull
  ? {
      ...{ list: exactly(1200), read: exactly(6300), metadata: exactly(1000), move: exactly(800) },
      ...{ write: exactly(400), delete: { each: 200, rounds: 5 }, copy: exactly(100) },
    }
  : {
      list: { least: 60, most: 600 },
      read: { least: 300, most: 3000 },
      metadata: { least: 60, most: 1000 },
      move: { least: 80, most: 400 },
      write: { least: 40, most: 400 },
      delete: { each: 40, rounds: 20 },
      copy: { least: 10, most: 100 },
    };

function exactly(count: number): Tries {
  return { least: count, most: count };
}

const atOnce = 4;

// What is raced for are names. A flush for each would take minutes and change none.
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

/** `mid/deep/file` in the root, and `link`, which leads outside, where `deep/file` is too. */
async function plantRace(): Promise<AttackedWorld> {
  const world = await attackedWorld({ disk });
  world.plant('mid/deep/file', 'inside');
  mkdirSync(world.at('safe'));
  symlinkSync(world.outside, world.at('link'));
  return world;
}

interface Raced {
  /** How often each end was met. */
  readonly ends: Map<string, number>;
  /** By name, as a program does that trusts names: it has to be led astray here. */
  readonly trusting: Set<string>;
}

interface RaceOptions {
  readonly restMs?: number;
  readonly restEvery?: number;
  /** What was seen already, to which this is added. */
  readonly raced?: Raced;
}

function nothingSeen(): Raced {
  return { ends: new Map(), trusting: new Set() };
}

async function race(
  world: AttackedWorld,
  { least, most }: Tries,
  one: (index: number) => Promise<FileAnswer>,
  { raced = nothingSeen(), ...rest }: RaceOptions = {},
): Promise<Raced> {
  const { ends, trusting } = raced;
  const names = { one: world.at('mid'), other: world.at('link'), aside: world.at('aside') };
  await using swapper = await swapping(names, rest);
  for (let index = 0; index < most; index += atOnce) {
    if (index >= least && isSeen(raced)) break;
    const batch = Array.from({ length: atOnce }, (_, more) => one(index + more));
    for (const answer of await Promise.all(batch)) {
      expect(JSON.stringify(answer)).not.toContain('OUTSIDE"');
      const end = endOf(answer);
      ends.set(end, (ends.get(end) ?? 0) + 1);
      trusting.add(trustingly(world.at('mid/deep/file')));
    }
  }
  expect(swapper.swaps()).toBeGreaterThan(least / 10);
  return raced;
}

/** The swap was seen from both sides; without that nothing would be proven. */
function isSeen({ ends, trusting }: Raced): boolean {
  return trusting.has('OUTSIDE') && ends.has('success') && ends.has('OUTSIDE_ROOT');
}

/** A deletion that lacks nothing any more but to be done. */
async function withLastYes(
  world: AttackedWorld,
  wish: Pick<FileRequest, 'path' | 'options'>,
): Promise<FileRequest> {
  const request: FileRequest = { action: 'delete_file', ...wish };
  const first = await world.ask(request);
  const yes = ({ confirmation_token }: FileAnswer): FileRequest => ({
    ...request,
    options: { ...request.options, confirmation_token },
  });
  return request.options?.permanent === true ? yes(await world.ask(yes(first))) : yes(first);
}

function trustingly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The name has gone for a moment.
    return 'nothing';
  }
}

// What may be said when the way is not what it was a moment ago.
const refusals = [
  ...['OUTSIDE_ROOT', 'NOT_FOUND', 'CHANGED', 'PLAN_CHANGED', 'NOT_A_FOLDER', 'NOT_A_REGULAR_FILE'],
];

function checkEnds({ ends, trusting }: Raced, ...more: readonly string[]): void {
  const told = JSON.stringify({ ends: [...ends], trusting: [...trusting] });
  expect(isSeen({ ends, trusting }), told).toBe(true);
  for (const end of ends.keys()) expect(['success', ...refusals, ...more]).toContain(end);
}

describe.runIf(process.platform === 'linux')(
  'a folder is swapped for a symlink to outside:',
  () => {
    test('no listing and no count shows anything from there', async () => {
      await using world = await plantRace();
      writeFileSync(join(world.outside, 'deep/only-outside'), 'OUTSIDE');
      const before = await world.outsideHash();
      const requests: readonly FileRequest[] = [
        { action: 'list_files', path: '~/mid/deep' },
        { action: 'list_files', path: '~/mid/**' },
        { action: 'get_disk_usage', path: '~/mid' },
        { action: 'list_files', path: '~', options: { recursive: true } },
      ];

      const raced = await race(world, tries.list, async (index) => {
        const answer = await world.ask(
          requests[index % requests.length] ?? { action: 'list_files' },
        );
        expect(JSON.stringify(answer)).not.toMatch(/only-outside|secret\.txt/);
        return answer;
      });

      checkEnds(raced);
      expect(await world.outsideHash()).toBe(before);
    });

    test('no read reads anything from there', async () => {
      await using world = await plantRace();
      const before = await world.outsideHash();
      const request = { action: 'read_file', path: '~/mid/deep/file' } as const;

      const raced = await race(world, tries.read, () => world.ask(request));

      checkEnds(raced);
      expect(await world.outsideHash()).toBe(before);
    });

    test('no move takes anything from there, or puts something there', async () => {
      await using world = await plantRace();
      for (let index = 0; index < tries.move.most; index += 2) {
        world.plant(`mid/deep/f-${index}`, 'inside');
        writeFileSync(join(world.outside, `deep/f-${index}`), 'OUTSIDE');
        world.plant(`safe/g-${index + 1}`, 'inside');
      }
      const before = await world.outsideHash();

      // By turns from there, and to there.
      const raced = await race(world, tries.move, (index) =>
        world.ask({
          action: 'move_file',
          ...(index % 2 === 0
            ? { path: `~/mid/deep/f-${index}`, destination: '~/safe/' }
            : { path: `~/safe/g-${index}`, destination: '~/mid/deep/' }),
        }),
      );

      checkEnds(raced, 'CONFLICT');
      expect(await world.outsideHash()).toBe(before);
      // Each of them is in one place, and is what it was.
      const all = (await treeEntries(world.root)).filter(({ path }) => /\/[fg]-\d+$/.test(path));
      const names = all.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
      expect(new Set(names).size).toBe(names.length);
      expect(names).toHaveLength(tries.move.most);
      expect(new Set(all.map(({ sha256 }) => sha256))).toEqual(new Set([hash('sha256', 'inside')]));
    });

    test('no file is written there', async () => {
      await using world = await plantRace();
      const before = await world.outsideHash();

      const raced = await race(world, tries.write, (index) =>
        world.ask({ action: 'write_file', path: `~/mid/deep/n-${index}`, content: 'ours' }),
      );

      checkEnds(raced, 'CONFLICT');
      expect(await world.outsideHash()).toBe(before);
      const written = (await treeEntries(world.root)).filter(({ path }) => /\/n-\d+$/.test(path));
      expect(written).toHaveLength(raced.ends.get('success') ?? 0);
    });

    test('no deletion takes anything from there', async () => {
      await using world = await plantRace();
      const raced = nothingSeen();

      // Each has to be planned while nothing moves.
      for (let round = 0; round < tries.delete.rounds && !isSeen(raced); round++) {
        const name = (index: number) => `deep/f-${round}-${index}`;
        const yeses: FileRequest[] = [];
        for (let index = 0; index < tries.delete.each; index++) {
          world.plant(`mid/${name(index)}/x`, 'inside');
          mkdirSync(join(world.outside, name(index)));
          writeFileSync(join(world.outside, name(index), 'x'), 'OUTSIDE');
          const options = { permanent: index % 2 === 0 };
          yeses.push(await withLastYes(world, { path: `~/mid/${name(index)}`, options }));
        }
        const before = await world.outsideHash();

        // It takes many looks, so that without a rest hardly one gets through.
        await race(
          world,
          exactly(tries.delete.each),
          (index) => world.ask(yeses[index] ?? { action: 'list_files' }),
          { restMs: 5, restEvery: 200, raced },
        );

        expect(await world.outsideHash()).toBe(before);
      }

      checkEnds(raced);
    });
  },
);

describe.runIf(process.platform === 'linux')('in a folder that is copied, one is swapped:', () => {
  test('no copy holds anything from outside', async () => {
    await using world = await attackedWorld({ disk });
    for (const name of ['a', 'mid/deep/file', 'mid/x', 'z']) world.plant(`tree/${name}`, 'inside');
    symlinkSync(world.outside, world.at('tree-link'));
    const before = await world.outsideHash();
    const seen = new Set<string>();
    {
      await using _ = await swapping({
        one: world.at('tree/mid'),
        other: world.at('tree-link'),
        aside: world.at('aside'),
      });

      for (let index = 0; index < tries.copy.most; index++) {
        if (index >= tries.copy.least && seen.has('success')) break;
        const destination = `~/copies/${index}`;
        seen.add(await world.code({ action: 'copy_file', path: '~/tree', destination }));
      }
    }

    expect(seen).toContain('success');
    for (const end of seen) expect(['success', ...refusals]).toContain(end);
    const found = (await treeEntries(world.at('copies'))).filter(({ kind }) => kind === 'file');
    expect(new Set(found.map(({ sha256 }) => sha256))).toEqual(new Set([hash('sha256', 'inside')]));
    expect(await world.outsideHash()).toBe(before);
  });
});

describe.runIf(process.platform === 'linux')('a file is swapped for a symlink to outside:', () => {
  test('no look and no read tells what is there', async () => {
    await using world = await plantRace();
    writeFileSync(join(world.outside, 'picture'), png([1, 2, 3]));
    symlinkSync(join(world.outside, 'picture'), world.at('file-link'));
    const before = await world.outsideHash();
    const path = '~/mid/deep/file';
    const seen = new Set<string>();
    {
      await using _ = await swapping({
        one: world.at('mid/deep/file'),
        other: world.at('file-link'),
        aside: world.at('aside'),
      });

      for (let index = 0; index < tries.metadata.most; index += 2) {
        if (index >= tries.metadata.least && seen.has('success')) break;
        const answers = await Promise.all([
          world.ask({ action: 'get_metadata', path }),
          world.ask({ action: 'read_file', path, options: { encoding: 'base64' } }),
        ]);
        for (const answer of answers) {
          seen.add(endOf(answer));
          expect(JSON.stringify(answer)).not.toMatch(/png|iVBOR/i);
        }
      }
    }

    expect([...seen]).toContain('success');
    for (const end of seen) expect(['success', ...refusals]).toContain(end);
    expect(await world.outsideHash()).toBe(before);
  });
});

/** A disk on which something happens when `file` has lost one of its names, once. */
function diskWith(happens: () => void): { readonly disk: Disk; arm(): void } {
  let isArmed = false;
  return {
    arm: () => {
      isArmed = true;
    },
    disk: {
      ...disk,
      async remove(path) {
        await disk.remove(path);
        if (!isArmed || basename(path) !== 'file') return;
        isArmed = false;
        happens();
      },
    },
  };
}

describe('at the end of an undo', () => {
  test('the times of a folder outside stay, where one of ours was swapped for a link to it', async () => {
    let swap = (): void => {};
    const { disk: raced, arm } = diskWith(() => swap());
    await using world = await attackedWorld({ disk: raced });
    world.plant('mid/deep/file', 'inside');
    mkdirSync(world.at('safe'));
    utimesSync(world.at('mid/deep'), 1_000_000_000, 1_000_000_000);
    const request = {
      action: 'move_file',
      path: '~/mid/deep/file',
      destination: '~/safe/',
    } as const;
    expect(await world.code(request)).toBe('success');
    const before = await world.outsideHash();
    swap = () => {
      renameSync(world.at('mid'), world.at('aside'));
      symlinkSync(world.outside, world.at('mid'));
    };

    arm();
    await world.undo();

    expect(existsSync(world.at('aside/deep/file'))).toBe(true);
    expect(await world.outsideHash()).toBe(before);
  });
});
