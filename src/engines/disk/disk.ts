/**
 * The real disk. It never follows a symlink in the last place, never waits for the
 * other end of a FIFO, and answers every failure with a `disk.*` error.
 *
 * Only a sync goes to the thread pool. The other calls are done on the spot: on a
 * local disk they take microseconds, which the trip to the pool and back would
 * multiply (docs/decisions.md has the numbers), and the ledger works like that too.
 */
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { diskError, osCodeOf, toDiskError } from '../../kernel/disk/errors.ts';
import type {
  CreateOptions,
  Disk,
  DiskEntry,
  FileIdentity,
  FileReader,
  FileWriter,
  HeldFolder,
} from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import {
  bytesOf,
  giveIfOurs,
  inItsFolder,
  namesIn,
  O_PATH,
  type Owner,
  sameFolder,
  textOf,
} from './owners.ts';

export const realDisk: Disk = {
  read: async (path) => named(path, () => openForReading(path)),
  list: async (path) => named(path, () => namesIn(path)),
  stat: async (path) => named(path, () => entryAt(path)),
  readLink: async (path) => named(path, () => textOf(readlinkSync(bytesOf(path), 'buffer'))),
  create: async (path, options) => named(path, () => createForWriting(path, options)),
  rename: async (from, to) => namedOf(from, to, () => move(from, to)),
  link: async (from, to) => namedOf(from, to, () => linkSync(bytesOf(from), bytesOf(to))),
  remove: async (path) => named(path, () => removeEntry(path)),
  makeFolder: async (path) => named(path, () => makePrivateFolder(path)),
  syncFolder,
  makePrivate: async (path) => named(path, () => closeToOthers(path)),
  holdFolder: async (path) => named(path, () => hold(path)),
};

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } =
  constants;

