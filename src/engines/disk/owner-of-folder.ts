/**
 * As root, what comes into a folder of an agent belongs to that agent: it can read what is put
 * into its workspace or its inbox. Folders of people are not meant: a home that root makes below
 * one is root's.
 *
 * W1. The folder is looked up once. What is made is made in the very folder whose owner it
 *     gets, also where somebody swaps names meanwhile.
 * W2. Only what is root's is given away, and what is somebody else's never becomes root's.
 */
import {
  chownSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { isAgentUid } from '../../kernel/ports.ts';
import { bytesOf } from './name-bytes.ts';
import { O_PATH } from './o-path.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** Does the work under the path that is handed to it; what it makes is to be the owner's. */
export function inItsFolder<T>(
  path: string,
  work: (path: string, owner: Owner | undefined) => T,
): T {
  if (!isRoot) return work(path, undefined);
  const held = heldFolderOf(path);
  if (held !== undefined) return work(path, ownerOf(held));
  const folder = statSync(bytesOf(dirname(path)), { throwIfNoEntry: false });
  // Where nothing is to be given away, the path may as well be looked up again.
  if (folder === undefined || !isAgentUid(folder.uid)) return work(path, undefined);
  if (!isLinux) return work(path, foreign(folder));
  const descriptor = openSync(bytesOf(dirname(path)), O_PATH | O_DIRECTORY);
  try {
    // W1
    return work(`/proc/self/fd/${descriptor}/${basename(path)}`, ownerOf(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

const inHeldFolder = /^\/proc\/self\/fd\/(\d+)\/[^/]+$/;

function heldFolderOf(path: string): number | undefined {
  const number = inHeldFolder.exec(path)?.[1];
  return number === undefined ? undefined : Number(number);
}

function ownerOf(folder: number): Owner | undefined {
  return foreign(fstatSync(folder));
}

function foreign({ uid, gid }: Stats): Owner | undefined {
  return isAgentUid(uid) ? { uid, gid } : undefined;
}

/** Before it is moved there, so that nobody finds it closed to them. */
export function giveIfOurs(path: string, { uid, gid }: Owner): void {
  const access = isLinux ? O_PATH : O_RDONLY;
  const descriptor = openSync(bytesOf(path), access | O_NOFOLLOW);
  try {
    // W2
    if (fstatSync(descriptor).uid !== 0) return;
    if (isLinux) chownSync(`/proc/self/fd/${descriptor}`, uid, gid);
    else chownSync(bytesOf(path), uid, gid);
  } finally {
    closeSync(descriptor);
  }
}

export function sameFolder(from: string, to: string): boolean {
  return dirname(from) === dirname(to);
}
