/**
 * A file that is written part by part, in a folder where other programs may work too.
 *
 * F1. No reader sees a part of it: it is written under another name (`.aos-….tmp`), synced, and
 *     only then gets its own. When the promise resolves, it survives a power cut.
 * F2. `refuse` never takes the place of anything: the name is given with a link, which fails
 *     when it is taken. `replace` takes that of an ordinary file only. If that has a second
 *     name, the second name keeps the old bytes; nothing is written through it.
 * F3. A failure leaves what was there, and no other name, unless the disk refuses that too
 *     or the process dies: then a `.aos-….tmp` stays, which nothing reads.
 */
import { diskError, isTaken } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { countOtherNames, otherNamesWords } from '../../kernel/files/names.ts';
import type { CreateOptions, Disk, DiskEntry, FileWriter } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Permit } from '../../security/permit.ts';
import { type Tool, type ToolCall, toolOf } from '../../tools/tool.ts';
import { plainFileTools } from '../../verbs/file-tools.ts';
import { givenBytes } from '../call-bytes.ts';
import { toFileError } from './file-errors.ts';
import { type FileDeps, permitOf, type WalkedPlace, walkTo } from './read.ts';

/** The tool `file.write`. */
export function fileWrite(deps: FileDeps): Tool {
  return toolOf(plainFileTools.write, deps, {
    async run({ path, if_exists: ifExists, ...given }, call) {
      const permit = permitOf(call);
      return writeFileWithin(deps, call, { path, ifExists, permit }, givenBytes(given));
    },
  });
}

interface FileToWrite {
  readonly path: string;
  readonly ifExists: IfExists;
  /** For writing to this path. */
  readonly permit: Permit;
}

export type IfExists = 'refuse' | 'replace';

export interface WrittenFile {
  /** Without symlinks. */
  readonly path: string;
  readonly bytes: number;
  /** What else there is to know of it, a sentence. */
  readonly note?: string;
}

/** Writes all parts to a file in a folder that is there already. Aborts between two parts. */
export async function writeFileWithin(
  deps: FileDeps,
  call: ToolCall,
  { path, ifExists, permit }: FileToWrite,
  parts: AsyncIterable<Uint8Array>,
): Promise<WrittenFile> {
  const target = { path, action: 'write', permit } as const;
  await using place = await walkTo(deps, call, target, async () => undefined);
  try {
    return { path: place.path, ...(await write(deps, call, place, ifExists, parts)) };
  } catch (failure) {
    throw toFileError(failure, place.path);
  }
}

async function write(
  { disk, random }: FileDeps,
  call: ToolCall,
  place: WalkedPlace<undefined>,
  ifExists: IfExists,
  parts: AsyncIterable<Uint8Array>,
): Promise<Omit<WrittenFile, 'path'>> {
  // Before the parts are fetched, which may take long.
  const there = await mayTakeName(disk, place, ifExists);
  const otherNames = there === undefined ? 0 : await countOtherNames(disk, place.entry);
  const pending = `${place.folder.path}/.aos-${Buffer.from(random.bytes(12)).toString('hex')}.tmp`;
  const writer = await disk.create(pending, likeWhat(there));
  let bytes: number;
  try {
    bytes = await fill(writer, call, place, parts);
    await giveName(disk, place, ifExists, pending);
  } catch (failure) {
    await removePending(disk, pending);
    throw failure;
  }
  // F1: not the held path itself, which is a symlink to the folder.
  await disk.syncFolder(`${place.folder.path}/.`);
  if (otherNames === 0) return { bytes };
  return { bytes, note: `What it has replaced has ${otherNamesWords(otherNames)}` };
}

/** F2: what is there now, if it may be replaced. */
async function mayTakeName(
  disk: Disk,
  { entry, path }: WalkedPlace<undefined>,
  ifExists: IfExists,
): Promise<DiskEntry | undefined> {
  const there = await disk.stat(entry);
  if (there === undefined) return undefined;
  if (ifExists === 'refuse') {
    throw new AosError('file.exists', {
      message: `There is something at ${quote(path)} already`,
      fix: 'Choose another name, or say if_exists: replace',
    });
  }
  if (there.kind !== 'file') {
    throw new AosError('file.not-a-file', {
      message: `What is at ${quote(path)} is not an ordinary file, and is not replaced`,
      fix: 'Choose another name',
    });
  }
  // The system lets its name be taken, whether or not it may be written to.
  if ((there.mode & 0o222) === 0) throw diskError('EACCES', path);
  return there;
}

/** What is replaced keeps its mode and its owner. */
function likeWhat(there: DiskEntry | undefined): CreateOptions {
  if (there === undefined) return { mode: 0o600 };
  return { mode: there.mode, owner: { uid: there.ownerUid, gid: there.ownerGid } };
}

async function fill(
  file: FileWriter,
  { signal }: ToolCall,
  { path, permit }: WalkedPlace<undefined>,
  parts: AsyncIterable<Uint8Array>,
): Promise<number> {
  await using writer = file;
  let bytes = 0;
  for await (const part of parts) {
    signal.throwIfAborted();
    bytes += part.length;
    checkSize(path, bytes, permit);
    await writer.append(part);
  }
  await writer.sync();
  // Until here it can be taken back.
  signal.throwIfAborted();
  return bytes;
}

function checkSize(path: string, bytes: number, { sizeBytes }: Permit): void {
  if (sizeBytes === undefined || bytes <= sizeBytes) return;
  throw new AosError('file.too-large', {
    message: `${quote(path)} would have more than the ${sizeBytes} bytes that the grant allows`,
    fix: 'Write less, or ask for a grant of a larger size',
    details: { limit_bytes: sizeBytes },
  });
}

/** F2 */
async function giveName(
  disk: Disk,
  place: WalkedPlace<undefined>,
  ifExists: IfExists,
  pending: string,
): Promise<void> {
  if ((await mayTakeName(disk, place, ifExists)) === undefined) {
    try {
      await disk.link(pending, place.entry);
      return await removePending(disk, pending);
    } catch (failure) {
      if (ifExists === 'refuse' || !isTaken(failure)) throw failure;
    }
    // Another program was quicker; what it put there is replaced like any other.
    await mayTakeName(disk, place, ifExists);
  }
  await disk.rename(pending, place.entry);
}

async function removePending(disk: Disk, pending: string): Promise<void> {
  try {
    await disk.remove(pending);
  } catch {
    // F3: litter does no harm, and the first failure is the one to hear of.
  }
}