function openForReading(path: string): FileReader {
  // O_NONBLOCK: without it, opening a FIFO waits until another process writes to it.
  const file = new OpenFile(path, openSync(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  try {
    const info = fstatSync(file.descriptor);
    if (!info.isFile()) throw diskError(info.isDirectory() ? 'EISDIR' : 'ENXIO', path);
  } catch (failure) {
    file.close();
    throw failure;
  }
  return {
    readAt: async (offset, length, into) => named(path, () => file.read(offset, length, into)),
    sizeBytes: async () => named(path, () => fstatSync(file.descriptor).size),
    identity: async () =>
      named(path, () => identityOf(fstatSync(file.descriptor, { bigint: true }))),
    [Symbol.asyncDispose]: async () => file.close(),
  };
}

function identityOf({ size, mtimeNs, ino, dev, nlink }: BigIntStats): FileIdentity {
  return {
    sizeBytes: Number(size),
    modifiedNs: mtimeNs.toString(),
    modifiedAt: Number(mtimeNs / 1_000_000n),
    inode: ino.toString(),
    device: dev.toString(),
    links: Number(nlink),
  };
}

function createForWriting(path: string, options: CreateOptions = {}): FileWriter {
  const { mode = 0o600, owner, keepBytes } = options;
  const file =
    keepBytes === undefined
      ? inItsFolder(path, (within, folderOwner) =>
          openNew(path, within, { mode, owner: owner ?? folderOwner }),
        )
      : openAgain(path, keepBytes);
  return {
    append: async (bytes) => named(path, () => file.append(bytes)),
    sync: async () =>
      syncDescriptor(
        path,
        named(path, () => file.descriptor),
      ),
    [Symbol.asyncDispose]: async () => file.close(),
  };
}

function openAgain(path: string, keepBytes: number): OpenFile {
  const flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_APPEND;
  const file = new OpenFile(path, openSync(bytesOf(path), flags));
  try {
    const info = fstatSync(file.descriptor);
    if (!info.isFile()) throw diskError('ENXIO', path);
    // Longer it would get bytes that were never written.
    if (info.size < keepBytes) throw diskError('EINVAL', path);
    ftruncateSync(file.descriptor, keepBytes);
    return file;
  } catch (failure) {
    file.close();
    throw failure;
  }
}

interface NewFile {
  readonly mode: number;
  readonly owner: Owner | undefined;
}

/** Within a folder that is held, where that matters; the path is for words. */
function openNew(path: string, within: string, { mode, owner }: NewFile): OpenFile {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND;
  const file = new OpenFile(path, openSync(bytesOf(within), flags, 0o600));
  try {
    if (owner !== undefined && isRoot) fchownSync(file.descriptor, owner.uid, owner.gid);
    // The umask may have taken bits away; it never adds any.
    fchmodSync(file.descriptor, mode);
    return file;
  } catch (failure) {
    file.close();
    quietly(() => unlinkSync(bytesOf(within)));
    throw failure;
  }
}

const isRoot = process.getuid?.() === 0;

function move(from: string, to: string): void {
  if (!isRoot || sameFolder(from, to)) renameSync(bytesOf(from), bytesOf(to));
  else {
    inItsFolder(to, (within, owner) => {
      if (owner !== undefined) giveIfOurs(from, owner);
      renameSync(bytesOf(from), bytesOf(within));
    });
  }
}

/** A descriptor that is used no more once it is closed: the system gives its number away again. */
class OpenFile {
  readonly #path: string;
  #descriptor: number | undefined;

  constructor(path: string, descriptor: number) {
    this.#path = path;
    this.#descriptor = descriptor;
  }

  get descriptor(): number {
    if (this.#descriptor === undefined) throw diskError('EBADF', this.#path);
    return this.#descriptor;
  }

  read(offset: number, length: number, bytes: Uint8Array = new Uint8Array(length)): Uint8Array {
    let filled = 0;
    while (filled < length) {
      const count = readSync(this.descriptor, bytes, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  append(bytes: Uint8Array): void {
    let written = 0;
    while (written < bytes.length) written += writeSync(this.descriptor, bytes, written);
  }

  // That bytes are safe is what sync() answers. A failed close has nothing to add to
  // it, and thrown out of an `await using` it would bury the failure that came first.
  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) quietly(() => closeSync(descriptor));
  }
}

function entryAt(path: string): DiskEntry | undefined {
  const info = lstatSync(bytesOf(path), { throwIfNoEntry: false, bigint: true });
  if (info === undefined) return undefined;
  return {
    ...identityOf(info),
    kind: kindOf(info),
    mode: Number(info.mode) & 0o777,
    ownerUid: Number(info.uid),
    ownerGid: Number(info.gid),
  };
}

function kindOf(info: BigIntStats): DiskEntry['kind'] {
  if (info.isFile()) return 'file';
  if (info.isDirectory()) return 'folder';
  return info.isSymbolicLink() ? 'symlink' : 'other';
}

// The system tells a folder from a file by refusing; looking first would leave a
// moment in which one is swapped for the other.
function removeEntry(path: string): void {
  try {
    unlinkSync(bytesOf(path));
  } catch (failure) {
    const osCode = osCodeOf(failure);
    // EPERM is how macOS says EISDIR, and also a true refusal.
    if (osCode !== 'EISDIR' && osCode !== 'EPERM') throw failure;
    removeFolder(path, failure);
  }
}

function removeFolder(path: string, firstFailure: unknown): void {
  try {
    rmdirSync(bytesOf(path));
  } catch (failure) {
    throw osCodeOf(failure) === 'ENOTDIR' ? firstFailure : failure;
  }
}

function makePrivateFolder(path: string): void {
  inItsFolder(path, (within, owner) => {
    mkdirSync(bytesOf(within), 0o700);
    try {
      // On the open folder, not on the path, under which another may stand by now.
      using folder = openFolder(within);
      if (owner !== undefined) giveFolder(folder.descriptor, owner);
      fchmodSync(folder.descriptor, 0o700);
    } catch (failure) {
      quietly(() => rmdirSync(bytesOf(within)));
      throw failure;
    }
  });
}

function giveFolder(descriptor: number, { uid, gid }: Owner): void {
  // The owner of the folder around it may have put another in its place.
  if (fstatSync(descriptor).uid === process.getuid?.()) fchownSync(descriptor, uid, gid);
}

async function syncFolder(path: string): Promise<void> {
  using folder = named(path, () => openFolder(path));
  await syncDescriptor(path, folder.descriptor);
}

function openFolder(path: string): Disposable & { readonly descriptor: number } {
  const file = new OpenFile(path, openSync(bytesOf(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return { descriptor: file.descriptor, [Symbol.dispose]: () => file.close() };
}

/** On what was opened, not on the path, under which another may stand by now. */
function closeToOthers(path: string): void {
  const isLinux = process.platform === 'linux';
  const flags = isLinux ? O_PATH : O_RDONLY | O_NONBLOCK;
  const file = new OpenFile(path, openSync(bytesOf(path), flags | O_NOFOLLOW));
  try {
    const info = fstatSync(file.descriptor);
    if (!info.isFile() && !info.isDirectory()) throw diskError('ENXIO', path);
    const mode = info.isFile() ? 0o600 : 0o700;
    // Also where nothing would change: the system then says whether it is ours.
    if (isLinux) chmodSync(`/proc/self/fd/${file.descriptor}`, mode);
    else fchmodSync(file.descriptor, mode);
  } finally {
    file.close();
  }
}

function hold(path: string): HeldFolder {
  const isLinux = process.platform === 'linux';
  // A folder may be open to a process that goes through it and closed to one that lists it.
  const access = isLinux ? O_PATH : O_RDONLY;
  const file = new OpenFile(path, openSync(bytesOf(path), access | O_DIRECTORY | O_NOFOLLOW));
  const facts = factsOf(file);
  const held = isLinux ? `/proc/self/fd/${file.descriptor}` : path;
  heldPaths.set(held, shown(path));
  return {
    path: held,
    ...facts,
    async [Symbol.asyncDispose]() {
      heldPaths.delete(held);
      file.close();
    },
  };
}

function factsOf(file: OpenFile): Pick<HeldFolder, 'device' | 'ownerUid'> {
  try {
    const { dev, uid } = fstatSync(file.descriptor, { bigint: true });
    return { device: dev.toString(), ownerUid: Number(uid) };
  } catch (failure) {
    file.close();
    throw failure;
  }
}

/** For words: what a held folder was called when it was taken hold of. */
const heldPaths = new Map<string, string>();

function shown(path: string): string {
  const [held = ''] = /^\/proc\/self\/fd\/\d+/.exec(path) ?? [];
  const folder = heldPaths.get(held);
  if (folder === undefined) return path;
  return folder === '/' ? path.slice(held.length) || '/' : folder + path.slice(held.length);
}

/** A sentence of another thread, which does not know what is held here. */
export function withKnownNames(sentence: string): string {
  return sentence.replace(/\/proc\/self\/fd\/\d+/g, (held) => {
    const folder = heldPaths.get(held);
    return folder === undefined ? held : quote(folder).slice(1, -1);
  });
}

function syncDescriptor(path: string, descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (failure) => {
      if (failure === null) resolve();
      else reject(toDiskError(failure, path));
    });
  });
}

/** For what is tidied up after a failure that is told already. */
function quietly(tidy: () => void): void {
  try {
    tidy();
  } catch {
    // The first failure is the one to hear of.
  }
}

function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (failure) {
    throw toDiskError(failure, shown(path));
  }
}

// The system does not say which of two paths it refused. It is the first only when
// nothing can be seen there.
function namedOf(from: string, to: string, work: () => void): void {
  try {
    work();
  } catch (failure) {
    throw toDiskError(failure, shown(isThere(from) ? to : from));
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(bytesOf(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not to be seen, which is what was asked.
    return false;
  }
}

// A process that shuts it again and again wins about every second time against so many; logs are
// looked at again soon.
const mostTries = 100;

/** As openSync; a file that is shut is made private first. What is new is private. */
export function openShut(path: string, flags: number): number {
  for (let tries = 1; ; tries++) {
    try {
      return openSync(path, flags, 0o600);
    } catch (failure) {
      if (osCodeOf(failure) !== 'EACCES' || tries === mostTries) throw failure;
    }
    closeToOthers(path);
  }
}
