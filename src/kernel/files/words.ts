/** Sizes, dates and counts as people read them. */
import type { Instant, TimeZone } from '../ports.ts';
import { quote } from '../text/quote.ts';

const units = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `0 bytes`, `1 byte`, `999 bytes`, `1.5 kB`, `340 MB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let value = bytes / 1000;
  let unit = 0;
  // 999.95 would be written as 1000.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0);
  return `${digits} ${units[unit]}`;
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
];

/** `3 November 2026`. */
export function dayWords(zone: TimeZone, at: Instant): string {
  const { year, month, day } = zone.wallTimeAt(at);
  return `${day} ${months[month - 1]} ${year}`;
}

/** `3 November 2026, 14:05`. */
export function momentWords(zone: TimeZone, at: Instant): string {
  const { hour, minute } = zone.wallTimeAt(at);
  return `${dayWords(zone, at)}, ${two(hour)}:${two(minute)}`;
}

/** `1 file`, `1,204 files`. */
export function countWords(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

export function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** The first of them, quoted, and how many more there are. */
export function someNames(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => quote(name));
  const left = names.length - shown.length;
  return left === 0 ? shown.join(', ') : `${shown.join(', ')} and ${thousands(left)} more`;
}

/** `2026-07-14 09.31.05`: as a name may be. */
export function momentInName(zone: TimeZone, at: Instant): string {
  const { hour, minute, second } = zone.wallTimeAt(at);
  return `${dayInName(zone, at)} ${two(hour)}.${two(minute)}.${two(second)}`;
}

export function dayInName(zone: TimeZone, at: Instant): string {
  const { year, month, day } = zone.wallTimeAt(at);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
