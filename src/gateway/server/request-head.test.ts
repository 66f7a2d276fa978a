import { expect, test } from 'vitest';
import { RequestIds } from './request-head.ts';

test.each(['a', 'A.b_c-9', 'x'.repeat(100)])('a request may be called "%s"', (id) => {
  expect(new RequestIds().of({ 'x-request-id': id })).toBe(id);
});

test.each(['', 'a b', 'a,b', 'a/b', 'é', '"a"', 'x'.repeat(101)])(
  'a request that calls itself "%s" gets a number',
  (id) => {
    expect(new RequestIds().of({ 'x-request-id': id })).toBe('req-1');
  },
);

test('no two get the same number', () => {
  const ids = new RequestIds();

  const given = new Set(Array.from({ length: 1000 }, () => ids.of({})));

  expect(given.size).toBe(1000);
});
