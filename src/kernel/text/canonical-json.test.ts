import { expect, test } from 'vitest';
import { canonicalJson } from './quote.ts';

test('the order in which keys were written makes no difference, also further in', () => {
  const one = canonicalJson({ a: 1, b: [{ c: 2, d: 3 }], 10: 'x' });
  const other = canonicalJson({ 10: 'x', b: [{ d: 3, c: 2 }], a: 1 });

  expect(one).toBe(other);
});

test('the order of a list, and what kind a value is, make a difference', () => {
  const texts = [[1, 2], [2, 1], ['1', 2], { 0: 1, 1: 2 }, [1, 2, null], null].map(canonicalJson);

  expect(new Set(texts).size).toBe(texts.length);
});
