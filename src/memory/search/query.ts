/**
 * A query as it was typed: words, "phrases" and beginnings of words (`begin*`). What else it has
 * are marks and means nothing, also where it has a meaning in the language of the index.
 */
import { AosError } from '../../kernel/errors.ts';
import { folded, formsOf, isStopWord, type Searchable, wordsOf } from './words.ts';

/** What counts as one thing that a text has or has not. */
export type QueryUnit =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'beginning'; readonly word: string }
  | { readonly kind: 'phrase'; readonly words: readonly string[] };

/** More say no more, and for each the index is asked. */
const mostUnits = 32;

const quoted = /["“”„«»]([^"“”„«»]*)["“”„«»]/g;

/** Refuses what has no word in it. */
export function readQuery(query: string): readonly QueryUnit[] {
  const phrases = [...query.matchAll(quoted)].flatMap(([, inside = '']) => phraseOf(inside));
  const loose = query.replace(quoted, ' ').split(/\s+/).flatMap(looseUnits);
  const telling = [...phrases, ...loose.filter((unit) => !saysNothing(unit))];
  // "The Who" asks for something too.
  const units = distinct(telling.length > 0 ? telling : loose);
  if (units.length === 0) throw noWords();
  return units.slice(0, mostUnits);
}

/** The words of it that are looked for, folded. */
export function wordsAsked(units: readonly QueryUnit[]): ReadonlySet<string> {
  return new Set(units.flatMap((unit) => (unit.kind === 'phrase' ? unit.words : [unit.word])));
}

function phraseOf(inside: string): QueryUnit[] {
  const words = foldedWords(inside);
  return words.length === 0 ? [] : [{ kind: 'phrase', words }];
}

function looseUnits(written: string): QueryUnit[] {
  const words = foldedWords(written);
  const last = words.at(-1);
  if (last === undefined || !/[\p{L}\p{N}\p{M}\p{Co}]\*$/u.test(written)) {
    return words.map((word) => ({ kind: 'word', word }));
  }
  return [
    ...words.slice(0, -1).map((word) => ({ kind: 'word', word }) as const),
    { kind: 'beginning', word: last },
  ];
}

// Folded first, as the index does it: one sign may become several words (½).
function foldedWords(text: string): readonly string[] {
  return wordsOf(folded(text)).filter(isSomething);
}

/** A mark alone is no word. */
function isSomething(word: string): boolean {
  return /[\p{L}\p{N}\p{Co}]/u.test(word);
}

function saysNothing(unit: QueryUnit): boolean {
  return unit.kind === 'word' && isStopWord(unit.word);
}

function distinct(units: readonly QueryUnit[]): QueryUnit[] {
  return [...new Map(units.map((unit) => [JSON.stringify(unit), unit])).values()];
}

function noWords(): AosError {
  return new AosError('memory.bad-query', {
    message: 'The query has no word to look for',
    fix: 'Ask with a word or two of what is remembered',
  });
}

/**
 * A query to the full-text index for whatever the column has of the unit. As all queries here it is
 * made of quoted words only: what has a meaning in the language of the index (`OR`, `NEAR`, `*`, the
 * name of a column) is a word like any other.
 */
export function matchOf(unit: QueryUnit, column: keyof Searchable): string {
  return `${column} : (${alternatives(unit).join(' OR ')})`;
}

function alternatives(unit: QueryUnit): readonly string[] {
  if (unit.kind === 'phrase') return [quotedWords(unit.words.join(' '))];
  if (unit.kind === 'word') return formsOf(unit.word).map(quotedWords);
  return [`${quotedWords(unit.word)} *`, ...shorterThan(unit.word).map(quotedWords)];
}

/** The index has stems, which may be shorter than what was typed of the word: `adopti*`. */
function shorterThan(word: string): readonly string[] {
  return [1, 2, 3].map((less) => word.slice(0, -less)).filter(({ length }) => length >= 4);
}

function quotedWords(words: string): string {
  return `"${words.replaceAll('"', '""')}"`;
}

/** What all of the queries find. */
export function allOf(matches: readonly string[]): string {
  return matches.map((match) => `(${match})`).join(' AND ');
}

/** What one of them finds. */
export function anyOf(matches: readonly string[]): string {
  return matches.map((match) => `(${match})`).join(' OR ');
}
