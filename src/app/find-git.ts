/** Repositories in a folder, whose hooks run as whoever uses them. */
import { join } from 'node:path';
import { AosError } from '../kernel/errors.ts';
import type { DiskView } from '../kernel/ports.ts';

// A folder with more is not looked through to its end: then nobody can say that there is none.
const most = { depth: 8, entries: 20_000 } as const;

/**
 * The first `.git` in it or below. Links are not followed: what they lead to is not in it.
 * Where it is too large to be looked through, the folder itself.
 */
export async function findGit(disk: DiskView, folder: string): Promise<string | undefined> {
  let left: number = most.entries;
  const look = async (path: string, depth: number): Promise<string | undefined> => {
    if (depth > most.depth) return path;
    for (const name of await namesIn(disk, path)) {
      const place = join(path, name);
      left -= 1;
      if (name === '.git') return place;
      if (left < 0) return folder;
      if ((await disk.stat(place))?.kind !== 'folder') continue;
      const found = await look(place, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return look(folder, 0);
}

async function namesIn(disk: DiskView, path: string): Promise<readonly string[]> {
  try {
    return await disk.list(path);
  } catch (failure) {
    // Gone meanwhile, or closed to us, and so to who would use it.
    if (failure instanceof AosError) return [];
    throw failure;
  }
}
