import { expect, test } from 'vitest';
import { tokensOf } from './tokens.ts';

const folds = (text: string) => tokensOf(text).map(({ fold }) => fold);
const kinds = (text: string) => tokensOf(text).map(({ kind }) => kind);

test('words are compared without case, accents and punctuation', () => {
  expect(folds('Café, ﬁle (DÉJÀ)!')).toEqual(['cafe', 'file', 'deja']);
});

test('a contraction is two words, and a possessive is its owner', () => {
  expect(folds("don't what's Ahmed’s haven’t")).toEqual([
    ...['do', 'not', 'what', 'is', 'ahmed', 'have', 'not'],
  ]);
});

test('quoted texts keep their spelling, in all kinds of quotes', () => {
  const texts = tokensOf(`"A b" “C d” 'E’s f' „G h“ «I j»`).map(({ text }) => text);

  expect(texts).toEqual(['A b', 'C d', 'E’s f', 'G h', 'I j']);
});

test('a quote that is never closed is no quote', () => {
  expect(kinds('find "report')).toEqual(['word', 'word']);
});

test('names, paths, patterns and numbers are told apart', () => {
  expect(kinds('report.pdf ~/x Documents/Work *.log 1.5 1.5gb 03/04/2025 and/or .py')).toEqual([
    ...['name', 'path', 'path', 'pattern', 'word', 'word', 'word', 'word', 'word'],
  ]);
});
