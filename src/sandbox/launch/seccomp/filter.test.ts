import { expect, test } from 'vitest';
import { seccompFilter } from './filter.ts';

test.each(['x64', 'arm64'])('seccompFilter() has two different filters for %s', (architecture) => {
  const tool = seccompFilter(architecture, 'tool');
  const body = seccompFilter(architecture, 'body');

  // Whole instructions of eight bytes.
  expect(tool?.byteLength).toBeGreaterThan(800);
  expect([tool, body].map((filter) => (filter?.byteLength ?? 1) % 8)).toEqual([0, 0]);
  expect(tool).not.toEqual(body);
});

test.each(['ia32', 'arm', 'riscv64', '', 'constructor', '__proto__'])(
  'seccompFilter() has none for "%s"',
  (architecture) => {
    expect(seccompFilter(architecture, 'tool')).toBeUndefined();
  },
);
