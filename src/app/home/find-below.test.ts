import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { findBelow } from './find-below.ts';

const findGit = (disk: typeof realDisk, folder: string) =>
  findBelow(disk, folder, { isWanted: (_, name) => name === '.git' });

test.each([
  ['in the folder', 'project/.git'],
  ['below', 'project/a/b/.git'],
])('a .git %s is found', async (_where, path) => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at(path), { recursive: true });

  expect(await findGit(realDisk, folder.at('project'))).toBe(folder.at(path));
});

test('one that is a file, as in a worktree, is found too', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('.git'), 'gitdir: elsewhere');

  expect(await findGit(realDisk, folder.path)).toBe(folder.at('.git'));
});

test('what a link leads to is not in the folder', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('other/.git'), { recursive: true });
  mkdirSync(folder.at('project'));
  symlinkSync(folder.at('other'), folder.at('project/link'));

  expect(await findGit(realDisk, folder.at('project'))).toBeUndefined();
});

test('a folder that is too deep is not said to be without one', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('a/b/c/d/e/f/g/h/i/j/k/l/m/n/o'), { recursive: true });

  expect(await findGit(realDisk, folder.path)).toBe(folder.path);
});
