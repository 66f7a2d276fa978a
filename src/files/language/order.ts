/** How many of them, and in which order. */
import type { SortKey } from '../../kernel/files/request.ts';
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { dayNumber, numberAt } from '../../kernel/language/numbers.ts';

export interface Order {
  /** Left open where only a number is said: `the first 20`. */
  readonly sort?: SortKey;
  readonly order?: 'asc' | 'desc';
  readonly limit?: number;
  /** The last of them alone is meant: `the second largest`. */
  readonly isNth?: boolean;
}

const superlatives: Readonly<Record<string, Omit<Order, 'limit'>>> = {
  largest: { sort: 'size', order: 'desc' },
  biggest: { sort: 'size', order: 'desc' },
  heaviest: { sort: 'size', order: 'desc' },
  'most disk space': { sort: 'size', order: 'desc' },
  'most of the space': { sort: 'size', order: 'desc' },
  'most of my space': { sort: 'size', order: 'desc' },
  'most of the room': { sort: 'size', order: 'desc' },
  'most space': { sort: 'size', order: 'desc' },
  'most storage': { sort: 'size', order: 'desc' },
  'most room': { sort: 'size', order: 'desc' },
  smallest: { sort: 'size', order: 'asc' },
  tiniest: { sort: 'size', order: 'asc' },
  oldest: { sort: 'modified', order: 'asc' },
  'longest untouched': { sort: 'modified', order: 'asc' },
  newest: { sort: 'modified', order: 'desc' },
  latest: { sort: 'modified', order: 'desc' },
  'most recent': { sort: 'modified', order: 'desc' },
  'most recently': { sort: 'modified', order: 'desc' },
  'least recently': { sort: 'modified', order: 'asc' },
  'least recent': { sort: 'modified', order: 'asc' },
};

const sortWords: Readonly<Record<string, Omit<Order, 'limit'>>> = {
  ...superlatives,
  'file size': { sort: 'size', order: 'desc' },
  size: { sort: 'size', order: 'desc' },
  'file name': { sort: 'name', order: 'asc' },
  name: { sort: 'name', order: 'asc' },
  alphabetically: { sort: 'name', order: 'asc' },
  'date taken': { sort: 'taken', order: 'desc' },
  'date created': { sort: 'created', order: 'desc' },
  'creation date': { sort: 'created', order: 'desc' },
  'last modified date': { sort: 'modified', order: 'desc' },
  'last modification date': { sort: 'modified', order: 'desc' },
  'modified date': { sort: 'modified', order: 'desc' },
  'modification time': { sort: 'modified', order: 'desc' },
  'last modification': { sort: 'modified', order: 'desc' },
  'last changed': { sort: 'modified', order: 'desc' },
  'created date': { sort: 'created', order: 'desc' },
  'modification date': { sort: 'modified', order: 'desc' },
  'date modified': { sort: 'modified', order: 'desc' },
  'last modified': { sort: 'modified', order: 'desc' },
  date: { sort: 'modified', order: 'desc' },
  age: { sort: 'modified', order: 'asc' },
};

/** Whether it says by what they are to be sorted, and not into which folders. */
export function hasOrder({ tokens }: Sentence): boolean {
  return tokens.some(({ fold }, at) => {
    const words = [tokens[at + 1]?.fold ?? '', tokens[at + 2]?.fold ?? ''];
    if (fold in superlatives && ['first', 'to'].includes(words[0] ?? '')) return true;
    if (fold === 'alphabetically') return true;
    return fold === 'by' && [words[0] ?? '', words.join(' ')].some((word) => word in sortWords);
  });
}

export function takeOrder(
  sentence: Sentence,
  { isSorting }: { readonly isSorting: boolean },
): Order | undefined {
  // "By size, smallest first": the last says it best.
  const sorted = sentence
    .takeAll((cursor) => cursor.try((place) => sortedBy(place, { isSorting })))
    .at(-1);
  const ranked = sentence.take((cursor) => cursor.try(ranking) ?? cursor.try(lastOne))?.found;
  const limit =
    ranked?.limit === undefined
      ? sentence.take((cursor) => cursor.try(limitAt) ?? (ranked && cursor.try(countAt)))?.found
      : undefined;
  if (sorted === undefined && ranked === undefined && limit === undefined) return undefined;
  return { ...limit, ...ranked, ...sorted };
}

const adjectives: Readonly<Record<string, Order>> = {
  big: { sort: 'size', order: 'desc' },
  large: { sort: 'size', order: 'desc' },
  huge: { sort: 'size', order: 'desc' },
  old: { sort: 'modified', order: 'asc' },
  recent: { sort: 'modified', order: 'desc' },
  recently: { sort: 'modified', order: 'desc' },
  new: { sort: 'modified', order: 'desc' },
  lately: { sort: 'modified', order: 'desc' },
  tiny: { sort: 'size', order: 'asc' },
};

const lastTimes = ['last modified', 'last changed', 'last edited', 'last updated', 'last saved'];

/** "My old photos" are not so old and no older, but the oldest come first. */
export function takeVagueOrder(sentence: Sentence): Order | undefined {
  const isLong = sentence.take((cursor) => cursor.try(longAgo)) !== undefined;
  if (isLong) return { sort: 'modified', order: 'asc' };
  // "When was it last modified" asks for the time.
  const isAsked = sentence.tokens[0]?.fold === 'when';
  const isLast = !isAsked && sentence.take((cursor) => cursor.take(...lastTimes)) !== undefined;
  if (isLast) return { sort: 'modified', order: 'desc' };
  const [word] = sentence.takeAll((cursor) => cursor.take(...Object.keys(adjectives)));
  return word === undefined ? undefined : adjectives[word];
}

