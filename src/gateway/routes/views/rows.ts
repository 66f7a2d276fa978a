/** Rows by an id or the beginning of one, and pages of them, as a caller may see them. */

import { AosError } from '../../../kernel/errors.ts';
import { must } from '../../../kernel/must.ts';
import { quote } from '../../../kernel/text/quote.ts';
import { mostLimit, pageLimit } from '../../streams/event-query.ts';

export interface Rows<Row> {
  /** In the plural: `grants`. */
  readonly what: string;
  find(id: string): Promise<Row | undefined>;
  idsFrom(start: string, limit: number): Promise<readonly string[]>;
  idOf(row: Row): string;
  /** A caller does not learn of what is not its own, also not that it is there. */
  isVisible(row: Row): boolean;
  unknown(typed: string): AosError;
}

export const fewestDigits = 4;
// Of so many that begin alike the caller's own are looked for.
const mostCandidates = 20;

export async function findRow<Row>(rows: Rows<Row>, typed: string): Promise<Row> {
  const whole = await rows.find(typed);
  if (whole !== undefined) {
    if (rows.isVisible(whole)) return whole;
    throw rows.unknown(typed);
  }
  if (typed.length < fewestDigits) throw rows.unknown(typed);
  const ids = await rows.idsFrom(typed, mostCandidates);
  const found = await Promise.all(ids.map((id) => rows.find(id)));
  const fitting = found.filter((row) => row !== undefined).filter((row) => rows.isVisible(row));
  const [first, second] = fitting;
  if (first === undefined) throw rows.unknown(typed);
  if (second === undefined) return first;
  throw new AosError('id.ambiguous', {
    message: `${quote(typed)} fits several ${rows.what}: ${fitting.slice(0, 8).map(rows.idOf).join(', ')}`,
    fix: 'Type more of it',
  });
}

// Pages of lists that are short, nearly always: a caller that asks for no page gets the largest.

interface ListQuery {
  readonly limit?: string | undefined;
}

interface ListPage<T> {
  items: T[];
  /** Where the next page begins; not there at the end. */
  next?: string;
}

/** How many to ask for: one more than fit shows that there are more. */
export function listLimit({ limit }: ListQuery): number {
  return pageLimit(limit ?? String(mostLimit));
}

/** Of rows of which one more than fit was asked for. */
export function listPage<T>(
  rows: readonly T[],
  limit: number,
  placeOf: (row: T) => string,
): ListPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last !== undefined ? { items, next: placeOf(last) } : { items };
}

/** Of all rows, in the order of their places. */
export function pageBehind<T>(
  all: readonly T[],
  query: ListQuery & { readonly after?: string | undefined },
  placeOf: (row: T) => string,
): ListPage<T> {
  const { after } = query;
  const left = after === undefined ? all : all.filter((row) => placeOf(row) > after);
  return listPage(left, listLimit(query), placeOf);
}

/** Where the next page begins, of rows of which one too many was asked for; null at the end. */
export function nextPlace<Item, Place>(
  items: readonly Item[],
  { hasMore }: { readonly hasMore: boolean },
  placeOf: (item: Item) => Place,
): Place | null {
  return hasMore ? placeOf(must(items.at(-1), 'The last item of a page')) : null;
}
