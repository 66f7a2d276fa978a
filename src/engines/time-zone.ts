/** Time zones by the tables that come with Node. */
import type { Instant, TimeZone, WallTime } from '../kernel/ports.ts';

const dayMs = 86_400_000;

/** The zone of the system where no name is given. A name that is not known is a RangeError. */
export function openTimeZone(name?: string): TimeZone {
  const formatter = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone: name,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const wallTimeAt = (instant: Instant) => readWallTime(formatter, instant);
  return {
    name: formatter.resolvedOptions().timeZone,
    wallTimeAt,
    instantOf: (time) => findInstant(wallTimeAt, time),
  };
}

function readWallTime(formatter: Intl.DateTimeFormat, instant: Instant): WallTime {
  // Before 1970 a part of a second would be rounded the wrong way.
  const parts = formatter.formatToParts(Math.floor(instant / 1000) * 1000);
  const text = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((part) => part.type === type)?.value ?? '';
  const year = Number(text('year'));
  return {
    year: text('era').startsWith('B') ? 1 - year : year,
    month: Number(text('month')),
    day: Number(text('day')),
    hour: Number(text('hour')),
    minute: Number(text('minute')),
    second: Number(text('second')),
  };
}

/** No zone changes twice in two days, so the offsets of a day before and after are all there are. */
function findInstant(wallTimeAt: TimeZone['wallTimeAt'], time: WallTime): Instant {
  const wanted = asUtc(time);
  const offsetAt = (instant: Instant) => asUtc(wallTimeAt(instant)) - instant;
  const moments = [wanted - offsetAt(wanted - dayMs), wanted - offsetAt(wanted + dayMs)];
  const exact = moments.filter((moment) => asUtc(wallTimeAt(moment)) === wanted);
  if (exact.length > 0) return Math.min(...exact);
  return endOfGap((instant) => asUtc(wallTimeAt(instant)) > wanted, moments);
}

/** The first second after the gap, by halves. */
function endOfGap(isAfter: (instant: Instant) => boolean, moments: readonly number[]): Instant {
  let before = Math.min(...moments) - 1000;
  let after = Math.max(...moments) + 1000;
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2000) * 1000;
    if (isAfter(middle)) after = middle;
    else before = middle;
  }
  return after;
}

// Date.UTC takes the years 0 to 99 for those of the last century.
function asUtc({ year, month, day, hour, minute, second }: WallTime): number {
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  return date.setUTCFullYear(date.getUTCFullYear() - 2000 + year);
}
