/**
 * What one thread finds of how much room a tree takes.
 *
 * U1. A file with several names is counted once, whichever thread comes first.
 */
import { lstatSync, type Stats } from 'node:fs';
import type { LookRequest, Usage } from '../../kernel/files/look.ts';
import { extensionOf, typeOfExtension } from '../../kernel/files/types.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { bytesOf } from '../disk/owners.ts';
import type { TreeFolder } from './held-folders.ts';
import { asksForTaken, Sieve, type SievedFile } from './sieve.ts';
import type { TreeWalk } from './walk.ts';

export type UsageRequest = Omit<LookRequest, 'sort' | 'limit'>;

/** All of the folders and types; the first so many are chosen when all threads are done. */
export type UsagePart = Usage;

interface Sum {
  files: number;
  bytes: number;
}

export async function usagePart(
  request: UsageRequest,
  walk: TreeWalk,
  zone: TimeZone,
): Promise<UsagePart> {
  const part = new UsageCount(walk);
  const { filters } = request;
  const sieve = new Sieve(walk, {
    ...{ filters, zone, needsStats: true, needsTaken: asksForTaken(filters) },
    take: (fitting) => part.count(fitting),
  });
  await walk.each((folder) => sieve.look(folder));
  return part.result(request.base.path);
}

class UsageCount {
  readonly #walk: TreeWalk;
  readonly #folderSums = new Map<string, Sum>();
  readonly #extensionSums = new Map<string, Sum>();
  #files = 0;
  #folders = 0;
  #apparentBytes = 0;
  #allocatedBytes = 0;

  constructor(walk: TreeWalk) {
    this.#walk = walk;
  }

  count(fitting: SievedFile): void {
    const { kind, stats, folder, name } = fitting;
    if (
      stats === undefined ||
      (stats.nlink > 1 && kind !== 'folder' && this.#isKnown(fitting, stats))
    )
      return;
    this.#allocatedBytes += stats.blocks * 512;
    if (kind === 'folder') {
      this.#folders++;
      return;
    }
    this.#files++;
    this.#apparentBytes += stats.size;
    add(this.#extensionSums, kind === 'file' ? extensionOf(name) : kind, stats.size);
    const top = topOf(folder.tree);
    if (top !== undefined) add(this.#folderSums, top.name, stats.size);
  }

  result(base: string): UsagePart {
    const types = new Map<string, Sum>();
    for (const [extension, { files, bytes }] of this.#extensionSums) {
      add(types, wordsOf(extension), bytes, files);
    }
    return {
      ...this.#walk.walked,
      ...{ files: this.#files, folders: this.#folders },
      ...{ apparentBytes: this.#apparentBytes, allocatedBytes: this.#allocatedBytes },
      folderSizes: Array.from(this.#folderSums, ([name, { bytes }]) => ({
        path: `${base === '/' ? '' : base}/${name}`,
        bytes,
      })),
      typeSizes: Array.from(types, ([type, sum]) => ({ type, ...sum })),
    };
  }

  /** U1 */
  #isKnown({ folder, name }: SievedFile, { ino }: Stats): boolean {
    return !this.#walk.claims.isFirst(
      Number.isSafeInteger(ino) ? BigInt(ino) : exactInode(folder.open.path, name),
    );
  }
}

// A number that large is rounded, and would be another file's too.
function exactInode(heldPath: string, name: string): bigint {
  const options = { bigint: true, throwIfNoEntry: false } as const;
  return lstatSync(bytesOf(`${heldPath}/${name}`), options)?.ino ?? 0n;
}

function add(sums: Map<string, Sum>, key: string, bytes: number, files = 1): void {
  const sum = sums.get(key);
  if (sum === undefined) sums.set(key, { files, bytes });
  else {
    sum.files += files;
    sum.bytes += bytes;
  }
}

/** The folder right below the base in which something lies. */
function topOf(folder: TreeFolder): TreeFolder | undefined {
  let at = folder;
  while (at.above?.above !== undefined) at = at.above;
  return at.above === undefined ? undefined : at;
}

const longestExtension = 10;

function wordsOf(extension: string): string {
  if (extension === 'symlink') return 'symbolic link';
  if (extension === 'other') return 'special file';
  const words = typeOfExtension(extension)?.words;
  if (words !== undefined) return words;
  return extension === '' || extension.length > longestExtension ? 'other' : `.${extension} file`;
}
