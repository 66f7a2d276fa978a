import type { Instant } from '../../kernel/ports.ts';
import { bestOf } from './best.ts';
import type { Ranked } from './fitting.ts';

const sameWithin = 1.01;
const monthMs = 30 * 86_400_000;

/** The best first. How new they are decides only where scores are the same but for a hundredth. */
export function inOrder(ranked: readonly Ranked[], count: number): readonly Ranked[] {
  return bestOf(ranked, count, ({ score }) => score).sort(
    (one, other) =>
      step(other.score) - step(one.score) || timeOf(other) - timeOf(one) || other.row - one.row,
  );
}

function step(score: number): number {
  return Math.floor(Math.log(score) / Math.log(sameWithin));
}

function timeOf({ ground, row }: Ranked): Instant {
  return ground.times[row] ?? 0;
}

/** How new it is: a half after a month. */
export function recency(validFrom: Instant, now: Instant): number {
  return 1 / (1 + Math.max(0, now - validFrom) / monthMs);
}
