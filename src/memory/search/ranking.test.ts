import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestOf } from './ranking.ts';

test('the best of very many are those that sorting finds', () => {
  const numbers = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 200 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 30 }), (all, count) => {
      const sorted = all.toSorted((one, other) => other - one).slice(0, count);

      expect(bestOf(all, count, (each) => each)).toEqual(sorted);
    }),
  );
});

test('of equals those come first that are said to', () => {
  const items = ['a1', 'b2', 'c1', 'd2'];
  const later = (one: string, other: string) => other.localeCompare(one);

  expect(bestOf(items, 3, (item) => Number(item[1]), later)).toEqual(['d2', 'b2', 'c1']);
});
