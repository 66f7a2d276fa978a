/**
 * How often something was used lately. Uses are counted in sixtieths of the rate's stretch of
 * time, and a use is let go only when its whole sixtieth lies further back than the stretch:
 * so in no stretch of that length, wherever it begins, are there more uses than the rate says.
 */
import type { Instant } from '../ports.ts';
import { type Rate, rateUnitMs } from './capability.ts';

/** The beginning of each sixtieth that had uses, and how many; the oldest first. */
export type RecentUses = readonly (readonly [start: Instant, count: number])[];

const parts = 60;

/** Those that still count. What lies ahead was counted by a clock that has been put back. */
export function stillCounting(recent: RecentUses, rate: Rate, now: Instant): RecentUses {
  const stretchMs = rateUnitMs[rate.per];
  const partMs = stretchMs / parts;
  return recent.filter(([start]) => start + partMs > now - stretchMs);
}

/** Whether there is no room for so many more. */
export function isSpent(recent: RecentUses, rate: Rate, now: Instant, more = 1): boolean {
  const counted = stillCounting(recent, rate, now);
  return counted.reduce((sum, [, count]) => sum + count, more) > rate.count;
}

export function withMore(recent: RecentUses, rate: Rate, now: Instant, more = 1): RecentUses {
  const partMs = rateUnitMs[rate.per] / parts;
  const start = Math.floor(now / partMs) * partMs;
  const counted = stillCounting(recent, rate, now);
  const last = counted.at(-1);
  if (last !== undefined && last[0] >= start)
    return [...counted.slice(0, -1), [last[0], last[1] + more]];
  return [...counted, [start, more]];
}
