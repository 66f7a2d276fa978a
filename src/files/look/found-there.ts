import type { FoundFile } from '../../kernel/files/look.ts';
import type { DiskEntry } from '../../kernel/ports.ts';

/** One that was named, as one that was found. */
export function foundThere(path: string, there: DiskEntry): FoundFile {
  const { kind, sizeBytes, modifiedNs, modifiedAt, inode, device, mode, ownerUid } = there;
  return {
    ...{ path, kind, sizeBytes, modifiedNs, modifiedAt, inode, device, mode, ownerUid },
    ...{ allocatedBytes: sizeBytes, createdAt: modifiedAt, links: 1 },
  };
}
