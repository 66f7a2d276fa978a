import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts';
import { findRipgrep } from './searching.ts';

test('the program that was installed is found', () => {
  expect(findRipgrep()).toMatch(/ripgrep-.*\/bin\/rg$/);
});

test('a program of a folder above is found, and none where there is none', async () => {
  await using folder = temporaryFolder();
  const bin = folder.at(
    ...['node_modules', '@vscode', `ripgrep-${process.platform}-${process.arch}`, 'bin'],
  );
  mkdirSync(bin, { recursive: true });

  expect(findRipgrep(folder.at('dist'))).toBeUndefined();

  writeFileSync(join(bin, 'rg'), '');
  expect(findRipgrep(folder.at('dist'))).toBeUndefined();

  chmodSync(join(bin, 'rg'), 0o700);
  expect(findRipgrep(folder.at('dist', 'deep'))).toBe(join(bin, 'rg'));
});
