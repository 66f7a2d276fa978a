import { describe, expect, test } from 'vitest';
import { looksLikeId, metadataOf, recipientsOf, sizeOf, transferIdOf } from './verb.ts';

describe('a size', () => {
  test.each([
    ['500', 500],
    ['64k', 64_000],
    ['5M', 5_000_000],
    ['1.5GB', 1_500_000_000],
    ['10MiB', 10_485_760],
    ['100 MB', 100_000_000],
  ])('%s is %d bytes', (text, bytes) => {
    expect(sizeOf('--max-size', text)).toBe(bytes);
  });

  test.each(['', '0', '-5', '5 apples', '1e9', 'M', '999999999999T'])('%j is none', (text) => {
    expect(() => sizeOf('--max-size', text)).toThrow('--max-size wants a size');
  });
});

describe('metadata', () => {
  test('is an object in JSON', () => {
    expect(metadataOf('{"topic":"AI-safety"}')).toEqual({ topic: 'AI-safety' });
  });

  test.each(['', '[]', 'null', '"text"', '{topic: 1}', '5'])('%j is none', (text) => {
    expect(() => metadataOf(text)).toThrow('wants an object in JSON');
  });
});

test('recipients stand with commas or one by one, each once', () => {
  expect(recipientsOf(['jared, jean', 'jared'])).toEqual(['jared', 'jean']);
  expect(() => recipientsOf([' , '])).toThrow('Nobody is named');
});

test.each(['../x', 'abc', '', '0199/../../x', 'x'.repeat(40)])('%j is no id', (typed) => {
  expect(looksLikeId(typed)).toBe(false);
  expect(() => transferIdOf(typed)).toThrow('is no id of a transfer');
});

test.each(['0199', '0199c1f2-aaaa-7bbb-8ccc-ddddddddeeee'])('%j may be an id', (typed) => {
  expect(transferIdOf(typed)).toBe(typed);
});
