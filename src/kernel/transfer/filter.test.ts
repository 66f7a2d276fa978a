import { expect, test } from 'vitest';
import { depthOf, hasMetadata, matchesGlob } from './transfer.ts';

test.each([
  ['*.pdf', 'research.pdf', true],
  ['*.pdf', 'research.md', false],
  ['re*ch.*', 'research.pdf', true],
  ['research.pdf', 'research.pdf', true],
  ['research.pdf', 'research.pdf2', false],
  ['*', '', true],
  ['a*a', 'a', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['[a].?', '[a].?', true],
  ['[a].?', 'a.x', false],
])('%s on %s is %s', (pattern, name, expected) => {
  expect(matchesGlob(pattern, name)).toBe(expected);
});

test('a pattern of many stars takes no time', () => {
  expect(matchesGlob('*a'.repeat(1000), 'a'.repeat(999))).toBe(false);
});

test('hasMetadata() wants every key with its very value', () => {
  const metadata = { priority: 'high', tags: ['a', { b: 1, c: 2 }], zero: 0 };

  expect(hasMetadata(metadata, { priority: 'high' })).toBe(true);
  expect(hasMetadata(metadata, { tags: ['a', { c: 2, b: 1 }] })).toBe(true);
  expect(hasMetadata(metadata, { priority: 'high', zero: '0' })).toBe(false);
  expect(hasMetadata(metadata, { toString: undefined })).toBe(false);
  expect(hasMetadata(metadata, {})).toBe(true);
});

test('depthOf() counts no further than it is asked to', () => {
  let deep: unknown = 1;
  for (let step = 0; step < 10_000; step++) deep = [deep];

  expect(depthOf({ a: [1] }, 8)).toBe(2);
  expect(depthOf(deep, 8)).toBe(9);
});
