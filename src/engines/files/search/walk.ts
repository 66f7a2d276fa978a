/**
 * Every name below a held folder, folder by folder. Nothing is looked at but names and kinds:
 * of very many files only few are of interest, and those are looked at later.
 */

import type { BigIntStats } from 'node:fs';
import type { FileKind, LookFilters, SkippedFile } from '../../../kernel/files/look.ts';
import { type TreeView, treeViewOf, type ViewRequest } from '../../../kernel/files/reach.ts';
import { must } from '../../../kernel/must.ts';
import { kindOf, nameOf, namesIn } from '../folder-names.ts';
import { type HeldTree, type OpenSearchFolder, OtherDisk } from './held.ts';

/** Deeper than this nothing is looked for. */
const mostLevels = 4000;

export interface SearchedFolder {
  /** Below the base. */
  readonly parts: readonly string[];
  readonly folder: OpenSearchFolder;
  readonly entries: readonly WalkedEntry[];
}

export interface WalkedEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface SearchWalkOptions {
  /** The folder to begin with; the base itself where nothing is said. */
  readonly from?: readonly string[];
  /** Whether to look into this folder, or at it at all. */
  readonly enters: (parts: readonly string[], name: string) => boolean;
  /** Told of what could not be looked into. */
  readonly onSkipped: (parts: readonly string[], why: SkippedFile['why']) => void;
}

/** The folders, each before those below it. */
export function* walkFolders(
  tree: HeldTree,
  options: SearchWalkOptions,
): Generator<SearchedFolder> {
  const seen = new Set<bigint>();
  const waiting: (readonly string[])[] = [options.from ?? []];
  for (let parts = waiting.pop(); parts !== undefined; parts = waiting.pop()) {
    const walked = lookInto(tree, parts, options);
    if (walked === undefined || seen.has(walked.folder.stats.ino)) continue;
    seen.add(walked.folder.stats.ino);
    yield walked;
    for (const { name, kind } of walked.entries) {
      if (kind !== 'folder' || !options.enters(parts, name)) continue;
      if (parts.length < mostLevels) waiting.push([...parts, name]);
      else options.onSkipped([...parts, name], 'too-deep');
    }
  }
}

export function lookInto(
  tree: HeldTree,
  parts: readonly string[],
  { onSkipped }: Pick<SearchWalkOptions, 'onSkipped'>,
): SearchedFolder | undefined {
  try {
    const folder = parts.length === 0 ? tree.root : tree.folder(parts);
    return { parts, folder, entries: entriesOf(folder) };
  } catch (failure) {
    onSkipped(parts, whySkipped(failure));
    return undefined;
  }
}

/** What kept a folder or a file from being looked into. */
export function whySkipped(failure: unknown): SkippedFile['why'] {
  if (failure instanceof OtherDisk) return 'other-disk';
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return code === 'EACCES' || code === 'EPERM' || code === 'EIO' ? 'unreadable' : 'gone';
}

function entriesOf(folder: OpenSearchFolder): WalkedEntry[] {
  const entries: WalkedEntry[] = [];
  for (const batch of namesIn(folder)) {
    for (const entry of batch) entries.push({ name: nameOf(entry), kind: kindOf(entry) });
  }
  return entries;
}

export interface PathFilter {
  /** Whether the folder is to be looked into. */
  enters(folders: readonly string[], name: string): boolean;
  /** Whether what has that name may be shown. */
  shows(folders: readonly string[], name: string, kind: FileKind): boolean;
}

/** As in a walk, but asked in any order: each folder is asked about once. */
export function pathFilter(request: ViewRequest): PathFilter {
  const known = new Map<string, TreeView | undefined>([['', treeViewOf(request)]]);
  const viewIn = (folders: readonly string[]): TreeView | undefined => {
    let depth = folders.length;
    while (!known.has(keyOf(folders, depth))) depth--;
    let view = known.get(keyOf(folders, depth));
    for (; depth < folders.length; depth++) {
      view = view?.into(must(folders[depth], 'a folder on the path'));
      known.set(keyOf(folders, depth + 1), view);
    }
    return view;
  };
  // Files of a folder mostly share the very list of its parts.
  const shared = new WeakMap<readonly string[], TreeView | 'none'>();
  const viewOver = (folders: readonly string[]): TreeView | undefined => {
    const view = shared.get(folders) ?? viewIn(folders) ?? 'none';
    shared.set(folders, view);
    return view === 'none' ? undefined : view;
  };
  return {
    enters: (folders, name) => viewIn([...folders, name]) !== undefined,
    shows: (folders, name, kind) => viewOver(folders)?.judge(name, kind) === 'fits',
  };
}

// No name has a slash.
function keyOf(folders: readonly string[], depth: number): string {
  return folders.slice(0, depth).join('/');
}

/** Whether a size or a date is asked for, which only the disk knows. */
export function asksForStats(filters: LookFilters): boolean {
  const { modifiedAfter, modifiedBefore, createdAfter, createdBefore, sizeGt, sizeLt } = filters;
  return [modifiedAfter, modifiedBefore, createdAfter, createdBefore, sizeGt, sizeLt].some(
    (limit) => limit !== undefined,
  );
}

export function statsFit(filters: LookFilters, stats: BigIntStats): boolean {
  const { kind, sizeGt = -Infinity, sizeLt = Infinity } = filters;
  const sizeBytes = Number(stats.size);
  return (
    (kind === 'any' || (kind === 'folder') === stats.isDirectory()) &&
    sizeBytes > sizeGt &&
    sizeBytes < sizeLt &&
    isBetween(stats.mtimeMs, filters.modifiedAfter, filters.modifiedBefore) &&
    isBetween(stats.birthtimeMs, filters.createdAfter, filters.createdBefore)
  );
}

function isBetween(moment: bigint, after = -Infinity, before = Infinity): boolean {
  return Number(moment) >= after && Number(moment) < before;
}
