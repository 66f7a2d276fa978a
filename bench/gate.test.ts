import { expect, test } from 'vitest';
import { judge } from './gate.ts';

const kept = { 'cli.status': 2 };

test.each([
  ['as much as before', 2, 'as-before'],
  ['a little more', 2.29, 'as-before'],
  ['more than 15 % more', 2.31, 'slower'],
  ['much less', 1.7, 'faster'],
  ['nothing that could be measured', Number.NaN, 'slower'],
])('%s is judged so', (_what, ratio, kind) => {
  expect(judge('cli.status', ratio, kept)).toEqual({ kind, kept: 2 });
});

test('a row of which nothing is kept does not pass', () => {
  expect(judge('cli.new', 1, kept)).toEqual({ kind: 'not-kept' });
});
