/** How many of them, and in which order. */
import { type SortKey, sortKeys } from '../../kernel/files/request.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { dayNumber, numberAt } from '../../kernel/language/numbers.ts';
import { phrases, phraseTable, wordSet } from '../../kernel/language/phrases.ts';

export interface Order {
  /** Left open where only a number is said: `the first 20`. */
  readonly sort?: SortKey | undefined;
  readonly order?: 'asc' | 'desc';
  readonly limit?: number;
  /** The last of them alone is meant: `the second largest`. */
  readonly isNth?: boolean;
}

type OrderWords = ReturnType<typeof phraseTable>;

const superlatives = phraseTable(`
size desc: largest, biggest, heaviest, most [disk|of the|of my] (space|storage|room)
size asc: smallest, tiniest
modified asc: oldest, longest untouched, least (recently|recent)
modified desc: newest, latest, most (recent|recently)`);
/** Behind `by`. */
const sortWords: OrderWords = [
  ...superlatives,
  ...phraseTable(`
size desc: [file] size
name asc: [file] name, alphabetically
taken desc: date taken
created desc: date created, (creation|created) date
modified desc: last (modified|modification) [date], (modified|modification) date, modification time
  last changed, date [modified]
modified asc: age`),
];
/** "My old photos" are not so old and no older, but the oldest come first. */
const adjectives = phraseTable(`
size desc: big, large, huge
size asc: tiny
modified asc: old
modified desc: recent, recently, new, lately`);
const inFull = phraseTable(`
name desc: in reverse alphabetical order, from z to a
name asc: [from] a to z, alphabetically, in alphabetical order
modified asc: chronologically`);

/** The order that is named here, and by which words. */
function orderAt(cursor: Cursor, all: OrderWords): (Order & { readonly word: string }) | undefined {
  for (const [name, words] of all) {
    const word = cursor.take(words);
    const sort = sortKeys.find((key) => name.startsWith(key));
    if (word !== undefined) return { sort, order: name.endsWith('asc') ? 'asc' : 'desc', word };
  }
  return undefined;
}

/** Whether it says by what they are to be sorted, and not into which folders. */
export function hasOrder(sentence: Sentence): boolean {
  return sentence.tokens.some(({ fold }, at) => {
    if (fold === 'alphabetically') return true;
    const cursor = sentence.cursor(fold === 'by' ? at + 1 : at);
    if (fold === 'by') return orderAt(cursor, sortWords) !== undefined;
    return orderAt(cursor, superlatives) !== undefined && cursor.take('first', 'to') !== undefined;
  });
}

export function takeOrder(
  sentence: Sentence,
  { isSorting }: { readonly isSorting: boolean },
): Order | undefined {
  // "By size, smallest first": the last says it best.
  const sorted = sentence.takeAll((cursor) => sortedBy(cursor, { isSorting })).at(-1);
  const ranked = sentence.take(ranking, lastOne);
  const limit =
    ranked?.limit === undefined
      ? sentence.take(...(ranked === undefined ? [limitAt] : [limitAt, countAt]))
      : undefined;
  if (sorted === undefined && ranked === undefined && limit === undefined) return undefined;
  return { ...limit, ...ranked, ...sorted };
}

const lastTimes = phrases('last (modified|changed|edited|updated|saved)');
const ages = phrases('(in|for) (ages|a while|a [very] long time), in forever');
const unused = phrases(
  'i, we, have, has, not, been, used, opened, touched, needed, looked at, changed, modified',
);

export function takeVagueOrder(sentence: Sentence): Order | undefined {
  const isLong = sentence.take((cursor) => {
    cursor.skip(unused);
    return cursor.take(ages);
  });
  if (isLong !== undefined) return { sort: 'modified', order: 'asc' };
  // "When was it last modified" asks for the time.
  const isAsked = sentence.word(0) === 'when';
  const isLast = !isAsked && sentence.takePhrase(lastTimes);
  if (isLast) return { sort: 'modified', order: 'desc' };
  const [found] = sentence.takeAll((cursor) => orderAt(cursor, adjectives));
  return found === undefined ? undefined : plain(found);
}

function plain({ word: _, ...order }: Order & { readonly word: string }): Order {
  return order;
}

const rising = phrases('in ascending order (of|by)');
const sorting = phrases(`
(ordered|sorted|arranged|in order|listed) from, in descending order (of|by), in order of, ranked by
(sorted|sort|ordered|order|sort them|arranged) by, sorted, sort`);

