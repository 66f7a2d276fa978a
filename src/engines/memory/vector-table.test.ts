import { expect, test } from 'vitest';
import { nearestFirst } from './vector-table.ts';

const ordered = (values: readonly number[]): number[] =>
  nearestFirst({
    ids: Float64Array.from(values.keys()),
    values: Float32Array.from(values),
  })
    .map(({ id }) => id)
    .toArray();

test('each comes once, the nearest first, also where there are many', () => {
  const values = Array.from({ length: 5000 }, (_, index) => ((index * 7919) % 5000) / 5000);

  const ids = ordered(values);

  expect(ids).toHaveLength(5000);
  expect(ids).toEqual(
    [...values.keys()].sort((one, other) => (values[other] ?? 0) - (values[one] ?? 0)),
  );
});

test('of many equals the newest comes first, and none is lost', () => {
  const ids = ordered(Array.from({ length: 1000 }, (_, index) => (index % 3 === 0 ? 1 : 0.5)));

  expect(ids).toHaveLength(1000);
  expect(ids.slice(0, 2)).toEqual([999, 996]);
  expect(ids.slice(334, 336)).toEqual([998, 997]);
});

test('what is no number is passed over, and does not keep it from ending', () => {
  expect(ordered([Number.NaN, 0.5])).not.toContain(0);
  expect(ordered(Array.from({ length: 500 }, () => Number.NaN))).toEqual([]);
});

test('of nothing nothing is near', () => {
  expect(ordered([])).toEqual([]);
});
