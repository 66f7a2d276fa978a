/** `3 days`, `a fortnight`, `two and a half years`. */
import type { Duration, Unit } from './calendar.ts';
import type { Cursor } from './cursor.ts';
import { numberOrOneAt } from './numbers.ts';

export function durationAt(cursor: Cursor): Duration | undefined {
  return cursor.try((place) => {
    const joined = /^(\d{1,4})-?([a-z]{1,8})$/.exec(place.word ?? '');
    const unit = units[joined?.[2] ?? ''];
    if (joined?.[1] !== undefined && unit !== undefined) {
      place.at++;
      return { count: Number(joined[1]), unit };
    }
    const count = numberOrOneAt(place);
    const named = count === undefined ? undefined : durationUnit(place);
    if (count === undefined || named === undefined) return undefined;
    const half = place.take('and a half') === undefined ? 0 : 0.5;
    return { count: (count + half) * named.count, unit: named.unit };
  });
}

function durationUnit(cursor: Cursor): Duration | undefined {
  if (cursor.take('fortnight', 'fortnights') !== undefined) return { count: 2, unit: 'week' };
  if (cursor.take('decade', 'decades') !== undefined) return { count: 10, unit: 'year' };
  const unit = unitAt(cursor);
  return unit === undefined ? undefined : { count: 1, unit };
}

const units: Readonly<Record<string, Unit>> = {
  minute: 'minute',
  min: 'minute',
  hour: 'hour',
  hr: 'hour',
  day: 'day',
  d: 'day',
  week: 'week',
  wk: 'week',
  month: 'month',
  quarter: 'quarter',
  year: 'year',
  yr: 'year',
};

export function unitAt(cursor: Cursor): Unit | undefined {
  const word = cursor.word ?? '';
  const unit = units[word] ?? units[word.replace(/s$/, '')];
  if (unit !== undefined) cursor.at++;
  return unit;
}
