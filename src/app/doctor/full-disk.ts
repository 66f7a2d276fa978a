/** When a home can no longer be written to for want of room or of files, and what helps then. */
import { join } from 'node:path';
import type { DiskView, Volume, VolumeUsage } from '../../kernel/ports.ts';
import { reserveName } from './own-names.ts';

/** What a disk has run out of: bytes, or entries in its table of files (inodes). */
type Shortage = 'room' | 'files';

export interface FullDisk {
  /** What goes behind "the disk": `is full`. */
  readonly is: string;
  readonly fix: string;
}

const MiB = 1024 * 1024;

/** What the start of a daemon may need (docs/decisions.md), and so what a home keeps for it. */
export const startBytes = 36 * MiB;

// A daemon starts with less, and then has nothing left for its work.
const leastBytes = MiB;
const leastFiles = 64;

/** Can nothing worth mentioning be written any more? */
export function isFull(usage: VolumeUsage): boolean {
  return shortageOf(usage) !== undefined;
}

/** Is there no room for more files, though there is for bytes? */
export function isShortOfFiles(usage: VolumeUsage): boolean {
  return shortageOf(usage) === 'files';
}

function shortageOf({ usedBytes, ...left }: VolumeUsage): Shortage | undefined {
  // First, because some disks make files of the same room. One of no size tells nothing.
  if (usedBytes > 0 && left.writableBytes < leastBytes) return 'room';
  return left.writableFiles < leastFiles ? 'files' : undefined;
}

/** Undefined where the disk under a home is not full. */
export async function findFullDisk(
  deps: { readonly disk: DiskView; readonly volume: Volume },
  home: string,
): Promise<FullDisk | undefined> {
  const usage = await deps.volume.usage(home);
  return isFull(usage) ? describeFullDisk(deps, home, usage) : undefined;
}

/** In words, also of a disk on which something just found no room and which has a little now. */
export async function describeFullDisk(
  deps: { readonly disk: DiskView },
  home: string,
  usage: VolumeUsage,
): Promise<FullDisk> {
  if (isShortOfFiles(usage)) return { is: fewFiles(usage), fix: removeFiles };
  const canGiveBack = (await reserveSize(deps, home)) > 0;
  return { is: 'is full', fix: canGiveBack ? giveBack : freeRoom };
}

function fewFiles({ writableFiles }: VolumeUsage): string {
  if (writableFiles === 0) return 'has no room for more files';
  return `has room for only ${writableFiles} more ${writableFiles === 1 ? 'file' : 'files'}`;
}

const giveBack = 'aos gc gives back the room that is kept for this';
const freeRoom = `free ${startBytes / MiB} MiB or more on that disk; "aos du" shows what the home takes`;
const removeFiles = `remove ${leastFiles} files or more from that disk; "aos gc --dry-run" shows what the home can do without`;

/** How many bytes a home keeps for a full disk; 0 also where something else has that name. */
export async function reserveSize(
  { disk }: { readonly disk: DiskView },
  home: string,
): Promise<number> {
  const there = await disk.stat(join(home, reserveName)).catch(() => undefined);
  return there?.kind === 'file' ? there.sizeBytes : 0;
}
