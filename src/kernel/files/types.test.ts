import { describe, expect, test } from 'vitest';
import { mimeTypeOf } from './names.ts';
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
  ['pdf', 'application/pdf', 'a', false],
  ['pdf', 'text/plain', 'a.pdf', true],
  ['jpg', 'image/jpeg', 'a.jpeg', false],
  ['txt', 'text/plain', 'Makefile', false],
  ['application/pdf', 'application/pdf', 'a', true],
  ['application/pdf', 'text/plain', 'a.pdf', false],
  ['text/plain', 'text/plain', 'Makefile', true],
  ['document/*', 'application/pdf', 'a', true],
  ['document/*', 'text/plain', 'a.txt', true],
  ['document/*', 'text/plain', 'id_rsa', false],
  ['document/*', 'image/png', 'a.txt', false],
  ['installer/*', 'application/x-msdownload', 'setup.exe', true],
  ['installer/*', 'application/x-msdownload', 'setup', true],
  ['installer/*', 'application/x-msdownload', 'some.dll', false],
  ['ebook/*', 'application/octet-stream', 'novel.azw3', true],
  ['spreadsheet/*', 'text/csv', 'a.csv', true],
  ['xyz', 'text/plain', 'a.xyz', true],
  ['text/csv', 'text/csv', 'a.csv', true],
])('asked for %s, of a %s called %s: %s', (wanted, type, name, answer) => {
  expect(isOfType(wanted, type, name)).toBe(answer);
});

test('a name says that it may be of a type, or nothing', () => {
  expect(mayBeOfType('application/pdf', 'a.pdf')).toBe(true);
  expect(mayBeOfType('application/pdf', 'a.unheardof')).toBe(true);
  expect(mayBeOfType('application/pdf', 'a')).toBe(true);
  expect(mayBeOfType('application/pdf', 'a.png')).toBe(false);
  expect(mayBeOfType('pdf', 'a')).toBe(false);
});

test('a type has words, also one that nobody listed', () => {
  expect(wordsOfType('application/pdf')).toBe('PDF document');
  expect(wordsOfType('application/x-empty')).toBe('empty file');
  expect(wordsOfType('application/x-odd')).toBe('application/x-odd file');
});
