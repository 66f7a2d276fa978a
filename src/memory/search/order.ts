import type { Instant } from '../../kernel/ports.ts';
import type { Ranked } from './fitting.ts';

const sameWithin = 1.01;
const monthMs = 30 * 86_400_000;

/** The best first. How new they are decides only where scores are the same but for a hundredth. */
export function inOrder(ranked: readonly Ranked[]): readonly Ranked[] {
  return ranked
    .map((each) => ({ each, step: step(each.score), time: timeOf(each) }))
    .sort(
      (one, other) =>
        other.step - one.step ||
        other.time - one.time ||
        other.each.row - one.each.row ||
        other.each.score - one.each.score,
    )
    .map(({ each }) => each);
}

/** What has no score has no logarithm that can be compared either. */
function step(score: number): number {
  return Math.floor(Math.log(Math.max(score, Number.MIN_VALUE)) / Math.log(sameWithin));
}

function timeOf({ ground, row }: Ranked): Instant {
  return ground.times[row] ?? 0;
}

/** How new it is: a half after a month. */
export function recency(validFrom: Instant, now: Instant): number {
  return 1 / (1 + Math.max(0, now - validFrom) / monthMs);
}