/** `that I haven't used in ages`. */
function longAgo(cursor: Cursor): true | undefined {
  cursor.skip('i', 'we', 'have', 'has', 'not', 'been', 'used', 'opened', 'touched', 'needed');
  cursor.skip('looked at', 'changed', 'modified');
  const said = cursor.take(
    ...['in ages', 'for ages', 'in a long time', 'for a long time', 'in a while', 'for a while'],
    ...['in forever', 'in a very long time', 'for a very long time'],
  );
  return said === undefined ? undefined : true;
}

/** `sorted by size`, `largest first`, `in alphabetical order`. */
function sortedBy(
  cursor: Cursor,
  { isSorting }: { readonly isSorting: boolean },
): Order | undefined {
  if (cursor.take('in reverse alphabetical order', 'from z to a') !== undefined)
    return { sort: 'name', order: 'desc' };
  if (cursor.take('from a to z', 'a to z') !== undefined) return { sort: 'name', order: 'asc' };
  const alone = cursor.take('alphabetically', 'in alphabetical order', 'chronologically');
  if (alone === 'chronologically') return { sort: 'modified', order: 'asc' };
  if (alone !== undefined) return { sort: 'name', order: 'asc' };
  const isRising = cursor.take('in ascending order of', 'in ascending order by') !== undefined;
  const isAsked = cursor.take(
    ...['ordered from', 'sorted from', 'arranged from', 'in order from', 'listed from'],
    ...['in descending order of', 'in descending order by', 'in order of', 'ranked by', 'from'],
    ...['sorted by', 'sort by', 'ordered by', 'order by', 'sort them by', 'arranged by', 'by'],
    ...['sorted', 'sort'],
  );
  const word = cursor.take(...Object.keys(sortWords));
  const order = word === undefined ? undefined : sortWords[word];
  if (word !== undefined && order !== undefined) {
    const isFirst = cursor.try(firstAt) !== undefined || cursor.try(toOther) !== undefined;
    cursor.skip('used', 'descending', 'modified');
    const isUp = cursor.take('ascending') !== undefined || isRising;
    if (isRising || (isAsked !== undefined && isAsked !== 'by' && isAsked !== 'from'))
      return isUp ? { ...order, order: 'asc' } : order;
    const isPlain = isSorting || (word !== 'name' && !isTaken(word));
    return isFirst || (isAsked === 'by' && isPlain) ? order : undefined;
  }
  const isNamed = cursor.take('in alphabetical order', 'alphabetically') !== undefined;
  return isNamed ? { sort: 'name', order: 'asc' } : undefined;
}

/** `first`, `files at the top`. */
function firstAt(cursor: Cursor): true | undefined {
  cursor.skip('files', 'ones', 'items', 'file', 'one');
  const said = cursor.take('first', 'at the top', 'on top', 'at top', 'up top');
  return said === undefined ? undefined : true;
}

/** `newest to oldest`. */
function toOther(cursor: Cursor): true | undefined {
  if (cursor.take('to') === undefined) return undefined;
  return cursor.take(...Object.keys(superlatives)) === undefined ? undefined : true;
}

// "Rename by date taken" names a pattern, and no order.
function isTaken(word: string): boolean {
  return word.includes('date');
}

const singularNouns = ['file', 'photo', 'picture', 'video', 'document', 'image', 'thing', 'pdf'];

/** `the 10 largest files`, `largest five`, `top 5`, `biggest file`. */
function ranking(cursor: Cursor): Order | undefined {
  const start = cursor.at;
  cursor.skip('the', 'my', 'top');
  const nth = cursor.try(ordinalAt);
  const before = nth ?? numberAt(cursor);
  cursor.skip('very', 'of the', 'single');
  const word = cursor.take(...Object.keys(superlatives));
  const order = word === undefined ? undefined : superlatives[word];
  if (order === undefined) return undefined;
  cursor.take('changed', 'modified', 'used', 'edited', 'downloaded', 'added', 'created');
  const isSingle = isOne(cursor) || isOneBefore(cursor, start);
  const limit = before ?? numberAt(cursor) ?? (isSingle ? 1 : undefined);
  return {
    ...order,
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
  const isWhich = sentence.tokens[0]?.fold === 'which' && noun !== 'folder';
  return ['is', 'was'].includes(link) && (isWhich || singularNouns.includes(noun));
}

// One, where a noun in the singular follows at once or behind a word: "largest PDF file".
function isOne({ sentence, at }: Cursor): boolean {
  const words = [sentence.tokens[at]?.fold ?? '', sentence.tokens[at + 1]?.fold ?? ''];
  if (words.some((word) => /^(?:files|folders)$/.test(word))) return false;
  return words.some((word) => singularNouns.includes(word));
}

/** `the last file`: nobody but who looks would know that from any other. */
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

/** `top 5`, `first 20`, `only 10`, `last 5 files`. */
function limitAt(cursor: Cursor): Order | undefined {
  cursor.skip('the', 'my');
  const cue = cursor.take(
    'top',
    'first',
    'at most',
    'only',
    'limit to',
    'limit it to',
    'limit',
    'no more than',
    'maximum',
    'max',
    'limited to',
    'up to',
    'last',
  );
  if (cue === undefined) return undefined;
  const count = numberAt(cursor);
  if (count === undefined || !Number.isInteger(count)) return undefined;
  cursor.skip('results', 'result', 'matches');
  return cue === 'last' ? { sort: 'modified', order: 'desc', limit: count } : { limit: count };
}
