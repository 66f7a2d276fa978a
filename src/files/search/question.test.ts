import { describe, expect, test } from 'vitest';
import { readQuestion } from './question.ts';

const wordsIn = (query: string) => readQuestion(query).words.map(({ folded }) => folded);

test('a question is of the words that say something', () => {
  expect(wordsIn('the invoice from Ahmed')).toEqual(['invoice', 'ahmed']);
});

test('where there are only small words, those are asked for', () => {
  expect(wordsIn('the who')).toEqual(['the', 'who']);
});

test('a word in two forms is asked for once', () => {
  expect(wordsIn('invoice invoices Invoice')).toEqual(['invoice']);
});

test('what has a meaning in a query language is only words', () => {
  expect(wordsIn('" OR * NEAR(invoice) body:x ^y -z')).toEqual(
    expect.arrayContaining(['near', 'invoice', 'body']),
  );
});

describe('refuses', () => {
  test.each([
    ['nothing', ''],
    ['spaces', ' \t '],
    ['signs alone', '"*^()'],
    ['a zero byte', 'a\0b'],
    ['two lines', 'a\nb'],
    ['half a character', 'a\ud800'],
    ['a very long text', 'a'.repeat(1001)],
  ])('%s', (_what, query) => {
    expect(() => readQuestion(query)).toThrow(
      expect.objectContaining({ code: 'files.invalid-input' }),
    );
  });
});
