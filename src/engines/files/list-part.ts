/**
 * What one thread finds of a listing.
 *
 * P1. Of the many that fit, only the first so many are kept.
 * P2. Of those everything is told, and that is looked up when it is known which they are, folder
 *     by folder, in the order in which they were walked.
 */
import type { FoundFile, Listing, LookBase, LookRequest } from '../../kernel/files/look.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { BestFiles, compareFiles, type Key, nameKey } from './best-files.ts';
import type { Told } from './content-filter.ts';
import { lookAt } from './found-file.ts';
import { NotEntered, type TreeFolder } from './held-folders.ts';
import { asksForStats, asksForTaken, type Fitting, Sieve } from './sieve.ts';
import { pathOf, type Walk } from './walk.ts';

export type ListingPart = Omit<Listing, 'truncated'>;

class Candidate {
  readonly key: Key;
  readonly folder: TreeFolder;
  readonly name: string;
  readonly told: Told;
  /** Which one it was. */
  readonly number: number;
  readonly #base: LookBase;
  #path: string | undefined;

  constructor(base: LookBase, key: Key, { folder, name, told }: Fitting, number: number) {
    this.#base = base;
    this.key = key;
    this.folder = folder.tree;
    this.name = name;
    this.told = told;
    this.number = number;
  }

  get path(): string {
    this.#path ??= pathOf(this.#base, this.folder, this.name);
    return this.#path;
  }
}

export async function listPart(
  request: LookRequest,
  walk: Walk,
  zone: TimeZone,
): Promise<ListingPart> {
  const part = new ListPart(request, walk, zone);
  await walk.each((folder) => part.sieve.look(folder));
  return part.result();
}

class ListPart {
  readonly sieve: Sieve;
  readonly #request: LookRequest;
  readonly #walk: Walk;
  readonly #best: BestFiles<Candidate>;
  readonly #needsStats: boolean;
  #total = 0;
  #totalBytes = 0;

  constructor(request: LookRequest, walk: Walk, zone: TimeZone) {
    this.#request = request;
    this.#walk = walk;
    const { limit, sort, filters } = request;
    this.#best = new BestFiles(limit, sort.order, byPath);
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
  #lookAt({ folder, name, path, told }: Candidate): FoundFile[] {
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
  #count(fitting: Fitting): void {
    this.#total++;
    this.#totalBytes += fitting.stats?.size ?? 0;
    const key = this.#keyOf(fitting);
    if (!this.#best.wants(key)) return;
    this.#best.add(key, new Candidate(this.#request.base, key, fitting, this.#total));
  }

  #keyOf({ name, stats, told }: Fitting): Key {
    const { by } = this.#request.sort;
    if (stats === undefined || by === 'name') return nameKey(name);
    if (by === 'size') return stats.size;
    if (by === 'created') return stats.birthtimeMs;
    return by === 'taken' ? (told.takenAt ?? stats.mtimeMs) : stats.mtimeMs;
  }
}

function byPath({ path: one }: Candidate, { path: other }: Candidate): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
