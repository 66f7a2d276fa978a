import type { Cursor } from './cursor.ts';

const small = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen',
  'sixteen seventeen eighteen nineteen',
]
  .join(' ')
  .split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** `12`, `1,500`, `1.5`, `twelve`, `twenty five`, `a hundred`, `half a`, `a couple of`, `a dozen`. */
export function numberAt(cursor: Cursor): number | undefined {
  return cursor.first(vagueNumber, digits, numberInWords);
}

/** The same, and `a` or `an` is one. */
export function numberOrOneAt(cursor: Cursor): number | undefined {
  const number = numberAt(cursor);
  if (number !== undefined) return number;
  return cursor.take('a', 'an') === undefined ? undefined : 1;
}

function vagueNumber(cursor: Cursor): number | undefined {
  if (cursor.take('half a', 'half an') !== undefined) return 0.5;
  if (cursor.take('a couple of', 'a couple', 'couple of') !== undefined) return 2;
  if (cursor.take('a few') !== undefined) return 3;
  if (cursor.take('a dozen', 'dozen') !== undefined) return 12;
  return cursor.take('a hundred', 'hundred') === undefined ? undefined : 100;
}

function digits(cursor: Cursor): number | undefined {
  const word = cursor.word ?? '';
  if (!/^\d{1,12}(?:[.,]\d{1,6}){0,4}$/.test(word)) return undefined;
  const plain = /^\d{1,3}(?:,\d{3})+$/.test(word) ? word.replaceAll(',', '') : word;
  const number = Number(plain.replace(',', '.'));
  if (Number.isNaN(number)) return undefined;
  cursor.at++;
  return number;
}

function numberInWords(cursor: Cursor): number | undefined {
  const [first = '', joined] = (cursor.word ?? '').split('-');
  const one = small.indexOf(first);
  const ten = tens.indexOf(first);
  if (one === -1 && ten === -1) return undefined;
  cursor.at++;
  if (one !== -1) return cursor.take('hundred') === undefined ? one : one * 100;
  const rest = small.indexOf(joined ?? cursor.word ?? '');
  const hasRest = rest > 0 && rest < 10;
  if (hasRest && joined === undefined) cursor.at++;
  return (ten + 2) * 10 + (hasRest ? rest : 0);
}

/** `1st`, `third`, `22nd`; also as a plain number. */
export function dayNumber(word: string | undefined): number | undefined {
  const found = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word ?? '');
  const number = Number(found?.[1] ?? Number.NaN);
  if (number >= 1 && number <= 31) return number;
  const ordinal = ordinals.indexOf(word ?? '');
  return ordinal === -1 ? undefined : ordinal + 1;
}

const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
