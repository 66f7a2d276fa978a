import { expect, test } from 'vitest';
import { type CountedRoom, mayHaveGrown, roomAt } from './watch-walk.ts';

const last: CountedRoom = {
  room: { bytes: 1000, files: 1000 },
  counted: { bytes: 20, files: 20 },
  most: { bytes: 100, files: 60 },
};

test.each([
  ['a disk that lost little', { bytes: 970, files: 990 }, false],
  ['a disk that has more than before', { bytes: 2000, files: 2000 }, false],
  ['half of what is left of the bytes', { bytes: 960, files: 1000 }, true],
  ['half of what is left of the files', { bytes: 1000, files: 980 }, true],
  ['a disk that does not tell', undefined, true],
])('%s', (_what, now, expected) => {
  expect(mayHaveGrown(last, now)).toBe(expected);
});

test('a folder that holds as much as it may is counted at the least loss', () => {
  const full = { ...last, counted: last.most };

  expect(mayHaveGrown(full, { bytes: 999, files: 1000 })).toBe(true);
  expect(mayHaveGrown(full, { bytes: 1000, files: 1000 })).toBe(false);
});

test('the room of a real disk is told, and of none is not', () => {
  expect(roomAt('/no/such/folder')).toBeUndefined();
  expect(roomAt('/tmp')?.bytes).toBeGreaterThan(0);
});
