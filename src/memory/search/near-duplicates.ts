/** Which memories say nearly the same: nine tenths of the words that either has both have. */
import { folded, wordsOf } from './words.ts';

const leastAlike = 0.9;
/** Of a longer text the beginning tells. */
const mostCharacters = 20_000;

export type WordSet = ReadonlySet<string>;

export function wordSetOf(text: string): WordSet {
  return new Set(wordsOf(text.slice(0, mostCharacters)).map(folded));
}

export function isNearlySame(one: WordSet, other: WordSet): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  if (few.size < leastAlike * many.size) return false;
  const both = few.intersection(many).size;
  const either = few.size + many.size - both;
  return either === 0 || both >= leastAlike * either;
}
