/**
 * What stands next to a memory in a conversation counts for it too: "yes, last week" answers what
 * was asked before. The further away the less, and what came before says more than what comes
 * after. docs/decisions.md has the figures.
 */
import { type Ground, none } from './ground.ts';

/** How much of a row counts for the first, second, … row behind it, and before it. */
export interface Shares {
  readonly behind: readonly number[];
  readonly ahead: readonly number[];
}

export const wordShares: Shares = {
  behind: [0.6, 0.36, 0.2, 0.1],
  ahead: [0.4, 0.2, 0.1, 0.05],
};

export const meaningShares: Shares = { behind: [0.5, 0.25], ahead: [0.5, 0.25] };

/** Calls for the row itself with 1, and for each neighbour with the share that it gets of it. */
export function spread(
  ground: Ground,
  shares: Shares,
  row: number,
  give: (row: number, share: number) => void,
): void {
  give(row, 1);
  let next = row;
  for (const share of shares.behind) {
    next = ground.after[next] ?? none;
    if (next === none) break;
    give(next, share);
  }
  next = row;
  for (const share of shares.ahead) {
    next = ground.before[next] ?? none;
    if (next === none) break;
    give(next, share);
  }
}

const wholeShare = [...wordShares.behind, ...wordShares.ahead].reduce((sum, each) => sum + each, 1);

/**
 * How long a row and its neighbours are, each as much as it counts. At either end of a conversation
 * less stands around, and what is there says more: one begins with what it is about.
 */
export function lengthAround({ lengths, before, after, threads }: Ground, row: number): number {
  let length = lengths[row] ?? 0;
  if (threads[row] === none) return length;
  let next = row;
  for (const share of wordShares.behind) {
    next = before[next] ?? none;
    if (next === none) break;
    length += share * (lengths[next] ?? 0);
  }
  next = row;
  for (const share of wordShares.ahead) {
    next = after[next] ?? none;
    if (next === none) break;
    length += share * (lengths[next] ?? 0);
  }
  return length / wholeShare;
}
