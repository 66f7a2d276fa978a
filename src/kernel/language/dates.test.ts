import { describe, expect, test } from 'vitest';
import { sentenceWorld } from '../../../tests/sentences/world.ts';
import { Sentence } from './cursor.ts';
import { takeDates } from './dates.ts';
import { spanWords } from './span-words.ts';
import { tokensOf } from './tokens.ts';

/** On Sunday, 15 November 2026, at noon. */
function read(text: string): string | undefined {
  const span = takeDates(new Sentence(tokensOf(text), sentenceWorld), sentenceWorld);
  return span && spanWords(span, sentenceWorld);
}

test.each([
  ['this month', 'changed since 1 November 2026'],
  ['last week', 'changed from 2 November 2026 to 8 November 2026'],
  ['the week before last', 'changed from 26 October 2026 to 1 November 2026'],
  ['in the last fortnight', 'changed since 1 November 2026, 12:00'],
  ['the first week of October', 'changed from 1 October 2026 to 7 October 2026'],
  ['untouched for two years', 'changed before 15 November 2024, 12:00'],
  ['recorded in 2025', 'taken in 2025'],
  ['in July 2026', 'changed in July 2026'],
  ['last 3 days', 'changed since 12 November 2026, 12:00'],
  ['the past week', 'changed since 8 November 2026, 12:00'],
  ['older than 30 days', 'changed before 16 October 2026, 13:00'],
  ['older than two years', 'changed before 15 November 2024, 12:00'],
  ['before 2024', 'changed before 1 January 2024'],
  ['after 2024', 'changed since 1 January 2025'],
  ['in 2025', 'changed in 2025'],
  ['from Q3 2026', 'changed from 1 July 2026 to 30 September 2026'],
  ['from Q4', 'changed since 1 October 2026'],
  ['this summer', 'changed from 1 June 2026 to 31 August 2026'],
  ['last winter', 'changed from 1 December 2025 to 28 February 2026'],
  ['since Monday', 'changed since 9 November 2026'],
  ['since Sunday', 'changed since 15 November 2026'],
  ['last Sunday', 'changed on 8 November 2026'],
  ['from March', 'changed in March 2026'],
  ['from December', 'changed in December 2025'],
  ['on 3 March 2025', 'changed on 3 March 2025'],
  ['on March 3rd, 2025', 'changed on 3 March 2025'],
  ['on the 3rd of March', 'changed on 3 March 2026'],
  ['on 24 December', 'changed on 24 December 2025'],
  ['2025-03-01', 'changed on 1 March 2025'],
  ['in 2025-03', 'changed in March 2025'],
  ['between 1 September and 30 September 2026', 'changed in September 2026'],
  ['between 3 and 9 March 2025', 'changed from 3 March 2025 to 9 March 2025'],
  ['from November to January 2026', 'changed from 1 November 2025 to 31 January 2026'],
  ['a week ago', 'changed on 8 November 2026'],
  ['two months ago', 'changed in September 2026'],
  ['more than six months ago', 'changed before 15 May 2026, 12:00'],
  ['no more than 3 months old', 'changed since 15 August 2026, 12:00'],
  ['not opened in a year', 'changed before 15 November 2025, 12:00'],
  ['not changed since March', 'changed before 1 March 2026'],
  ['taken last summer', 'taken from 1 June 2026 to 31 August 2026'],
  ['created yesterday', 'created on 14 November 2026'],
  ['from before Christmas 2025', 'changed before 25 December 2025'],
  ['since Easter', 'changed since 5 April 2026'],
  ['since Easter 2024', 'changed since 31 March 2024'],
  ["on New Year's Eve", 'changed on 31 December 2025'],
  ['on Thanksgiving 2024', 'changed on 28 November 2024'],
  ['over the weekend', 'changed since 14 November 2026'],
  ['in 2024 and in 2025', 'changed from 1 January 2024 to 31 December 2025'],
])('%s: %s', (text, words) => {
  expect(read(text)).toBe(words);
});

describe('no date is read where none is meant:', () => {
  test.each([
    ...[
      'may I see them',
      'sun photos',
      'report May 2026 final',
      'march of the penguins',
      '2025 files',
    ],
    ...['on 31 February 2025', 'on 2025-13-45', 'the 500 days of summer film', 'my second photo'],
  ])('%s', (text) => {
    expect(read(text)).toBeUndefined();
  });
});
