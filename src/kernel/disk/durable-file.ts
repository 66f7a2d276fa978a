/**
 * Whole small files that outlive a power cut. The bytes are in memory, so this is
 * for what counts in kilobytes (settings, keys, messages, manifests); big things stream.
 *
 * R1. At every moment the target is wholly old or wholly new, never a mixture.
 * R2. When the promise resolves, the new content survives a power cut. This takes
 *     the sync of the file, before its name, and the sync of the folder, after it.
 * R3. A failure before the target's name changed leaves the target as it was and, unless the disk
 *     refuses that too, no pending file. A failure after it (only the folder's sync is left) leaves
 *     the new content, which may or may not survive a power cut.
 * R4. A sync that failed is not tried again: the system may have dropped the
 *     unwritten bytes, and a second sync would say yes to nothing.
 * R5. A crash can leave a `.{name}.{16 hex}.pending` file. Nothing ever reads one, so
 *     that it can be swept away whenever no write is under way.
 */
import { AosError } from '../errors.ts';
import type {
  Disk,
  DiskEntry,
  DiskView,
  FileIdentity,
  FileReader,
  FileWriter,
  HeldFolder,
  Random,
} from '../ports.ts';
import { quote } from '../text/quote.ts';
import { diskError, isMissing, isTaken } from './errors.ts';

export interface DurableFileDeps {
  readonly disk: Disk;
  readonly random: Random;
}

/** Puts `bytes` at `path`, in place of the file that stands there, if one does. */
export async function writeFileDurably(
  { disk, random }: DurableFileDeps,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const pending = pendingPath(random, path);
  const writer = await disk.create(pending);
  try {
    await fill(writer, bytes);
    await disk.rename(pending, path);
  } catch (failure) {
    // R3
    await removePending(disk, pending);
    throw failure;
  }
  await disk.syncFolder(folderOf(path));
}

/** Puts `bytes` at `path` only when nothing stands there; else it is `disk.exists`. */
export async function createFileDurably(
  { disk, random }: DurableFileDeps,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const pending = pendingPath(random, path);
  const writer = await disk.create(pending);
  try {
    await fill(writer, bytes);
    // A link, because a rename would replace what another process put there meanwhile.
    await disk.link(pending, path);
  } finally {
    // R3, and before the folder's sync, which then makes the new name and the end of
    // the pending one durable together.
    await removePending(disk, pending);
  }
  await disk.syncFolder(folderOf(path));
}

async function fill(file: FileWriter, bytes: Uint8Array): Promise<void> {
  await using writer = file;
  await writer.append(bytes);
  // R2, R4
  await writer.sync();
}

async function removePending(disk: Disk, pending: string): Promise<void> {
  try {
    await disk.remove(pending);
  } catch {
    // R5: litter does no harm, and the caller needs to hear of the first failure.
  }
}

// What stands around the name, with the "-journal" that SQLite may put behind it, is 34
// bytes of the 255 that a name may have.
const pendingNameRoomBytes = 255 - 34;

/** Where something is made that will get the name of `path` when it is whole. */
export function pendingPath(random: Random, path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return `${folder}${pendingPrefix(path)}${hex(random.bytes(8))}.pending`;
}

/** What stands before the 16 hex digits in the name of a pending file. */
export function pendingPrefix(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // encodeInto() stops before a character that no longer fits, so none is cut in half.
  const { read } = new TextEncoder().encodeInto(name, new Uint8Array(pendingNameRoomBytes));
  return `.${name.slice(0, read)}.`;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  if (slash === -1) return '.';
  return slash === 0 ? '/' : path.slice(0, slash);
}

// The least that is asked for at a time. It holds any file of /proc/sys, which say
// that they are empty and answer only a read that begins at their beginning.
const leastReadBytes = 4096;

/**
 * All bytes of a file of at most `limitBytes`; a larger one is refused. The size that
 * the file tells is only a first guess: a file that grows is read to its end, or to
 * the limit, and one that shrinks gives what is left.
 */
export async function readWholeFile(
  view: DiskView,
  path: string,
  limitBytes: number,
): Promise<Uint8Array> {
  await using reader = await view.read(path);
  if ((await reader.sizeBytes()) > limitBytes) throw tooLarge(path, limitBytes);
  const bytes = await readRest(reader, 0, limitBytes + 1);
  if (bytes.length > limitBytes) throw tooLarge(path, limitBytes);
  return bytes;
}

