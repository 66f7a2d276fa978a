/** Which files a change is about: one that was named, or all that fit. */
import { AosError } from '../../kernel/errors.ts';
import { parsePathPattern } from '../../kernel/files/glob.ts';
import type { Listing, LookRequest, SeenFile } from '../../kernel/files/look.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { FilePower } from '../../security/reach.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { foundByWords, hasFilters, lookRequest } from '../look-request.ts';
import { parsePath, partsOf } from '../paths.ts';
import { type FolderPlace, findFolder, findPlace } from '../place.ts';
import { notFound, notRegular, toFilesError } from '../refusals.ts';
import {
  checkUnprotected,
  type LeftOut,
  type TreeFacts,
  type Was,
  wasOf,
  whyProtected,
} from './plan.ts';
import { tooMany, treeOf } from './tree-facts.ts';

export interface PlanSource {
  /** Real, but for a symlink in the last place. */
  readonly path: string;
  readonly was: Was;
  /** Of it and all that is in it. */
  readonly bytes: number;
  readonly files: number;
  readonly modifiedAt: number;
  readonly takenAt?: number | undefined;
}

export interface Selection {
  readonly sources: readonly PlanSource[];
  readonly leftOut: readonly LeftOut[];
  /** Many were asked for, also where one fits. */
  readonly isBatch: boolean;
  /** Each of several was named, and none was found by a pattern or a filter. */
  readonly areNamed?: boolean;
}

export interface SelectOptions {
  readonly power: FilePower;
  /** A symlink that is named stands for itself, or for where it leads. */
  readonly last: 'keep' | 'follow';
}

export async function select(
  deps: FilesDeps,
  caller: FileCaller,
  request: FileRequest,
  options: SelectOptions,
): Promise<Selection> {
  if (request.paths !== undefined) return selectAll(deps, caller, request, options);
  if (request.path === undefined && !hasFilters(request)) throw noTarget(request);
  const one = await selectOne(deps, caller, request, options);
  return one ?? selectMany(deps, caller, request, options);
}

/** Several paths: each has to be there, and what two of them name is taken once. */
async function selectAll(
  deps: FilesDeps,
  caller: FileCaller,
  { paths = [], ...request }: FileRequest,
  options: SelectOptions,
): Promise<Selection> {
  if (request.path !== undefined) throw pathTwice();
  const found = new Map<string, PlanSource>();
  const leftOut = new Map<string, LeftOut>();
  let areNamed = true;
  for (const path of paths) {
    const selection = await select(deps, caller, { ...request, path }, options).catch(
      (failure: unknown) => Promise.reject(namingPath(failure, path)),
    );
    areNamed &&= !selection.isBatch;
    for (const source of selection.sources) found.set(source.path, source);
    for (const left of selection.leftOut) leftOut.set(left.path, left);
  }
  const taken = [...found.values()].map((source) => ({ ...source, kind: source.was.kind }));
  return { sources: withoutNested(taken), leftOut: [...leftOut.values()], isBatch: true, areNamed };
}

/** Which of several is not there. */
function namingPath(failure: unknown, path: string): unknown {
  const isNothing = failure instanceof AosError && failure.code === 'files.not-found';
  if (!isNothing) return failure;
  return new AosError('files.not-found', {
    message: `I couldn't find a file at ${quote(path)}`,
    fix: failure.fix,
  });
}

function pathTwice(): AosError {
  return new AosError('files.invalid-input', {
    message: 'The request has both path and paths',
    fix: 'Say all of them in paths',
  });
}

