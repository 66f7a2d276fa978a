/** Days that have a name: `Christmas 2025`, `New Year's Eve`, `Easter`. */
import { dayPeriod, type Period, type Today } from './calendar.ts';

type DayOfYear = (year: number) => readonly [month: number, day: number];

/** The longer come first: "Christmas Eve" is not "Christmas". */
const holidays: readonly (readonly [string, DayOfYear])[] = [
  ['christmas eve', () => [12, 24]],
  ['christmas day', () => [12, 25]],
  ['boxing day', () => [12, 26]],
  ['christmas', () => [12, 25]],
  ['xmas', () => [12, 25]],
  ['new year eve', () => [12, 31]],
  ['new years eve', () => [12, 31]],
  ['new year day', () => [1, 1]],
  ['new years day', () => [1, 1]],
  ['new year', () => [1, 1]],
  ['new years', () => [1, 1]],
  ['halloween', () => [10, 31]],
  ['valentine day', () => [2, 14]],
  ['valentines day', () => [2, 14]],
  ['thanksgiving', fourthThursdayOfNovember],
  ['easter sunday', easter],
  ['easter', easter],
];

export const holidayNames: readonly string[] = holidays.map(([name]) => name);

/** That of the year, or else the last one there was. */
export function holiday(today: Today, name: string, year: number | undefined): Period | undefined {
  const rule = holidays.find(([each]) => each === name)?.[1];
  if (rule === undefined) return undefined;
  const { year: thisYear } = today.zone.wallTimeAt(today.now);
  const dayIn = (wanted: number) => dayPeriod(today, wanted, ...rule(wanted));
  if (year !== undefined) return dayIn(year);
  const latest = dayIn(thisYear);
  return latest.from <= today.now ? latest : dayIn(thisYear - 1);
}

function fourthThursdayOfNovember(year: number): readonly [number, number] {
  const first = new Date(Date.UTC(year, 10, 1)).getUTCDay();
  return [11, 22 + ((4 - first + 7) % 7)];
}

/** By the rule of Gauss, which holds from 1900 to 2099. */
function easter(year: number): readonly [number, number] {
  const golden = year % 19;
  const moon = (19 * golden + 24) % 30;
  const week = (2 * (year % 4) + 4 * (year % 7) + 6 * moon + 5) % 7;
  const isLate = week === 6 && (moon === 29 || (moon === 28 && golden > 10));
  const march = 22 + moon + week - (isLate ? 7 : 0);
  return march > 31 ? [4, march - 31] : [3, march];
}
