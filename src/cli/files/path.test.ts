import { expect, test } from 'vitest';
import { currentFolder, folderOf, typedPath } from './path.ts';

test.each(['~', '~/Downloads', '/etc/hostname', '~/a b/*.pdf'])('%s is left as it is', (typed) => {
  expect(typedPath(typed)).toBe(typed);
});

test.each([
  ['.', ''],
  ['notes.txt', '/notes.txt'],
  ['./notes.txt', '/notes.txt'],
  ['Archive/', '/Archive/'],
  ['a/../b.txt', '/b.txt'],
  ['-rf', '/-rf'],
  ['~draft.txt', '/~draft.txt'],
])('%s is meant from the current folder', (typed, below) => {
  expect(typedPath(typed)).toBe(`${currentFolder()}${below}`);
});

test('what lies beside the current folder is named without dots, so that it can be a pattern', () => {
  expect(typedPath('../*.pdf')).toBe(`${folderOf(currentFolder())}/*.pdf`);
});

test.each([
  ['/a/b', '/a'],
  ['/a', '/'],
])('%s lies in %s', (path, folder) => {
  expect(folderOf(path)).toBe(folder);
});
