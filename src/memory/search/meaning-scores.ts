/** How near memories are by their meaning, each with its neighbours. */
import type { Ground } from './ground.ts';
import { meaningShares, spread } from './neighbours.ts';
import { Scores } from './scores.ts';

export interface NearRow {
  readonly row: number;
  readonly similarity: number;
}

/** What all that is near has in common: any two texts of one language are alike to an embedder. */
export interface Nearness {
  readonly usual: number;
  readonly most: number;
}

export function nearnessOf(similarities: readonly number[]): Nearness {
  const usual = similarities.reduce((sum, each) => sum + each, 0) / similarities.length;
  return { usual, most: similarities.reduce((most, each) => Math.max(most, each), usual) };
}

/** What is no nearer than usual has none. Between 0 and 1. */
export function scoreMeaning(
  ground: Ground,
  near: readonly NearRow[],
  { usual, most }: Nearness,
): Scores {
  const scores = new Scores(ground.rows);
  const all = [...meaningShares.behind, ...meaningShares.ahead];
  const highest = (most - usual) * all.reduce((sum, share) => sum + share, 1);
  for (const { row, similarity } of near) {
    if (similarity <= usual) continue;
    const value = (similarity - usual) / highest;
    spread(ground, meaningShares, row, (neighbour, share) => scores.add(neighbour, value * share));
  }
  return scores;
}
