/** From what was asked for to what is to be searched for. */
import { AosError } from '../kernel/errors.ts';
import type { FoundFile, LookRequest } from '../kernel/files/look.ts';
import type { FileRequest } from '../kernel/files/request.ts';
import type { SearchRequest, SearchResult } from '../kernel/files/search.ts';
import type { FileCaller } from './caller.ts';
import type { FilesDeps } from './deps.ts';

/** Dates make a file likelier and rule none out: people remember them roughly. */
export function searchRequest(
  { clock }: Pick<FilesDeps, 'clock'>,
  { query = '', options = {} }: FileRequest,
  { sort: _, ...look }: LookRequest,
): SearchRequest {
  if (query.trim() === '') throw noQuery();
  const { modifiedAfter: after, modifiedBefore: before, ...filters } = look.filters;
  return {
    ...{ ...look, filters, query, now: clock.now() },
    how: options.regex === true ? 'regex' : options.exact === true ? 'exact' : 'words',
    where: options.search_in ?? 'both',
    ...(options.dry_run === true ? { byWalk: true } : {}),
    ...(after === undefined && before === undefined ? {} : { likelier: { after, before } }),
  };
}

// Of what is only vaguely meant nothing is moved.
const nearness = 0.5;

export interface FoundByWords extends Pick<SearchResult, 'truncated' | 'skipped'> {
  readonly files: readonly FoundFile[];
}

/** For a change: only what fits about as well as the best, and dates do rule out. */
export async function foundByWords(
  deps: FilesDeps,
  caller: FileCaller,
  request: FileRequest,
  look: LookRequest,
): Promise<FoundByWords> {
  const wanted = searchRequest(deps, request, look);
  const strict = { ...wanted, filters: look.filters };
  const { hits, truncated, skipped } = await deps.searching.search(strict, caller.signal);
  const [best] = hits;
  const near = hits.filter(({ score }) => score >= (best?.score ?? 0) * nearness);
  return { files: near.map(({ file }) => file), truncated, skipped };
}

function noQuery(): AosError {
  return new AosError('files.invalid-input', {
    message: 'search_files does not say what to search for',
    fix: 'Say it in query',
  });
}
