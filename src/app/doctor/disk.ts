import type { VolumeUsage } from '../../kernel/ports.ts';
import type { Patient, Verdict } from './finding.ts';
import { describeFullDisk, isFull } from './full-disk.ts';

export async function checkDisk({ settings, disk, usage }: Patient): Promise<Verdict> {
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

export async function checkFileSystem({ usage }: Patient): Promise<Verdict> {
  const { fileSystem } = await usage();
  return judgeFileSystem(fileSystem);
}

export function judgeFileSystem(fileSystem: string | undefined): Verdict {
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
