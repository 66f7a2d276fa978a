import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { suiteOf } from '../scripts/run-vitest.ts';
import { slices } from './slices.ts';
import { suites } from './suites.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = join(import.meta.dirname, '..');
const tests = slices.flatMap((slice) => (slice.kind === 'tests' ? [slice] : []));
const alone = tests.filter(({ without, args }) => without.length === 0 && args[0]?.endsWith('.ts'));

test('every suite is in the full tier, whole, and no slice is there twice', () => {
  const whole = tests.filter(({ args }) => args.some((word) => word.startsWith('--shard=')));

  expect(new Set(whole.map(({ suite }) => suite))).toEqual(new Set(suites.map(({ name }) => name)));
  expect(new Set(slices.map(({ name }) => name)).size).toBe(slices.length);
});

test('a file that has slices of its own is in no other', async () => {
  const [gate] = tests.filter(({ suite, without }) => suite === 'gate' && without.length > 0);
  const files = globSync('{tests,src,bench,scripts}/**/*.test.ts', { cwd: root });
  const inSuite = files.filter((file) => suiteOf(file) === 'gate');

  await using folder = temporaryFolder();
  // What vitest itself makes of it.
  const { stdout } = await promisify(execFile)(
    join(root, 'node_modules/.bin/vitest'),
    ['list', '--filesOnly', '--json', '--project', 'gate'],
    {
      cwd: root,
      env: {
        ...process.env,
        HOME: folder.path,
        TMPDIR: folder.path,
        AOS_TEST_FULL: '1',
        AOS_TEST_WITHOUT: gate?.without.join(':'),
      },
    },
  );

  const listed = JSON.parse(stdout).map(({ file }: { file: string }) => relative(root, file));
  expect(gate?.without.length).toBeGreaterThan(0);
  expect(listed.toSorted()).toEqual(
    inSuite.filter((file) => !gate?.without.includes(file)).toSorted(),
  );
});

test('every file that has slices of its own is there, and left out of the others', () => {
  expect(alone.length).toBeGreaterThan(10);
  for (const { args, suite } of alone) {
    const [file = ''] = args;
    expect(suiteOf(file), file).toBe(suite);
    expect(globSync(file, { cwd: root })).toEqual([file]);
    const others = tests.filter((one) => one.suite === suite && one.without.length > 0);
    for (const other of others) expect(other.without).toContain(file);
    expect(others.length).toBeGreaterThan(0);
  }
});
