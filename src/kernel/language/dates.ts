/**
 * When a file was changed, made or taken. A date is one only behind a word that says so (`since`,
 * `in`, `modified`), or where it can be nothing else (`yesterday`, `2025-03-01`): "may I see" and
 * "report May 2026 final" have none. Dates of files lie in the past: "in March" is the last one.
 */
import type { Instant } from '../ports.ts';
import { earlier, type Period, type Today } from './calendar.ts';
import type { Cursor, Sentence } from './cursor.ts';
import { type DateField, fieldsOf, takeParticiple } from './date-fields.ts';
import { monthOf } from './date-names.ts';
import { durationAt, unitAt } from './durations.ts';
import { numberAt } from './numbers.ts';
import { type Point, pointAt } from './points.ts';

export interface DateSpan {
  readonly field: DateField;
  /** `after` includes the moment itself, `before` does not. */
  readonly after?: Instant;
  readonly before?: Instant;
  /** One of its dates can be read in two ways. */
  readonly isAmbiguous: boolean;
}

type Span = Omit<DateSpan, 'field' | 'isAmbiguous'> & { readonly isAmbiguous?: boolean };

/** Everything that the sentence says of time; two limits join to one span. */
export function takeDates(sentence: Sentence, today: Today): DateSpan | undefined {
  const said = fieldsOf(sentence);
  const field = said.find((each) => each !== 'modified') ?? 'modified';
  const spans = sentence.takeAll((cursor) => dated(cursor, today));
  if (spans.length === 0) return undefined;
  const after = spans.map((span) => span.after).filter((each) => each !== undefined);
  const before = spans.map((span) => span.before).filter((each) => each !== undefined);
  // "2024 and 2025" is from the first to the last of them, and not what both have.
  const isUnion = Math.max(...after) >= Math.min(...before);
  const from = isUnion ? Math.min(...after) : Math.max(...after);
  const to = isUnion ? Math.max(...before) : Math.min(...before);
  return {
    field,
    // "Taken before 2020 and changed before 2021" are two dates of two kinds.
    isAmbiguous:
      isUnion ||
      (spans.length > 1 && new Set(said).size > 1) ||
      spans.some((span) => span.isAmbiguous === true),
    ...(after.length > 0 ? { after: from } : {}),
    // What has not come yet needs no limit.
    ...(before.length > 0 && to <= today.now ? { before: to } : {}),
  };
}

const linking = ['that', 'which', 'i', 'we', 'have', 'has', 'had', 'was', 'were', 'are', 'is'];

function dated(cursor: Cursor, today: Today): Span | undefined {
  return cursor.try((place) => negated(place, today)) ?? stated(cursor, today);
}

/** `not opened in a year`, `haven't touched since March`. */
function negated(cursor: Cursor, today: Today): Span | undefined {
  cursor.skip(...linking, 'been');
  if (cursor.take('untouched', 'unused', 'unchanged', 'unmodified', 'unopened') === undefined) {
    if (cursor.take('not', 'never') === undefined) return undefined;
    cursor.skip('been', 'i', 'we', 'you');
    if (!takeParticiple(cursor)) return undefined;
  }
  const isIn = cursor.word === 'in' || cursor.word === 'on';
  cursor.skip('at all', 'in the', 'for', 'within the', 'since', 'in', 'over', 'more than', 'the');
  const counted = cursor.try((place) => rollingSpan(place, today));
  if (counted?.after !== undefined) return { before: counted.after };
  const duration = durationAt(cursor);
  if (duration !== undefined) return { before: earlier(today, duration) };
  const point = pointAt(cursor, today);
  if (point === undefined) return undefined;
  // "Not taken in 2024" is before it, or after.
  return { before: point.from, ...(isIn && point.to <= today.now ? { isAmbiguous: true } : {}) };
}

function stated(cursor: Cursor, today: Today): Span | undefined {
  const isCued = cursor.try((place) => {
    place.skip(...linking, 'been', 'last');
    return takeParticiple(place) ? true : undefined;
  });
  cursor.skip('earlier', 'sometime', 'some time', 'only', 'at any time');
  const span =
    cursor.try((place) => ageSpan(place, today)) ??
    cursor.try((place) => lyingSpan(place, today)) ??
    cursor.try((place) => rollingSpan(place, today)) ??
    cursor.try((place) => rangeSpan(place, today)) ??
    cursor.try((place) => relatedSpan(place, today));
  if (span !== undefined) return span;
  const point = pointAt(cursor, today);
  return point !== undefined && (point.isPlain || isCued === true) ? whole(point) : undefined;
}

