import { bestOf } from './best.ts';
import type { Ground } from './ground.ts';
import type { Scores } from './scores.ts';

/** A memory that fits, by its words or by its meaning. */
export interface Fitting {
  readonly ground: Ground;
  readonly row: number;
  readonly words: number;
  /** Undefined where meaning was not asked for. */
  readonly meaning: number | undefined;
}

export interface Ranked extends Fitting {
  readonly score: number;
}

/** Of one ground, so that nobody's crowd out another's; what is behind so many is no answer. */
export const mostFitting = 1000;

export function fittingIn(ground: Ground, words: Scores, meaning?: Scores): readonly Fitting[] {
  const rows = new Set([...bestRows(words), ...(meaning === undefined ? [] : bestRows(meaning))]);
  return [...rows].map((row) => ({
    ...{ ground, row },
    ...{ words: words.of(row), meaning: meaning?.of(row) },
  }));
}

function bestRows(scores: Scores): readonly number[] {
  const later = (one: number, other: number) => other - one;
  return bestOf(scores.rows, mostFitting, (row) => scores.of(row), later);
}
