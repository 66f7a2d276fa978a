import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { findPackaged } from './packaged-file.ts';

test('a file of a package is found from any folder below it, the nearest first', async () => {
  await using folder = temporaryFolder();
  for (const root of ['', 'a/b/']) {
    mkdirSync(folder.at(`${root}node_modules/pack`), { recursive: true });
    writeFileSync(folder.at(`${root}node_modules/pack/lib.so`), '');
  }

  expect(findPackaged(['pack', 'lib.so'], folder.at('a'))).toBe(
    folder.at('node_modules/pack/lib.so'),
  );
  expect(findPackaged(['pack', 'lib.so'], folder.at('a/b/c/d'))).toBe(
    folder.at('a/b/node_modules/pack/lib.so'),
  );
});

test('a package that is not there is not found', async () => {
  await using folder = temporaryFolder();

  expect(findPackaged(['pack', 'lib.so'], folder.path)).toBeUndefined();
});
