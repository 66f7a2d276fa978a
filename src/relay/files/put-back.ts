/** A file that was moved to the archive in the place of another goes back to the outbox. */
import { isTaken } from '../../kernel/disk/errors.ts';
import { removeIfThere } from '../../kernel/disk/folders.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk } from '../../kernel/ports.ts';

/**
 * Under its own name, or, when that is taken by now, beside it: nothing is replaced. Tells
 * under which.
 */
export async function putBack(disk: Disk, archived: string, path: string): Promise<string> {
  const kind = (await disk.stat(archived))?.kind;
  let back = path;
  // A folder replaces nothing but an empty folder.
  if (kind === 'folder') await disk.rename(archived, path);
  else if (kind !== undefined) {
    if (kind === 'file') back = await linkBeside(disk, archived, path);
    // What else came in the place of a file within a moment is no message that could be lost.
    await removeIfThere(disk, archived);
  }
  return back.slice(back.lastIndexOf('/') + 1);
}

async function linkBeside(disk: Disk, archived: string, path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const beside = number === 1 ? path : `${shortened(path)}.${number}.msg`;
    try {
      await linkOrMove(disk, archived, beside);
      return beside;
    } catch (failure) {
      if (!isTaken(failure)) throw failure;
    }
  }
}

const longestStemBytes = 240;

/** Without its end, and so that a number has room behind it. */
function shortened(path: string): string {
  const slash = path.lastIndexOf('/') + 1;
  let stem = path.slice(slash, -'.msg'.length);
  while (Buffer.byteLength(stem) > longestStemBytes) stem = stem.slice(0, -1);
  // Half a character would not be the same name on the disk.
  return path.slice(0, slash) + stem.replace(/[\ud800-\udbff]$/, '');
}

/** Not every disk has second names; there, whoever takes the name this very moment loses it. */
async function linkOrMove(disk: Disk, archived: string, to: string): Promise<void> {
  try {
    await disk.link(archived, to);
  } catch (failure) {
    const isRefused = failure instanceof AosError && noLinks.has(failure.code);
    if (!isRefused || (await disk.stat(to)) !== undefined) throw failure;
    await disk.rename(archived, to);
  }
}

const noLinks: ReadonlySet<string> = new Set(['disk.denied', 'disk.failed']);
