import { expect, test } from 'vitest';
import { isQuestion, searchableOf, speakerOf } from './words.ts';

const searchable = (text: string) => searchableOf({ text, key: 'people/jean', tags: ['Red Cars'] });

test('the key and the tags are what a memory is called', () => {
  expect(searchable('x').label).toBe('people/jean Red Cars');
});

test('what is said more than once is known, but for words that every text has', () => {
  expect(searchable('The lake. A lake is the LAKE, and the boat').again).toBe('lake');
});

test('sentences without spaces are taken apart', () => {
  expect(searchable('東京に行く').text.trim().split(/\s+/)).toEqual(['東', '京', 'に', '行', 'く']);
});

test.each([
  ['Jean: I am here', 'jean'],
  ['Jean-Pierre O’Neill: hello', 'jean-pierre o’neill'],
  ['Zoë : no', 'zoe'],
  ['see http://example.org', undefined],
  ['12:30 is late', undefined],
  ['no name at all', undefined],
])('who speaks in %j', (text, speaker) => {
  expect(speakerOf(text)).toBe(speaker);
});

test.each([
  ['Jean: Where are you?', true],
  ['Where? (a photo of a lake)', true],
  ['"Where?"', true],
  ['Where? I am here.', false],
  ['I am here', false],
  ['', false],
])('whether %j asks', (text, asks) => {
  expect(isQuestion(text)).toBe(asks);
});
