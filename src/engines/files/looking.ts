/**
 * Looking at trees of files, in threads: a look at a file takes a microsecond or two when it is
 * asked for on the spot, and many times that when it is awaited (docs/decisions.md).
 *
 * T1. The threads are there only while there is work for them, and a minute longer.
 * T2. A tree is walked by two of them, when two are free (shared-walk.ts).
 * T3. A caller that aborts gets its answer at once; the threads stop at the next look. One that
 *     does not, because something in a file keeps it, is ended.
 */
import { AosError } from '../../kernel/errors.ts';
import type {
  FileLooking,
  Listing,
  LookRequest,
  SkippedFile,
  Usage,
} from '../../kernel/files/look.ts';
import { treeViewOf } from '../../kernel/files/reach.ts';
import type { Clock } from '../../kernel/ports.ts';
import { compareFiles } from './best-files.ts';
import type { ListingPart } from './list-part.ts';
import { ThreadPool } from './thread-pool.ts';
import type { Walked } from './walk.ts';

export interface FileLookingOptions {
  readonly clock: Clock;
  /** As in `Europe/Berlin`: that of photos that do not say theirs. */
  readonly zone: string;
  /** How long a thread stays without work. */
  readonly idleMs?: number;
}

const minuteMs = 60_000;

export function openFileLooking(options: FileLookingOptions): FileLooking {
  const pool = new ThreadPool({ idleMs: minuteMs, ...options });
  return {
    async list(request, signal) {
      // What is wrong with its patterns is told before any walk begins.
      treeViewOf(request);
      const isTree = request.recursive || request.filters.glob !== undefined;
      const threads = isTree ? 2 : 1;
      return mergeListings(request, await pool.run({ kind: 'list', request }, { threads, signal }));
    },
    async usage(asked, signal) {
      const request = { ...asked, recursive: true, hidden: true };
      treeViewOf(request);
      return mergeUsages(await pool.run({ kind: 'usage', request }, { threads: 2, signal }));
    },
    async duplicates(request, signal) {
      treeViewOf(request);
      const parts = await pool.run({ kind: 'duplicates', request }, { threads: 1, signal });
      return only(parts);
    },
    async nature(base, name, signal) {
      const request = { base, name };
      return only(await pool.run({ kind: 'nature', request }, { threads: 1, signal }));
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

function only<Part>([part]: readonly Part[]): Part {
  if (part !== undefined) return part;
  throw new AosError('internal.bug', { message: 'No thread answered' });
}

const mostSkipped = 100;

function mergeListings({ sort, limit }: LookRequest, parts: readonly ListingPart[]): Listing {
  const files = parts
    .flatMap((part) => part.files)
    .sort(compareFiles(sort))
    .slice(0, limit);
  const total = sumOf(parts.map((part) => part.total));
  const truncated = total > files.length;
  const sizes = truncated
    ? parts.map((part) => part.totalBytes)
    : files.map((file) => file.sizeBytes);
  return {
    ...{ files, total, truncated },
    totalBytes: sizes.includes(undefined) ? undefined : sumOf(sizes),
    ...mergeWalked(parts),
    typesBy: typesOf(parts),
  };
}

function typesOf(parts: readonly ListingPart[]): Listing['typesBy'] {
  const sources = parts.map(({ typesBy }) => typesBy);
  if (sources.includes('name')) return 'name';
  return sources.includes('content') ? 'content' : 'none';
}

function mergeWalked(parts: readonly Walked[]): Walked {
  return {
    skipped: parts.flatMap(({ skipped }): readonly SkippedFile[] => skipped).slice(0, mostSkipped),
    skippedTotal: sumOf(parts.map(({ skippedTotal }) => skippedTotal)),
    deniedTotal: sumOf(parts.map(({ deniedTotal }) => deniedTotal)),
  };
}

function sumOf(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0);
}

const mostSizes = 20;

function mergeUsages(parts: readonly Usage[]): Usage {
  const folders = new Map<string, number>();
  const types = new Map<string, { readonly files: number; readonly bytes: number }>();
  for (const { folderSizes, typeSizes } of parts) {
    for (const { path, bytes } of folderSizes) folders.set(path, bytes + (folders.get(path) ?? 0));
    for (const { type, files, bytes } of typeSizes) {
      const sum = types.get(type) ?? { files: 0, bytes: 0 };
      types.set(type, { files: sum.files + files, bytes: sum.bytes + bytes });
    }
  }
  return {
    files: sumOf(parts.map(({ files }) => files)),
    folders: sumOf(parts.map((part) => part.folders)),
    apparentBytes: sumOf(parts.map(({ apparentBytes }) => apparentBytes)),
    allocatedBytes: sumOf(parts.map(({ allocatedBytes }) => allocatedBytes)),
    folderSizes: largest(Array.from(folders, ([path, bytes]) => ({ path, bytes }))),
    typeSizes: largest(Array.from(types, ([type, sum]) => ({ type, ...sum }))),
    ...mergeWalked(parts),
  };
}

function largest<Sized extends { readonly bytes: number }>(all: Sized[]): readonly Sized[] {
  return all.sort((one, other) => other.bytes - one.bytes).slice(0, mostSizes);
}
