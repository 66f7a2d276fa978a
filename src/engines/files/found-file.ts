import { type BigIntStats, lstatSync } from 'node:fs';
import type { FileKind, FoundFile } from '../../kernel/files/look.ts';
import { bytesOf } from '../disk/name-bytes.ts';

/** As it stands now; undefined where it is gone. The path is what it will be called. */
export function lookAt(heldPath: string, path: string): FoundFile | undefined {
  const stats = lstatSync(bytesOf(heldPath), { bigint: true, throwIfNoEntry: false });
  return stats && foundFile(path, stats);
}

export function foundFile(path: string, stats: BigIntStats): FoundFile {
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
