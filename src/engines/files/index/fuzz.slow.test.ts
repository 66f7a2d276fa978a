import { expect, test } from 'vitest';
import { keepCompiled } from '../../../../tests/support/keep-compiled.ts';
import { searchWorld } from '../../../../tests/support/search-world.ts';
import { isFull } from '../../../../tests/support/tier.ts';
import { AosError } from '../../../kernel/errors.ts';

const pieces = [
  ...['"', '*', ' OR ', ' NOT ', 'NEAR(', ')', ':', '^', '-', '{name}', "'", ';', '--', '%', '_'],
  ...['a', 'é', '\u0301', 'ß', '発', '\u202e', '\u0903', 'क', '0', '½', '\u{1f600}', 'ahmed'],
];

/** The same in every run. */
function* queries(count: number): Generator<string> {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (seed >> 8) % below;
  };
  for (let round = 0; round < count; round++) {
    yield Array.from({ length: 1 + next(10) }, () =>
      next(3) > 0 ? (pieces[next(pieces.length)] ?? '') : String.fromCharCode(next(0x10000)),
    ).join('');
  }
}

const count = isFull ? 10_000 : 1000;

keepCompiled();

test('queries of any characters are answered by the index or refused in words', async () => {
  await using world = searchWorld();
  world.write('Documents/invoice-ahmed.txt', 'Invoice 7\nFrom: Ahmed\n');
  await world.index();
  const answers = { index: 0, walk: 0, refused: 0 };

  const ask = async (query: string): Promise<void> => {
    try {
      answers[(await world.search({ query })).by]++;
    } catch (failure) {
      expect(failure, JSON.stringify(query)).toBeInstanceOf(AosError);
      expect(failure).toMatchObject({ code: 'files.invalid-input' });
      answers.refused++;
    }
  };
  const all = [...queries(count)];
  while (all.length > 0) await Promise.all(all.splice(0, 500).map(ask));

  expect(answers.walk).toBe(0);
  expect(answers.index + answers.refused).toBe(count);
  expect(answers.index).toBeGreaterThan(count / 2);
});
