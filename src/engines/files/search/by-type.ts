/**
 * Searches that also ask what kind of file it is by its content, or when a photo was taken.
 * Whoever lists files knows that; so what was found is compared with such a list.
 */
import type {
  FileLooking,
  LookFilters,
  SearchRequest,
  SearchResult,
} from '../../../kernel/files/look.ts';

const mostListed = 50_000;
const mostFound = 2000;

export function asksForContent({ types, takenAfter, takenBefore }: LookFilters): boolean {
  return types !== undefined || takenAfter !== undefined || takenBefore !== undefined;
}

export async function searchByType(
  { looking, search }: { readonly looking: FileLooking; readonly search: Search },
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchResult> {
  const { types: _, takenAfter: __, takenBefore: ___, ...filters } = request.filters;
  const found = await search({ ...request, filters, limit: mostFound }, signal);
  if (found.hits.length === 0) return found;
  const sort = { by: 'name', order: 'asc' } as const;
  const listing = await looking.list({ ...request, sort, limit: mostListed }, signal);
  const fitting = new Map(listing.files.map((file) => [file.path, file]));
  const hits = found.hits.flatMap((hit) => {
    const file = fitting.get(hit.file.path);
    return file === undefined ? [] : { ...hit, file };
  });
  return {
    ...found,
    hits: hits.slice(0, request.limit),
    total: hits.length,
    truncated: found.truncated || listing.truncated || hits.length > request.limit,
  };
}

type Search = (request: SearchRequest, signal: AbortSignal) => Promise<SearchResult>;
