import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { programParts } from './programs-lookup.ts';

function put(folder: TemporaryFolder, name: string, content: string): string {
  writeFileSync(folder.at(name), content, { mode: 0o755 });
  return folder.at(name);
}

const partsOf = (folder: TemporaryFolder, program: string) =>
  programParts({ argv: [program], cwd: folder.path, env: { PATH: folder.at('bin') } });

test('a program that is no script is its own only part', async () => {
  await using folder = temporaryFolder();
  const path = put(folder, 'run', '\u007fELF and so on');

  expect(partsOf(folder, './run')).toEqual([{ path, real: path, isSought: false }]);
});

test('a program on the PATH is found there, and where its symlink leads', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('bin'));
  const real = put(folder, 'real', 'x');
  symlinkSync(real, folder.at('bin', 'tool'));

  expect(partsOf(folder, 'tool')).toEqual([
    { path: folder.at('bin', 'tool'), real, isSought: true },
  ]);
});

test.each([
  ['#!/usr/bin/env runner\n', true],
  ['#! /usr/bin/env -S runner --flag\n', true],
  ['#!FOLDER/bin/runner -x\n', false],
])('a script brings what its first line names: %j', async (line, isSought) => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('bin'));
  const runner = put(folder, 'bin/runner', 'x');
  const script = put(folder, 'script', line.replace('FOLDER', folder.path));

  expect(partsOf(folder, './script')).toEqual([
    { path: script, real: script, isSought: false },
    { path: runner, real: runner, isSought },
  ]);
});

test.each([
  ['what is not there', '#!/no/such/program\n'],
  ['itself, for ever', '#!FOLDER/script\n'],
  ['nothing', '#!\n'],
])('a script whose first line names %s comes to an end', async (_what, line) => {
  await using folder = temporaryFolder();
  put(folder, 'script', line.replace('FOLDER', folder.path));

  expect(partsOf(folder, './script').length).toBeLessThanOrEqual(5);
});

test('a program that is not there has no parts', async () => {
  await using folder = temporaryFolder();

  expect(() => partsOf(folder, 'none')).toThrow(
    expect.objectContaining({ code: 'program.missing' }),
  );
});
