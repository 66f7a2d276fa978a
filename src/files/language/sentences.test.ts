import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { fits, isChange } from '../../../tests/sentences/fits.ts';
import { freshSentences } from '../../../tests/sentences/fresh.ts';
import type { Row } from '../../../tests/sentences/rows.ts';
import { sentences } from '../../../tests/sentences/table.ts';
import { sentenceWorld } from '../../../tests/sentences/world.ts';
import { understand } from './understand.ts';

const all = [...sentences, ...freshSentences];

/** To the letter, in everything. */
function isExact({ sentence, expected }: Row): boolean {
  const found = understand(sentence, sentenceWorld);
  if (found.kind !== 'understood') return fits(found, expected);
  return expected.some(
    (each) => each.kind === 'understood' && isDeepStrictEqual(found.request, each.request),
  );
}

function isRight({ sentence, expected }: Row): boolean {
  return fits(understand(sentence, sentenceWorld), expected);
}

/** What each of them was taken for, so that a failure can be read. */
function told(rows: readonly Row[]): readonly unknown[] {
  return rows.map((row) => ({ ...row, found: understand(row.sentence, sentenceWorld) }));
}

function isRisky({ expected }: Row): boolean {
  return expected.some((each) => each.kind === 'understood' && isChange(each.request['action']));
}

test('at least 95 of 100 sentences are understood as they are meant', () => {
  const wrong = [
    ...sentences.filter((row) => !isExact(row)),
    ...freshSentences.filter((row) => !isRight(row)),
  ];

  expect(all.length).toBeGreaterThanOrEqual(1000);
  expect(wrong.length / all.length, JSON.stringify(told(wrong), undefined, 1)).toBeLessThan(0.05);
});

test('a sentence that asks for a change is understood rightly or asked back, always', () => {
  const risky = all.filter(isRisky);

  const wrong = risky.filter(
    (row) => !isRight(row) && understand(row.sentence, sentenceWorld).kind !== 'asks-back',
  );

  expect(risky.length).toBeGreaterThan(400);
  expect(told(wrong)).toEqual([]);
});

test('a sentence that asks for no change, or not clearly, never leads to one', () => {
  const harmless = all.filter((row) => !isRisky(row));

  const wrong = harmless.filter(({ sentence }) => {
    const found = understand(sentence, sentenceWorld);
    return found.kind === 'understood' && isChange(found.request.action);
  });

  expect(told(wrong)).toEqual([]);
});
