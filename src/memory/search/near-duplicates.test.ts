import { expect, test } from 'vitest';
import { isNearlySame, sayingOf } from './near-duplicates.ts';

const isSame = (one: string, other: string) => isNearlySame(sayingOf(one), sayingOf(other));
const twenty = Array.from('abcdefghijklmnopqrst', (letter) => `word${letter}`);

test('the same words with other marks, and in other letters, are the same', () => {
  expect(isSame('Jean likes RED cars!', 'jean likes: red cars')).toBe(true);
});

test('the same words in another order say something else', () => {
  expect(isSame('Anna owes Ben ten euros', 'Ben owes Anna ten euros')).toBe(false);
  const [first = '', second = '', ...rest] = twenty;
  expect(isSame([first, second, ...rest].join(' '), [second, first, ...rest].join(' '))).toBe(
    false,
  );
});

test('one word of twenty may be another, and not two', () => {
  const text = twenty.join(' ');

  expect(isSame(text, [...twenty.slice(1), 'other'].join(' '))).toBe(true);
  expect(isSame(text, [...twenty.slice(2), 'other', 'another'].join(' '))).toBe(false);
});

test.each([
  ['21', '22'],
  ['21.5', '21.6'],
  ['5', '-5'],
  ['12:30', '12:31'],
  ['4kg', '5kg'],
  ['v2', 'v3'],
  ['1 of 2', '2 of 1'],
])('%s is not %s, however much else is the same', (one, other) => {
  const text = twenty.join(' ');

  expect(isSame(`${text} ${one}`, `${text} ${other}`)).toBe(false);
  expect(isSame(`${text} ${one}.`, `${text}: ${one}`)).toBe(true);
});

test('a text that is a part of another one says less', () => {
  expect(isSame('red cars', 'red cars are what Jean likes')).toBe(false);
});

test('two texts without words are the same', () => {
  expect(isSame('🙂', '!')).toBe(true);
  expect(isSame('🙂', 'word')).toBe(false);
});
