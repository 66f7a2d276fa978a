import { expect, test } from 'vitest';
import { Sentence } from '../../kernel/language/cursor.ts';
import { tokensOf } from '../../kernel/language/tokens.ts';
import { takeSizes } from './sizes.ts';

test.each([
  ['bigger than 100 MB', { over: 100_000_000 }],
  ['over half a gigabyte', { over: 500_000_000 }],
  ['larger than a gig', { over: 1_000_000_000 }],
  ['at least 1.5 GiB', { over: 1.5 * 2 ** 30 - 1 }],
  ['>100MB', { over: 100_000_000 }],
  ['more than 1,500 KB', { over: 1_500_000 }],
  ['under two megabytes', { under: 2_000_000 }],
  ['at most 10 bytes', { under: 11 }],
  ['between 1 and 5 MB', { over: 1_000_000, under: 5_000_000 }],
  ['between 500 KB and 2 MB', { over: 500_000, under: 2_000_000 }],
  ['larger than 1 MB and smaller than 2 MB', { over: 1_000_000, under: 2_000_000 }],
  ['20 MB or more', { over: 19_999_999 }],
  ['empty files', { under: 1 }],
  ['exactly 0 bytes', { under: 1 }],
  ['exactly 5 bytes', { over: 4, under: 6 }],
])('%s', (text, sizes) => {
  expect(takeSizes(new Sentence(tokensOf(text), undefined))).toEqual(sizes);
});

test.each(['over a year', 'more than 30 days', '100 MB', 'empty folders', 'empty the trash'])(
  'no size is read in: %s',
  (text) => {
    expect(takeSizes(new Sentence(tokensOf(text), undefined))).toBeUndefined();
  },
);
