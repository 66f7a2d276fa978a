import { expect, test } from 'vitest';
import { sizeText } from './transfer.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [2_300_000, '2.3 MB'],
  [999_990, '1.0 MB'],
  [128_000_000, '128.0 MB'],
  [1_073_741_824, '1.1 GB'],
])('%d bytes are %s', (bytes, words) => {
  expect(sizeText(bytes)).toBe(words);
});
