/** What days, months and seasons are called. */
import { monthNames } from './calendar.ts';

/** The month in which it begins, as in the north. */
const seasonStarts: Readonly<Record<string, number>> = {
  spring: 3,
  summer: 6,
  autumn: 9,
  fall: 9,
  winter: 12,
};

export function seasonOf(word: string | undefined): number | undefined {
  return Object.hasOwn(seasonStarts, word ?? '') ? seasonStarts[word ?? ''] : undefined;
}

const weekdays = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
const shortWeekdays = 'mon tue tues wed thu thur thurs fri sat'.split(' ');

export function weekdayOf(word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  const isShort = shortWeekdays.includes(word);
  const index = weekdays.findIndex((name) => name === word || (isShort && name.startsWith(word)));
  return index === -1 ? undefined : index;
}

export function monthOf(word: string | undefined): number | undefined {
  if (word === undefined || word.length < 3) return undefined;
  const folded = monthNames.map((name) => name.toLowerCase());
  const index = folded.findIndex(
    (name) =>
      name === word || (word.length === 3 && name.startsWith(word)) || word === name.slice(0, 4),
  );
  return index === -1 ? undefined : index + 1;
}
