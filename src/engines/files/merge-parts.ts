/** What several threads found, as one. */
import type { Listing, LookRequest, SkippedFile, Usage } from '../../kernel/files/look.ts';
import { compareFiles } from './best-files.ts';
import type { ListingPart } from './list-part.ts';
import type { Walked } from './walk.ts';

const mostSkipped = 100;

export function mergeListings(
  { sort, limit }: LookRequest,
  parts: readonly ListingPart[],
): Listing {
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
  const ways = parts.map(({ typesBy }) => typesBy);
  if (ways.includes('name')) return 'name';
  return ways.includes('content') ? 'content' : 'none';
}

export function mergeWalked(parts: readonly Walked[]): Walked {
  return {
    skipped: parts.flatMap(({ skipped }): readonly SkippedFile[] => skipped).slice(0, mostSkipped),
    skippedTotal: sumOf(parts.map(({ skippedTotal }) => skippedTotal)),
    deniedTotal: sumOf(parts.map(({ deniedTotal }) => deniedTotal)),
  };
}

export function sumOf(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0);
}

const mostSizes = 20;

export function mergeUsages(parts: readonly Usage[]): Usage {
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
