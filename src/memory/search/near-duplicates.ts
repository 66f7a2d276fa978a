/**
 * Which memories say nearly the same: nine tenths of the words that either has both have, in the
 * same order, with the same numbers. Who owes whom, and how much, is another fact.
 */
import { folded, wordsOf } from './words.ts';

const leastAlike = 0.9;
/** Of a longer text the beginning tells. */
export const mostCompared = 20_000;

export interface Saying {
  /** In their order, folded. */
  readonly words: readonly string[];
  readonly distinct: ReadonlySet<string>;
  /** In their order. */
  readonly numbers: string;
}

/** With its sign, and with what stands between digits: `-3.5`, `12:30`. */
const number = /[-−+]?\p{N}+(?:[.,:]\p{N}+)*/gu;

export function sayingOf(text: string): Saying {
  const beginning = text.slice(0, mostCompared);
  const words = wordsOf(beginning).map(folded);
  const numbers = (beginning.match(number) ?? []).map(folded).join(' ');
  return { words, distinct: new Set(words), numbers };
}

export function isNearlySame(one: Saying, other: Saying): boolean {
  if (one.numbers !== other.numbers) return false;
  return hasSameWords(one.distinct, other.distinct) && isInSameOrder(one, other);
}

function hasSameWords(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  if (few.size < leastAlike * many.size) return false;
  const both = few.intersection(many).size;
  const either = few.size + many.size - both;
  return either === 0 || both >= leastAlike * either;
}

/** Without the words that only one of them has. */
function isInSameOrder(one: Saying, other: Saying): boolean {
  const ours = one.words.filter((word) => other.distinct.has(word));
  const theirs = other.words.filter((word) => one.distinct.has(word));
  return ours.length === theirs.length && ours.every((word, index) => word === theirs[index]);
}
