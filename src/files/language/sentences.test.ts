import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { fits, isChange } from '../../../tests/sentences/fits.ts';
import { freshSentences } from '../../../tests/sentences/fresh.ts';
import type { Row } from '../../../tests/sentences/rows.ts';
import { sentences } from '../../../tests/sentences/table.ts';
import { sentenceWorld } from '../../../tests/sentences/world.ts';
import { understand } from './understand.ts';

function understood({ sentence, world = sentenceWorld }: Row) {
  return understand(sentence, world);
}

const all = [...sentences, ...freshSentences];

/** To the letter, in everything. */
function isExact(row: Row): boolean {
  const found = understood(row);
  if (found.kind !== 'understood') return fits(found, row.expected);
  return row.expected.some(
    (each) => each.kind === 'understood' && isDeepStrictEqual(found.request, each.request),
  );
}

function isRight(row: Row): boolean {
  return fits(understood(row), row.expected);
}

/** What each of them was taken for, so that a failure can be read. */
function view(rows: readonly Row[]): readonly unknown[] {
  return rows.map(({ world: _, ...row }) => ({ ...row, found: understood(row) }));
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
  expect(wrong.length / all.length, JSON.stringify(view(wrong), undefined, 1)).toBeLessThan(0.05);
});

test('a sentence that asks for a change is understood rightly or asked back, always', () => {
  const risky = all.filter(isRisky);

  const wrong = risky.filter((row) => !isRight(row) && understood(row).kind !== 'asks-back');

  expect(risky.length).toBeGreaterThan(400);
  expect(view(wrong)).toEqual([]);
});

test('a sentence that asks for no change, or not clearly, never leads to one', () => {
  const harmless = all.filter((row) => !isRisky(row));

  const wrong = harmless.filter((row) => {
    const found = understood(row);
    return found.kind === 'understood' && isChange(found.request.action);
  });

  expect(view(wrong)).toEqual([]);
});
