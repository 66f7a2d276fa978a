import { expect, test } from 'vitest';
import { readQuestion } from './question.ts';
import { bestFit, isOneTypoAway, nameSieve } from './word-match.ts';
import { wordsOf } from './words.ts';

const fitOf = (query: string, name: string) => {
  const [word] = readQuestion(query).words;
  if (word === undefined) throw new Error('no word');
  return bestFit(word, wordsOf(name));
};

test.each([
  ['invoice', 'invoice-7.pdf', 'exact'],
  ['invoices', 'invoice-7.pdf', 'stem'],
  ['invoice', 'Invoices.zip', 'stem'],
  ['photo', 'photography.txt', 'prefix'],
  ['invoice', 'invioce.pdf', 'typo'],
  ['invoice', 'invoce.pdf', 'typo'],
  ['invoice', 'inwoice.pdf', 'typo'],
  ['invoice', 'invooice.pdf', 'typo'],
  ['invoice', 'voice.pdf', undefined],
  ['tax', 'tay.pdf', undefined],
  ['ab', 'abc.txt', undefined],
])('%s fits %s: %s', (query, name, expected) => {
  expect(fitOf(query, name)).toBe(expected);
});

test('one typo is one letter, wherever it is', () => {
  expect(isOneTypoAway('abc', 'abc')).toBe(true);
  expect(isOneTypoAway('abc', 'acb')).toBe(true);
  expect(isOneTypoAway('abc', 'cba')).toBe(false);
  expect(isOneTypoAway('abcd', 'ab')).toBe(false);
});

test('the sieve lets every name through that has a word with one typo', () => {
  const [word, sieve] = ['statement', nameSieve(readQuestion('statement'))];
  for (let at = 0; at < word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const swapped = `${before}${after.slice(0, 1)}${word[at]}${after.slice(1)}`;
    for (const typo of [`${before}${after}`, `${before}x${after}`, `${before}x${word.slice(at)}`]) {
      expect(sieve.test(typo), typo).toBe(true);
    }
    expect(sieve.test(swapped), swapped).toBe(true);
  }
});
