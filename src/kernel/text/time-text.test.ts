import { expect, test } from 'vitest';
import { parseMoment } from './time-text.ts';

const now = Date.UTC(2030, 0, 31, 12);

test.each([
  ['30s', now - 30_000],
  ['5m', now - 300_000],
  ['2h', now - 7_200_000],
  ['7d', now - 604_800_000],
  ['1w', now - 604_800_000],
  ['2030-01-01', Date.UTC(2030, 0, 1)],
  ['2030-01-01T10:30Z', Date.UTC(2030, 0, 1, 10, 30)],
  ['2030-01-01T10:30:15.250Z', Date.UTC(2030, 0, 1, 10, 30, 15, 250)],
])('parseMoment(%s) is that moment', (text, moment) => {
  expect(parseMoment(text, now)).toBe(moment);
});

test.each([
  '',
  'yesterday',
  '2',
  '-2h',
  '2030-13-01',
  '2030-02-30',
  '2030-02-30T10:30Z',
  '2030-01-01 10:30',
  '1e3h',
  '2h\n',
])('parseMoment(%j) is refused', (text) => {
  expect(() => parseMoment(text, now)).toThrow(
    expect.objectContaining({ code: 'usage.bad-value' }),
  );
});
