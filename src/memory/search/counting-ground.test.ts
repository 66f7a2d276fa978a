import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CountingGround, type CountingRow, countsAt } from './counting-ground.ts';
import { none } from './ground.ts';

const row = (number: number, countsFrom: number | null, countsTo: number | null): CountingRow => ({
  ...{ number, thread: 'a', length: 10, validFrom: 0, speaker: null, asks: 0 },
  ...{ countsFrom, countsTo },
});

const groundAt = (now: number, rows: readonly CountingRow[]) => {
  const ground = new CountingGround(now);
  for (const each of rows) ground.add(each);
  return ground;
};

const numbersIn = ({ ground }: CountingGround, rows: readonly CountingRow[]) =>
  rows.map(({ number }) => number).filter((number) => ground.rowOf(number) !== none);

test('what ends leaves the ground, and the others stay as they are', () => {
  const rows = [row(1, null, 10), row(2, null, null), row(3, null, 20)];
  const ground = groundAt(0, rows);

  expect(numbersIn(ground, rows)).toEqual([1, 2, 3]);
  expect(ground.moveTo(10)).toBe(true);
  expect(numbersIn(ground, rows)).toEqual([2, 3]);
  expect([ground.ground.size, ground.ground.totalLength]).toEqual([2, 20]);
});

test('where something begins the ground is made anew', () => {
  const ground = groundAt(0, [row(1, 10, null), row(2, null, null)]);

  expect(ground.ground.size).toBe(1);
  expect([ground.moveTo(9), ground.moveTo(10)]).toEqual([true, false]);
});

test('where an older version may come to count again the ground is made anew', () => {
  const ground = groundAt(0, [row(2, null, 10)]);
  ground.noteVersion({ countsFrom: null, countsTo: 10 });

  expect([ground.moveTo(9), ground.moveTo(10)]).toEqual([true, false]);
});

test('what lives longer than was said before stays', () => {
  const rows = [row(1, null, 10)];
  const ground = groundAt(0, rows);

  expect(ground.setTime(1, { countsFrom: null, countsTo: 30 })).toBe(true);

  ground.moveTo(20);
  expect(numbersIn(ground, rows)).toEqual([1]);
  ground.moveTo(30);
  expect(numbersIn(ground, rows)).toEqual([]);
  expect(ground.setTime(1, { countsFrom: null, countsTo: null })).toBe(false);
});

test('whenever it is asked of, it has what counts then, or says that it has to be made anew', () => {
  const time = fc.option(fc.nat(20));
  const rows = fc
    .array(fc.tuple(time, time), { maxLength: 12 })
    .map((times) => times.map(([from, to], index) => row(index + 1, from, to)));
  fc.assert(
    fc.property(rows, fc.array(fc.nat(22), { minLength: 1, maxLength: 8 }), (all, moments) => {
      const [first = 0, ...later] = moments;
      let ground = groundAt(first, all);
      for (const now of [first, ...later]) {
        if (!ground.moveTo(now)) ground = groundAt(now, all);

        const counting = all.filter((each) => countsAt(each, now));
        expect(numbersIn(ground, all)).toEqual(counting.map(({ number }) => number));
      }
    }),
  );
});
