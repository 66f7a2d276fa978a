/** Folders made and removed with all that is in them. */
import type { Disk, DiskEntry, HeldFolder } from '../ports.ts';
import { diskError, isMissing, isTaken } from './errors.ts';

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
    await openUp(disk, path, entry);
    await using held = await disk.holdFolder(path);
    await emptyFolder(disk, held);
  }
  await disk.remove(path);
}

/** Gives the owner access to a folder whose mode shuts it. */
export async function openUp(disk: Disk, path: string, { mode }: DiskEntry): Promise<void> {
  if ((mode & 0o700) !== 0o700) await disk.makePrivate(path);
}

/** However deep it goes: what is in a folder of this one is moved up, so that two are held at most. */
async function emptyFolder(disk: Disk, { path: top, device }: HeldFolder): Promise<void> {
  for (;;) {
    const names = await disk.list(top);
    let isLess = false;
    for (const name of names) {
      const path = `${top}/${name}`;
      const entry = await disk.stat(path);
      // What is mounted here is another disk, and goes with no folder.
      if (entry?.kind === 'folder' && entry.device !== device) throw diskError('EXDEV', path);
      if (entry?.kind === 'folder') {
        await openUp(disk, path, entry);
        await using held = await disk.holdFolder(path);
        await moveUp(disk, held.path, top);
      }
      if (entry === undefined) continue;
      await removeIfThere(disk, path);
      isLess = true;
    }
    // What cannot be looked at cannot go either: the caller that removes the folder hears of it.
    if (!isLess) return;
  }
}

/** The folders in it get other names in the one above; all else goes. */
async function moveUp(disk: Disk, folder: string, top: string): Promise<void> {
  for (const name of await disk.list(folder)) {
    const path = `${folder}/${name}`;
    const entry = await disk.stat(path);
    if (entry === undefined) continue;
    if (entry.kind !== 'folder') {
      await removeIfThere(disk, path);
      continue;
    }
    // A folder that is shut cannot be moved.
    await openUp(disk, path, entry);
    await disk.rename(path, await freePlace(disk, `${top}/.aos-gone-${entry.inode}`));
  }
}

/** Another process may have made such names before; each costs it a file. */
async function freePlace(disk: Disk, wanted: string): Promise<string> {
  for (let number = 0; ; number++) {
    const place = number === 0 ? wanted : `${wanted}-${number}`;
    if ((await disk.stat(place)) === undefined) return place;
  }
}

/** Where another failure is the one to hear of, or what stays does no harm. */
export async function removeQuietly(disk: Pick<Disk, 'remove'>, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch {
    // Gone already, or left for the next sweep.
  }
}

/**
 * Where the name is taken nothing is done: a caller that minds by what looks at it. True when made
 * now.
 */
export async function ensureFolder(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.makeFolder(path);
    return true;
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    return false;
  }
}
