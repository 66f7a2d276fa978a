/**
 * Queries to the full-text index. They are made of quoted words only: what has a meaning in its
 * language (`OR`, `NEAR`, `*`, the name of a column) is a word like any other.
 */
import type { QueryUnit } from './query.ts';
import type { Searchable } from './searchable.ts';
import { formsOf } from './word-forms.ts';

/** Whatever the column has of the unit. */
export function matchOf(unit: QueryUnit, column: keyof Searchable): string {
  return `${column} : (${alternatives(unit).join(' OR ')})`;
}

function alternatives(unit: QueryUnit): readonly string[] {
  if (unit.kind === 'phrase') return [quoted(unit.words.join(' '))];
  if (unit.kind === 'word') return formsOf(unit.word).map(quoted);
  return [`${quoted(unit.word)} *`, ...shorterThan(unit.word).map(quoted)];
}

/** The index has stems, which may be shorter than what was typed of the word: `adopti*`. */
function shorterThan(word: string): readonly string[] {
  return [1, 2, 3].map((less) => word.slice(0, -less)).filter(({ length }) => length >= 4);
}

function quoted(words: string): string {
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
