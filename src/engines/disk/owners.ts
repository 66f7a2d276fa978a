/**
 * Whose files are whose, which only root can change.
 *
 * O1. On what is open, never by a path twice: a process that may write there could swap it.
 * O2. A folder comes after what is in it, the first one last: a process that dies in between
 *     begins anew, and what is theirs already is done.
 * O3. Names are bytes, no path is longer than one name below what is open, and only the folder
 *     that is worked on is open: neither text nor depth stops it.
 */
import {
  chownSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { diskError, osCodeOf, toDiskError } from '../../kernel/disk/errors.ts';
import { must } from '../../kernel/must.ts';
import { isAgentUid, type Owners } from '../../kernel/ports.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const hasHandles = process.platform === 'linux';

export const realOwners: Owners = {
  isRoot: process.getuid?.() === 0,
  async give(folder, uid) {
    try {
      giveFolder(folder, uid);
    } catch (failure) {
      throw toDiskError(failure, folder);
    }
  },
};

function giveFolder(folder: string, uid: number): void {
  using at = new OpenedFolder(folder);
  if (at.ownerUid === uid) return;
  // For each folder on the way to where we are: those in it that are still to be given.
  const left = [giveEntries(at, uid)];
  for (;;) {
    const name = left.at(-1)?.pop();
    if (name !== undefined) {
      if (at.down(name)) left.push(giveEntries(at, uid));
      continue;
    }
    // O2
    at.give(uid);
    left.pop();
    if (left.length === 0) return;
    at.up();
  }
}

/** Gives all but the folders, whose names it answers. */
function giveEntries(at: OpenedFolder, uid: number): Buffer[] {
  return readdirSync(at.path, { encoding: 'buffer' }).filter((name) =>
    unlessGone(() =>
      withEntry(at.below(name), (entry, give) => {
        if (entry.uid === uid) return false;
        if (entry.isDirectory()) return true;
        // A second name of a file that lies elsewhere: not ours to give away.
        if (entry.nlink === 1) give(uid);
        return false;
      }),
    ),
  );
}

type Look = (entry: Stats, give: (uid: number) => void) => boolean;

function withEntry(path: Buffer, look: Look): boolean {
  if (!hasHandles) return look(lstatSync(path), (uid) => lchownSync(path, uid, uid));
  const handle = openSync(path, O_PATH | O_NOFOLLOW);
  try {
    // O1: a symlink that is open itself is not followed by this path.
    return look(fstatSync(handle), (uid) => chownSync(`/proc/self/fd/${handle}`, uid, uid));
  } finally {
    closeSync(handle);
  }
}

/** A folder that is open, from which one can go down and up again. */
class OpenedFolder implements Disposable {
  readonly #folder: string;
  /** The names and the folders on the way to it. */
  readonly #path: { readonly name: Buffer; readonly above: string }[] = [];
  #handle: number;

  constructor(folder: string) {
    this.#folder = folder;
    this.#handle = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  }

  get ownerUid(): number {
    return fstatSync(this.#handle).uid;
  }

  get path(): Buffer {
    if (hasHandles) return Buffer.from(`/proc/self/fd/${this.#handle}`);
    return this.#path.reduce<Buffer>((at, { name }) => joined(at, name), Buffer.from(this.#folder));
  }

  below(name: Buffer): Buffer {
    return joined(this.path, name);
  }

  /** False when it is gone, or no folder any more. */
  down(name: Buffer): boolean {
    const above = identityOf(this.#handle);
    const path = this.below(name);
    return unlessGone(() => {
      this.#moveTo(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
      this.#path.push({ name, above });
      return true;
    });
  }

  up(): void {
    const above = openSync(this.below(Buffer.from('..')), O_RDONLY | O_DIRECTORY);
    this.#moveTo(above);
    // O1: who moves a folder meanwhile would have us go on somewhere else.
    if (identityOf(above) !== this.#path.pop()?.above) throw diskError('ESTALE', this.#folder);
  }

  give(uid: number): void {
    fchownSync(this.#handle, uid, uid);
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }

  #moveTo(handle: number): void {
    closeSync(this.#handle);
    this.#handle = handle;
  }
}

function joined(path: Buffer, name: Buffer): Buffer {
  return Buffer.concat([path, Buffer.from('/'), name]);
}

function identityOf(handle: number): string {
  const { dev, ino } = fstatSync(handle, { bigint: true });
  return `${dev}:${ino}`;
}

// ENOTDIR and ELOOP: something else stands there by now.
const gone = ['ENOENT', 'ENOTDIR', 'ELOOP'];

function unlessGone(look: () => boolean): boolean {
  try {
    return look();
  } catch (failure) {
    if (gone.includes(osCodeOf(failure) ?? '')) return false;
    throw failure;
  }
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

/**
 * As root, what comes into a folder of an agent belongs to that agent: it can read what is put
 * into its workspace or its inbox. Folders of people are not meant: a home that root makes below
 * one is root's.
 *
 * W1. The folder is looked up once. What is made is made in the very folder whose owner it gets,
 *     also where another process swaps names meanwhile.
 * W2. Only what is root's is given away, and what is another user's never becomes root's.
 *
 * Does the work under the path that is handed to it; what it makes is to be the owner's.
 */
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

/** Before it is moved there, so that its new owner never finds it closed. */
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

// Names that are no UTF-8. In memory each byte that does not fit is half of a character
// (U+DC80 to U+DCFF), which no real name has, so that every name of the disk is one text, and the
// text leads back to the very name.

/** The names in a folder, sorted by code units. */
export function namesIn(path: string): string[] {
  const names = readdirSync(bytesOf(path));
  // What stands for bytes that are no text may also be a character of a name.
  const isPlain = !names.some((name) => name.includes('\uFFFD'));
  const all = isPlain ? names : readdirSync(bytesOf(path), 'buffer').map(textOf);
  return all.sort();
}

/** What the system takes for a path: the text itself wherever that is one. */
export function bytesOf(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  return Buffer.concat(Array.from(path, (character) => bytesOfCharacter(character)));
}

function bytesOfCharacter(character: string): Buffer {
  const code = character.charCodeAt(0);
  const isByte = character.length === 1 && code >= 0xdc80 && code <= 0xdcff;
  return isByte ? Buffer.of(code - 0xdc00) : Buffer.from(character);
}

export function textOf(name: Buffer): string {
  const text = name.toString();
  if (Buffer.from(text).equals(name)) return text;
  let written = '';
  for (let place = 0; place < name.length; ) {
    const length = lengthOfCharacter(name, place);
    if (length === 0)
      written += String.fromCharCode(0xdc00 + must(name[place], 'a byte of the name'));
    else written += name.toString('utf8', place, place + length);
    place += Math.max(1, length);
  }
  return written;
}

/** How many bytes the character here has; 0 where there is none. */
function lengthOfCharacter(name: Buffer, place: number): number {
  for (let length = 1; length <= 4 && place + length <= name.length; length++) {
    const text = name.toString('utf8', place, place + length);
    if (!text.includes('\uFFFD')) return length;
    // Written so, it is one.
    if (text === '\uFFFD' && Buffer.from(text).equals(name.subarray(place, place + length))) {
      return length;
    }
  }
  return 0;
}

/** Linux: opens a file without reading it, also one that is closed to us. Node has no name for it. */
export const O_PATH = 0o10000000;
