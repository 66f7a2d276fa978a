/** One stretch of time, as it is named in a sentence: `last week`, `3 March 2025`, `Q3 2026`. */
import {
  dayPeriod,
  earlier,
  monthPeriod,
  type Period,
  startOfDay,
  type Today,
  unitPeriod,
  weekdayAt,
  weekdayPeriod,
  yearPeriod,
} from './calendar.ts';
import type { Cursor } from './cursor.ts';
import { monthOf, seasonOf, weekdayOf } from './date-names.ts';
import { durationAt, unitAt } from './durations.ts';
import { holiday, holidayNames } from './holidays.ts';
import { dayNumber } from './numbers.ts';

export interface Point extends Period {
  /** Means a time by itself, without `in` or `since` before it. */
  readonly isPlain: boolean;
  /** The other way to read 03/04/2025. */
  readonly isAmbiguous?: boolean;
  /** More days may belong to it: `Easter`. */
  readonly isLoose?: boolean;
}

export function pointAt(cursor: Cursor, today: Today): Point | undefined {
  const rules = [
    namedDay,
    edgeOf,
    halfOfYear,
    thirdOfMonth,
    decade,
    beforeLast,
    weekOfMonth,
    weekOfDay,
    relativeUnit,
    ago,
    isoDate,
    slashedDate,
    quarter,
    season,
    namedHoliday,
    theWeekend,
    dayAndMonth,
    weekday,
    yearAlone,
  ];
  for (const rule of rules) {
    const found = cursor.try((place) => rule(place, today));
    if (found !== undefined) return found;
  }
  return undefined;
}

const plain = (period: Period): Point => ({ ...period, isPlain: true });
const cued = (period: Period): Point => ({ ...period, isPlain: false });

function namedDay(cursor: Cursor, today: Today): Point | undefined {
  const midnight = unitPeriod(today, 'day', 0);
  if (cursor.take('the day before yesterday') !== undefined) {
    return plain(unitPeriod(today, 'day', 2));
  }
  if (cursor.take('yesterday') !== undefined) {
    return partOfDay(cursor, plain(unitPeriod(today, 'day', 1)));
  }
  if (cursor.take('today') !== undefined) return plain(midnight);
  // When a morning ends is not said.
  if (cursor.take('this morning', 'tonight', 'this afternoon', 'this evening') !== undefined) {
    return { ...plain(midnight), isAmbiguous: true };
  }
  if (cursor.take('last night') === undefined) return undefined;
  return plain({ from: midnight.from - 6 * 3_600_000, to: midnight.from + 6 * 3_600_000 });
}

const hours: Readonly<Record<string, readonly [number, number]>> = {
  morning: [0, 12],
  afternoon: [12, 18],
  evening: [18, 24],
};

/** `afternoon`, behind a day; when exactly it ends is not said. */
function partOfDay(cursor: Cursor, day: Point): Point {
  const word = cursor.take(...Object.keys(hours));
  const part = word === undefined ? undefined : hours[word];
  if (part === undefined) return day;
  const [start, end] = part.map((hour) => day.from + hour * 3_600_000);
  return { ...day, from: start ?? day.from, to: end ?? day.to, isAmbiguous: true };
}

/** `the start of the year` is its first moment. */
function edgeOf(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  if (cursor.take('start of', 'beginning of') === undefined) return undefined;
  const whole = pointAt(cursor, today) ?? currentUnit(cursor, today);
  return whole === undefined ? undefined : plain({ from: whole.from, to: whole.to });
}

/** `the first half of 2026`. */
function halfOfYear(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  const which = cursor.take('first half of', 'second half of');
  const year = which === undefined ? undefined : yearAt(cursor);
  if (year === undefined) return undefined;
  return plain(monthPeriod(today, year, which === 'first half of' ? 1 : 7, 6));
}

/** `early October`, `the end of May 2025`: ten days or so. */
function thirdOfMonth(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  const which = cursor.take('early', 'mid', 'middle of', 'late', 'end of');
  if (which === undefined) return undefined;
  cursor.skip('in');
  const month = monthOf(cursor.word) === undefined ? undefined : dayAndMonth(cursor, today);
  if (month === undefined || month.to - month.from < 27 * 86_400_000) return undefined;
  const wall = today.zone.wallTimeAt(month.from);
  const [tenth, twentieth] = [11, 21].map((day) => today.zone.instantOf({ ...wall, day }));
  const isEarly = which === 'early';
  const isLate = which === 'late' || which === 'end of';
  return {
    from: (isEarly ? month.from : isLate ? twentieth : tenth) ?? month.from,
    to: (isEarly ? tenth : isLate ? month.to : twentieth) ?? month.to,
    isPlain: true,
    isAmbiguous: true,
  };
}

