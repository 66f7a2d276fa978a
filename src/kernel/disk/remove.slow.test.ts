/** Trees that somebody has made so that they stay: on a real disk. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRoot } from '../../../tests/support/machine.ts';
import { runAsOrdinary } from '../../../tests/support/ordinary.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { isFull } from '../../../tests/support/tier.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import type { Disk } from '../ports.ts';
import { removeTree } from './durable-file.ts';

/** The real one, and how many more descriptors than before were open at once. */
function countingDisk(): { readonly disk: Disk; mostOpen(): number } {
  const openNow = (): number => readdirSync('/proc/self/fd').length;
  const before = openNow();
  let most = 0;
  const disk: Disk = {
    ...realDisk,
    async holdFolder(path) {
      const held = await realDisk.holdFolder(path);
      most = Math.max(most, openNow() - before);
      return held;
    },
  };
  return { disk, mostOpen: () => most };
}

const goneName = (folder: string): string => `.aos-gone-${lstatSync(folder).ino}`;

interface Nest {
  readonly depth: number;
  /** Called with each folder, before the one in it is there, and the name for what that one holds. */
  readonly beside?: (folder: string, name: string) => void;
}

/** Sorted before every name that begins with a dot; no path leads through 400 of them. */
const down = '!'.repeat(12);

// From the inside out: no path is ever longer than the system takes.
function nest(top: string, { depth, beside }: Nest): void {
  let inner = `${top}-${depth}`;
  mkdirSync(inner);
  writeFileSync(join(inner, 'file'), 'text');
  let heldByInner: string | undefined;
  for (let level = depth - 1; level >= 0; level--) {
    const outer = level === 0 ? top : `${top}-${level}`;
    mkdirSync(outer);
    if (heldByInner !== undefined) beside?.(outer, heldByInner);
    heldByInner = goneName(inner);
    renameSync(inner, join(outer, down));
    inner = outer;
  }
}

const latin1 = (folder: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/\xe9', 'latin1')]);

/** Files and folders whose names are no UTF-8, one within the other. */
function plantLatin1(top: string, owner?: number): void {
  let folder: Buffer = Buffer.from(top);
  for (let level = 0; level < 3; level++) {
    folder = latin1(folder);
    mkdirSync(folder);
    if (owner !== undefined) chownSync(folder, owner, owner);
    writeFileSync(Buffer.concat([folder, Buffer.from('/caf\xe9', 'latin1')]), 'text');
  }
}

test('names that are no UTF-8 go, of files and of folders', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('tree'));
  plantLatin1(folder.at('tree'));

  await removeTree(realDisk, folder.at('tree'));

  expect(readdirSync(folder.path)).toEqual([]);
});

test.skipIf(!isRoot)('as root they go from the folder of an agent as well', async () => {
  await using folder = temporaryFolder();
  const agent = 2_000_000_001;
  mkdirSync(folder.at('tree'));
  chownSync(folder.at('tree'), agent, agent);
  plantLatin1(folder.at('tree'), agent);

  await removeTree(realDisk, folder.at('tree'));

  expect(readdirSync(folder.path)).toEqual([]);
});

test('very many folders, one within the other, take a few descriptors', async () => {
  await using folder = temporaryFolder();
  nest(folder.at('tree'), { depth: isFull ? 3000 : 400 });
  const { disk, mostOpen } = countingDisk();

  await removeTree(disk, folder.at('tree'));

  expect(readdirSync(folder.path)).toEqual([]);
  expect(mostOpen()).toBeLessThanOrEqual(4);
});

test('so do those of somebody who knows under which names they are to be moved', async () => {
  await using folder = temporaryFolder();
  nest(folder.at('tree'), {
    depth: isFull ? 300 : 60,
    beside: (beside, name) => writeFileSync(join(beside, name), 'taken'),
  });
  const { disk, mostOpen } = countingDisk();

  await removeTree(disk, folder.at('tree'));

  expect(readdirSync(folder.path)).toEqual([]);
  expect(mostOpen()).toBeLessThanOrEqual(4);
});

test.each([
  ['a file', (path: string) => writeFileSync(path, 'taken')],
  [
    'a folder with something in it',
    (path: string) => mkdirSync(join(path, 'a'), { recursive: true }),
  ],
  ['a symlink to nothing', (path: string) => symlinkSync('/nowhere', path)],
])('the name for what is moved may be taken by %s', async (_what, take) => {
  await using folder = temporaryFolder();
  const tree = folder.at('tree');
  mkdirSync(join(tree, '!', 'within', 'deeper'), { recursive: true });
  writeFileSync(join(tree, '!', 'within', 'deeper', 'file'), 'text');
  take(join(tree, goneName(join(tree, '!', 'within'))));

  await removeTree(realDisk, tree);

  expect(readdirSync(folder.path)).toEqual([]);
});

test('folders that were shut go with what is in them', async () => {
  await using folder = temporaryFolder();
  const tree = folder.at('tree');
  const inmost = join(tree, 'a', 'b', 'c');
  mkdirSync(inmost, { recursive: true });
  writeFileSync(join(inmost, 'file'), 'text', { mode: 0o000 });
  for (const path of [inmost, join(tree, 'a', 'b'), join(tree, 'a'), tree]) chmodSync(path, 0o000);
  const from = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

  // Not as root, to whom nothing is shut.
  runAsOrdinary(`
    const { realDisk } = await import(${from('../../engines/disk/disk.ts')});
    const { removeTree } = await import(${from('./durable-file.ts')});
    await removeTree(realDisk, ${JSON.stringify(tree)});
    console.log('true');
  `);

  expect(existsSync(tree)).toBe(false);
});

test('symlinks go, at every depth, and what they lead to stays', async () => {
  await using folder = temporaryFolder();
  const [tree, other] = [folder.at('tree'), folder.at('other')];
  mkdirSync(join(other, 'within'), { recursive: true });
  writeFileSync(join(other, 'within', 'file'), 'text');
  mkdirSync(join(tree, 'a', 'b'), { recursive: true });
  for (const path of [tree, join(tree, 'a'), join(tree, 'a', 'b')]) {
    symlinkSync(other, join(path, 'to-folder'));
    symlinkSync(join(other, 'within', 'file'), join(path, 'to-file'));
    symlinkSync('..', join(path, 'up'));
  }
  symlinkSync(other, folder.at('link'));

  await removeTree(realDisk, tree);
  await removeTree(realDisk, folder.at('link'));

  expect(readdirSync(folder.path)).toEqual(['other']);
  expect(readFileSync(join(other, 'within', 'file'), 'utf8')).toBe('text');
});
