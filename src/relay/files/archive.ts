/** Where the files of messages go when the ledger has them: `archive/{date}/{agent}/{stem}.msg`. */

import { join } from 'node:path';
import { ensureFolder, removeIfThere } from '../../kernel/disk/durable-file.ts';
import { isMissing, isTaken } from '../../kernel/disk/errors.ts';
import { AosError, toReport } from '../../kernel/errors.ts';
import type { Disk, DiskEntry, Instant } from '../../kernel/ports.ts';
import type { MessageRow } from '../../ledger/messages/messages.ts';
import type { RelayLog } from '../deps.ts';
import type { ArchivePlace } from '../envelope.ts';

export interface ArchiveDeps {
  readonly disk: Disk;
  readonly home: string;
}

/** The folder of a day, and of an agent in it, below the home folder. */
export function archiveFolder(at: Instant, agent: string): string {
  return `archive/${dayOf(at)}/${agent}`;
}

/** Below the home folder. */
export function archivePath({ at, agent, stem }: ArchivePlace): string {
  return `${archiveFolder(at, agent)}/${stem}.msg`;
}

// A name has 255 bytes, of which the number that the relay may add takes some.
const longestStemBytes = 251;

/** The id where the stem is too long for a name. */
export function archiveStem(stem: string, id: string): string {
  return Buffer.byteLength(stem) <= longestStemBytes ? stem : id;
}

/** UTC, such as `2030-01-31`. */
export function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Moves a file into the archive. False when it is gone. */
export async function moveToArchive(
  { disk, home }: ArchiveDeps,
  from: string,
  place: ArchivePlace,
): Promise<boolean> {
  const to = `${home}/${archivePath(place)}`;
  try {
    await disk.rename(from, to);
    return true;
  } catch (failure) {
    if (!isMissing(failure)) throw failure;
  }
  await makeFolders(disk, home, archiveFolder(place.at, place.agent));
  try {
    await disk.rename(from, to);
    return true;
  } catch (failure) {
    if (isMissing(failure)) return false;
    throw failure;
  }
}

async function makeFolders(disk: Disk, home: string, path: string): Promise<void> {
  let folder = home;
  for (const name of path.split('/')) {
    folder = `${folder}/${name}`;
    await ensureFolder(disk, folder);
  }
}

// What the disk refused while the archive was kept: told, and passed over (archive-upkeep.ts, U2).

const mostPathsTold = 5;
const longestPathTold = 300;

/** All that failed at one day is one line in the log, however many an agent made. */
export class Failures {
  #count = 0;
  #first: AosError | undefined;
  readonly #paths: string[] = [];

  get count(): number {
    return this.#count;
  }

  /** Only what the disk refused is passed over, never a bug. */
  note(path: string, failure: unknown): void {
    if (!(failure instanceof AosError)) throw failure;
    this.#first ??= failure;
    if (this.#count++ < mostPathsTold) this.#paths.push(path.slice(0, longestPathTold));
  }

  tell(log: Pick<RelayLog, 'error'>, day: string, words: string): void {
    if (this.#count === 0) return;
    const error = toReport(this.#first);
    log.error({ day, failed: this.#count, such_as: this.#paths, error }, words);
  }
}

// A file that was moved to the archive in the place of another goes back to the outbox.

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

const longestFreeStemBytes = 240;

/** Without its end, and so that a number has room behind it. */
function shortened(path: string): string {
  const slash = path.lastIndexOf('/') + 1;
  let stem = path.slice(slash, -'.msg'.length);
  while (Buffer.byteLength(stem) > longestFreeStemBytes) stem = stem.slice(0, -1);
  // Half a character would not be the same name on the disk.
  return path.slice(0, slash) + stem.replace(/[\ud800-\udbff]$/, '');
}

/** Not every disk has second names; there, a file that takes the name this very moment is lost. */
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

// Where the file of a message is that was accepted before a crash: its name alone does not
// tell, because its agent may have put another in its place.
//
// L1. Another file that was moved to the archive in its place, by a process that died before
//     it could see so, is a message that was not read: it goes back to the outbox.
// L2. Of an outbox that is not ours, the archive has copies (look-at-outbox.ts, P4). What is there and
//     is ours was read, then: whatever else was moved there is its agent's. That which was
//     read itself, and not yet copied, may have changed since, and is not kept.

export async function locateFile(
  disk: Disk,
  home: string,
  message: MessageRow,
): Promise<'outbox' | 'archive' | 'gone'> {
  const { file_path, agent_name: agent, source_name, discovered_at: at } = message;
  if (file_path === null || source_name === null) return 'gone';
  const path = join(home, file_path);
  if (isItsFile(await entryAt(disk, path), message)) return 'outbox';
  const stem = archiveStem(source_name, message.message_id);
  const archived = join(home, archivePath({ agent, stem, at }));
  const entry = await entryAt(disk, archived);
  const isTheirs = await hasForeignOutbox(disk, home, agent);
  const isOurs = entry?.kind === 'file' && entry.ownerUid === (await ownerOfArchive(disk, home));
  // L2
  if (isTheirs && isOurs) return 'archive';
  if (isItsFile(entry, message)) {
    if (!isTheirs) return 'archive';
    await disk.remove(archived);
    return 'gone';
  }
  // L1
  if (entry !== undefined) await putBack(disk, archived, path);
  return 'gone';
}

async function hasForeignOutbox(disk: Disk, home: string, agent: string): Promise<boolean> {
  const outbox = await entryAt(disk, join(home, 'agents', agent, 'outbox'));
  return outbox?.kind === 'folder' && outbox.ownerUid !== (await ownerOfArchive(disk, home));
}

async function ownerOfArchive(disk: Disk, home: string): Promise<number | undefined> {
  return (await entryAt(disk, join(home, 'archive')))?.ownerUid;
}

async function entryAt(disk: Disk, path: string): Promise<DiskEntry | undefined> {
  try {
    return await disk.stat(path);
  } catch (failure) {
    // Its agent may have put something else where the outbox was.
    if (failure instanceof AosError && failure.code === 'disk.not-a-folder') return undefined;
    throw failure;
  }
}

function isItsFile(entry: DiskEntry | undefined, message: MessageRow): boolean {
  return (
    entry?.kind === 'file' &&
    entry.sizeBytes === message.file_size &&
    entry.modifiedNs === message.file_mtime_ns &&
    entry.inode === message.file_inode
  );
}
