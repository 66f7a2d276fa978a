import { describe, expect, test } from 'vitest';
import { matcherOf } from './matcher.ts';

describe('exact', () => {
  test('is as it stands, capital letters too', () => {
    const matcher = matcherOf({ query: 'a.b*', how: 'exact' });

    expect(matcher.fitsName('xa.b*y')).toBe(true);
    expect(matcher.fitsName('xA.b*y')).toBe(false);
    expect(matcher.fitsName('xaxb*y')).toBe(false);
  });

  test('finds a name however its accents are stored', () => {
    expect(matcherOf({ query: 'é', how: 'exact' }).fitsName('cafe\u0301')).toBe(true);
  });

  test('puts the name that it is before one that has it', () => {
    const files = ['my plan.md', 'plan.md'].map((name) => ({ folders: [], name }));

    const ranked = matcherOf({ query: 'plan', how: 'exact' }).rank(files, { now: 0 });

    expect(ranked.map(({ candidate }) => candidate.name)).toEqual(['plan.md', 'my plan.md']);
  });
});

describe('regex', () => {
  test('fits names', () => {
    const matcher = matcherOf({ query: '^a\\d+', how: 'regex' });

    expect(matcher.fitsName('a12')).toBe(true);
    expect(matcher.fitsName('ba12')).toBe(false);
  });

  test('takes the sign for any case as ripgrep does', () => {
    expect(matcherOf({ query: '(?i)abc', how: 'regex' }).fitsName('xABC')).toBe(true);
  });

  test('that is none is refused', () => {
    expect(() => matcherOf({ query: '(a', how: 'regex' }).fitsName('a')).toThrow(
      expect.objectContaining({ code: 'files.invalid-input' }),
    );
  });
});
