import { expect, test } from 'vitest';
import { namesTag, partOf } from './send-range.ts';

const etag = '"0a1b"';

test.each(['*', ' * ', '"0a1b"', 'W/"0a1b"', '"other", "0a1b"', 'W/"a,b" ,W/"0a1b",', ', ,"0a1b"'])(
  'who says that it knows %s has it',
  (list) => {
    expect(namesTag(list, etag)).toBe(true);
  },
);

test.each(['', '0a1b', '"0A1B"', '"0a1b', '"x0a1b"', '"*"', '"a,0a1b"', '*, "other"'])(
  'who says that it knows %s does not have it',
  (list) => {
    expect(namesTag(list, etag)).toBe(false);
  },
);

test('a list that is as long as headers may be, and hostile, takes no time', () => {
  expect(namesTag(`${'" , '.repeat(4000)}x`, etag)).toBe(false);
  expect(namesTag(`${' ,\t'.repeat(5000)}x`, etag)).toBe(false);
});

test.each([
  ['bytes=0-', { from: 0, to: 10 }],
  ['bytes=0-0', { from: 0, to: 1 }],
  ['bytes=4-6', { from: 4, to: 7 }],
  ['Bytes=4-6', { from: 4, to: 7 }],
  ['bytes=9-', { from: 9, to: 10 }],
  ['bytes=4-99', { from: 4, to: 10 }],
  ['bytes=-3', { from: 7, to: 10 }],
  ['bytes=-99', { from: 0, to: 10 }],
])('%s of ten bytes is a part', (range, part) => {
  expect(partOf(range, 10)).toEqual(part);
});

test.each(['bytes=10-', 'bytes=10-12', 'bytes=99-', 'bytes=-0'])(
  '%s of ten bytes is nothing',
  (range) => {
    expect(partOf(range, 10)).toBe('nothing');
  },
);

test.each(['bytes=0-', 'bytes=0-0', 'bytes=-1'])('%s of no bytes is nothing', (range) => {
  expect(partOf(range, 0)).toBe('nothing');
});

test.each([
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=6-4',
  'bytes=a-b',
  'bytes=0-1,4-5',
  'bytes=0-1, 4-5',
  'items=0-1',
  'bytes=0-1x',
  'bytes=-1-2',
  `bytes=${'9'.repeat(16)}-`,
])('"%s" is not understood, and as if it were not there', (range) => {
  expect(partOf(range, 10)).toBe('whole');
});