/** What a file has from `offset` on, to its end as it is found, or so much of it. */
export async function readRest(
  reader: FileReader,
  offset: number,
  mostBytes: number,
): Promise<Uint8Array> {
  const saidBytes = (await reader.sizeBytes()) - offset;
  // One byte more than there should be: an answer that is short proves the end.
  const stepBytes = Math.max(saidBytes, leastReadBytes) + 1;
  const parts: Uint8Array[] = [];
  let readBytes = 0;
  while (readBytes < mostBytes) {
    const wantedBytes = Math.min(stepBytes, mostBytes - readBytes);
    const part = await reader.readAt(offset + readBytes, wantedBytes);
    parts.push(part);
    readBytes += part.length;
    if (part.length < wantedBytes) break;
  }
  return joined(parts, readBytes);
}

/** Of one file that is held open: whether no process wrote to it between these two looks. */
export function hasSameContent(one: FileIdentity, other: FileIdentity): boolean {
  return one.modifiedNs === other.modifiedNs && one.sizeBytes === other.sizeBytes;
}

function tooLarge(path: string, limitBytes: number): AosError {
  return new AosError('disk.too-large', {
    message: `${quote(path)} is larger than the ${limitBytes} bytes that it may have`,
    fix: 'Make it smaller, or move it away',
    details: { limit_bytes: limitBytes },
  });
}

function joined(parts: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const whole = new Uint8Array(sizeBytes);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

// Folders made and removed with all that is in them.

/** A file, a symlink or an empty folder; nothing happens when it is gone. */
export async function removeIfThere(disk: Pick<Disk, 'remove'>, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch (failure) {
    if (!isMissing(failure)) throw failure;
  }
}

/**
 * A file, a symlink, or a folder with all that is in it. The folder is held while it is emptied:
 * where an agent can write, a symlink could take its place meanwhile.
 */
export async function removeTree(disk: Disk, path: string): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === undefined) return;
  if (entry.kind === 'folder') {
    await openUp(disk, path, entry);
    await using held = await disk.holdFolder(path);
    await emptyFolder(disk, held);
  }
  await disk.remove(path);
}

/** Gives the owner access to a folder whose mode shuts it. */
export async function openUp(disk: Disk, path: string, { mode }: DiskEntry): Promise<void> {
  if ((mode & 0o700) !== 0o700) await disk.makePrivate(path);
}

/** However deep it goes: what is in a folder of this one is moved up, so that two are held at most. */
async function emptyFolder(disk: Disk, { path: top, device }: HeldFolder): Promise<void> {
  for (;;) {
    const names = await disk.list(top);
    let isLess = false;
    for (const name of names) {
      const path = `${top}/${name}`;
      const entry = await disk.stat(path);
      // What is mounted here is another disk, and goes with no folder.
      if (entry?.kind === 'folder' && entry.device !== device) throw diskError('EXDEV', path);
      if (entry?.kind === 'folder') {
        await openUp(disk, path, entry);
        await using held = await disk.holdFolder(path);
        await moveUp(disk, held.path, top);
      }
      if (entry === undefined) continue;
      await removeIfThere(disk, path);
      isLess = true;
    }
    // What cannot be looked at cannot go either: the caller that removes the folder hears of it.
    if (!isLess) return;
  }
}

/** The folders in it get other names in the one above; all else goes. */
async function moveUp(disk: Disk, folder: string, top: string): Promise<void> {
  for (const name of await disk.list(folder)) {
    const path = `${folder}/${name}`;
    const entry = await disk.stat(path);
    if (entry === undefined) continue;
    if (entry.kind !== 'folder') {
      await removeIfThere(disk, path);
      continue;
    }
    // A folder that is shut cannot be moved.
    await openUp(disk, path, entry);
    await disk.rename(path, await freePlace(disk, `${top}/.aos-gone-${entry.inode}`));
  }
}

/** Another process may have made such names before; each costs it a file. */
async function freePlace(disk: Disk, wanted: string): Promise<string> {
  for (let number = 0; ; number++) {
    const place = number === 0 ? wanted : `${wanted}-${number}`;
    if ((await disk.stat(place)) === undefined) return place;
  }
}

/** Where another failure is the one to hear of, or what stays does no harm. */
export async function removeQuietly(disk: Pick<Disk, 'remove'>, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch {
    // Gone already, or left for the next sweep.
  }
}

/**
 * Where the name is taken nothing is done: a caller that minds by what looks at it. True when made
 * now.
 */
export async function ensureFolder(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.makeFolder(path);
    return true;
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    return false;
  }
}
