/** How full the disks are, and which disks there are, on Linux and elsewhere. */
import { readFileSync, realpathSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { osCodeOf, toDiskError } from '../../kernel/disk/errors.ts';
import type { Mounts, Volume } from '../../kernel/ports.ts';

export const realVolume: Volume = {
  async usage(path) {
    try {
      const place = nearestExisting(resolve(path));
      const { bsize, blocks, bfree, bavail, files, ffree } = statfsSync(place);
      return {
        usedBytes: bsize * (blocks - bfree),
        freeBytes: bsize * bavail,
        writableBytes: bsize * (process.getuid?.() === 0 ? bfree : bavail),
        // Some disks make room for files as they are needed, and count none.
        writableFiles: files === 0 ? Number.POSITIVE_INFINITY : ffree,
        fileSystem: fileSystemOf(mountTable(), place),
      };
    } catch (failure) {
      throw toDiskError(failure, path);
    }
  },
};

export const realMounts: Mounts = {
  tops: async () => localTops(mountTable()),
};

function nearestExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch (failure) {
    if (osCodeOf(failure) !== 'ENOENT' || dirname(path) === path) throw failure;
    return nearestExisting(dirname(path));
  }
}

function mountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // macOS has no such file, a bare container may hide it: the answer is "unknown".
    return '';
  }
}

/**
 * The type of the file system that holds `path` (absolute, symlinks resolved), by
 * the text of Linux' `/proc/self/mountinfo`: that of the deepest mount above it.
 * Where two are stacked on one folder, the later line is the one on top.
 */
export function fileSystemOf(mountinfo: string, path: string): string | undefined {
  let deepest: Mount | undefined;
  for (const line of mountinfo.split('\n')) {
    const mount = parseMount(line);
    if (mount === undefined || !holds(mount.point, path)) continue;
    if (deepest === undefined || mount.point.length >= deepest.point.length) deepest = mount;
  }
  return deepest?.fileSystem;
}

const localFileSystems =
  /^(?:ext[234]|xfs|btrfs|zfs|bcachefs|f2fs|jfs|tmpfs|overlay|vfat|exfat|ntfs3|fuseblk|udf)$/;

/** The folders on which disks of this machine are mounted, by the text of the mount table. */
export function localTops(mountinfo: string): readonly string[] {
  const points = mountinfo.split('\n').flatMap((line) => parseMount(line)?.point ?? []);
  return [...new Set(points)].filter((point) =>
    localFileSystems.test(fileSystemOf(mountinfo, point) ?? ''),
  );
}

interface Mount {
  readonly point: string;
  readonly fileSystem: string;
}

// `36 35 98:0 /root /mount/point rw,noatime master:1 - ext4 /dev/sda1 rw`: any number
// of optional fields stands before the lone hyphen.
function parseMount(line: string): Mount | undefined {
  const fields = line.split(' ');
  const point = fields[4];
  const hyphen = fields.indexOf('-', 6);
  const fileSystem = fields[hyphen + 1];
  if (point === undefined || hyphen === -1 || fileSystem === undefined) return undefined;
  return { point: decodeOctal(point), fileSystem: decodeOctal(fileSystem) };
}

// The kernel writes blanks, tabs, newlines, `#` and `\` as a backslash and three octal digits.
function decodeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function holds(point: string, path: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`);
}
