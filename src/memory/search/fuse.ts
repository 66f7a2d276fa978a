/**
 * Words and meaning are joined by ranks and not by scores, which nobody can compare: weighted
 * reciprocal rank fusion. Words say more.
 */
import type { Fitting, Ranked } from './fitting.ts';

const rankOffset = 20;
const meaningWeight = 0.5;

/** Between 0 and 1. */
export function fused(fitting: readonly Fitting[]): readonly Ranked[] {
  if (fitting.every(({ meaning }) => meaning === undefined)) {
    return fitting.map((each) => ({ ...each, score: each.words }));
  }
  const byWords = ranks(fitting, ({ words }) => words);
  const byMeaning = ranks(fitting, ({ meaning = 0 }) => meaning);
  const most = (1 + meaningWeight) / (rankOffset + 1);
  return fitting.map((each) => {
    const sum = share(byWords.get(each)) + meaningWeight * share(byMeaning.get(each));
    return { ...each, score: sum / most };
  });
}

function ranks(
  fitting: readonly Fitting[],
  scoreOf: (each: Fitting) => number,
): ReadonlyMap<Fitting, number> {
  const having = fitting.filter((each) => scoreOf(each) > 0);
  const sorted = having.sort((one, other) => scoreOf(other) - scoreOf(one));
  return new Map(sorted.map((each, index) => [each, index + 1]));
}

function share(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (rankOffset + rank);
}
