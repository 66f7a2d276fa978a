import { expect, test } from 'vitest';
import { findById } from './suggest.ts';

const ids = ['a1b2', 'a1c3', 'a1', 'zz'];

test('findById() finds the one id that begins so', () => {
  expect(findById('agent', 'z', ids)).toBe('zz');
  expect(findById('agent', 'a1b', ids)).toBe('a1b2');
});

test('findById() takes a whole id even when others begin with it', () => {
  expect(findById('agent', 'a1', ids)).toBe('a1');
});

test('findById() refuses what fits several, and names them', () => {
  expect(() => findById('agent', 'a', ids)).toThrow(
    expect.objectContaining({
      code: 'id.ambiguous',
      message: '"a" fits 3 agents: a1b2, a1c3, a1',
    }),
  );
});

test('findById() refuses what fits nothing, and suggests what was meant', () => {
  expect(() => findById('check', 'dsik', ['disk', 'clock'])).toThrow(
    expect.objectContaining({
      code: 'id.unknown',
      message: 'There is no check "dsik". Did you mean "disk"?',
    }),
  );
});

test('findById() takes nothing typed for nothing, even when there is only one', () => {
  expect(() => findById('agent', '', ['only'])).toThrow(
    expect.objectContaining({ code: 'id.unknown' }),
  );
});

test('findById() names at most eight of many', () => {
  const many = Array.from({ length: 1000 }, (_, index) => `x${index}`);

  expect(() => findById('agent', 'x', many)).toThrow(/and 992 more$/);
});

test('findById() quotes what was typed, so that it cannot forge the sentence', () => {
  expect(() => findById('agent', 'a"\n\u001b[2J', ids)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('\n') }),
  );
});
