import { expect, test } from 'vitest';
import { isNearlySame, wordSetOf } from './near-duplicates.ts';

const isSame = (one: string, other: string) => isNearlySame(wordSetOf(one), wordSetOf(other));
const twenty = Array.from({ length: 20 }, (_, index) => `word${index}`);

test('the same words in another order, with other marks, are the same', () => {
  expect(isSame('Jean likes RED cars!', 'red cars: jean likes')).toBe(true);
});

test('one word of twenty may be another, and not two', () => {
  const text = twenty.join(' ');

  expect(isSame(text, [...twenty.slice(1), 'other'].join(' '))).toBe(true);
  expect(isSame(text, [...twenty.slice(2), 'other', 'another'].join(' '))).toBe(false);
});

test('a text that is a part of another one says less', () => {
  expect(isSame('red cars', 'red cars are what Jean likes')).toBe(false);
});

test('two texts without words are the same', () => {
  expect(isSame('🙂', '!')).toBe(true);
  expect(isSame('🙂', 'word')).toBe(false);
});
