/** From what was asked for to what is to be searched for. */
import { AosError } from '../kernel/errors.ts';
import type { FoundFile, LookRequest, SearchRequest, SearchResult } from '../kernel/files/look.ts';
import type { FileRequest } from '../kernel/files/request.ts';
import type { FileCaller } from './caller.ts';
import type { FilesDeps } from './deps.ts';
import { momentOf } from './look-request.ts';

export function searchRequest(
  { clock, zone }: Pick<FilesDeps, 'clock' | 'zone'>,
  { query = '', options = {} }: FileRequest,
  { sort: _, ...look }: LookRequest,
): SearchRequest {
  if (query.trim() === '') throw noQuery();
  const after = momentOf(zone, options.likely_modified_after);
  const before = momentOf(zone, options.likely_modified_before);
  return {
    ...{ ...look, query, now: clock.now() },
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

/** For a change: only what fits about as well as the best. */
export async function foundByWords(
  deps: FilesDeps,
  caller: FileCaller,
  request: FileRequest,
  look: LookRequest,
): Promise<FoundByWords> {
  const wanted = searchRequest(deps, request, look);
  const { hits, truncated, skipped } = await deps.searching.search(wanted, caller.signal);
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
