import { describe, expect, test } from 'vitest';
import { mimeTypeOf } from './mime-type.ts';
import { exactType, extensionOf, fileTypes, isOfType, mayBeOfType, wordsOfType } from './types.ts';

test('each extension stands for one type', () => {
  const extensions = fileTypes.flatMap((each) => each.extensions);

  expect(extensions.filter((each, index) => extensions.indexOf(each) !== index)).toEqual([]);
});

test('every type that is guessed elsewhere by its name is the same here', () => {
  const known = fileTypes.flatMap(({ type, extensions }) =>
    extensions.map((each) => ({ each, type, elsewhere: mimeTypeOf(`a.${each}`) ?? type })),
  );

  // A tar in gzip has a name of its own here.
  const differs = known.filter(({ each, type, elsewhere }) => type !== elsewhere && each !== 'tgz');
  expect(differs).toEqual([]);
});

test.each([
  ['a.PDF', 'pdf'],
  ['.bashrc', ''],
  ['a', ''],
  ['a.tar.gz', 'gz'],
  ['a.', ''],
])('the extension of %j is %j', (name, extension) => {
  expect(extensionOf(name)).toBe(extension);
});

describe('the name makes more exact what the content says', () => {
  test.each([
    ['application/zip', 'a.docx', /wordprocessingml/],
    ['application/x-cfb', 'a.xls', /ms-excel/],
    ['text/plain', 'a.csv', /^text\/csv$/],
    ['application/xml', 'a.svg', /svg/],
    ['application/octet-stream', 'a.djvu', /djvu/],
    ['application/x-sqlite3', 'a.db', /^application\/vnd.sqlite3$/],
  ])('%s in %s', (content, name, exact) => {
    expect(exactType(content, name)).toMatch(exact);
  });

  test.each([
    ['image/png', 'a.txt'],
    ['text/plain', 'a.pdf'],
    ['application/pdf', 'a.zip'],
    ['text/plain', 'a.docx'],
    ['application/octet-stream', 'a.csv'],
  ])('but never %s in %s', (content, name) => {
    expect(exactType(content, name)).toBe(content);
  });
});

test.each([
  ['image/*', 'image/png', 'a.txt', true],
  ['pdf', 'application/pdf', 'a', true],
  ['pdf', 'text/plain', 'a.pdf', false],
  ['jpg', 'image/jpeg', 'a.jpeg', true],
  ['xyz', 'text/plain', 'a.xyz', true],
  ['text/csv', 'text/csv', 'a.csv', true],
])('asked for %s, of a %s called %s: %s', (wanted, type, name, answer) => {
  expect(isOfType(wanted, type, name)).toBe(answer);
});

test('a name says that it may be of a type, or nothing', () => {
  expect(mayBeOfType('pdf', 'a.pdf')).toBe(true);
  expect(mayBeOfType('pdf', 'a.unheardof')).toBe(true);
  expect(mayBeOfType('pdf', 'a')).toBe(true);
  expect(mayBeOfType('pdf', 'a.png')).toBe(false);
});

test('a type has words, also one that nobody listed', () => {
  expect(wordsOfType('application/pdf')).toBe('PDF document');
  expect(wordsOfType('application/x-empty')).toBe('empty file');
  expect(wordsOfType('application/x-odd')).toBe('application/x-odd file');
});
