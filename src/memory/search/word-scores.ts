/**
 * How well memories fit by their words: BM25 over each memory with its neighbours. How rare a word
 * is, and how long a text usually is, is counted in what may be found.
 */
import type { Ground } from './ground.ts';
import { lengthAround, spread, wordShares } from './neighbours.ts';
import { Scores } from './scores.ts';

/** The rows of a ground that have one unit of the query. */
export interface UnitRows {
  readonly text: readonly number[];
  /** Those that say it more than once. */
  readonly again: readonly number[];
  /** By their key and their tags. */
  readonly label: readonly number[];
  /** So many have it that it says nothing of their neighbours. */
  readonly isCommon: boolean;
}

export interface GroundWords {
  readonly ground: Ground;
  /** In the order of the query. */
  readonly units: readonly UnitRows[];
}

/** So much more a word can count when it is said again and again. */
const saturation = 1.2;
/** How much a text that is longer than others has to say a word more often. */
const lengthWeight = 0.5;
/** Whatever is longer counts as so many times the usual: else nobody would find a long text. */
const longest = 4;
const labelShare = 0.5;

export function rarity(found: number, all: number): number {
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
}

/** Between 0 and 1 each; 1 is what no text can be more. */
export function scoreWords(
  { ground, units }: GroundWords,
  rarities: readonly number[],
  averageLength: number,
): Scores {
  const scores = new Scores(ground.rows);
  const most = rarities.reduce((sum, each) => sum + each, 0) * (saturation + 1);
  for (const [index, unit] of units.entries()) {
    const weight = (rarities[index] ?? 0) / most;
    const counts = countsOf(ground, unit);
    for (const row of counts.rows) {
      const length = Math.min(lengthAround(ground, row) / averageLength, longest);
      const damping = saturation * (1 - lengthWeight + lengthWeight * length);
      const count = counts.of(row);
      scores.add(row, (weight * count * (saturation + 1)) / (count + damping));
    }
  }
  return scores;
}

function countsOf(ground: Ground, { text, again, label, isCommon }: UnitRows): Scores {
  const counts = new Scores(ground.rows);
  const give = (row: number, share: number) => counts.add(row, share);
  for (const row of [...text, ...again]) {
    if (isCommon) give(row, 1);
    else spread(ground, wordShares, row, give);
  }
  for (const row of label) counts.add(row, labelShare);
  return counts;
}
