/**
 * Removes one of two copies: the original that a move to another disk has left, or the copy that an
 * undo takes back. Something may have been saved there meanwhile: only what the other one has too,
 * unchanged, is removed.
 */
import { isMissing } from '../../kernel/disk/errors.ts';
import { removeIfThere } from '../../kernel/disk/remove.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk, DiskEntry } from '../../kernel/ports.ts';
import { hashOf } from './copy-entry.ts';

/** Both in folders that are held. Whether the original has all that the copy has, byte for byte. */
export async function isWholeIn(
  disk: Disk,
  original: string,
  copy: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [kept, copied] = [await disk.stat(original), await disk.stat(copy)];
  if (copied === undefined) return true;
  if (kept?.kind !== copied.kind) return false;
  switch (copied.kind) {
    case 'file':
      if (kept.sizeBytes !== copied.sizeBytes) return false;
      return (await hashOf(disk, original, signal)) === (await hashOf(disk, copy, signal));
    case 'symlink':
      return (await disk.readLink(original)) === (await disk.readLink(copy));
    case 'folder':
      return await isFolderWholeIn(disk, original, copy, signal);
    default:
      return false;
  }
}

async function isFolderWholeIn(
  disk: Disk,
  original: string,
  copy: string,
  signal: AbortSignal,
): Promise<boolean> {
  await using kept = await disk.holdFolder(original);
  await using copied = await disk.holdFolder(copy);
  for (const name of await disk.list(`${copied.path}/.`)) {
    const names = [`${kept.path}/${name}`, `${copied.path}/${name}`] as const;
    if (!(await isWholeIn(disk, ...names, signal))) return false;
  }
  return true;
}

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
