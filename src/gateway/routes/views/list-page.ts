/** Pages of lists that are short, nearly always: whoever asks for no page gets the largest. */
import { mostLimit, pageLimit } from '../../streams/event-query.ts';

export interface ListQuery {
  readonly limit?: string | undefined;
}

export interface ListPage<T> {
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
