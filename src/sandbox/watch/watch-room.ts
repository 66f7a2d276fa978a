/**
 * Whether a folder can have grown too large since it was last counted. What it takes, its disk
 * has no longer: while the disk has lost little, nobody needs to walk through the folder.
 */
import { statfsSync } from 'node:fs';
import type { FolderAmount } from './watch-walk.ts';

/** What was counted, and the room that the disk had then. */
export interface CountedRoom {
  readonly room: FolderAmount | undefined;
  readonly counted: FolderAmount;
  readonly most: FolderAmount;
}

/** Undefined where the system does not tell. */
export function roomAt(path: string): FolderAmount | undefined {
  try {
    const { bfree, bsize, files, ffree } = statfsSync(path);
    // Some disks make room for names as they are needed, and tell nothing.
    return files === 0 ? undefined : { bytes: bfree * bsize, files: ffree };
  } catch {
    return undefined;
  }
}

// Others use the disk too, and may give back what the folder took.
const part = 2;

/** True also where nobody can tell. */
export function mayHaveGrown(last: CountedRoom, now: FolderAmount | undefined): boolean {
  const { room, counted, most } = last;
  if (room === undefined || now === undefined) return true;
  return (['bytes', 'files'] as const).some(
    (what) => (room[what] - now[what]) * part >= Math.max(1, most[what] - counted[what]),
  );
}
