import { expect, test } from 'vitest';
import { AosError } from '../../kernel/errors.ts';
import { matcherOf } from './matcher.ts';

test('10,000 queries of any characters are answered or refused in words', () => {
  const pieces = [
    '"',
    '*',
    ' OR ',
    'NEAR(',
    'a',
    'é',
    '\u0301',
    '(',
    '[',
    '\\',
    '発',
    '\u202e',
    '0',
  ];
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 10_000; round++) {
    const query = Array.from({ length: next(12) }, () =>
      next(2) === 0 ? (pieces[next(pieces.length)] ?? '') : String.fromCharCode(next(0x10000)),
    ).join('');
    for (const how of ['words', 'exact', 'regex'] as const) {
      try {
        const matcher = matcherOf({ query, how });
        matcher.fitsName('invoice 7.pdf');
        'some text'.match(matcher.script());
      } catch (failure) {
        expect(failure, query).toBeInstanceOf(AosError);
      }
    }
  }
});
