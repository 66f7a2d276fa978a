import { join } from 'node:path';
import type { DiskView, Volume, VolumeUsage } from '../../kernel/ports.ts';
import type { DoctorVerdict, Patient } from './finding.ts';
import { reserveName } from './modes.ts';

export async function checkDisk({ settings, disk, usage }: Patient): Promise<DoctorVerdict> {
  const { home, diskWarnPercent, diskAlertPercent } = settings;
  const volumeUsage = await usage();
  const percent = usedPercent(volumeUsage);
  if (isFull(volumeUsage)) {
    const { is, fix } = await describeFullDisk({ disk }, home, volumeUsage);
    const says = `${percent} % of the disk under the home folder is used, and it ${is}`;
    return { state: 'failed', says, fix };
  }
  const says = `${percent} % of the disk under the home folder is used, ${gibibytes(volumeUsage.freeBytes)} are free`;
  if (percent < diskWarnPercent) return { state: 'ok', says };
  return {
    state: percent < diskAlertPercent ? 'warning' : 'failed',
    says,
    fix: 'free some space, or move the home folder to a larger disk: export AOS_HOME=…',
  };
}

/** As df counts: what is kept for root is neither used nor free. */
export function usedPercent({ usedBytes, freeBytes }: VolumeUsage): number {
  return Math.ceil((100 * usedBytes) / Math.max(1, usedBytes + freeBytes));
}

export function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}

// SQLite's write-ahead log needs memory that all its users share, which two
// machines do not have. Anything else under "fuse." may or may not be remote.
const networkFileSystems =
  /^(nfs\d?|cifs|smb\d?|smbfs|9p|virtiofs|vboxsf|prl_fs|vmhgfs|afs|ceph|lustre|gfs2|ocfs2|beegfs|davfs|ncpfs|glusterfs|fuse\.(sshfs|glusterfs|s3fs|rclone|vmhgfs-fuse|davfs2?|gcsfuse|blobfuse2?|juicefs|mergerfs))$/;

export async function checkFileSystem({ usage }: Patient): Promise<DoctorVerdict> {
  const { fileSystem } = await usage();
  return judgeFileSystem(fileSystem);
}

export function judgeFileSystem(fileSystem: string | undefined): DoctorVerdict {
  if (fileSystem === undefined) {
    return {
      state: 'ok',
      says: 'this system does not tell the kind; keep the home on a local disk',
    };
  }
  if (networkFileSystems.test(fileSystem)) {
    return {
      state: 'failed',
      says: `the home folder lies on a network file system (${fileSystem}), where the ledger is not safe`,
      fix: 'choose a folder on a local disk: export AOS_HOME=…',
    };
  }
  if (fileSystem.startsWith('fuse')) {
    return {
      state: 'warning',
      says: `the home folder lies on ${fileSystem}; if that is remote, the ledger is not safe`,
      fix: 'choose a folder on a local disk: export AOS_HOME=…',
    };
  }
  return { state: 'ok', says: `the home folder lies on a local disk (${fileSystem})` };
}

// When a home can no longer be written to for want of room or of files, and what helps then.

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
