import { dateWords, monthNames, type Today } from './calendar.ts';
import type { DateField } from './date-fields.ts';
import type { DateSpan } from './dates.ts';

const fieldWords: Readonly<Record<DateField, string>> = {
  modified: 'changed',
  created: 'created',
  taken: 'taken',
};

/** `changed since 1 November 2026`, `taken in July 2026`. */
export function spanWords(span: DateSpan, today: Today): string {
  return `${fieldWords[span.field]} ${whenWords(span, today)}`;
}

/** `since 1 November 2026`, `in July 2026`. */
export function whenWords(
  { after, before }: Pick<DateSpan, 'after' | 'before'>,
  today: Today,
): string {
  if (after === undefined) return `before ${dateWords(today, before ?? today.now)}`;
  if (before === undefined) return `since ${dateWords(today, after)}`;
  const start = today.zone.wallTimeAt(after);
  const end = today.zone.wallTimeAt(before - 1);
  if (start.day === 1 && start.hour === 0 && end.year === start.year) {
    const next = today.zone.wallTimeAt(before);
    if (next.day === 1 && start.month === 1 && end.month === 12) return `in ${start.year}`;
    if (next.day === 1 && start.month === end.month) {
      return `in ${monthNames[start.month - 1]} ${start.year}`;
    }
  }
  const first = dateWords(today, after);
  const last = dateWords(today, before).includes(',')
    ? dateWords(today, before)
    : `${end.day} ${monthNames[end.month - 1]} ${end.year}`;
  return first === last ? `on ${first}` : `from ${first} to ${last}`;
}
