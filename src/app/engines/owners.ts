/**
 * Whose files are whose, which only root can change.
 *
 * O1. On what is open, never by a path twice: whoever may write there could swap it.
 * O2. The folder itself comes last: a process that dies in between begins anew.
 */
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
} from 'node:fs';
import type { Owners } from '../../kernel/owners.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

export const realOwners: Owners = {
  isRoot: process.getuid?.() === 0,
  give: async (folder, uid) => giveFolder(folder, uid),
};

function giveFolder(path: string, uid: number): void {
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    if (fstatSync(descriptor).uid === uid) return;
    const held = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path;
    for (const name of readdirSync(held, { encoding: 'buffer' })) {
      giveEntry(Buffer.concat([Buffer.from(`${held}/`), name]), uid);
    }
    // O2
    fchownSync(descriptor, uid, uid);
  } finally {
    closeSync(descriptor);
  }
}

function giveEntry(path: Buffer, uid: number): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined || entry.uid === uid) return;
  if (entry.isDirectory()) giveFolder(path.toString(), uid);
  // A second name of a file that lies elsewhere: not ours to give away.
  else if (entry.nlink === 1) lchownSync(path, uid, uid);
}