const newerWords = [
  'newer than',
  'younger than',
  'more recent than',
  'later than',
  'no older than',
  'not older than',
  'no more than',
  'not more than',
  'at most',
];

/** `older than 30 days`, `more than a year old`, `less than a week ago`, `newer than March`. */
function ageSpan(cursor: Cursor, today: Today): Span | undefined {
  cursor.skip('that', 'which', 'are', 'is', 'were', 'was', 'from');
  const older = cursor.take('older than', 'earlier than');
  const newer = older ?? cursor.take(...newerWords);
  const word =
    newer ?? cursor.take('more than', 'over', 'at least', 'less than', 'under', 'within');
  const duration = durationAt(cursor);
  if (duration !== undefined) {
    cursor.skip('or so');
    const tail = cursor.take(
      'old or older',
      'old or more',
      'or older',
      'or more',
      'old',
      'ago',
      'of age',
    );
    if (older === undefined && newer === undefined && tail === undefined) return undefined;
    if (word === undefined && (tail === 'old' || tail === 'ago')) return undefined;
    const isNew =
      (newer !== undefined && older === undefined) || word === 'less than' || word === 'under';
    const moment = earlier(today, duration);
    return isNew || word === 'within' ? { after: moment } : { before: moment };
  }
  if (newer === undefined) return undefined;
  const point = pointAt(cursor, today);
  if (point === undefined) return undefined;
  return marked(point, older === undefined ? { after: point.to } : { before: point.from });
}

/** `lying there for over 3 months`: since before. */
function lyingSpan(cursor: Cursor, today: Today): Span | undefined {
  if (cursor.take('for') === undefined) return undefined;
  if (cursor.take('over', 'more than', 'longer than', 'at least') === undefined) return undefined;
  const duration = durationAt(cursor);
  return duration === undefined ? undefined : { before: earlier(today, duration) };
}

/** `in the last 3 days`, `the past two weeks`: so long until now. */
function rollingSpan(cursor: Cursor, today: Today): Span | undefined {
  cursor.skip('in', 'within', 'during', 'over', 'from', 'the', 'for', 'these');
  if (cursor.take('last', 'past', 'previous') === undefined) return undefined;
  if (cursor.take('fortnight') !== undefined) {
    return { after: earlier(today, { count: 2, unit: 'week' }) };
  }
  const count = cursor.take('few') === undefined ? numberAt(cursor) : 3;
  const unit = count === undefined ? undefined : unitAt(cursor);
  if (count === undefined || unit === undefined) return undefined;
  return { after: earlier(today, { count, unit }) };
}

/** `between 1 September and 30 September 2026`, `from Monday to Friday`. */
function rangeSpan(cursor: Cursor, today: Today): Span | undefined {
  const cue = cursor.take('between', 'from');
  if (cue === undefined) return undefined;
  const ages = cue === 'between' ? cursor.try((place) => agesSpan(place, today)) : undefined;
  if (ages !== undefined) return ages;
  const start = cursor.at;
  const first = pointAt(cursor, today) ?? dayBeforeMonth(cursor, today);
  if (first === undefined) return undefined;
  const joint = cursor.take('and', 'to', 'until', 'till', 'through');
  if (joint === undefined) return undefined;
  const second = pointAt(cursor, today);
  if (second === undefined) return undefined;
  const from = withYearOf(cursor, { start, first, second, today });
  // "From 2022 and 2024" are two years, and what lies between them is neither.
  const isApart = cue === 'from' && joint === 'and' && first.to < second.from;
  const isUnclear =
    isApart || isBackwards(cursor, { start, from, isLater: first.from > second.from, second });
  const span = { after: from, before: second.to, ...(isUnclear ? { isAmbiguous: true } : {}) };
  return marked(second, span);
}

const halfYear = 184 * 86_400_000;

/**
 * `From today and yesterday`: the later one came first. Only of two months (`from November to
 * February`) it is a span over New Year, where that is not nearly the whole year.
 */
function isBackwards(
  { sentence, at }: Cursor,
  span: {
    readonly start: number;
    readonly from: Instant;
    readonly isLater: boolean;
    readonly second: Period;
  },
): boolean {
  if (span.second.to <= span.from) return true;
  if (!span.isLater) return false;
  const said = sentence.tokens.slice(span.start, at);
  const months = said.filter((token) => monthOf(token.fold) !== undefined);
  return months.length < 2 || span.second.to - span.from > halfYear;
}