/** What is named exactly so, also where the name looks like a pattern. */
async function selectOne(
  deps: FilesDeps,
  caller: FileCaller,
  request: FileRequest,
  { power, last }: SelectOptions,
): Promise<Selection | undefined> {
  if (request.path === undefined || hasFilters(request)) return undefined;
  const { glob } = parsePathPattern(request.path);
  const parts = parsePath(caller.roots, request.path);
  if (parts.length === 0) checkUnprotected(deps, caller, '/');
  try {
    await using place = await findPlace(deps, caller, parts, { power, last });
    if (place.there === undefined) {
      if (glob.length > 0) return undefined;
      throw notFound();
    }
    checkUnprotected(deps, caller, place.path);
    if (place.there.kind === 'folder') checkWholeFolder(request);
    // A pipe or a device can be thrown away, and nothing else.
    if (place.there.kind === 'other' && power !== 'delete') throw notRegular();
    const tree =
      place.there.kind === 'folder' ? await treeOf(deps, caller, place.path, power) : undefined;
    const source = sourceOf(place.path, wasOf(place.there, tree), place.there.modifiedAt);
    return { sources: [source], leftOut: [], isBatch: false };
  } catch (failure) {
    const error = toFilesError(failure);
    const isNothing = error instanceof AosError && error.code === 'files.not-found';
    if (isNothing && glob.length > 0) return undefined;
    throw error;
  }
}

/** A request that names a folder takes all of it. */
function checkWholeFolder({ options = {} }: FileRequest): void {
  if (options.limit === undefined && options.recursive !== false) return;
  throw new AosError('files.invalid-input', {
    message: 'That is a folder, which is taken as a whole, and not a part of what is in it',
    fix: 'Name what is in it, as ~/folder/*, or say filters',
  });
}

async function selectMany(
  deps: FilesDeps,
  caller: FileCaller,
  request: FileRequest,
  options: SelectOptions,
): Promise<Selection> {
  const { folder: text, glob } = parsePathPattern(request.path ?? '~');
  const base = parsePath(caller.roots, text === '' ? '~' : text);
  await using folder = await findFolder(deps, caller, base, options);
  const found = await foundIn(deps, caller, request, { folder, glob, power: options.power });
  if (found.truncated) throw tooMany(deps.limits.mostItems);
  const sources: PlanSource[] = [];
  const leftOut: LeftOut[] = found.skipped.map(({ path, why }) => ({
    path,
    why: skippedWords[why],
  }));
  for (const file of withoutNested(found.files)) {
    const why = whyNot(deps, caller, file) ?? whyNotByTaken(request, file);
    if (why !== undefined) {
      leftOut.push({ path: file.path, why });
      continue;
    }
    const found = await sourceOrWhy(deps, caller, file, options.power);
    if (typeof found === 'string') leftOut.push({ path: file.path, why: found });
    else sources.push(found);
  }
  return { sources, leftOut, isBatch: true };
}

/** A folder that cannot be taken stays, and stops nothing else. */
async function sourceOrWhy(
  deps: FilesDeps,
  caller: FileCaller,
  file: SeenFile,
  power: FilePower,
): Promise<PlanSource | string> {
  try {
    const tree = file.kind === 'folder' ? await treeOf(deps, caller, file.path, power) : undefined;
    return sourceOf(file.path, wasOfFound(file, tree), file.modifiedAt, file.takenAt);
  } catch (failure) {
    const error = toFilesError(failure);
    if (!(error instanceof AosError) || !stays.has(error.code)) throw error;
    return error.code === 'files.other-disk'
      ? 'another disk begins inside it'
      : 'it may not be touched';
  }
}

const stays: ReadonlySet<string> = new Set([
  'files.permission-denied',
  'files.other-disk',
  'files.not-found',
]);

function whyNot(deps: FilesDeps, caller: FileCaller, { kind, path }: SeenFile) {
  if (kind === 'other') return 'it is not an ordinary file';
  const what = whyProtected(deps, caller, path);
  return what === undefined ? undefined : `it is ${what}`;
}

/** When it was changed is no answer to when it was taken, where something is to be changed. */
function whyNotByTaken({ filters = {} }: FileRequest, { isTakenGuessed }: SeenFile) {
  const isAsked = filters.taken_after !== undefined || filters.taken_before !== undefined;
  return isAsked && isTakenGuessed === true ? 'it does not say when it was taken' : undefined;
}

const skippedWords = {
  unreadable: 'it cannot be read',
  'other-disk': 'it is on another disk',
  'too-deep': 'it lies too deep',
  gone: 'it has gone meanwhile',
} as const;

interface Within {
  readonly folder: FolderPlace;
  readonly glob: readonly string[];
  readonly power: FilePower;
}

