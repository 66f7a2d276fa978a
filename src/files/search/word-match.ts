/** How well a word of a question fits one of a name. */
import type { Question, QuestionWord } from './question.ts';
import { stemOf } from './words.ts';

export type Fit = 'exact' | 'stem' | 'prefix' | 'typo';

const order: readonly Fit[] = ['exact', 'stem', 'prefix', 'typo'];

/** The best fit among words that are folded. */
export function bestFit(word: QuestionWord, names: readonly string[]): Fit | undefined {
  let best: Fit | undefined;
  for (const name of names) {
    const fit = fitOf(word, name);
    if (fit !== undefined && (best === undefined || order.indexOf(fit) < order.indexOf(best))) {
      best = fit;
    }
  }
  return best;
}

function fitOf(word: QuestionWord, name: string): Fit | undefined {
  if (name === word.folded) return 'exact';
  if (stemOf(name) === word.stem) return 'stem';
  if (word.stem.length >= 3 && name.startsWith(word.stem)) return 'prefix';
  return word.folded.length >= 5 && isOneTypoAway(word.folded, name) ? 'typo' : undefined;
}

/** One letter more, fewer or other, or two that changed places. */
export function isOneTypoAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [left, right] = [one.slice(start), other.slice(start)];
  if (left.length > right.length) return left.slice(1) === right;
  if (left.length < right.length) return left === right.slice(1);
  if (left.slice(1) === right.slice(1)) return true;
  return left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
}

/**
 * A quick look at a name, before it is taken apart into words. It says yes to every name that
 * has a word that fits: a word with one typo in it has its first or its second half unharmed,
 * but for two letters that changed places just there.
 */
export function nameSieve({ words }: Question): RegExp {
  const parts = words.flatMap(({ folded, stem }) => {
    // The last letter of a plural may be another: `companies`.
    const start = stem.length > 1 ? stem.replace(/y$/, '') : stem;
    if (folded.length < 5) return [start];
    const half = Math.floor(folded.length / 2);
    const swapped = `${folded.slice(0, half - 1)}${folded[half]}`;
    return [start, folded.slice(0, half), folded.slice(half), swapped];
  });
  // Beyond ASCII a letter has many forms. Words have only letters and digits: nothing to escape.
  return new RegExp(`[^\\0-\\x7f]|${[...new Set(parts)].join('|')}`, 'i');
}
