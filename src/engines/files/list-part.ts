/**
 * What one thread finds of a listing.
 *
 * P1. Of the many that fit, only the first so many are kept.
 * P2. Of those everything is told, and that is looked up when it is known which they are, folder
 *     by folder, in the order in which they were walked.
 */

import { type BigIntStats, lstatSync } from 'node:fs';
import type {
  FileKind,
  Listing,
  LookBase,
  LookRequest,
  SeenFile,
} from '../../kernel/files/look.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { bytesOf } from '../disk/owners.ts';
import { BestFiles, compareFiles, comparePaths, type Key, nameKey } from './best-files.ts';
import type { ContentFacts } from './content-filter.ts';
import { NotEntered, type TreeFolder } from './held-folders.ts';
import { asksForStats, asksForTaken, Sieve, type SievedFile } from './sieve.ts';
import { pathOf, type TreeWalk } from './walk.ts';

export type ListingPart = Omit<Listing, 'truncated'>;

class ListCandidate {
  readonly key: Key;
  readonly folder: TreeFolder;
  readonly name: string;
  readonly content: ContentFacts;
  /** Which one it was. */
  readonly number: number;
  readonly #base: LookBase;
  #path: string | undefined;

  constructor(
    base: LookBase,
    key: Key,
    { folder, name, content: told }: SievedFile,
    number: number,
  ) {
    this.#base = base;
    this.key = key;
    this.folder = folder.tree;
    this.name = name;
    this.content = told;
    this.number = number;
  }

  get path(): string {
    this.#path ??= pathOf(this.#base, this.folder, this.name);
    return this.#path;
  }
}

export async function listPart(
  request: LookRequest,
  walk: TreeWalk,
  zone: TimeZone,
): Promise<ListingPart> {
  const part = new ListPart(request, walk, zone);
  await walk.each((folder) => part.sieve.look(folder));
  return part.result();
}

class ListPart {
  readonly sieve: Sieve;
  readonly #request: LookRequest;
  readonly #walk: TreeWalk;
  readonly #best: BestFiles<ListCandidate>;
  readonly #needsStats: boolean;
  #total = 0;
  #totalBytes = 0;

  constructor(request: LookRequest, walk: TreeWalk, zone: TimeZone) {
    this.#request = request;
    this.#walk = walk;
    const { limit, sort, filters } = request;
    this.#best = new BestFiles<ListCandidate>(limit, sort.order, comparePaths);
    this.#needsStats = sort.by !== 'name' || asksForStats(filters);
    this.sieve = new Sieve(walk, {
      ...{ filters, zone, needsStats: this.#needsStats },
      needsTaken: sort.by === 'taken' || asksForTaken(filters),
      take: (fitting) => this.#count(fitting),
    });
  }

  result(): ListingPart {
    const kept = [...this.#best.items()].sort((one, other) => one.number - other.number);
    const files = kept.flatMap((candidate) => this.#lookAt(candidate));
    return {
      ...this.#walk.walked,
      files: files.sort(compareFiles(this.#request.sort)),
      total: this.#total - (kept.length - files.length),
      totalBytes: this.#needsStats ? this.#totalBytes : undefined,
      typesBy: this.sieve.typesBy,
    };
  }

  /** P2; nothing of one that is gone meanwhile. */
  #lookAt({ folder, name, path, content: told }: ListCandidate): SeenFile[] {
    this.#walk.checkStopped();
    try {
      const found = lookAt(`${this.#walk.folders.open(folder).path}/${name}`, path);
      return found === undefined ? [] : [{ ...found, ...told }];
    } catch (failure) {
      if (failure instanceof NotEntered) return [];
      throw failure;
    }
  }

  /** P1 */
  #count(fitting: SievedFile): void {
    this.#total++;
    this.#totalBytes += fitting.stats?.size ?? 0;
    const key = this.#keyOf(fitting);
    if (!this.#best.wants(key)) return;
    this.#best.add(key, new ListCandidate(this.#request.base, key, fitting, this.#total));
  }

  #keyOf({ name, stats, content: told }: SievedFile): Key {
    const { by } = this.#request.sort;
    if (stats === undefined || by === 'name') return nameKey(name);
    if (by === 'size') return stats.size;
    if (by === 'created') return stats.birthtimeMs;
    return by === 'taken' ? (told.takenAt ?? stats.mtimeMs) : stats.mtimeMs;
  }
}

/** As it stands now; undefined where it is gone. The path is what it will be called. */
export function lookAt(heldPath: string, path: string): SeenFile | undefined {
  const stats = lstatSync(bytesOf(heldPath), { bigint: true, throwIfNoEntry: false });
  return stats && foundFile(path, stats);
}

export function foundFile(path: string, stats: BigIntStats): SeenFile {
  return {
    path,
    kind: kindOfStats(stats),
    sizeBytes: Number(stats.size),
    // The system counts in these, whatever the disk does.
    allocatedBytes: Number(stats.blocks) * 512,
    modifiedNs: String(stats.mtimeNs),
    modifiedAt: Number(stats.mtimeMs),
    createdAt: Number(stats.birthtimeMs),
    inode: String(stats.ino),
    device: String(stats.dev),
    mode: Number(stats.mode) & 0o7777,
    ownerUid: Number(stats.uid),
    links: Number(stats.nlink),
  };
}

function kindOfStats(stats: BigIntStats): FileKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}
