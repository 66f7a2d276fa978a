/** Lists that are short, nearly always: fetched as one, a page at a time behind the scenes. */
import type { CallOptions } from './transport.ts';

interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

interface PagesDeps {
  get<T>(path: string, query?: object, options?: CallOptions): Promise<T>;
}

export interface PagedList {
  readonly path: string;
  /** What takes the place where the last page ended. */
  readonly cursor: 'after' | 'before';
  readonly query?: object;
}

export async function allPages<T>(
  { get }: PagesDeps,
  { path, cursor, query = {} }: PagedList,
  options?: CallOptions,
): Promise<{ items: T[] }> {
  const items: T[] = [];
  for (let place: string | undefined; ; ) {
    const page: Page<T> = await get(path, { ...query, [cursor]: place }, options);
    items.push(...page.items);
    if (page.next === undefined) return { items };
    place = page.next;
  }
}
