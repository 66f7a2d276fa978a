/**
 * What of a tree fits the filters, for the parts that count, keep or compare it.
 *
 * V1. A file is looked at only where its size or a date is asked for, and into only where its
 *     content is.
 */
import { lstatSync, type Stats } from 'node:fs';
import type { FileKind, Listing, LookFilters } from '../../kernel/files/look.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { bytesOf } from '../disk/owners.ts';
import { type ContentFacts, ContentFilter } from './content-filter.ts';
import { kindOf, type NamedEntry, nameOf, namesIn } from './folder-names.ts';
import type { TreeWalk, WalkFolder } from './walk.ts';

export interface SievedFile {
  readonly folder: WalkFolder;
  readonly name: string;
  readonly kind: FileKind;
  /** Where they are asked for. */
  readonly stats: Stats | undefined;
  readonly content: ContentFacts;
}

export interface SieveOptions {
  readonly filters: LookFilters;
  readonly zone: TimeZone;
  /** Also where no filter asks for them. */
  readonly needsStats: boolean;
  readonly needsTaken: boolean;
  readonly take: (fitting: SievedFile) => void;
}

const noContent: ContentFacts = {};

export class Sieve {
  readonly #walk: TreeWalk;
  readonly #options: SieveOptions;
  readonly #content: ContentFilter | undefined;
  /** In this batch, to be looked into. */
  #unsure: SievedFile[] = [];

  constructor(walk: TreeWalk, options: SieveOptions) {
    this.#walk = walk;
    this.#options = options;
    const { types, exceptTypes } = options.filters;
    const isOfType = types !== undefined || exceptTypes !== undefined;
    if (isOfType || options.needsTaken) this.#content = new ContentFilter(options);
  }

  get typesBy(): Listing['typesBy'] {
    return this.#content?.typesBy ?? 'none';
  }

  /** All that is in a folder. */
  async look(folder: WalkFolder): Promise<void> {
    for (const batch of namesIn(folder.open)) {
      this.#walk.checkStopped();
      for (const entry of batch) this.#see(folder, entry);
      await this.#lookInside();
    }
  }

  #see(folder: WalkFolder, entry: NamedEntry): void {
    const name = nameOf(entry);
    const kind = kindOf(entry);
    const verdict = folder.view.judge(name, kind);
    const isEntered = kind === 'folder' && this.#walk.add(folder, name);
    if (verdict === 'fits') this.#consider(folder, name, kind);
    else if (verdict === 'denied' && !isEntered) this.#walk.deniedTotal++;
  }

  /** V1 */
  #consider(folder: WalkFolder, name: string, kind: FileKind): void {
    const { needsStats, filters, take } = this.#options;
    const stats = needsStats ? statsOf(`${folder.open.path}/${name}`) : undefined;
    // Gone meanwhile, or not what is asked for.
    if (needsStats && (stats === undefined || !fitsStats(filters, stats, kind))) return;
    const fitting = { folder, name, kind, stats, content: noContent };
    if (this.#content === undefined) take(fitting);
    else if (kind === 'file') this.#unsure.push(fitting);
  }

  async #lookInside(): Promise<void> {
    if (this.#content === undefined) return;
    for (const fitting of this.#unsure) {
      this.#walk.checkStopped();
      const { folder, name, stats } = fitting;
      const content = await this.#content.factsOf(folder.open.path, name, stats?.mtimeMs ?? 0);
      if (content !== undefined) this.#options.take({ ...fitting, content });
    }
    this.#unsure = [];
  }
}

const ifThere = { throwIfNoEntry: false } as const;

function statsOf(path: string): Stats | undefined {
  return lstatSync(bytesOf(path), ifThere);
}

/** Whether a filter needs a look at the file. */
export function asksForStats(filters: LookFilters): boolean {
  const { sizeGt, sizeLt, modifiedAfter, modifiedBefore, createdAfter, createdBefore } = filters;
  const bounds = [sizeGt, sizeLt, modifiedAfter, modifiedBefore, createdAfter, createdBefore];
  return bounds.some((bound) => bound !== undefined) || asksForTaken(filters);
}

export function asksForTaken({ takenAfter, takenBefore }: LookFilters): boolean {
  return takenAfter !== undefined || takenBefore !== undefined;
}

/** After includes the moment itself, before does not; sizes are both without the number itself. */
function fitsStats(filters: LookFilters, stats: Stats, kind: FileKind): boolean {
  const { sizeGt, sizeLt, modifiedAfter, modifiedBefore, createdAfter, createdBefore } = filters;
  // A folder has no size that a filter could mean.
  if (kind === 'folder' && (sizeGt !== undefined || sizeLt !== undefined)) return false;
  return (
    stats.size > (sizeGt ?? -1) &&
    stats.size < (sizeLt ?? Number.POSITIVE_INFINITY) &&
    isWithin(stats.mtimeMs, modifiedAfter, modifiedBefore) &&
    isWithin(stats.birthtimeMs, createdAfter, createdBefore)
  );
}

function isWithin(time: number, after = -Infinity, before = Infinity): boolean {
  return time >= after && time < before;
}
