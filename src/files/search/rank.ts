/**
 * Which file is meant. Each word of the question looks for itself in the name, in the folders,
 * in the content and in the kind of a file; a rare word counts more than one that fits all.
 */
import { quote } from '../../kernel/quote.ts';
import type { Question, QuestionWord } from './question.ts';
import {
  byScore,
  type Candidate,
  type Ranked,
  type RankOptions,
  type Score,
  withDate,
} from './score.ts';
import { isTypeWord } from './type-words.ts';
import { bestFit, type Fit } from './word-match.ts';
import { wordsOf } from './words.ts';

const nameStrength: Readonly<Record<Fit, number>> = {
  exact: 0.85,
  stem: 0.8,
  prefix: 0.6,
  typo: 0.4,
};
const folderShare = 0.4;
const typeStrength = 0.3;

/** The likeliest first; without those in which no word is found. */
export function rank<C extends Candidate>(
  { words }: Question,
  candidates: readonly C[],
  options: RankOptions,
): Ranked<C>[] {
  const textsOf = textReader();
  const shown = words.map((word) => ({ ...word, shown: quote(word.typed) }));
  const looked = candidates.map((candidate) => {
    const texts = textsOf(candidate);
    const marks = shown.map((word, index) => markOf(word, texts, candidate.counts?.[index] ?? 0));
    return { candidate, marks };
  });
  const weights = words.map((_, index) => rarity(looked, index));
  return looked
    .filter(({ marks }) => marks.some(({ strength }) => strength > 0))
    .map(({ candidate, marks }) => ({ candidate, ...scoreOf(marks, weights, candidate, options) }))
    .sort(byScore);
}

/** In words. */
interface Texts {
  readonly name: readonly string[];
  readonly folders: readonly string[];
  readonly ending: string;
}

/** Many files lie in few folders: the words of each of those are read once. */
function textReader(): (candidate: Candidate) => Texts {
  const known = new Map<string, readonly string[]>();
  const folderWords = (name: string): readonly string[] => {
    const words = known.get(name) ?? wordsOf(name);
    known.set(name, words);
    return words;
  };
  return ({ folders, name }) => ({
    name: wordsOf(name),
    folders: folders.flatMap(folderWords),
    ending: endingOf(name),
  });
}

function endingOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

interface ShownWord extends QuestionWord {
  /** In reasons. */
  readonly shown: string;
}

interface Mark {
  /** Between 0 and 1. */
  readonly strength: number;
  readonly why: readonly string[];
}

function markOf(word: ShownWord, { name, folders, ending }: Texts, count: number): Mark {
  const found: [strength: number, why: string][] = [];
  const { shown } = word;
  const nameFit = bestFit(word, name);
  if (nameFit !== undefined) found.push([nameStrength[nameFit], `${nameWords[nameFit]} ${shown}`]);
  const folderFit = bestFit(word, folders);
  if (folderFit !== undefined && folderFit !== 'typo') {
    found.push([nameStrength[folderFit] * folderShare, `folder has ${shown}`]);
  }
  if (count > 0) found.push([contentStrength(count), `content has ${shown}`]);
  if (isTypeWord(word.stem, ending)) {
    found.push([typeStrength, `is a ${word.stem}`]);
  }
  const missing = found.reduce((left, [strength]) => left * (1 - strength), 1);
  return { strength: 1 - missing, why: found.map(([, why]) => why) };
}

const nameWords: Readonly<Record<Fit, string>> = {
  exact: 'name has',
  stem: 'name has',
  prefix: 'name begins a word with',
  typo: 'name has nearly',
};

// The tenth time says less than the second.
function contentStrength(count: number): number {
  return 0.3 + 0.25 * Math.min(1, Math.log2(count) / 5);
}

function rarity(looked: readonly { readonly marks: readonly Mark[] }[], index: number): number {
  const fitting = looked.filter(({ marks }) => (marks[index]?.strength ?? 0) > 0).length;
  return Math.log(1 + (looked.length + 1) / (fitting + 0.5));
}

function scoreOf(
  marks: readonly Mark[],
  weights: readonly number[],
  { modifiedAt }: Candidate,
  options: RankOptions,
): Score {
  const weightOf = (index: number) => weights[index] ?? 0;
  const whole = marks.reduce((sum, _, index) => sum + weightOf(index), 0);
  const found = marks.reduce((sum, mark, index) => sum + mark.strength * weightOf(index), 0);
  const isAll = marks.every(({ strength }) => strength > 0);
  const byWords = (found / whole) * (isAll ? 1 : 0.75);
  const why = marks.flatMap((mark) => mark.why);
  return withDate(byWords, why, modifiedAt, options);
}
