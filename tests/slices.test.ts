import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { slices } from './slices.ts';
import { suites } from './suites.ts';

const tests = slices.flatMap((slice) => (slice.kind === 'tests' ? [slice] : []));

test('every suite is in the full tier, whole, and no slice is there twice', () => {
  const whole = tests.filter(({ args }) => args.some((word) => word.startsWith('--shard=')));

  expect(new Set(whole.map(({ suite }) => suite))).toEqual(new Set(suites.map(({ name }) => name)));
  expect(new Set(slices.map(({ name }) => name)).size).toBe(slices.length);
});

test('every file that has slices of its own is there, and left out of the others', () => {
  const alone = tests.filter(({ args }) => !args.some((word) => word.startsWith('--')));

  for (const { args, suite } of alone) {
    const [file = ''] = args;
    expect(existsSync(join(import.meta.dirname, '..', file)), file).toBe(true);
    const others = tests.filter((one) => one.suite === suite && one.args.includes('--exclude'));
    for (const other of others) expect(other.args).toContain(file);
    expect(others.length).toBeGreaterThan(0);
  }
});
