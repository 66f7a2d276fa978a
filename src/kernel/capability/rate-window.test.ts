import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isSpent,
  type Rate,
  type RecentUses,
  rateUnitMs,
  stillCounting,
  withMore,
} from './capability.ts';

const rate: Rate = { count: 3, per: 'min' };

test('the fourth use within a minute is one too many, and a minute later it is not', () => {
  let recent: RecentUses = [];
  for (const now of [0, 10_000, 20_000]) recent = withMore(recent, rate, now);

  expect(isSpent(recent, rate, 30_000)).toBe(true);
  expect(isSpent(recent, rate, 61_001)).toBe(false);
});

test('no stretch as long as the rate names has more uses than it allows, wherever it begins', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 10 }), (steps, count) => {
      const limit: Rate = { count, per: 'min' };
      const uses: number[] = [];
      let recent: RecentUses = [];
      let now = 1_700_000_000_123;
      for (const step of steps) {
        now += step;
        if (isSpent(recent, limit, now)) continue;
        recent = withMore(recent, limit, now);
        uses.push(now);
      }

      for (const from of uses) {
        const within = uses.filter((at) => at >= from && at < from + rateUnitMs.min);
        expect(within.length).toBeLessThanOrEqual(count);
      }
    }),
  );
});

test('what is kept does not grow with the number of uses', () => {
  const busy: Rate = { count: 1_000_000, per: 'sec' };
  let recent: RecentUses = [];
  for (let now = 0; now < 5000; now++) recent = withMore(recent, busy, now);

  expect(recent.length).toBeLessThanOrEqual(62);
});

test('uses that a clock counted which was put back since still count', () => {
  const recent = withMore([], { count: 1, per: 'min' }, 1_000_000);

  expect(stillCounting(recent, { count: 1, per: 'min' }, 500_000)).toHaveLength(1);
  expect(withMore(recent, rate, 500_000)).toEqual([[1_000_000, 2]]);
});

test('several at once are counted as several', () => {
  const recent = withMore([], rate, 0, 2);

  expect(isSpent(recent, rate, 0, 1)).toBe(false);
  expect(isSpent(recent, rate, 0, 2)).toBe(true);
});
