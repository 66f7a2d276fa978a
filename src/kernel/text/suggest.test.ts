import { expect, test } from 'vitest';
import { closest, didYouMean } from './suggest.ts';

const commands = ['doctor', 'config', 'completion'];

test.each([
  ['dcotor', 'doctor'],
  ['docter', 'doctor'],
  ['doctr', 'doctor'],
  ['Doctor', 'doctor'],
  ['confg', 'config'],
  ['completoin', 'completion'],
])('closest() takes "%s" for "%s"', (typed, meant) => {
  expect(closest(typed, commands)).toBe(meant);
});

test.each([[''], ['x'], ['zebra'], ['doctordoctordoctor'], ['d'.repeat(10_000)]])(
  'closest() suggests nothing for "%.12s"',
  (typed) => {
    expect(closest(typed, commands)).toBeUndefined();
  },
);

test('closest() has nothing to suggest when there is nothing to choose from', () => {
  expect(closest('doctor', [])).toBeUndefined();
});

test('didYouMean() is a sentence that can follow another, or nothing', () => {
  expect(didYouMean('dcotor', commands)).toBe(' Did you mean "doctor"?');
  expect(didYouMean('zebra', commands)).toBe('');
});
