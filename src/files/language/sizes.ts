/** `bigger than 100 MB`, `between 1 and 5 megabytes`, `empty`. MB is a million, MiB is 2^20. */
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { numberOrOneAt } from '../../kernel/language/numbers.ts';

export interface SizeSpan {
  /** Both without the number itself. */
  readonly over?: number;
  readonly under?: number;
}

const units: Readonly<Record<string, number>> = {
  b: 1,
  byte: 1,
  bytes: 1,
  k: 1e3,
  kb: 1e3,
  kilobyte: 1e3,
  kilobytes: 1e3,
  kib: 2 ** 10,
  m: 1e6,
  mb: 1e6,
  mbs: 1e6,
  meg: 1e6,
  megs: 1e6,
  megabyte: 1e6,
  megabytes: 1e6,
  mib: 2 ** 20,
  mebibytes: 2 ** 20,
  g: 1e9,
  gb: 1e9,
  gbs: 1e9,
  gig: 1e9,
  gigs: 1e9,
  gigabyte: 1e9,
  gigabytes: 1e9,
  gib: 2 ** 30,
  gibibytes: 2 ** 30,
  tb: 1e12,
  terabyte: 1e12,
  terabytes: 1e12,
  tib: 2 ** 40,
};

export function takeSizes(sentence: Sentence): SizeSpan | undefined {
  const spans = sentence.takeAll((cursor) => cursor.try(sizeSpan));
  if (spans.length === 0) return undefined;
  return Object.assign({}, ...spans);
}

function sizeSpan(cursor: Cursor): SizeSpan | undefined {
  cursor.skip('that', 'which', 'who', 'are', 'is', 'with', 'a', 'size', 'of', 'weigh', 'weighing');
  return (
    cursor.try(exactly) ??
    cursor.try(between) ??
    cursor.try(compared) ??
    cursor.try(comparedAfter) ??
    cursor.try(empty)
  );
}

function exactly(cursor: Cursor): SizeSpan | undefined {
  if (cursor.take('exactly', 'precisely') === undefined) return undefined;
  const bytes = bytesAt(cursor);
  if (bytes === undefined) return undefined;
  cursor.skip('in size', 'big', 'long', 'large', 'each');
  return { ...(bytes > 0 ? { over: bytes - 1 } : {}), under: bytes + 1 };
}

function between(cursor: Cursor): SizeSpan | undefined {
  if (cursor.take('between', 'in the range of', 'ranging from', 'from') === undefined)
    return undefined;
  const first = amount(cursor);
  if (first === undefined || cursor.take('and', 'to') === undefined) return undefined;
  const second = amount(cursor);
  if (second?.unit === undefined) return undefined;
  const unit = first.unit ?? second.unit;
  return { over: first.number * unit, under: second.number * second.unit };
}

const more = [
  'bigger than',
  'larger than',
  'greater than',
  'heavier than',
  'longer than',
  'more than',
  'in excess of',
  'over',
  'above',
  'exceeding',
  'exceed',
  'exceeds',
  'beyond',
  '>',
];
const less = ['smaller than', 'less than', 'lighter than', 'under', 'below', '<'];
const atLeast = ['at least', 'no smaller than', 'not smaller than', 'no less than', 'minimum'];
const atMost = ['at most', 'up to', 'no more than', 'not more than', 'no larger than', 'maximum'];

function compared(cursor: Cursor): SizeSpan | undefined {
  const word = cursor.take(...more, ...less, ...atLeast, ...atMost);
  if (word === undefined) return undefined;
  const bytes = bytesAt(cursor);
  // "Up to 1 GB of files" is how much of them altogether.
  if (bytes === undefined || cursor.word === 'of') return undefined;
  cursor.skip('in size', 'big', 'each', 'large', 'long');
  if (more.includes(word)) return { over: bytes };
  if (less.includes(word)) return { under: bytes };
  return atLeast.includes(word) ? { over: bytes - 1 } : { under: bytes + 1 };
}

function comparedAfter(cursor: Cursor): SizeSpan | undefined {
  const bytes = bytesAt(cursor);
  if (bytes === undefined || cursor.take('or', 'and') === undefined) return undefined;
  const isMore = cursor.take('more', 'larger', 'bigger', 'above', 'over', 'up') !== undefined;
  if (isMore) return { over: bytes - 1 };
  return cursor.take('less', 'smaller', 'below', 'under') ? { under: bytes + 1 } : undefined;
}

// "Empty the trash" is something else.
function empty(cursor: Cursor): SizeSpan | undefined {
  const start = cursor.at;
  if (cursor.take('empty', 'zero-byte', '0-byte', 'zero byte', '0 byte') === undefined) {
    return undefined;
  }
  const isVerb = ['the', 'my', 'out', 'this', 'that', 'all'].includes(cursor.word ?? '');
  // "Is Downloads empty?" asks what is in it.
  const { tokens } = cursor.sentence;
  const isAsked =
    tokens[0]?.fold === 'is' && tokens[1]?.fold !== 'there' && start === tokens.length - 1;
  if (isAsked) return {};
  const isFolder = /^(?:folder|directory|directories)s?$/.test(cursor.word ?? '');
  return (isVerb && start === 0) || isFolder ? undefined : { under: 1 };
}

function bytesAt(cursor: Cursor): number | undefined {
  const found = amount(cursor);
  return found?.unit === undefined ? undefined : Math.round(found.number * found.unit);
}

interface Amount {
  readonly number: number;
  readonly unit?: number;
}

function amount(cursor: Cursor): Amount | undefined {
  const joined = /^(\d{1,12}(?:[.,]\d{1,6})?)([a-z]{1,9})$/.exec(cursor.word ?? '');
  const unit = units[joined?.[2] ?? ''];
  if (joined?.[1] !== undefined && unit !== undefined) {
    cursor.at++;
    return { number: Number(joined[1].replace(',', '.')), unit };
  }
  const number = numberOrOneAt(cursor);
  if (number === undefined) return undefined;
  cursor.skip('of a');
  const named = units[cursor.word ?? ''];
  if (named === undefined) return { number };
  cursor.at++;
  return { number, unit: named };
}