/** `the 90s`, `the 2010s`. */
function decade(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  const found = /^'?((?:19|20)?\d0)'?s$/.exec(cursor.word ?? '')?.[1];
  if (found === undefined) return undefined;
  cursor.at++;
  const short = Number(found) < 30 ? 2000 : 1900;
  const year = found.length === 4 ? Number(found) : short + Number(found);
  const from = yearPeriod(today, year).from;
  return { from, to: yearPeriod(today, year + 9).to, isPlain: true, isAmbiguous: true };
}

function currentUnit(cursor: Cursor, today: Today): Period | undefined {
  cursor.skip('the');
  const unit = unitAt(cursor);
  return unit === undefined ? undefined : unitPeriod(today, unit, 0);
}

/** `the week before last`. */
function beforeLast(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  const unit = unitAt(cursor);
  if (unit === undefined || cursor.take('before last') === undefined) return undefined;
  return plain(unitPeriod(today, unit, 2));
}

/** `the first week of November`: its first seven days, though others count from a Monday. */
function weekOfMonth(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  const isLast = cursor.take('last') !== undefined;
  const number = isLast ? undefined : dayNumber(cursor.word);
  if (!isLast && (number === undefined || number > 4)) return undefined;
  if (!isLast) cursor.at++;
  if (cursor.take('week of', 'week in') === undefined) return undefined;
  const month = dayAndMonth(cursor, today) ?? cursor.try((place) => relativeUnit(place, today));
  if (month === undefined) return undefined;
  const next = today.zone.wallTimeAt(month.to);
  const first = today.zone.wallTimeAt(month.from);
  const start = isLast ? { ...next, day: next.day - 7 } : { ...first, day: (number ?? 1) * 7 - 6 };
  const from = today.zone.instantOf(start);
  const to = today.zone.instantOf({ ...start, day: start.day + 7 });
  return { from, to, isPlain: true, isAmbiguous: true };
}

/** `the week of 2 November`: from the Monday before to the Sunday after. */
function weekOfDay(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  if (cursor.take('week of') === undefined) return undefined;
  const day = isoDate(cursor, today) ?? dayAndMonth(cursor, today);
  if (day === undefined || day.to - day.from > 26 * 3_600_000) return undefined;
  return plain(unitPeriod({ ...today, now: day.from }, 'week', 0));
}

function relativeUnit(cursor: Cursor, today: Today): Point | undefined {
  const isThe = cursor.take('the') !== undefined;
  const which = cursor.take('this', 'last', 'past', 'previous', 'current', 'same');
  if (which === undefined) return undefined;
  cursor.skip('calendar');
  const back = which === 'last' || which === 'previous' || which === 'past' ? 1 : 0;
  const day = weekdayOf(cursor.word);
  const month = monthOf(cursor.word);
  if (day !== undefined || month !== undefined) cursor.at++;
  if (day !== undefined) return plain(weekdayPeriod(today, day, { skipToday: back === 1 }));
  if (month !== undefined) return plain(latestMonth(today, month, back));
  if (cursor.take('weekend') !== undefined) return plain(weekend(today, back));
  const named = seasonOf(cursor.word);
  if (named !== undefined) {
    cursor.at++;
    return plain(latestSeason(today, named, back));
  }
  const unit = unitAt(cursor);
  if (unit === undefined) return undefined;
  // "The past week" is seven days, "last week" a Monday to a Sunday.
  if (which === 'past' || (isThe && which === 'last' && unit === 'hour')) {
    return plain({ from: earlier(today, { count: 1, unit }), to: Number.POSITIVE_INFINITY });
  }
  return plain(unitPeriod(today, unit, back));
}

/** `over the weekend`: the one that it is, or else the last. */
function theWeekend(cursor: Cursor, today: Today): Point | undefined {
  return cursor.take('the weekend') === undefined ? undefined : cued(weekend(today, 0));
}

function namedHoliday(cursor: Cursor, today: Today): Point | undefined {
  const isLast = cursor.take('last', 'this') !== undefined;
  const name = cursor.take(...holidayNames);
  if (name === undefined) return undefined;
  cursor.skip('of', 'in');
  const found = holiday(today, name, yearAt(cursor));
  return found && { ...found, isPlain: isLast, isLoose: true };
}

function weekend(today: Today, back: number): Period {
  const { year, month, day } = today.zone.wallTimeAt(today.now);
  const isWeekend = weekdayAt(today) >= 5;
  const saturday = day - weekdayAt(today) + 5 - (back === 0 && isWeekend ? 0 : 7);
  return {
    from: startOfDay(today, year, month, saturday),
    to: startOfDay(today, year, month, saturday + 2),
  };
}

function latestMonth(today: Today, month: number, back: number): Period {
  const now = today.zone.wallTimeAt(today.now);
  const isAhead = month > now.month || (back === 1 && month === now.month);
  return monthPeriod(today, now.year - (isAhead ? 1 : 0), month);
}

