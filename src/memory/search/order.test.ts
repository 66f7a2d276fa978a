import { expect, test } from 'vitest';
import { Ground } from './ground.ts';
import {
  byThread,
  type FittingMemory,
  fused,
  inOrder,
  type RankedMemory,
  recency,
} from './ranking.ts';

const dayMs = 86_400_000;

/** A ground of rows that are each a day newer than the one before. */
function groundOf(threads: readonly (string | null)[]): Ground {
  const ground = new Ground();
  for (const [index, thread] of threads.entries()) {
    const rest = { length: 1, speaker: null, asks: 0 } as const;
    ground.add({ number: index + 1, thread, validFrom: index * dayMs, ...rest });
  }
  return ground;
}

const ranked = (ground: Ground, scores: readonly number[]): RankedMemory[] =>
  scores.map((score, row) => ({ ground, row, words: score, meaning: undefined, score }));

const rows = (all: readonly RankedMemory[]) => all.map(({ row }) => row);

test('the better comes first, however old it is', () => {
  const all = ranked(groundOf([null, null, null]), [0.5, 0.4, 0.3]);

  expect(rows(inOrder(all))).toEqual([0, 1, 2]);
});

test('of scores that are the same but for a hundredth the newer comes first', () => {
  const all = ranked(groundOf([null, null, null]), [0.5, 0.5, 0.4]);

  expect(rows(inOrder(all))).toEqual([1, 0, 2]);
});

test('how new something is falls to a half in a month', () => {
  expect(recency(0, 0)).toBe(1);
  expect(recency(0, 30 * dayMs)).toBe(0.5);
  expect(recency(5, 0)).toBe(1);
});

test('a thread is told once, by its best memory', () => {
  const all = ranked(groundOf(['a', 'a', 'b', null, null]), [0.2, 0.5, 0.4, 0.1, 0.3]);

  expect(rows(inOrder(byThread(all)))).toEqual([1, 2, 4, 3]);
});

test('of two threads with an equally good memory the one with more that fits comes first', () => {
  const all = ranked(groundOf(['a', 'a', 'b', 'b']), [0.5, 0.4, 0.5, 0.1]);

  expect(rows(inOrder(byThread(all)))).toEqual([0, 2]);
});

const fitting = (ground: Ground, lists: readonly (readonly [number, number | undefined])[]) =>
  lists.map(([words, meaning], row): FittingMemory => ({ ground, row, words, meaning }));

test('without meaning the words alone are the score', () => {
  const all = fused(
    fitting(groundOf([null, null]), [
      [0.5, undefined],
      [0.2, undefined],
    ]),
  );

  expect(all.map(({ score }) => score)).toEqual([0.5, 0.2]);
});

test('what is first by words comes before what is first by meaning, and what is both before both', () => {
  const ground = groundOf([null, null, null]);
  const byOne = fused(
    fitting(ground, [
      [0.9, 0],
      [0, 0.9],
      [0.1, 0],
    ]),
  );
  const byBoth = fused(
    fitting(ground, [
      [0.9, 0.1],
      [0.1, 0.9],
      [0.8, 0.8],
    ]),
  );

  expect(rows(inOrder(byOne))).toEqual([0, 2, 1]);
  expect(byBoth.every(({ score }) => score > 0 && score <= 1)).toBe(true);
  expect(fused(fitting(ground, [[0.3, 0.3]]))[0]?.score).toBe(1);
});
