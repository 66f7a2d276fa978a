/** New names for many files: by date, numbered, in lower case, with something added. */
import type { Cursor, Sentence } from '../../kernel/language/cursor.ts';

/** The pattern of the new names, where the sentence describes one. */
export function takeRenamePattern(
  sentence: Sentence,
  { areImages }: { readonly areImages: boolean },
): string | undefined {
  const rules = [added, addedAs, byDate, numbered, inCase, withoutSpaces].map(
    (rule) => (cursor: Cursor) => rule(cursor, { areImages }),
  );
  for (const rule of rules) {
    const found = sentence.take((cursor) => cursor.try(rule))?.found;
    if (found !== undefined) return found;
  }
  return undefined;
}

const belonging = [
  ...[
    'to the beginning of their names',
    'to the start of their names',
    'to the end of their names',
  ],
  ...['to their names', 'to their name', 'to the names', 'to the name', 'to each name', 'in front'],
  ...['to the beginning', 'to the end', 'in the names', 'in their names', 'in the name'],
];

/** `add "2026-" as a prefix`, `add draft- to the front of`. */
function addedAs(cursor: Cursor): string | undefined {
  if (cursor.take('add', 'adding', 'by adding', 'put') === undefined) return undefined;
  const { token } = cursor;
  if (token === undefined) return undefined;
  cursor.at++;
  cursor.skip('as a', 'as the', 'as', 'to the', 'at the', 'in');
  const where = cursor.take('prefix', 'suffix', 'beginning', 'start', 'front', 'end');
  if (where === undefined) return undefined;
  cursor.skip(
    'of the names of',
    'of the names',
    'of their names',
    'of the name',
    'of each name',
    'of',
    'to',
  );
  const isBehind = where === 'suffix' || where === 'end';
  return isBehind ? `{name}${token.text}{ext}` : `${token.text}{name}{ext}`;
}

/** `add the prefix draft-`, `by adding "old_" to the front`. */
function added(cursor: Cursor): string | undefined {
  cursor.skip('by', 'with');
  cursor.skip('add', 'adding', 'put', 'and');
  cursor.skip('the', 'a', 'an');
  const where = cursor.take('prefix', 'suffix');
  if (where === undefined) return undefined;
  cursor.skip('of', 'them', 'it', 'with');
  const { token } = cursor;
  if (token === undefined || ['to', 'in', 'all'].includes(token.fold)) return undefined;
  cursor.at++;
  cursor.skip(...belonging);
  return where === 'prefix' ? `${token.text}{name}{ext}` : `{name}${token.text}{ext}`;
}

const takenWords = [
  ...['date taken', 'the date taken', 'date they were taken', 'the date they were taken'],
  ...[
    'date and time taken',
    'when they were taken',
    'capture date',
    'the capture date',
    'shooting date',
  ],
  ...['date it was taken', 'the date it was taken', 'the day they were taken', 'the time taken'],
  ...[
    'the date and time they were taken',
    'exif date',
    'their exif date',
    'the exif date',
    'date shot',
  ],
  ...['their date taken', 'the date when they were taken', 'the date that they were taken'],
];
const modifiedWords = [
  ...['date modified', 'the date modified', 'modification date', 'their modification date'],
  ...['the modification date', 'date they were modified', 'date changed', 'last modified date'],
  ...['the date they were changed', 'the date they were modified', 'when they were changed'],
];

/** `by date taken`, `after the date they were taken`, `to their modification date`. */
function byDate(
  cursor: Cursor,
  { areImages }: { readonly areImages: boolean },
): string | undefined {
  const cue = cursor.take(
    ...[
      'based on',
      'according to',
      'by',
      'using',
      'after',
      'with',
      'to match',
      'to',
      'so they show',
    ],
  );
  if (cue === undefined) return undefined;
  if (cursor.take(...takenWords) !== undefined) return '{taken}{ext}';
  if (cursor.take(...modifiedWords) !== undefined) return '{modified}{ext}';
  if (cursor.take('date', 'their date', 'the date', 'their dates', 'dates') === undefined) {
    return undefined;
  }
  return areImages ? '{taken}{ext}' : '{modified}{ext}';
}

function numbered(cursor: Cursor): string | undefined {
  const found = cursor.take(
    ...[
      'and number them',
      'numbering them',
      'number them',
      'by number',
      'with numbers',
      'sequentially',
    ],
    ...[
      'with sequential numbers',
      'numbered',
      'to numbers',
      'in sequence',
      'to a number',
      'in order',
    ],
  );
  return found === undefined ? undefined : '{n}{ext}';
}

function inCase(cursor: Cursor): string | undefined {
  cursor.skip(
    'to',
    'in',
    'so',
    'all',
    'that',
    'they',
    'are',
    'into',
    'with',
    'names',
    'using',
    'be',
  );
  if (cursor.take('lowercase', 'lower case', 'lower-case', 'small letters') !== undefined) {
    cursor.skip('names', 'letters', 'filenames');
    return '{name_lower}{ext}';
  }
  if (
    cursor.take('uppercase', 'upper case', 'upper-case', 'capitals', 'capital letters') ===
    undefined
  ) {
    return undefined;
  }
  cursor.skip('names', 'letters', 'filenames');
  return '{name_upper}{ext}';
}

function withoutSpaces(cursor: Cursor): string | undefined {
  cursor.skip('by', 'to', 'and', 'have', 'use', 'so', 'that', 'they');
  cursor.skip('replace', 'replacing', 'change', 'changing', 'turn', 'turning', 'all', 'the', 'any');
  if (cursor.take('spaces', 'blanks') !== undefined) {
    cursor.skip('in the names', 'in their names', 'in names', 'in file names', 'in filenames');
    if (cursor.take('with', 'by', 'to', 'into') === undefined) return undefined;
  }
  cursor.skip('an', 'the');
  if (cursor.take('underscores', 'underscore', 'underlines') === undefined) return undefined;
  cursor.skip('instead of spaces', 'for spaces', 'in place of spaces');
  cursor.skip('in the names', 'in their names', 'in names', 'in file names', 'in filenames');
  cursor.skip('in the file names', 'in the filenames', 'of files', 'of the files', 'of all files');
  return '{name_underscored}{ext}';
}
