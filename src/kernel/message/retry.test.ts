import { expect, test } from 'vitest';
import { maxAttempts, retryDelayMs } from './message.ts';

const almostOne = 1 - Number.EPSILON;

test.each([
  [1, 250, 500],
  [2, 500, 1000],
  [3, 1000, 2000],
  [8, 32_000, 64_000],
  [10, 128_000, 256_000],
  [11, 150_000, 300_000],
  [5000, 150_000, 300_000],
])('after attempt %i comes a wait of %i to %i ms', (attempt, least, most) => {
  expect(retryDelayMs(attempt, 0)).toBe(least);
  expect(retryDelayMs(attempt, almostOne)).toBe(most);
});

test('an attempt before the first counts as the first', () => {
  expect(retryDelayMs(0, 0)).toBe(250);
  expect(retryDelayMs(-7, 0)).toBe(250);
});

test('a delivery is attempted eight times', () => {
  expect(maxAttempts).toBe(8);
});
