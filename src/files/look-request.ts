/** From what was asked for to what is to be looked for. */
import { AosError } from '../kernel/errors.ts';
import type {
  LookFilters,
  LookRequest,
  SearchRequest,
  SearchResult,
  SeenFile,
} from '../kernel/files/look.ts';
import type { FileRequest, SortKey } from '../kernel/files/request.ts';
import { typeOfExtension } from '../kernel/files/types.ts';
import type { Instant, TimeZone } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import type { FilePower } from '../security/reach.ts';
import type { FileCaller, FilesDeps } from './deps.ts';
import type { FolderPlace } from './place.ts';

export interface LookScope {
  readonly folder: FolderPlace;
  readonly glob: readonly string[];
  readonly power: FilePower;
  readonly kind: LookFilters['kind'];
  readonly limit: number;
  /** Where the request says nothing. */
  readonly recursive?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  /** For a change: a pattern of several parts reaches as deep as it says, and no deeper. */
  readonly isChange?: boolean | undefined;
}

export async function lookRequest(
  deps: Pick<FilesDeps, 'zone' | 'trash' | 'home'>,
  caller: FileCaller,
  request: FileRequest,
  scope: LookScope,
): Promise<LookRequest> {
  const { options = {} } = request;
  const { folder, glob } = scope;
  return {
    base: { held: folder.held.path, path: folder.path },
    reach: await caller.reach(scope.power),
    recursive:
      (glob.length > 1 && scope.isChange !== true) ||
      glob.includes('**') ||
      (options.recursive ?? scope.recursive ?? false),
    hidden: options.hidden ?? scope.hidden ?? false,
    filters: {
      ...exceptTypes(scope, request),
      ...filtersOf(deps.zone, request),
      kind: scope.kind,
      ...(glob.length === 0 ? {} : { glob }),
    },
    sort: { by: sortKey(options.sort), order: options.order ?? usualOrder(options.sort) },
    limit: scope.limit,
    // What was thrown away is not searched, unless the search is there.
    passOver: folder.path.startsWith(deps.trash) ? [] : [deps.trash],
  };
}

function sortKey(sort: SortKey | undefined): Exclude<SortKey, 'relevance'> {
  return sort === undefined || sort === 'relevance' ? 'name' : sort;
}

/** The largest and the newest first, names from the beginning. */
function usualOrder(sort: SortKey | undefined): 'asc' | 'desc' {
  return sort === undefined || sort === 'name' || sort === 'relevance' ? 'asc' : 'desc';
}

export function filtersOf(
  zone: TimeZone,
  { filters = {} }: Pick<FileRequest, 'filters'>,
): Omit<LookFilters, 'kind' | 'glob'> {
  const moment = (text: string | undefined) => momentOf(zone, text);
  return {
    name: filters.name,
    types: typesOf(filters.type),
    modifiedAfter: moment(filters.modified_after),
    modifiedBefore: moment(filters.modified_before),
    createdAfter: moment(filters.created_after),
    createdBefore: moment(filters.created_before),
    takenAfter: moment(filters.taken_after),
    takenBefore: moment(filters.taken_before),
    sizeGt: filters.size_gt,
    sizeLt: filters.size_lt,
    exclude: filters.exclude,
  };
}

function typesOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const types = text
    .split(',')
    .map((type) =>
      type
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ''),
    )
    .filter((type) => type !== '');
  if (types.length > 0) return types;
  throw new AosError('files.invalid-input', {
    message: 'filters.type names no type',
    fix: "Say an extension or a media type, as 'pdf' or 'image/*'",
  });
}

/** What is to be changed is looked at closely: "except PDFs" means those without an ending too. */
function exceptTypes({ power }: LookScope, { filters }: FileRequest) {
  const endings = (filters?.exclude ?? []).flatMap(
    (pattern) => /^\*\.([a-z0-9]+)$/i.exec(pattern)?.[1]?.toLowerCase() ?? [],
  );
  const known = endings.filter((ending) => typeOfExtension(ending) !== undefined);
  return power === 'read' || known.length === 0 ? {} : { exceptTypes: known };
}

/** Without a zone it is meant in the time of this place. */
function momentOf(zone: TimeZone, text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined;
  const local = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/.exec(text);
  if (local === null) return knownMoment(Date.parse(text), text);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = local
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const isThere = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  const at = zone.instantOf({ year, month, day, hour, minute, second });
  return knownMoment(isThere && hour < 24 && minute < 60 && second < 60 ? at : Number.NaN, text);
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function knownMoment(at: number, text: string): Instant {
  if (!Number.isNaN(at)) return at;
  throw new AosError('files.invalid-input', {
    message: `There is no such moment as ${quote(text)}`,
    fix: 'Write it as 2026-11-01 or 2026-11-01T08:00:00Z',
  });
}

/** Whether anything was said of which files are meant. */
export function hasFilters({ filters, query }: FileRequest): boolean {
  const said = Object.entries(filters ?? {}).some(([, value]) => value !== undefined);
  return said || (query ?? '').trim() !== '';
}

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

/** What fits so much worse than the best is only vaguely meant, and is not moved. */
export const nearness = 0.5;

interface FoundByWords extends Pick<SearchResult, 'truncated' | 'skipped'> {
  readonly files: readonly SeenFile[];
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
