/** Moments as text, and the moments that a person types. */
import { AosError } from '../errors.ts';
import { type Instant, lastInstant } from '../ports.ts';
import { quote } from './quote.ts';

/**
 * A row that was edited by hand may hold any number; the code that shows it must not fail there.
 */
export function timeText(at: Instant): string {
  return Math.abs(at) <= lastInstant ? new Date(at).toISOString() : String(at);
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * A moment as a person writes it: `2h` is two hours ago; `2030-01-31`, or with a time
 * `2030-01-31T12:00:00Z`, is that moment in UTC.
 */
export function parseMoment(text: string, now: Instant): Instant {
  const ago = /^(\d{1,6})([smhdw])$/.exec(text);
  if (ago?.[1] !== undefined) {
    // The pattern leaves only these letters.
    return now - Number(ago[1]) * unitMs[ago[2] as keyof typeof unitMs];
  }
  const date = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(text);
  const moment = date ? Date.parse(text) : Number.NaN;
  // 30 February would be 2 March.
  const isDay =
    !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text.slice(0, 10));
  if (isDay) return moment;
  throw new AosError('usage.bad-value', {
    message: `${quote(text)} is no moment that is understood`,
    fix: 'Write how long ago, as 30m, 2h or 7d, or a date, as 2030-01-31 or 2030-01-31T12:00:00Z',
  });
}
