/** Conversations as a whole: each stands for all that fits in it. */
import { bestOf } from './best.ts';
import type { Ranked } from './fitting.ts';
import { none } from './ground.ts';

/** So many more memories of a thread say whether it is about what was asked for. */
const others = 5;
const othersWeight = 0.2;

/** The best of each thread, with the score of the thread. Who is in none stands alone. */
export function byThread(ranked: readonly Ranked[]): readonly Ranked[] {
  const grounds = Map.groupBy(ranked, ({ ground }) => ground);
  return [...grounds.values()]
    .flatMap((members) => [...Map.groupBy(members, threadOf).values()])
    .flatMap(asOne);
}

function threadOf({ ground, row }: Ranked): number {
  const thread = ground.threads[row] ?? none;
  return thread === none ? none - 1 - row : thread;
}

function asOne(members: readonly Ranked[]): Ranked[] {
  const [first, ...rest] = bestOf(members, 1 + others, ({ score }) => score);
  if (first === undefined) return [];
  const more = rest.reduce((sum, { score }) => sum + score, 0) / others;
  return [{ ...first, score: (first.score + othersWeight * more) / (1 + othersWeight) }];
}
