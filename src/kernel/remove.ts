import { isMissing } from './disk-errors.ts';
import type { Disk } from './ports.ts';

/** A file, a symlink or an empty folder; nothing happens when it is gone. */
export async function removeIfThere(disk: Pick<Disk, 'remove'>, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch (failure) {
    if (!isMissing(failure)) throw failure;
  }
}

/**
 * A file, a symlink, or a folder with all that is in it. The folder is held while it is emptied:
 * where an agent can write, a symlink could take its place meanwhile.
 */
export async function removeTree(disk: Disk, path: string): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === undefined) return;
  if (entry.kind === 'folder') {
    await using held = await disk.holdFolder(path);
    for (const name of await disk.list(held.path)) await removeTree(disk, `${held.path}/${name}`);
  }
  await disk.remove(path);
}

/** Where another failure is the one to hear of, or what stays does no harm. */
export async function removeQuietly(disk: Pick<Disk, 'remove'>, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch {
    // Gone already, or left for whoever sweeps.
  }
}
