import { expect, test } from 'vitest';
import { unitVector } from './memory.ts';

test('a vector keeps its direction and gets the length one', () => {
  const unit = unitVector([3, 0, -4]);

  expect(unit?.[0]).toBeCloseTo(0.6, 6);
  expect(unit?.[1]).toBe(0);
  expect(unit?.[2]).toBeCloseTo(-0.8, 6);
});

test.each([
  ['nothing in it', []],
  ['only zeros in it', [0, 0]],
  ['something in it that is no number', [1, Number.NaN]],
  ['something in it without end', [1, Number.NEGATIVE_INFINITY]],
  ['something in it that is too large', [1e39, 1]],
])('what has %s has no direction', (_what, numbers) => {
  expect(unitVector(numbers)).toBeUndefined();
});