async function foundIn(
  deps: FilesDeps,
  caller: FileCaller,
  request: FileRequest,
  { folder, glob, power }: Within,
): Promise<Pick<Listing, 'files' | 'truncated' | 'skipped'>> {
  const { query = '', filters, options } = request;
  const isDeep = options?.recursive === true || query.trim() !== '' || request.path === undefined;
  // A name made of when it was taken has to know that.
  const isByTaken = request.destination?.includes('{taken') === true && options?.sort === undefined;
  const sorted = isByTaken ? ({ sort: 'taken', order: 'asc' } as const) : {};
  const asked = { ...request, options: { ...options, ...sorted } };
  const wanted = await lookRequest(deps, caller, asked, {
    ...{ folder, glob, power, recursive: isDeep, isChange: true },
    kind: filters?.kind ?? (isDeep || isOfFiles(request) ? 'file' : 'any'),
    limit: Math.min(deps.limits.mostItems, options?.limit ?? deps.limits.mostItems),
  });
  const isCut = options?.limit !== undefined;
  if (filters?.duplicates === true) return allButOne(deps, caller, request, wanted);
  if (query.trim() === '') {
    const listing = await deps.looking.list(wanted, caller.signal);
    // A request for the ten largest gets ten.
    return { ...listing, truncated: listing.truncated && !isCut };
  }
  const { files, truncated, skipped } = await foundByWords(deps, caller, request, wanted);
  return { files, truncated: truncated && !isCut, skipped };
}

/** Of files that are the same the oldest stays, wherever it lies. */
async function allButOne(
  deps: FilesDeps,
  caller: FileCaller,
  { query = '', options }: FileRequest,
  { sort: _, ...wanted }: LookRequest,
): Promise<Pick<Listing, 'files' | 'truncated' | 'skipped'>> {
  if (query.trim() !== '') throw duplicatesByWords();
  const asked = { ...wanted, recursive: options?.recursive ?? true };
  const { groups, truncated, skipped } = await deps.looking.duplicates(asked, caller.signal);
  const files = groups.flatMap((group) => group.files.toSorted(byAge).slice(1));
  return { files, truncated, skipped };
}

function byAge(one: SeenFile, other: SeenFile): number {
  return one.modifiedAt - other.modifiedAt || (one.path < other.path ? -1 : 1);
}

function duplicatesByWords(): AosError {
  return new AosError('files.invalid-input', {
    message: 'Files that are the same are not searched for by words',
    fix: 'Leave query out',
  });
}

/** An old folder may hold what is new: a request by date, size, type or rank means files. */
function isOfFiles({ action, filters = {}, options = {} }: FileRequest): boolean {
  const { name: _, ...said } = filters;
  if (options.limit !== undefined && options.sort !== undefined) return true;
  return action === 'rename_file' || Object.values(said).some((value) => value !== undefined);
}

/** What is in a folder that is taken goes with it. */
function withoutNested<Found extends Pick<SeenFile, 'kind' | 'path'>>(
  files: readonly Found[],
): readonly Found[] {
  const folders = new Set(files.filter(({ kind }) => kind === 'folder').map(({ path }) => path));
  if (folders.size === 0) return files;
  return files.filter(({ path }) => {
    const parts = partsOf(path);
    return !parts.some((_, end) => end > 0 && folders.has(`/${parts.slice(0, end).join('/')}`));
  });
}

function wasOfFound(file: SeenFile, tree: TreeFacts | undefined): Was {
  const { kind, device, inode, sizeBytes, modifiedNs, mode } = file;
  const size = kind === 'folder' ? 0 : sizeBytes;
  return { kind, device, inode, sizeBytes: size, modifiedNs, mode, ...(tree && { tree }) };
}

function sourceOf(path: string, was: Was, modifiedAt: number, takenAt?: number): PlanSource {
  const files = was.tree?.files ?? (was.kind === 'folder' ? 0 : 1);
  return { path, was, files, bytes: was.tree?.bytes ?? was.sizeBytes, modifiedAt, takenAt };
}

function noTarget({ action }: FileRequest): AosError {
  return new AosError('files.invalid-input', {
    message: `${action} does not say which file is meant`,
    fix: 'Say it in path, or in filters',
  });
}
