import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { promises } from './promises.ts';
import { faultsIn, withTable } from './table.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reliability.md'), 'utf8');

test('every promise has a guard in npm test, a proof, and a bug that can be planted', () => {
  expect(faultsIn(promises)).toEqual([]);
});

test('there are at least sixty promises, each once', () => {
  expect(promises.length).toBeGreaterThanOrEqual(60);
  expect(new Set(promises.map(({ id }) => id)).size).toBe(promises.length);
});

test('docs/reliability.md has the table as it is: npm run fix writes it', () => {
  expect(withTable(page, promises)).toBe(page);
});

test('a guard that is not there, and a bug that has no place, are found', () => {
  const [one] = promises;
  if (one === undefined) throw new Error('there is no promise');
  const guard = { ...one.guard, title: 'a title that no test has' };
  const bug = { ...one.bug, find: 'what no source says' };

  expect(faultsIn([{ ...one, guard, bug }])).toEqual([
    `${one.id}: ${guard.file} has no "${guard.title}"`,
    `${one.id}: what its bug replaces is 0 times in ${bug.file}`,
  ]);
});