/** `sorted by size`, `largest first`, `in alphabetical order`. */
function sortedBy(
  cursor: Cursor,
  { isSorting }: { readonly isSorting: boolean },
): Order | undefined {
  const full = orderAt(cursor, inFull);
  if (full !== undefined) return plain(full);
  const isRising = cursor.take(rising) !== undefined;
  const isAsked = cursor.take(sorting) !== undefined || isRising;
  const isBy = isAsked ? undefined : cursor.take('by', 'from');
  const named = orderAt(cursor, sortWords);
  if (named === undefined) {
    const asked = orderAt(cursor, inFull);
    return asked?.word.includes('alphabetical') ? plain(asked) : undefined;
  }
  const isFirst = cursor.try(firstAt) !== undefined || cursor.try(toOther) !== undefined;
  cursor.skip('used', 'descending', 'modified');
  const isUp = cursor.take('ascending') !== undefined || isRising;
  if (isAsked) return isUp ? { ...plain(named), order: 'asc' } : plain(named);
  // "Rename by date taken" names a pattern, and no order.
  const isPlain = isSorting || (named.word !== 'name' && !named.word.includes('date'));
  return isFirst || (isBy === 'by' && isPlain) ? plain(named) : undefined;
}

const firstWords = phrases('first, at [the] top, on top, up top');

/** `first`, `files at the top`. */
function firstAt(cursor: Cursor): string | undefined {
  cursor.skip('files', 'ones', 'items', 'file', 'one');
  return cursor.take(firstWords);
}

/** `newest to oldest`. */
function toOther(cursor: Cursor): Order | undefined {
  return cursor.take('to') === undefined ? undefined : orderAt(cursor, superlatives);
}

const singularNouns = wordSet('file photo picture video document image thing pdf');

/** `the 10 largest files`, `largest five`, `top 5`, `biggest file`. */
function ranking(cursor: Cursor): Order | undefined {
  const start = cursor.at;
  cursor.skip('the', 'my', 'top');
  const nth = cursor.try(ordinalAt);
  const before = nth ?? numberAt(cursor);
  cursor.skip('very', 'of the', 'single');
  const found = orderAt(cursor, superlatives);
  if (found === undefined) return undefined;
  cursor.take('changed', 'modified', 'used', 'edited', 'downloaded', 'added', 'created');
  const isSingle = isOne(cursor) || isOneBefore(cursor, start);
  const limit = before ?? numberAt(cursor) ?? (isSingle ? 1 : undefined);
  return {
    ...plain(found),
    ...(limit === undefined ? {} : { limit }),
    ...(nth === undefined ? {} : { isNth: true }),
  };
}

/** `the second largest`: all down to that one. */
function ordinalAt(cursor: Cursor): number | undefined {
  const isNumber = /^\d+$/.test(cursor.word ?? '');
  const nth = isNumber ? undefined : dayNumber(cursor.word);
  if (nth === undefined || nth === 1) return undefined;
  cursor.at++;
  return nth;
}

/** `which file is the largest`. */
function isOneBefore({ sentence }: Cursor, start: number): boolean {
  const [noun = '', link = ''] = sentence.tokens.slice(start - 2, start).map(({ fold }) => fold);
  const isWhich = sentence.word(0) === 'which' && noun !== 'folder';
  return ['is', 'was'].includes(link) && (isWhich || singularNouns.has(noun));
}

// One, where a noun in the singular follows at once or behind a word: "largest PDF file".
function isOne({ sentence, at }: Cursor): boolean {
  const words = [sentence.word(at), sentence.word(at + 1)];
  if (words.some((word) => /^(?:files|folders)$/.test(word))) return false;
  return words.some((word) => singularNouns.has(word));
}

/** `the last file`: only a look at the list tells it from any other. */
function lastOne(cursor: Cursor): Order | undefined {
  cursor.skip('the', 'my', 'very');
  if (cursor.take('last') === undefined || !isOne(cursor)) return undefined;
  return { sort: 'modified', order: 'desc', limit: 1, isNth: true };
}

/** `which 5 folders are the largest`: the number stands before what is counted. */
function countAt(cursor: Cursor): Order | undefined {
  const limit = numberAt(cursor);
  const isCounted = /^[a-z]{3,}s$/.test(cursor.word ?? '');
  return limit !== undefined && Number.isInteger(limit) && isCounted ? { limit } : undefined;
}

const limits = phrases(
  'top, first, at most, only, limit [it] [to], limited to, no more than, maximum, max, up to, last',
);

/** `top 5`, `first 20`, `only 10`, `last 5 files`. */
function limitAt(cursor: Cursor): Order | undefined {
  cursor.skip('the', 'my');
  const cue = cursor.take(limits);
  const limit = cue === undefined ? undefined : numberAt(cursor);
  if (limit === undefined || !Number.isInteger(limit)) return undefined;
  cursor.skip('results', 'result', 'matches');
  return cue === 'last' ? { sort: 'modified', order: 'desc', limit } : { limit };
}
