import { expect, test } from 'vitest';
import { must } from './must.ts';

test('must() returns what is there, also what counts as false', () => {
  expect([must(0, 'a'), must('', 'b'), must(false, 'c')]).toEqual([0, '', false]);
});

test.each([undefined, null])('must() says what is missing in place of %s', (value) => {
  expect(() => must(value, 'the last line')).toThrow('A bug: the last line is missing');
});
