import { expect, test } from 'vitest';
import { Sentence } from './cursor.ts';
import { phrases, phraseTable } from './phrases.ts';
import { tokensOf } from './tokens.ts';

test.each([
  ['a b, c', ['a b', 'c']],
  ['(a|b c) d', ['a d', 'b c d']],
  ['[a|b] c', ['a c', 'b c', 'c']],
  ['a (b [c]|d)', ['a b c', 'a b', 'a d']],
  ['a\nb', ['a', 'b']],
])('%j stands for %j', (text, all) => {
  expect(phrases(text).all.toSorted()).toEqual(all.toSorted());
});

test('of the phrases that fit at a place the longest is taken', () => {
  const cursor = new Sentence(tokensOf('show me a list of files'), undefined).cursor(0);

  const said = cursor.take(phrases('show, show me, show me a list of'));

  expect(said).toBe('show me a list of');
  expect(cursor.word).toBe('files');
});

test('what is used already is no part of a phrase', () => {
  const sentence = new Sentence(tokensOf('show me files'), undefined);
  sentence.use(1);

  expect(sentence.cursor(0).take(phrases('show [me]'))).toBe('show');
});

test('a table has phrases under names, over several lines', () => {
  const table = phraseTable('one: a\ntwo: b, c\n  d [e]');

  expect(table.map(([name, { all }]) => [name, all.toSorted()])).toEqual([
    ['one', ['a']],
    ['two', ['b', 'c', 'd', 'd e']],
  ]);
});
