/**
 * Files with the same bytes: first those of the same size, of these those with the same beginning
 * and end, and only of these the whole is read.
 *
 * D1. Names of one file are no duplicates of each other: one of them is taken.
 * D2. Empty files are no duplicates: there is nothing that takes room twice.
 * D3. Between the walk and the reading anything may happen. What is no longer the file that was
 *     walked past, or grew meanwhile, is left out.
 */
import { createHash, type Hash } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';
import type { Duplicates, LookRequest, SeenFile } from '../../kernel/files/look.ts';
import { must } from '../../kernel/must.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { withFile } from './file-content.ts';
import { NotEntered, type TreeFolder } from './held-folders.ts';
import { lookAt } from './list-part.ts';
import { asksForTaken, Sieve, type SievedFile } from './sieve.ts';
import { pathOf, type TreeWalk } from './walk.ts';

export type DuplicatesRequest = Omit<LookRequest, 'sort'>;

interface SizedCandidate {
  readonly folder: TreeFolder;
  readonly name: string;
  readonly sizeBytes: number;
}

export async function duplicatesPart(
  request: DuplicatesRequest,
  walk: TreeWalk,
  zone: TimeZone,
): Promise<Duplicates> {
  const sameSize = await candidatesOf(request, walk, zone);
  const alike = repeated(sameSize, (each) => hashOf(walk, each, 'ends'));
  // Of a small file the ends are all there is.
  const isSmall = ({ sizeBytes }: SizedCandidate) => sizeBytes <= 2 * endBytes;
  const large = [...alike.values()].flat().filter((each) => !isSmall(each));
  const small = [...alike].filter(([, [first]]) => first !== undefined && isSmall(first));
  const groups = [...small, ...repeated(large, (each) => hashOf(walk, each, 'whole'))];
  groups.sort(([, one], [, other]) => wasteOf(other) - wasteOf(one));
  const chosen = groups.slice(0, request.limit).map(([sha256, group]) => ({
    sha256,
    sizeBytes: sizeIn(group),
    files: filesOf(request, walk, group),
  }));
  const { skipped, skippedTotal } = walk.walked;
  return {
    groups: chosen.filter(({ files }) => files.length > 1),
    totalGroups: groups.length,
    wastedBytes: groups.reduce((sum, [, group]) => sum + wasteOf(group), 0),
    truncated: groups.length > chosen.length,
    ...{ skipped, skippedTotal },
  };
}

function wasteOf(group: readonly SizedCandidate[]): number {
  return (group.length - 1) * sizeIn(group);
}

/** The size that all files of a group have. */
function sizeIn(group: readonly SizedCandidate[]): number {
  return must(group[0], 'the first file of a group').sizeBytes;
}

/** Those of whose size there are several, folder by folder. */
async function candidatesOf({ filters }: DuplicatesRequest, walk: TreeWalk, zone: TimeZone) {
  const candidates: SizedCandidate[] = [];
  const sizes = new Map<number, number>();
  const take = ({ kind, stats, folder, name }: SievedFile) => {
    // D2
    if (kind !== 'file' || stats === undefined || stats.size === 0) return;
    // D1
    if (stats.nlink > 1 && !walk.claims.isFirst(BigInt(stats.ino))) return;
    candidates.push({ folder: folder.tree, name, sizeBytes: stats.size });
    sizes.set(stats.size, 1 + (sizes.get(stats.size) ?? 0));
  };
  const needsTaken = asksForTaken(filters);
  const sieve = new Sieve(walk, { filters, zone, needsStats: true, needsTaken, take });
  await walk.each((folder) => sieve.look(folder));
  return candidates.filter(({ sizeBytes }) => (sizes.get(sizeBytes) ?? 0) > 1);
}

/** Those of which there are several, by what they have in common. */
function repeated(
  candidates: readonly SizedCandidate[],
  keyOf: (candidate: SizedCandidate) => string | undefined,
): Map<string, SizedCandidate[]> {
  const groups = new Map<string, SizedCandidate[]>();
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    const group = key === undefined ? undefined : groups.get(key);
    if (group !== undefined) group.push(candidate);
    else if (key !== undefined) groups.set(key, [candidate]);
  }
  for (const [key, group] of groups) if (group.length === 1) groups.delete(key);
  return groups;
}

const endBytes = 4096;
const chunkBytes = 256 * 1024;
const chunk = new Uint8Array(chunkBytes);

/** Undefined where it cannot be read, or is not what it was (D3). */
function hashOf(
  walk: TreeWalk,
  candidate: SizedCandidate,
  what: 'ends' | 'whole',
): string | undefined {
  const { folder, name, sizeBytes } = candidate;
  try {
    const { path } = walk.folders.open(folder);
    return withFile(`${path}/${name}`, (descriptor, size) => {
      if (size !== sizeBytes) return undefined;
      const hash = createHash('sha256');
      // Ends alone are no hash of anything: with the size they are not taken for one.
      if (what === 'ends' && size > 2 * endBytes) hash.update(`${size} `);
      if (what === 'whole' || size <= 2 * endBytes) addBytes(walk, hash, descriptor, 0, size);
      else {
        addBytes(walk, hash, descriptor, 0, endBytes);
        addBytes(walk, hash, descriptor, size - endBytes, size);
      }
      return fstatSync(descriptor).size === sizeBytes ? hash.digest('hex') : undefined;
    });
  } catch (failure) {
    if (!(failure instanceof NotEntered || (failure instanceof Error && 'syscall' in failure)))
      throw failure;
    walk.skip(folder, name, 'unreadable');
    return undefined;
  }
}

function addBytes(
  walk: TreeWalk,
  hash: Hash,
  descriptor: number,
  start: number,
  end: number,
): void {
  for (let place = start; place < end; ) {
    walk.checkStopped();
    const length = readSync(descriptor, chunk, 0, Math.min(chunkBytes, end - place), place);
    if (length === 0) return;
    hash.update(chunk.subarray(0, length));
    place += length;
  }
}

function filesOf(
  { base }: DuplicatesRequest,
  walk: TreeWalk,
  group: readonly SizedCandidate[],
): SeenFile[] {
  return group.flatMap(({ folder, name }) => {
    try {
      const held = walk.folders.open(folder);
      const found = lookAt(`${held.path}/${name}`, pathOf(base, folder, name));
      return found === undefined ? [] : [found];
    } catch (failure) {
      if (failure instanceof NotEntered) return [];
      throw failure;
    }
  });
}
