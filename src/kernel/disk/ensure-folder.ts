import type { Disk } from '../ports.ts';
import { isTaken } from './errors.ts';

/** Where the name is taken nothing is done: whoever minds by what looks at it. True when made now. */
export async function ensureFolder(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.makeFolder(path);
    return true;
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    return false;
  }
}
