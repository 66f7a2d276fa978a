/**
 * Phrases as data: `(show|list) [me] what` stands for four of them, and commas or lines divide
 * them. Of those that fit at a place the longest is taken.
 */
import { must } from '../must.ts';

export class Phrases {
  readonly #text: string;
  #all: readonly string[] | undefined;
  #byFirst: ReadonlyMap<string, readonly (readonly string[])[]> | undefined;

  /** Nothing is written out before it is asked for: most programs that load it ask for few. */
  constructor(text: string) {
    this.#text = text;
  }

  get all(): readonly string[] {
    this.#all ??= expandAll(this.#text);
    return this.#all;
  }

  /** The phrases that begin with this word, in words, the longest first. */
  from(word: string): readonly (readonly string[])[] {
    this.#byFirst ??= byFirstWord(this.all);
    return this.#byFirst.get(word) ?? none;
  }

  /** Whether it is exactly one of them. */
  has(phrase: string): boolean {
    return this.all.includes(phrase);
  }
}

const none: readonly (readonly string[])[] = [];

function expandAll(text: string): readonly string[] {
  const found = new Set(text.split(/[,\n]/).flatMap((pattern) => expand(pattern.trim())));
  found.delete('');
  return [...found];
}

function byFirstWord(all: readonly string[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const words = all.map((phrase) => phrase.split(' '));
  words.sort((one, other) => other.length - one.length);
  return Map.groupBy(words, ([first]) => must(first, 'the first word of a phrase'));
}

export function phrases(text: string): Phrases {
  return new Phrases(text);
}

/** Every phrase that a pattern stands for; `(a|b)` is one of them, `[a]` is a or nothing. */
function expand(pattern: string): string[] {
  const group = /[([]([^()[\]]*)[)\]]/.exec(pattern);
  if (group === null) return [pattern.replace(/\s+/g, ' ').trim()];
  const [whole, inside = ''] = group;
  const choices = [...inside.split('|'), ...(whole.startsWith('[') ? [''] : [])];
  const rest = pattern.slice(group.index + whole.length);
  // A choice with a choice in it is written out first, so that its bars are its own.
  return choices.flatMap((choice) => expand(pattern.slice(0, group.index) + choice + rest));
}

/** Single words, divided by spaces. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Phrases under names: `name: patterns` on a line; lines that begin with a space go on. */
export function phraseTable(text: string): readonly (readonly [string, Phrases])[] {
  const rows = text.trim().split(/\n(?! )/);
  return rows.map((row) => {
    const end = row.indexOf(':');
    return [row.slice(0, end), new Phrases(row.slice(end + 1))] as const;
  });
}
