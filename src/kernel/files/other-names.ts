import { AosError, type ErrorCode } from '../errors.ts';
import type { DiskView } from '../ports.ts';

// It may be written to all the same; or it is gone.
const unknown: readonly ErrorCode[] = ['disk.denied', 'disk.missing'];

/** How many hard links a file has besides this name; of one that may not be read none are known. */
export async function countOtherNames(view: DiskView, path: string): Promise<number> {
  try {
    await using reader = await view.read(path);
    return Math.max(0, (await reader.identity()).links - 1);
  } catch (failure) {
    if (failure instanceof AosError && unknown.includes(failure.code)) return 0;
    throw failure;
  }
}

/** What is said of them where a new file takes the name of the one that has them. */
export function otherNamesWords(count: number): string {
  return count === 1
    ? 'another name (a hard link), which keeps what was in it'
    : `${count} other names (hard links), which keep what was in it`;
}
