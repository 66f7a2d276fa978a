import { expect, test } from 'vitest';
import { seededRandom } from '../../tests/sim/random.ts';
import { fileNameOf } from './message/message.ts';
import { isId, madeAt, newId } from './new-id.ts';
import { lastInstant } from './ports.ts';

test('newId() begins with the milliseconds, so that ids sort by age', () => {
  const random = seededRandom(1);
  const moments = [0, 1, 255, 1_706_123_456_789, Date.UTC(9999, 11, 31)];

  const ids = moments.map((now) => newId(now, random));

  expect(ids.every(isId)).toBe(true);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.map(madeAt)).toEqual(moments);
});

test('newId() gives two different ids in one millisecond', () => {
  const random = seededRandom(1);

  expect(newId(5, random)).not.toBe(newId(5, random));
});

test.each([[-1], [-lastInstant], [lastInstant], [1.5]])(
  'newId() is 32 digits when the clock says %d',
  (now) => {
    expect(isId(newId(now, seededRandom(1)))).toBe(true);
  },
);

test.each([[''], ['a'.repeat(31)], ['a'.repeat(33)], ['A'.repeat(32)], [`${'a'.repeat(32)}\n`]])(
  'isId(%j) is false',
  (text) => {
    expect(isId(text)).toBe(false);
  },
);

test('fileNameOf() is the stamp and the last eight digits', () => {
  const id = '018d3e4b5f607a8b9c0d1e2fa1b2c3d4';

  expect(fileNameOf('1706123456789012345', id)).toBe('1706123456789012345-a1b2c3d4.msg');
});
