import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import type { Disk } from '../../kernel/ports.ts';

/**
 * Opens what stands at an entry, or tells where the symlink leads that stands there. Opening
 * comes first, and follows no symlink: whoever looks first opens what is there a moment later.
 */
export async function openOrReadLink<Opened>(
  disk: Disk,
  entry: string,
  wanted: 'file' | 'folder',
  open: (entry: string) => Promise<Opened>,
): Promise<{ readonly opened: Opened } | { readonly target: string }> {
  try {
    return { opened: await open(entry) };
  } catch (failure) {
    // Which of the two is said of a symlink depends on the system.
    if (!isCode(failure, 'disk.not-a-folder') && !isCode(failure, 'disk.not-a-file')) throw failure;
    return { target: await linkAt(disk, entry, wanted, failure) };
  }
}

async function linkAt(
  disk: Disk,
  entry: string,
  wanted: 'file' | 'folder',
  firstFailure: unknown,
): Promise<string> {
  try {
    return await disk.readLink(entry);
  } catch (failure) {
    if (!isCode(failure, 'disk.bad-name')) throw failure;
    // It is no symlink; but it was one before, if it is what was wanted now.
    const now = await disk.stat(entry);
    throw now?.kind === wanted ? changed() : firstFailure;
  }
}

function isCode(failure: unknown, code: ErrorCode): boolean {
  return failure instanceof AosError && failure.code === code;
}

function changed(): AosError {
  return new AosError('file.changed', {
    message: 'Somebody changed the way to the file while it was walked',
    fix: 'Try again',
  });
}
