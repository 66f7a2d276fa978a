/** Looking through a folder for what must not be in it. */
import { join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';

// A folder with more is not looked through to its end: then it is not known what is in it.
const most = { depth: 12, entries: 50_000 } as const;

export interface Looking {
  isWanted(path: string, name: string): boolean;
  /** What is below such a folder does not count. */
  isSkipped?(name: string): boolean;
}

/**
 * The first path in it, or below, that is wanted. Links are not followed: what they lead to is
 * not in it. Where it is too large to be looked through, the folder itself.
 */
export async function findBelow(
  disk: DiskView,
  folder: string,
  { isWanted, isSkipped = () => false }: Looking,
): Promise<string | undefined> {
  let left: number = most.entries;
  const look = async (path: string, depth: number): Promise<string | undefined> => {
    for (const name of await namesIn(disk, path)) {
      const place = join(path, name);
      left -= 1;
      if (isWanted(place, name)) return place;
      if (left < 0) return folder;
      if (isSkipped(name)) continue;
      if ((await disk.stat(place))?.kind !== 'folder') continue;
      const found = depth === most.depth ? folder : await look(place, depth + 1);
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