/** `between two and four weeks old`, `between 3 months and a year ago`. */
function agesSpan(cursor: Cursor, today: Today): Span | undefined {
  const whole = durationAt(cursor);
  const count = whole?.count ?? numberAt(cursor);
  if (count === undefined || cursor.take('and', 'to') === undefined) return undefined;
  const longer = durationAt(cursor);
  if (longer === undefined || cursor.take('old', 'ago') === undefined) return undefined;
  const shorter = whole ?? { count, unit: longer.unit };
  return { after: earlier(today, longer), before: earlier(today, shorter) };
}

/** The first of two dates without a year has the year of the second. */
function withYearOf(
  { sentence }: Cursor,
  given: {
    readonly start: number;
    readonly first: Period;
    readonly second: Period;
    readonly today: Today;
  },
): Instant {
  const { first, second, today } = given;
  const words = sentence.tokens.slice(given.start, given.start + 4).map((token) => token.fold);
  const until = words.findIndex((word) => ['and', 'to', 'until', 'till', 'through'].includes(word));
  const hasYear = words.slice(0, until).some((word) => /\d{4}/.test(word));
  if (hasYear) return first.from;
  const { zone } = today;
  const wall = zone.wallTimeAt(first.from);
  const { year } = zone.wallTimeAt(second.from);
  const same = zone.instantOf({ ...wall, year });
  return same <= second.from ? same : zone.instantOf({ ...wall, year: year - 1 });
}

/** `between 3 and 9 March 2025`: the month comes later. */
function dayBeforeMonth(cursor: Cursor, today: Today): Point | undefined {
  const day = /^\d{1,2}$/.test(cursor.word ?? '') ? Number(cursor.word) : 0;
  if (day < 1 || day > 31) return undefined;
  const ahead = cursor.sentence.cursor(cursor.at + 2);
  // "From 2 to 5 days ago" has no month.
  const [, name] = cursor.sentence.tokens.slice(ahead.at);
  const month = monthOf(name?.fold) === undefined ? undefined : pointAt(ahead, today);
  if (month === undefined) return undefined;
  const wall = today.zone.wallTimeAt(month.from);
  cursor.at++;
  const from = today.zone.instantOf({ ...wall, day });
  return { from, to: from, isPlain: true };
}

function relatedSpan(cursor: Cursor, today: Today): Span | undefined {
  const word = cursor.take(
    'prior to',
    'up to',
    'earlier than',
    'before',
    'until',
    'till',
    'later than',
    'starting from',
    'starting in',
    'as of',
    'after',
    'since',
    'on or after',
    'during',
    'in',
    'on',
    'from before',
    'from after',
    'from',
    'of',
    'around',
    'back in',
    'over',
    'at',
    'throughout',
  );
  if (word === undefined) return undefined;
  if (word === 'from' && cursor.take('before') !== undefined) return beforeSpan(cursor, today);
  if (['prior to', 'earlier than', 'before', 'from before'].includes(word)) {
    return beforeSpan(cursor, today);
  }
  const start = cursor.at;
  const point = pointAt(cursor, today);
  if (point === undefined) return undefined;
  // "Photos of May" may be of a person; "of May 2025" is not.
  const said = cursor.sentence.tokens.slice(start, cursor.at);
  if (word === 'of' && !said.some(({ fold }) => /\d{4}/.test(fold))) return undefined;
  const isOpen = cursor.take('onwards', 'onward', 'on', 'and later', 'or later') !== undefined;
  if (['up to', 'until', 'till'].includes(word)) return marked(point, { before: point.to });
  if (['since', 'on or after', 'starting from', 'starting in', 'as of'].includes(word) || isOpen) {
    return marked(point, { after: point.from });
  }
  if (['after', 'later than', 'from after'].includes(word))
    return marked(point, { after: point.to });
  return whole(point);
}

function beforeSpan(cursor: Cursor, today: Today): Span | undefined {
  const point = pointAt(cursor, today);
  return point === undefined ? undefined : marked(point, { before: point.from });
}

function whole(point: Point): Span {
  const isOpen = point.to === Number.POSITIVE_INFINITY;
  const isAmbiguous = point.isAmbiguous === true || point.isLoose === true;
  return marked(
    { ...point, isAmbiguous },
    { after: point.from, ...(isOpen ? {} : { before: point.to }) },
  );
}

function marked(point: Point, span: Span): Span {
  return point.isAmbiguous === true ? { ...span, isAmbiguous: true } : span;
}
