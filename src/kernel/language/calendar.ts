/** Stretches of time as people name them, in the calendar of a place. */
import type { Instant, TimeZone, WallTime } from '../ports.ts';

/** From its first moment up to, and without, the first one after it. */
export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

export interface Today {
  readonly now: Instant;
  readonly zone: TimeZone;
}

export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export interface Duration {
  readonly count: number;
  readonly unit: Unit;
}

export function startOfDay({ zone }: Today, year: number, month: number, day: number): Instant {
  return zone.instantOf({ year, month, day, hour: 0, minute: 0, second: 0 });
}

export function dayPeriod(today: Today, year: number, month: number, day: number): Period {
  return { from: startOfDay(today, year, month, day), to: startOfDay(today, year, month, day + 1) };
}

export function monthPeriod(today: Today, year: number, month: number, months = 1): Period {
  return {
    from: startOfDay(today, year, month, 1),
    to: startOfDay(today, year, month + months, 1),
  };
}

export function yearPeriod(today: Today, year: number): Period {
  return monthPeriod(today, year, 1, 12);
}

/** So many units before the one that it is now: 0 is this one, 1 the one before. */
export function unitPeriod(today: Today, unit: Unit, back: number): Period {
  const { year, month, day } = today.zone.wallTimeAt(today.now);
  switch (unit) {
    case 'year':
      return yearPeriod(today, year - back);
    case 'quarter':
      return monthPeriod(today, year, month - ((month - 1) % 3) - 3 * back, 3);
    case 'month':
      return monthPeriod(today, year, month - back);
    case 'week': {
      const monday = day - weekdayAt(today) - 7 * back;
      return {
        from: startOfDay(today, year, month, monday),
        to: startOfDay(today, year, month, monday + 7),
      };
    }
    case 'day':
      return dayPeriod(today, year, month, day - back);
    default:
      return { from: earlier(today, { count: back + 1, unit }), to: today.now };
  }
}

/** 0 is Monday. */
export function weekdayAt({ now, zone }: Today): number {
  const { year, month, day } = zone.wallTimeAt(now);
  return (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
}

/** The last such weekday; today counts where nothing else is asked for. */
export function weekdayPeriod(today: Today, weekday: number, { skipToday = false } = {}): Period {
  const back = (weekdayAt(today) - weekday + 7) % 7;
  return unitPeriod(today, 'day', back === 0 && skipToday ? 7 : back);
}

const unitMs: Readonly<Partial<Record<Unit, number>>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const unitMonths: Readonly<Partial<Record<Unit, number>>> = { month: 1, quarter: 3, year: 12 };

/** Hours, days and weeks are so long; months and years are those of the calendar. */
export function earlier({ now, zone }: Today, { count, unit }: Duration): Instant {
  const length = unitMs[unit];
  if (length !== undefined) return now - Math.round(count * length);
  const wall = zone.wallTimeAt(now);
  const month = wall.month - Math.round(count * (unitMonths[unit] ?? 1));
  const lastDay = new Date(Date.UTC(wall.year, month, 0)).getUTCDate();
  const moment: WallTime = { ...wall, month, day: Math.min(wall.day, lastDay) };
  return zone.instantOf(moment);
}

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `1 November 2026`, with the time of day where it is not midnight. */
export function dateWords({ zone }: Today, instant: Instant): string {
  const { year, month, day, hour, minute } = zone.wallTimeAt(instant);
  const date = `${day} ${monthNames[month - 1]} ${year}`;
  if (hour === 0 && minute === 0) return date;
  return `${date}, ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
