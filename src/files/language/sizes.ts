/** `bigger than 100 MB`, `between 1 and 5 megabytes`, `empty`. MB is a million, MiB is 2^20. */
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';
import { numberOrOneAt } from '../../kernel/language/numbers.ts';
import { phrases, phraseTable } from '../../kernel/language/phrases.ts';

export interface SizeSpan {
  /** Both without the number itself. */
  readonly over?: number;
  readonly under?: number;
}

const unitNames = [
  ...['b byte bytes', 'k kb kilobyte kilobytes', 'm mb mbs meg megs megabyte megabytes'],
  ...['g gb gbs gig gigs gigabyte gigabytes', 'tb terabyte terabytes'],
];
const binaryNames = ['bytes', 'kib kibibytes', 'mib mebibytes', 'gib gibibytes', 'tib tebibytes'];
const units: ReadonlyMap<string, number> = new Map(
  [unitNames, binaryNames].flatMap((all, isBinary) =>
    all.flatMap((names, step) =>
      names.split(' ').map((name) => [name, (isBinary === 1 ? 1024 : 1000) ** step] as const),
    ),
  ),
);

export function takeSizes(sentence: Sentence): SizeSpan | undefined {
  const spans = sentence.takeAll(sizeSpan);
  return spans.length === 0 ? undefined : Object.assign({}, ...spans);
}

function sizeSpan(cursor: Cursor): SizeSpan | undefined {
  cursor.skip('that', 'which', 'who', 'are', 'is', 'with', 'a', 'size', 'of', 'weigh', 'weighing');
  return cursor.first(exactly, between, compared, comparedAfter, empty);
}

const afterSize = phrases('in size, big, long, large, each');

function exactly(cursor: Cursor): SizeSpan | undefined {
  if (cursor.take('exactly', 'precisely') === undefined) return undefined;
  const bytes = bytesAt(cursor);
  if (bytes === undefined) return undefined;
  cursor.skip(afterSize);
  return { ...(bytes > 0 ? { over: bytes - 1 } : {}), under: bytes + 1 };
}

function between(cursor: Cursor): SizeSpan | undefined {
  if (cursor.take('between', 'in the range of', 'ranging from', 'from') === undefined)
    return undefined;
  const first = amount(cursor);
  if (first === undefined || cursor.take('and', 'to') === undefined) return undefined;
  const second = amount(cursor);
  if (second?.unit === undefined) return undefined;
  return {
    over: first.number * (first.unit ?? second.unit),
    under: second.number * second.unit,
  };
}

const comparisons = phraseTable(`
over: (bigger|larger|greater|heavier|longer|more) than, in excess of, over, above, exceeding, exceed
  exceeds, beyond, >
under: (smaller|less|lighter) than, under, below, <
least: at least, (no|not) smaller than, no less than, minimum
most: at most, up to, (no|not) more than, no larger than, maximum`);

function compared(cursor: Cursor): SizeSpan | undefined {
  const found = comparisons.find(([, words]) => cursor.take(words) !== undefined)?.[0];
  const bytes = found === undefined ? undefined : bytesAt(cursor);
  // "Up to 1 GB of files" is how much of them altogether.
  if (bytes === undefined || cursor.word === 'of') return undefined;
  cursor.skip(afterSize);
  if (found === 'over' || found === 'least') return { over: found === 'over' ? bytes : bytes - 1 };
  return { under: found === 'under' ? bytes : bytes + 1 };
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
  const { tokens } = cursor.sentence;
  const isVerb = ['the', 'my', 'out', 'this', 'that', 'all'].includes(cursor.word ?? '');
  // "Is Downloads empty?" asks what is in it.
  const isAsked = tokens[0]?.fold === 'is' && tokens[1]?.fold !== 'there';
  if (isAsked && start === tokens.length - 1) return {};
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
  const unit = units.get(joined?.[2] ?? '');
  if (joined?.[1] !== undefined && unit !== undefined) {
    cursor.at++;
    return { number: Number(joined[1].replace(',', '.')), unit };
  }
  const number = numberOrOneAt(cursor);
  if (number === undefined) return undefined;
  cursor.skip('of a');
  const named = units.get(cursor.word ?? '');
  if (named === undefined) return { number };
  cursor.at++;
  return { number, unit: named };
}
