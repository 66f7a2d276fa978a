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

/** A file, or a folder with all that is in it; no symlink on the way is followed. */
export async function removeTree(disk: Disk, path: string): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === undefined) return;
  if (entry.kind === 'folder') {
    await using held = await disk.holdFolder(path);
    for (const name of await disk.list(held.path)) await removeTree(disk, `${held.path}/${name}`);
  }
  await disk.remove(path);
}
