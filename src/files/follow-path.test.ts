import { describe, expect, test } from 'vitest';
import { placesOn, withoutUp, withTarget } from './follow-path.ts';

describe('withTarget()', () => {
  const parts = ['a', 'b', 'link', 'x'];

  test.each([
    ['c', ['a', 'b', 'c', 'x']],
    ['c/d/', ['a', 'b', 'c', 'd', 'x']],
    ['./c//d/.', ['a', 'b', 'c', 'd', 'x']],
    ['../c', ['a', 'c', 'x']],
    ['../..', ['x']],
    ['../../../c', ['c', 'x']],
    ['.././../c', ['c', 'x']],
    ['/', ['x']],
    ['/c/d', ['c', 'd', 'x']],
    ['/../c', ['c', 'x']],
    // What is ahead may be a symlink itself, so that nobody knows yet what is above it.
    ['../c/../d', ['a', 'c', '..', 'd', 'x']],
  ])('puts %j in the place of the symlink', (target, expected) => {
    expect(withTarget(parts, 2, target)).toEqual(expected);
  });

  test('refuses a way that grows beyond what a path may be', () => {
    const attempt = () => withTarget(parts, 2, '/n'.repeat(2048));

    expect(attempt).toThrow(expect.objectContaining({ code: 'file.bad-path' }));
  });
});

test('withoutUp() goes back up by one name that was walked', () => {
  expect(withoutUp(['a', 'c', '..', 'd'], 2)).toEqual(['a', 'd']);
  expect(withoutUp(['..', 'd'], 0)).toEqual(['d']);
});

test('placesOn() tells the end of a way and wherever it turns back up', () => {
  expect([...placesOn(['a', 'b'])]).toEqual([['a', 'b']]);
  expect([...placesOn(['a', 'b', 'c', '..', '..', 'd'])]).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b'],
    ['a', 'd'],
  ]);
});