/** `two weeks ago` is that day, `two months ago` that month. */
function ago(cursor: Cursor, today: Today): Point | undefined {
  const duration = durationAt(cursor);
  if (duration === undefined || cursor.take('ago', 'back', 'earlier') === undefined) {
    return undefined;
  }
  const { count, unit } = duration;
  if (unit === 'week') return plain(unitPeriod(today, 'day', Math.round(count * 7)));
  return plain(unitPeriod(today, unit, Math.round(count)));
}

function isoDate(cursor: Cursor, today: Today): Point | undefined {
  const found = /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?$/.exec(cursor.word ?? '');
  if (found === null) return undefined;
  const [year, month, day] = found.slice(1).map(Number);
  if (year === undefined || month === undefined || month < 1 || month > 12) return undefined;
  cursor.at++;
  if (found[3] === undefined) return plain(monthPeriod(today, year, month));
  return isDay(year, month, day) ? plain(dayPeriod(today, year, month, day ?? 1)) : undefined;
}

/** A day before a month, unless that cannot be. */
function slashedDate(cursor: Cursor, today: Today): Point | undefined {
  const found = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(cursor.word ?? '');
  if (found === null) return undefined;
  const [first = 0, second = 0, year = 0] = found.slice(1).map(Number);
  const [day, month] = second > 12 ? [second, first] : [first, second];
  if (!isDay(year, month, day)) return undefined;
  cursor.at++;
  const isAmbiguous = first <= 12 && second <= 12 && first !== second;
  return { ...plain(dayPeriod(today, year, month, day)), isAmbiguous };
}

function isDay(year: number, month: number, day: number | undefined): boolean {
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day !== undefined && day >= 1 && day <= lastDay;
}

function quarter(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  const joined = /^q([1-4])$/.exec(cursor.word ?? '')?.[1];
  const number = joined === undefined ? dayNumber(cursor.word) : Number(joined);
  if (number === undefined || number > 4) return undefined;
  cursor.at++;
  if (joined === undefined && cursor.take('quarter') === undefined) return undefined;
  cursor.skip('of');
  const now = today.zone.wallTimeAt(today.now);
  const isAhead = (number - 1) * 3 + 1 > now.month;
  const year = yearAt(cursor) ?? now.year - (isAhead ? 1 : 0);
  return plain(monthPeriod(today, year, (number - 1) * 3 + 1, 3));
}

function season(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  const start = seasonOf(cursor.word);
  if (start === undefined) return undefined;
  cursor.at++;
  cursor.skip('of');
  const year = yearAt(cursor);
  if (year !== undefined) return cued(monthPeriod(today, year, start, 3));
  return cued(latestSeason(today, start, 0));
}

/** `back` passes over one that is not over yet. */
function latestSeason(today: Today, start: number, back: number): Period {
  const { year } = today.zone.wallTimeAt(today.now);
  const begun = [year, year - 1, year - 2].map((each) => monthPeriod(today, each, start, 3));
  const past = begun.filter(({ from, to }) => (back === 1 ? to : from) <= today.now);
  return past[0] ?? monthPeriod(today, year - 2, start, 3);
}

/** `3 March 2025`, `March 3rd`, `the 3rd of March`, `March 2025`, `March`. */
function dayAndMonth(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the');
  const before = dayNumber(cursor.word);
  if (before !== undefined) cursor.at++;
  if (before !== undefined) cursor.skip('of');
  const month = monthOf(cursor.word);
  if (month === undefined) return undefined;
  cursor.at++;
  const day = before ?? cursor.try(dayAfterMonth);
  cursor.skip('of');
  const year = yearAt(cursor);
  if (day === undefined) {
    return cued(
      year === undefined ? latestMonth(today, month, 0) : monthPeriod(today, year, month),
    );
  }
  const past = year ?? latestYearOf(today, month, day);
  return isDay(past, month, day) ? cued(dayPeriod(today, past, month, day)) : undefined;
}

function dayAfterMonth(cursor: Cursor): number | undefined {
  cursor.skip('the');
  const day = dayNumber(cursor.word);
  if (day !== undefined) cursor.at++;
  return day;
}

function latestYearOf(today: Today, month: number, day: number): number {
  const now = today.zone.wallTimeAt(today.now);
  const isAhead = month > now.month || (month === now.month && day > now.day);
  return now.year - (isAhead ? 1 : 0);
}

function weekday(cursor: Cursor, today: Today): Point | undefined {
  const day = weekdayOf(cursor.word);
  if (day === undefined) return undefined;
  cursor.at++;
  return partOfDay(cursor, cued(weekdayPeriod(today, day)));
}

function yearAlone(cursor: Cursor, today: Today): Point | undefined {
  cursor.skip('the year');
  const year = yearAt(cursor);
  return year === undefined ? undefined : cued(yearPeriod(today, year));
}

function yearAt(cursor: Cursor): number | undefined {
  const word = cursor.word ?? '';
  if (!/^(?:19|20)\d\d$/.test(word)) return undefined;
  cursor.at++;
  return Number(word);
}
