/** Which of what was found may be shown: by its path first, which costs nothing, then as it stands. */
import type { BigIntStats } from 'node:fs';
import type { FileKind, LookFilters } from '../../../kernel/files/look.ts';
import { type Sight, type SightRequest, sightOf } from '../../../kernel/files/reach.ts';

export interface PathFilter {
  /** Whether the folder is to be looked into. */
  enters(folders: readonly string[], name: string): boolean;
  /** Whether what has that name may be shown. */
  shows(folders: readonly string[], name: string, kind: FileKind): boolean;
}

/** As in a walk, but asked in any order: each folder is asked about once. */
export function pathFilter(request: SightRequest): PathFilter {
  const known = new Map<string, Sight | undefined>([['', sightOf(request)]]);
  const sightIn = (folders: readonly string[]): Sight | undefined => {
    let depth = folders.length;
    while (!known.has(keyOf(folders, depth))) depth--;
    let sight = known.get(keyOf(folders, depth));
    for (; depth < folders.length; depth++) {
      sight = sight?.into(folders[depth] ?? '');
      known.set(keyOf(folders, depth + 1), sight);
    }
    return sight;
  };
  // Files of a folder mostly share the very list of its parts.
  const shared = new WeakMap<readonly string[], Sight | 'none'>();
  const sightOver = (folders: readonly string[]): Sight | undefined => {
    const sight = shared.get(folders) ?? sightIn(folders) ?? 'none';
    shared.set(folders, sight);
    return sight === 'none' ? undefined : sight;
  };
  return {
    enters: (folders, name) => sightIn([...folders, name]) !== undefined,
    shows: (folders, name, kind) => sightOver(folders)?.judge(name, kind) === 'fits',
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
