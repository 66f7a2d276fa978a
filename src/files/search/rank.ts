/**
 * Which file is meant. Each word of the question looks for itself in the name, in the folders,
 * in the content and in the kind of a file; a rare word counts more than one that fits all.
 */
import { must } from '../../kernel/must.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Question, QuestionWord } from './question.ts';
import { byScore, type Candidate, type Ranked, type RankOptions, withDate } from './score.ts';
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
  const looks = words.map(lookFor);
  const looked = candidates.map((candidate) => {
    const texts = textsOf(candidate);
    return { candidate, strengths: looks.map((look, index) => strengthOf(look, texts, index)) };
  });
  const weights = words.map((_, index) => rarity(looked, index));
  const reasonsOf = (candidate: C) => () => {
    const texts = textsOf(candidate);
    return looks.flatMap((look, index) => look(texts, index).map(({ why }) => why));
  };
  return looked
    .filter(({ strengths }) => strengths.some((strength) => strength > 0))
    .map(({ candidate, strengths }) => ({
      candidate,
      ...withDate(byWords(strengths, weights), reasonsOf(candidate), candidate.modifiedAt, options),
    }))
    .sort(byScore);
}

interface Texts {
  /** In words. */
  readonly name: readonly string[];
  readonly ending: string;
  readonly candidate: Candidate;
}

function textsOf(candidate: Candidate): Texts {
  const { name } = candidate;
  return { name: wordsOf(name), ending: endingOf(name), candidate };
}

function endingOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

interface Found {
  /** Between 0 and 1. */
  readonly strength: number;
  readonly why: string;
}

/** Where in a file one word is found; its number in the question is told too. */
type Look = (texts: Texts, index: number) => readonly Found[];

function lookFor(word: QuestionWord): Look {
  const shown = quote(word.typed);
  const byName = inNames(shown);
  const inFolders = folderLook(word, `folder has ${shown}`);
  const asType = { strength: typeStrength, why: `is a ${word.stem}` };
  return ({ name, ending, candidate }, index) => {
    const found: Found[] = [];
    const fit = bestFit(word, name);
    if (fit !== undefined) found.push(byName[fit]);
    const folder = inFolders(candidate.folders);
    if (folder !== undefined) found.push(folder);
    const count = candidate.counts?.[index] ?? 0;
    if (count > 0) found.push({ strength: contentStrength(count), why: `content has ${shown}` });
    if (isTypeWord(word.stem, ending)) found.push(asType);
    return found;
  };
}

function inNames(shown: string): Readonly<Record<Fit, Found>> {
  return {
    exact: { strength: nameStrength.exact, why: `name has ${shown}` },
    stem: { strength: nameStrength.stem, why: `name has ${shown}` },
    prefix: { strength: nameStrength.prefix, why: `name begins a word with ${shown}` },
    typo: { strength: nameStrength.typo, why: `name has nearly ${shown}` },
  };
}

/** Many files lie in few folders: each name of those is looked at once. */
function folderLook(
  word: QuestionWord,
  why: string,
): (folders: readonly string[]) => Found | undefined {
  const known = new Map<string, number>();
  const strengthIn = (name: string): number => {
    const seen = known.get(name);
    if (seen !== undefined) return seen;
    const fit = bestFit(word, wordsOf(name));
    const strength = fit === undefined || fit === 'typo' ? 0 : nameStrength[fit] * folderShare;
    known.set(name, strength);
    return strength;
  };
  return (folders) => {
    let strength = 0;
    for (const name of folders) strength = Math.max(strength, strengthIn(name));
    return strength === 0 ? undefined : { strength, why };
  };
}

// The tenth time says less than the second.
function contentStrength(count: number): number {
  return 0.3 + 0.25 * Math.min(1, Math.log2(count) / 5);
}

/** Between 0 and 1: what is found in two places is likelier than in one. */
function strengthOf(look: Look, texts: Texts, index: number): number {
  let missing = 1;
  for (const { strength } of look(texts, index)) missing *= 1 - strength;
  return 1 - missing;
}

interface Looked {
  /** Of each word. */
  readonly strengths: readonly number[];
}

function rarity(looked: readonly Looked[], index: number): number {
  let fitting = 0;
  for (const { strengths } of looked)
    if (must(strengths[index], 'the strength of a word') > 0) fitting++;
  return Math.log(1 + (looked.length + 1) / (fitting + 0.5));
}

function byWords(strengths: readonly number[], weights: readonly number[]): number {
  let [found, whole, isAll] = [0, 0, true];
  for (const [index, weight] of weights.entries()) {
    const strength = must(strengths[index], 'the strength of a word');
    found += strength * weight;
    whole += weight;
    isAll &&= strength > 0;
  }
  return (found / whole) * (isAll ? 1 : 0.75);
}
