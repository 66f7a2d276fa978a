import { describe, expect, test } from 'vitest';
import { openTimeZone } from './time-zone.ts';

const berlin = openTimeZone('Europe/Berlin');

function at(
  year: number,
  month: number,
  day: number,
  [hour = 0, minute = 0, second = 0]: number[] = [],
) {
  return { year, month, day, hour, minute, second };
}

test.each([
  ['Europe/Berlin', '2026-07-01T12:00:00Z', at(2026, 7, 1, [14])],
  ['Europe/Berlin', '2026-12-31T23:30:00Z', at(2027, 1, 1, [0, 30])],
  ['Asia/Kathmandu', '2026-01-01T00:00:00Z', at(2026, 1, 1, [5, 45])],
  ['America/St_Johns', '1969-07-20T20:17:40.500Z', at(1969, 7, 20, [17, 47, 40])],
  ['UTC', '0050-03-01T00:00:00Z', at(50, 3, 1)],
  ['UTC', '+012026-03-01T00:00:00Z', at(12026, 3, 1)],
])('in %s the moment %s has its wall time, and that leads back', (name, moment, wall) => {
  const zone = openTimeZone(name);
  const instant = Date.parse(moment);

  expect(zone.wallTimeAt(instant)).toEqual(wall);
  expect(zone.instantOf(wall)).toBe(Math.floor(instant / 1000) * 1000);
});

describe('on a day when the clock changes', () => {
  test('every time in the skipped hour is the moment after it', () => {
    const after = Date.parse('2026-03-29T01:00:00Z');

    expect(berlin.instantOf(at(2026, 3, 29, [2, 0]))).toBe(after);
    expect(berlin.instantOf(at(2026, 3, 29, [2, 59, 59]))).toBe(after);
    expect(berlin.instantOf(at(2026, 3, 29, [3, 0]))).toBe(after);
  });

  test('a time that comes twice is the first of the two', () => {
    expect(berlin.instantOf(at(2026, 10, 25, [2, 30]))).toBe(Date.parse('2026-10-25T00:30:00Z'));
  });

  test('a midnight that is skipped is the beginning of the day', () => {
    const zone = openTimeZone('Africa/Cairo');
    const start = zone.instantOf(at(2024, 4, 26));

    expect(zone.wallTimeAt(start)).toEqual(at(2024, 4, 26, [1]));
    expect(zone.wallTimeAt(start - 1000)).toEqual(at(2024, 4, 25, [23, 59, 59]));
  });
});

test('months and days beyond their range carry over', () => {
  expect(berlin.instantOf(at(2026, 13, 0))).toBe(berlin.instantOf(at(2026, 12, 31)));
  expect(berlin.instantOf(at(2026, 0, 1))).toBe(berlin.instantOf(at(2025, 12, 1)));
});

test('without a name it is the zone of the system', () => {
  expect(openTimeZone().name).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test('a name that nobody knows is refused', () => {
  expect(() => openTimeZone('Mars/Olympus')).toThrow(RangeError);
});
