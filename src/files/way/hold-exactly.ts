import { AosError } from '../../kernel/errors.ts';
import type { Disk, HeldFolder } from '../../kernel/ports.ts';
import { followWay } from './follow-way.ts';

/** The folder of a path that no symlink was on; undefined where it is gone, or one is on it now. */
export async function holdExactly(disk: Disk, path: string): Promise<HeldFolder | undefined> {
  const parts = path.split('/').filter((name) => name !== '');
  if (parts.length === 0) return disk.holdFolder('/');
  try {
    const { found, open } = await followWay(disk, parts, {
      open: (entry) => disk.holdFolder(entry),
      wanted: 'folder',
      onTurn: async () => {
        throw new AosError('file.changed', { message: 'A symlink has come onto the way' });
      },
      signal: new AbortController().signal,
    });
    return { ...found, [Symbol.asyncDispose]: () => open.disposeAsync() };
  } catch (failure) {
    if (failure instanceof AosError) return undefined;
    throw failure;
  }
}
