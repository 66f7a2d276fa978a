import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { promises } from './promises.ts';
import { callsOf, faultsIn, withTable } from './table.ts';

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

test('a guard that only the full tier has is none', () => {
  const [one] = promises;
  if (one === undefined) throw new Error('there is no promise');
  const file = 'tests/e2e/operation-limits.test.ts';
  const guard = { file, title: 'are made one after another, and one more of the same name' };

  expect(faultsIn([{ ...one, guard }])).toEqual([`${one.id}: its guard is not in npm test`]);
});

test.each([
  ["  test('a title', async () => {", ['test(']],
  ["deep('a title', () => {", ['deep(']],
  ["test.each([1, 2])('a title', () => {", ['test.each([1, 2])(']],
  ["describe.runIf(isHere)('a title', () => {", ['describe.runIf(isHere)(']],
  ["long(\n  'a title',", ['long(\n  ']],
  ["// test('a title', async () => {", []],
  ["/** As test('a title') has it. */", []],
  ["test('another', () => {\n  expect(words).toBe('a title');", []],
  ["test('a title that goes on', () => {", []],
  ["expect(said('a title')).toBe(true);", []],
])('the calls in %j that a title is the first argument of are %j', (text, calls) => {
  expect(callsOf(text, 'a title')).toEqual(calls);
});
