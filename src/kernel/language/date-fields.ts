/** Which date of a file is meant: when it was changed, made or taken. */
import type { Cursor, Sentence } from './cursor.ts';

export type DateField = 'modified' | 'created' | 'taken';

const fields: Readonly<Record<string, DateField>> = {
  taken: 'taken',
  shot: 'taken',
  photographed: 'taken',
  snapped: 'taken',
  created: 'created',
  made: 'created',
  modified: 'modified',
  changed: 'modified',
  edited: 'modified',
  updated: 'modified',
  saved: 'modified',
  downloaded: 'modified',
  touched: 'modified',
  opened: 'modified',
  used: 'modified',
  accessed: 'modified',
  received: 'modified',
  got: 'modified',
  added: 'modified',
  written: 'modified',
  dated: 'modified',
  arrived: 'modified',
  'worked on': 'modified',
  took: 'taken',
  recorded: 'taken',
  filmed: 'taken',
  wrote: 'modified',
  make: 'created',
  create: 'created',
  write: 'modified',
  take: 'taken',
  'working on': 'modified',
  change: 'modified',
  modify: 'modified',
  edit: 'modified',
  touch: 'modified',
  save: 'modified',
  download: 'modified',
  'work on': 'modified',
  'looked at': 'modified',
};

export function fieldsOf(sentence: Sentence): DateField[] {
  const words = sentence.free().filter(({ token }) => token.kind === 'word');
  return (
    words
      // "Make a copy" is what to do; "did I make" is when.
      .filter(({ token, at }) => !isVerbToo(token.fold) || sentence.tokens[at - 1]?.fold === 'i')
      .map(({ token }) => (Object.hasOwn(fields, token.fold) ? fields[token.fold] : undefined))
      .filter((field) => field !== undefined)
  );
}

function isVerbToo(word: string): boolean {
  return ['make', 'take', 'create', 'write'].includes(word);
}

export function takeParticiple(cursor: Cursor): boolean {
  // "In Work on Tuesday" is a folder.
  const before = cursor.sentence.word(cursor.at - 1);
  if (cursor.word === 'work' && ['in', 'from', 'inside', 'under'].includes(before)) return false;
  return cursor.take(...Object.keys(fields)) !== undefined;
}
