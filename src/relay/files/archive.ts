/** Where the files of messages go when the ledger has them: `archive/{date}/{agent}/{stem}.msg`. */

import { isMissing } from '../../kernel/disk/errors.ts';
import { ensureFolder } from '../../kernel/disk/folders.ts';
import type { Disk, Instant } from '../../kernel/ports.ts';
import type { ArchivePlace } from '../envelope.ts';

export interface ArchiveDeps {
  readonly disk: Disk;
  readonly home: string;
}

/** The folder of a day, and of an agent in it, below the home folder. */
export function archiveFolder(at: Instant, agent: string): string {
  return `archive/${dayOf(at)}/${agent}`;
}

/** Below the home folder. */
export function archivePath({ at, agent, stem }: ArchivePlace): string {
  return `${archiveFolder(at, agent)}/${stem}.msg`;
}

// A name has 255 bytes, of which the number that the relay may add takes some.
const longestStemBytes = 251;

/** The id where the stem is too long for a name. */
export function archiveStem(stem: string, id: string): string {
  return Buffer.byteLength(stem) <= longestStemBytes ? stem : id;
}

/** UTC, such as `2030-01-31`. */
export function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Moves a file into the archive. False when it is gone. */
export async function moveToArchive(
  { disk, home }: ArchiveDeps,
  from: string,
  place: ArchivePlace,
): Promise<boolean> {
  const to = `${home}/${archivePath(place)}`;
  try {
    await disk.rename(from, to);
    return true;
  } catch (failure) {
    if (!isMissing(failure)) throw failure;
  }
  await makeFolders(disk, home, archiveFolder(place.at, place.agent));
  try {
    await disk.rename(from, to);
    return true;
  } catch (failure) {
    if (isMissing(failure)) return false;
    throw failure;
  }
}

async function makeFolders(disk: Disk, home: string, path: string): Promise<void> {
  let folder = home;
  for (const name of path.split('/')) {
    folder = `${folder}/${name}`;
    await ensureFolder(disk, folder);
  }
}
