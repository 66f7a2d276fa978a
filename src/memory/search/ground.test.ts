import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ground, type GroundRow, none } from './ground.ts';

const row = (number: number, thread: string | null = 'a'): GroundRow => ({
  ...{ number, thread, length: 10, validFrom: 0, speaker: null, asks: 0 },
});

const groundOf = (rows: readonly GroundRow[]) => {
  const ground = new Ground();
  for (const each of rows) ground.add(each);
  return ground;
};

/** By number, what stands before and behind it. */
const chain = (ground: Ground, numbers: readonly number[]) =>
  numbers.map((number) => {
    const at = ground.rowOf(number);
    return [ground.before[at], ground.after[at]].map((next = none) => ground.numberOf(next));
  });

test('the neighbours of a row are those of its thread', () => {
  const ground = groundOf([row(1), row(2, 'b'), row(3), row(4, null), row(5)]);

  expect(chain(ground, [1, 3, 5, 2, 4])).toEqual([
    [none, 3],
    [1, 5],
    [3, none],
    [none, none],
    [none, none],
  ]);
});

test('where a row goes its neighbours stand next to each other', () => {
  const ground = groundOf([row(1), row(2), row(3)]);

  ground.remove(2);
  ground.add(row(4));

  expect(ground.rowOf(2)).toBe(none);
  expect(chain(ground, [1, 3, 4])).toEqual([
    [none, 3],
    [1, 4],
    [3, none],
  ]);
  expect([ground.size, ground.totalLength]).toEqual([3, 30]);
});

test('a row that comes before another one is not taken', () => {
  const ground = groundOf([row(5)]);

  expect(ground.add(row(4))).toBe(false);
  expect(ground.add(row(5))).toBe(false);
  expect(ground.size).toBe(1);
});

test('what is added and removed one by one is the same as what is read anew', () => {
  const rows = fc.uniqueArray(fc.nat(200), { maxLength: 40 }).chain((numbers) =>
    fc.record({
      rows: fc.constant(
        numbers
          .sort((one, other) => one - other)
          .map((number) => row(number + 1, number % 3 === 0 ? null : `t${number % 2}`)),
      ),
      gone: fc.subarray(numbers),
    }),
  );
  fc.assert(
    fc.property(rows, ({ rows: all, gone }) => {
      const followed = groundOf(all);
      for (const number of gone) followed.remove(number + 1);
      const left = all.filter(({ number }) => !gone.includes(number - 1));
      const numbers = left.map(({ number }) => number);

      expect(chain(followed, numbers)).toEqual(chain(groundOf(left), numbers));
    }),
  );
});
