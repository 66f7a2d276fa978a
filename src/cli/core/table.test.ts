import { expect, test } from 'vitest';
import { table } from './words.ts';

test('table() makes every column as wide as its widest cell', () => {
  const text = table([
    ['a', 'long cell', 'x'],
    ['long', 'b', 'y'],
  ]);

  expect(text).toBe('a     long cell  x\nlong  b          y');
});

test('table() leaves no blanks at the end of a line', () => {
  const text = table([
    ['a', 'a long last cell'],
    ['b', 'c'],
  ]);

  expect(text).not.toMatch(/ $/m);
});

test('table() takes rows of different lengths', () => {
  const text = table([['name', 'value', 'origin'], ['a long name', 'v'], ['n']]);

  expect(text).toBe('name         value  origin\na long name  v\nn');
});

test('table() of no rows is an empty text', () => {
  expect(table([])).toBe('');
});

test('table() lets a very long cell stand out, and the others line up without it', () => {
  const long = 'x'.repeat(100);

  const text = table([
    ['a', long, 'y'],
    ['b', 'short', 'z'],
  ]);

  expect(text).toBe(`a  ${long}  y\nb  short  z`);
});
