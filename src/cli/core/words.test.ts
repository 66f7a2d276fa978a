import { expect, test } from 'vitest';
import { bytesWords, counted, durationWords } from './words.ts';

test.each([
  [0, '0 s'],
  [999, '0 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h 0 min'],
  [90_061_000, '1 d 1 h'],
])('durationWords(%d) is "%s"', (durationMs, words) => {
  expect(durationWords(durationMs)).toBe(words);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1536 * 1024, '1.5 MiB'],
  [1024 ** 5, '1024.0 TiB'],
])('bytesWords(%d) is "%s"', (bytes, words) => {
  expect(bytesWords(bytes)).toBe(words);
});

test('counted() adds an s but for one', () => {
  expect([0, 1, 2].map((number) => counted(number, 'event'))).toEqual([
    '0 events',
    '1 event',
    '2 events',
  ]);
});
