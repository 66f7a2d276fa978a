/**
 * What is left on the old disk when a folder was copied to another one. Somebody may have saved
 * something there meanwhile: only what the copy has too, unchanged, is removed.
 */
import { isMissing } from '../../kernel/disk/errors.ts';
import { removeIfThere } from '../../kernel/disk/folders.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk, DiskEntry } from '../../kernel/ports.ts';

/** Both in folders that are held. Whether all of the source is gone. */
export async function dropCopied(disk: Disk, source: string, copy: string): Promise<boolean> {
  const there = await disk.stat(source);
  if (there === undefined) return true;
  const copied = await disk.stat(copy);
  if (copied === undefined || copied.kind !== there.kind) return false;
  if (there.kind !== 'folder') {
    if (!isCopyOf(there, copied)) return false;
    await removeIfThere(disk, source);
    return true;
  }
  return dropFolder(disk, { source, copy, mode: there.mode });
}

async function dropFolder(
  disk: Disk,
  { source, copy, mode }: { readonly source: string; readonly copy: string; readonly mode: number },
): Promise<boolean> {
  // Whoever has shut a folder does not keep it so.
  if ((mode & 0o700) !== 0o700) await disk.makePrivate(source);
  let isAll = true;
  {
    await using from = await disk.holdFolder(source);
    await using to = await disk.holdFolder(copy);
    for (const name of await disk.list(`${from.path}/.`)) {
      const isGone = await dropCopied(disk, `${from.path}/${name}`, `${to.path}/${name}`);
      isAll &&= isGone;
    }
  }
  return isAll && (await removeEmpty(disk, source));
}

/** Something may have come into it in the last moment. */
async function removeEmpty(disk: Disk, folder: string): Promise<boolean> {
  try {
    await disk.remove(folder);
    return true;
  } catch (failure) {
    if (isMissing(failure)) return true;
    if (failure instanceof AosError && failure.code === 'disk.not-empty') return false;
    throw failure;
  }
}

// Where no program sets a time exactly, Node comes as near as this.
const nearNs = 1000n;

function isCopyOf(one: DiskEntry, other: DiskEntry): boolean {
  const apart = BigInt(one.modifiedNs) - BigInt(other.modifiedNs);
  return one.sizeBytes === other.sizeBytes && apart < nearNs && apart > -nearNs;
}
