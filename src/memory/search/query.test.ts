import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readQuery, wordsAsked } from './query.ts';

const words = (query: string) => readQuery(query).map((unit) => Object.values(unit).join(' '));

test('a query is its words, without those that every text has', () => {
  expect(words('When did Jean go to the lake?')).toEqual(['word jean', 'word go', 'word lake']);
});

test('a query of nothing but such words is searched as it is', () => {
  expect(words('who is the')).toEqual(['word who', 'word is', 'word the']);
});

test('what stands in quotation marks is a phrase, with all its words', () => {
  expect(words('read "The Lean Startup" soon')).toEqual([
    'phrase the,lean,startup',
    'word read',
    'word soon',
  ]);
});

test('a quotation mark that is never closed is a mark', () => {
  expect(words('watch "eternal sunshine')).toEqual(['word watch', 'word eternal', 'word sunshine']);
});

test('a star behind a word asks for what begins so, and nowhere else', () => {
  expect(words('dan* * lake')).toEqual(['beginning dan', 'word lake']);
  expect(words('*dan d*n')).toEqual(['word dan', 'word d', 'word n']);
});

test('words are folded, and each counts once', () => {
  expect(words('Zürich zurich ZÜRICH')).toEqual(['word zurich']);
});

test('characters of scripts without spaces are words each', () => {
  expect(words('東京')).toEqual(['word 東', 'word 京']);
});

test('a sign that stands for several words is those words, as in the index', () => {
  expect(words('½ 🄀')).toEqual(['word 1', 'word 2', 'word 0']);
});

test.each(['', '   ', '***', '"', '""', '( ) :', '- + ^ ~', '\u0301', '🙂', '—'])(
  'a query without a word is refused: %j',
  (query) => {
    expect(() => readQuery(query)).toThrow(expect.objectContaining({ code: 'memory.bad-query' }));
  },
);

test('of very many words the first thirty-two are looked for', () => {
  const many = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

  expect(readQuery(many)).toHaveLength(32);
});

test('whatever is typed becomes letters and digits only, or is refused', () => {
  const typed = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc
      .array(fc.constantFrom('a', '"', '*', 'AND', 'NEAR(', ')', ':', '^', '{', '-', 'text'))
      .map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(typed, (query) => {
      try {
        for (const word of wordsAsked(readQuery(query))) {
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}\p{Co}]+$/u);
        }
      } catch (failure) {
        expect(failure).toMatchObject({ code: 'memory.bad-query' });
      }
    }),
  );
});
