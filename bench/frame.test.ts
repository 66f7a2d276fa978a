import { expect, test } from 'vitest';
import { type Bench, meets, runBench, summarize } from './frame.ts';

function bench(sides: { value: () => number; floor: () => number }): Bench {
  return {
    name: 'test.bench',
    unit: 'ms',
    floorIs: 'the test itself',
    target: '<=2',
    rounds: 4,
    prepare: async () => ({
      value: async () => sides.value(),
      floor: async () => sides.floor(),
      [Symbol.asyncDispose]: async () => {},
    }),
  };
}

test('runBench() lets the two sides take turns, and changes who goes first', async () => {
  const calls: string[] = [];
  const sides = {
    value: () => calls.push('value'),
    floor: () => calls.push('floor'),
  };

  await runBench(bench(sides));

  expect(calls.slice(2).join(' ')).toBe('value floor floor value value floor floor value');
});

test('summarize() compares medians, so that one slow round changes nothing', () => {
  const result = summarize(bench({ value: () => 0, floor: () => 0 }), [3, 3, 300], [2, 2, 2]);

  expect(result).toMatchObject({ value: 3, floor: 2, ratio: 1.5, rounds: 3, pass: true });
});

test('meets() reads both directions, and nothing measured meets nothing', () => {
  expect(meets(2, '<=2')).toBe(true);
  expect(meets(2.01, '<=2')).toBe(false);
  expect(meets(0.5, '>=0.5')).toBe(true);
  expect(meets(0.49, '>=0.5')).toBe(false);
  expect(meets(Number.NaN, '<=2')).toBe(false);
  expect(meets(Number.NaN, '>=0.5')).toBe(false);
});

test('meets() asks nothing of what is only printed, but that it was measured', () => {
  expect(meets(0.01, 'printed')).toBe(true);
  expect(meets(Number.NaN, 'printed')).toBe(false);
});
