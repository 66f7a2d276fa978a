/**
 * What one thread finds of a listing.
 *
 * P1. Of the many that fit, only the first so many are kept.
 * P2. Of those everything is told, and that is looked up when it is known which they are, folder
 *     by folder, in the order in which they were walked.
 */

import { type BigIntStats, lstatSync } from 'node:fs';
import { composed } from '../../kernel/files/glob-name.ts';
import type {
  FileKind,
  Listing,
  LookBase,
  LookRequest,
  SeenFile,
} from '../../kernel/files/look.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { bytesOf } from '../disk/owners.ts';
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

type SortOrder = LookRequest['sort'];

/** What is compared: of names a text, of everything else a number. */
type Key = string | number;

interface Kept<Item> {
  readonly key: Key;
  readonly item: Item;
}

/** Some more than are wanted are kept, so that they are seldom put in order. */
const spare = 64;

/** The first so many in the order that was asked for, of however many there are. */
class BestFiles<Item> {
  readonly #limit: number;
  readonly #compareKeys: (one: Key, other: Key) => number;
  readonly #compareItems: (one: Item, other: Item) => number;
  #kept: Kept<Item>[] = [];
  /** Whatever comes after this is not among the first. */
  #last: Key | undefined;

  /** Where the keys are the same, `compareItems` decides. */
  constructor(
    limit: number,
    order: SortOrder['order'],
    compareItems: (one: Item, other: Item) => number,
  ) {
    this.#limit = limit;
    this.#compareKeys = compareIn(order);
    this.#compareItems = compareItems;
  }

  /** Asked first, because for most of very many the answer is no. */
  wants(key: Key): boolean {
    return this.#last === undefined ? this.#limit > 0 : this.#compareKeys(key, this.#last) <= 0;
  }

  add(key: Key, item: Item): void {
    this.#kept.push({ key, item });
    if (this.#kept.length >= 2 * this.#limit + spare) this.#cut();
  }

  /** In order. */
  items(): readonly Item[] {
    this.#cut();
    return this.#kept.map(({ item }) => item);
  }

  #cut(): void {
    this.#kept.sort(
      (one, other) =>
        this.#compareKeys(one.key, other.key) || this.#compareItems(one.item, other.item),
    );
    this.#kept.length = Math.min(this.#kept.length, this.#limit);
    if (this.#kept.length === this.#limit) this.#last = this.#kept.at(-1)?.key;
  }
}

function compareIn(order: SortOrder['order']): (one: Key, other: Key) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (one, other) => (one === other ? 0 : one < other ? -sign : sign);
}

/** How names are ordered: without regard to capital letters. */
function nameKey(name: string): string {
  return composed(name).toLowerCase();
}

function keyOf(file: SeenFile, by: SortOrder['by']): Key {
  if (by === 'size') return file.sizeBytes;
  if (by === 'modified') return file.modifiedAt;
  if (by === 'created') return file.createdAt;
  if (by === 'taken') return file.takenAt ?? file.modifiedAt;
  return nameKey(file.path.slice(file.path.lastIndexOf('/') + 1));
}

export function compareFiles({ by, order }: SortOrder): (one: SeenFile, other: SeenFile) => number {
  const compareKeys = compareIn(order);
  return (one, other) => compareKeys(keyOf(one, by), keyOf(other, by)) || comparePaths(one, other);
}

function comparePaths(
  { path: one }: { readonly path: string },
  { path: other }: { readonly path: string },
): number {
  return one === other ? 0 : one < other ? -1 : 1;
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
