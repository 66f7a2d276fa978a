import { expect, test } from 'vitest';
import { draw, drawBeside, shareOf } from './tier.ts';

const hundred = Array.from({ length: 100 }, (_, place) => place + 1);

test.each([1, 2, 3, 7, 100])('in %i parts every case is done, and none twice', (of) => {
  const parts = Array.from({ length: of }, (_, place) =>
    shareOf(hundred, { number: place + 1, of }),
  );

  expect(parts.flat().toSorted((one, other) => one - other)).toEqual(hundred);
});

test('as many are drawn as are wanted, each once, in order, the same for the same seed', () => {
  const drawn = draw(hundred, 10, 5);

  expect(new Set(drawn).size).toBe(10);
  expect(drawn).toEqual(drawn.toSorted((one, other) => one - other));
  expect(draw(hundred, 10, 5)).toEqual(drawn);
});

test('over many seeds every case is drawn', () => {
  const seen = new Set(hundred.flatMap((seed) => draw(hundred, 10, seed)));

  expect(seen.size).toBe(100);
});

test('of fewer than are wanted all are drawn', () => {
  expect(draw([1, 2], 10, 5)).toEqual([1, 2]);
});

test('what is always done is there beside as many others as are wanted, whatever the seed', () => {
  for (const seed of hundred) {
    const drawn = drawBeside(hundred, 10, seed, (one) => one === 42 || one === 7);

    expect(drawn).toEqual(expect.arrayContaining([7, 42]));
    expect(new Set(drawn).size).toBe(12);
    expect(drawn).toEqual(drawn.toSorted((one, other) => one - other));
  }
});
