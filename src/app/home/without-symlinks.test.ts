import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { withoutSymlinks } from './home-folder.ts';

test('a path over symlinks, absolute, relative and one behind the other, becomes the real one', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('real', 'home'), { recursive: true });
  symlinkSync('real', folder.at('one'));
  symlinkSync(folder.at('one'), folder.at('two'));
  symlinkSync('../two/home', folder.at('real', 'three'));

  const found = await withoutSymlinks(realDisk, folder.at('two', 'three'));

  expect(found).toBe(realpathSync(folder.at('real', 'home')));
});

test('what is not there yet stays as it is named', async () => {
  await using folder = temporaryFolder();

  const path = `${realpathSync(folder.path)}/not/there`;

  expect(await withoutSymlinks(realDisk, path)).toBe(path);
});
