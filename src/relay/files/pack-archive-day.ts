/**
 * A day of the archive as one compressed file an agent, `jean.tar.gz`.
 *
 * P1. A compressed file is whole and safe from power loss before one of its originals is
 *     removed. Dying in between leaves both, and nothing is lost.
 * P2. It never replaces another: files that came late for a day make one more, `jean.2.tar.gz`.
 * P3. Only ordinary files are packed.
 */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pendingPath, readWholeFile, removeIfThere } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { messageLimits } from '../../kernel/message/message.ts';
import type { Disk, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { RelayLog } from '../deps.ts';
import { Failures } from './archive.ts';

export interface PackDeps extends RemoveDeps {
  readonly random: Random;
}

/** Resolves to the number of message files that were packed. */
export async function packDay(
  deps: PackDeps,
  day: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const folder = `${deps.home}/archive/${day}`;
  const failures = new Failures();
  const agents = await namesIn(deps.disk, folder).catch((failure) => {
    failures.note('', failure);
    return [];
  });
  let packed = 0;
  for (const agent of agents) {
    signal?.throwIfAborted();
    packed += await packAgent(deps, folder, agent, failures);
  }
  failures.tell(deps.log, day, 'something in the archive cannot be packed, and stays as it is');
  return packed;
}

/** None when it is no folder. */
export async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await disk.stat(folder))?.kind === 'folder' ? disk.list(folder) : [];
}

async function packAgent(
  deps: PackDeps,
  day: string,
  agent: string,
  failures: Failures,
): Promise<number> {
  try {
    const names = await filesIn(deps.disk, day, agent, failures);
    const packed = names.length === 0 ? 0 : await packFiles(deps, { day, agent, names }, failures);
    await removeIfEmpty(deps.disk, `${day}/${agent}`);
    return packed;
  } catch (failure) {
    failures.note(agent, failure);
    return 0;
  }
}

interface ToPack {
  /** The path of a day. */
  readonly day: string;
  readonly agent: string;
  readonly names: readonly string[];
}

async function packFiles(
  { disk, random }: PackDeps,
  { day, agent, names }: ToPack,
  failures: Failures,
): Promise<number> {
  const target = await freeName(disk, day, agent);
  const pending = pendingPath(random, target);
  const packed: string[] = [];
  try {
    await pack(disk, pending, readable(disk, { day, agent, names }, packed, failures));
    if (packed.length === 0) return 0;
    // P2: a link, because a rename would replace what was put there meanwhile.
    await disk.link(pending, target);
  } finally {
    await disk.remove(pending).catch(() => {});
  }
  // P1
  await disk.syncFolder(day);
  for (const name of packed) {
    await removeIfThere(disk, `${day}/${agent}/${name}`).catch((failure) =>
      failures.note(`${agent}/${name}`, failure),
    );
  }
  return packed.length;
}

async function filesIn(
  disk: Disk,
  day: string,
  agent: string,
  failures: Failures,
): Promise<string[]> {
  const files: string[] = [];
  for (const name of await namesIn(disk, `${day}/${agent}`)) {
    try {
      // P3
      const entry = await disk.stat(`${day}/${agent}/${name}`);
      // Larger ones were refused as messages; they are not read into memory.
      const isSmall = (entry?.sizeBytes ?? 0) <= messageLimits.wholeBytes;
      if (entry?.kind === 'file' && isSmall) files.push(name);
    } catch (failure) {
      failures.note(`${agent}/${name}`, failure);
    }
  }
  return files;
}

async function freeName(disk: Disk, day: string, agent: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = `${day}/${agent}${number === 1 ? '' : `.${number}`}.tar.gz`;
    if ((await disk.stat(path)) === undefined) return path;
  }
}

async function pack(disk: Disk, path: string, files: AsyncIterable<TarFile>): Promise<void> {
  await using writer = await disk.create(path);
  await pipeline(entries(files), createGzip(), async (compressed) => {
    for await (const bytes of compressed) await writer.append(bytes);
  });
  await writer.sync();
}

async function* entries(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) yield* tarEntry(file);
  yield tarEnd;
}

/** Those that can be read, whose names it puts into `packed`. One is in memory, of 1 MiB at most. */
async function* readable(
  disk: Disk,
  { day, agent, names }: ToPack,
  packed: string[],
  failures: Failures,
): AsyncGenerator<TarFile> {
  for (const name of names) {
    try {
      const path = `${day}/${agent}/${name}`;
      const modifiedAt = (await disk.stat(path))?.modifiedAt ?? 0;
      const bytes = await readWholeFile(disk, path, messageLimits.wholeBytes);
      yield { name, bytes, modified: modifiedAt / 1000 };
      packed.push(name);
    } catch (failure) {
      failures.note(`${agent}/${name}`, failure);
    }
  }
}

async function removeIfEmpty(disk: Disk, folder: string): Promise<void> {
  try {
    if ((await disk.stat(folder))?.kind === 'folder') await disk.remove(folder);
  } catch (failure) {
    if (!(failure instanceof AosError && failure.code === 'disk.not-empty')) throw failure;
  }
}

interface RemoveDeps {
  readonly disk: Disk;
  readonly log: Pick<RelayLog, 'error'>;
  readonly home: string;
}

/** Each folder on the way down is open meanwhile. */
const deepest = 64;

/** False when something of it is left. */
export async function removeDay({ disk, log, home }: RemoveDeps, day: string): Promise<boolean> {
  const failures = new Failures();
  await removeTree(disk, { folder: `${home}/archive`, name: day, way: [] }, failures);
  failures.tell(log, day, 'something in the archive cannot be removed, and stays there');
  return failures.count === 0;
}

interface Removal {
  /** A path of the folder that it is in. */
  readonly folder: string;
  readonly name: string;
  /** The names that lead to it, below the day and with it; empty for the day itself. */
  readonly way: readonly string[];
}

// Folders of agents may lie in the archive, such as were moved there unseen or by an older
// version, and a program that works in one may still write there. So nothing is known of a name
// from one call to the next: the system itself tells a folder from the rest by refusing to
// remove it, and each folder is held while it is emptied (where the system has paths for
// that), so that no symlink in its place is followed.
async function removeTree(disk: Disk, removal: Removal, failures: Failures): Promise<void> {
  const path = `${removal.folder}/${removal.name}`;
  try {
    if (await removeUnlessFilled(disk, path)) return;
    if (removal.way.length >= deepest) throw tooDeep(removal);
    const before = failures.count;
    await empty(disk, removal, failures);
    // What is left in it was told.
    if (failures.count === before) await disk.remove(path);
  } catch (failure) {
    failures.note(removal.way.join('/'), failure);
  }
}

async function empty(
  disk: Disk,
  { folder, name, way }: Removal,
  failures: Failures,
): Promise<void> {
  await using held = await disk.holdFolder(`${folder}/${name}`);
  for (const below of await disk.list(held.path)) {
    await removeTree(disk, { folder: held.path, name: below, way: [...way, below] }, failures);
  }
}

async function removeUnlessFilled(disk: Disk, path: string): Promise<boolean> {
  try {
    await removeIfThere(disk, path);
    return true;
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'disk.not-empty') return false;
    throw failure;
  }
}

function tooDeep({ name }: Removal): AosError {
  return new AosError('disk.bad-name', {
    message: `The folder ${quote(name)} lies more than ${deepest} folders deep in the archive`,
    fix: 'Remove it by hand',
  });
}

/** One entry of a tar archive (POSIX ustar): its header, its bytes, and what fills the block. */

const blockBytes = 512;
const longestNameBytes = 100;

const tarEnd: Uint8Array = new Uint8Array(2 * blockBytes);

interface TarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** In seconds since 1970. */
  readonly modified: number;
}

function tarEntry({ name, bytes, modified }: TarFile): Uint8Array[] {
  const fits = Buffer.byteLength(name) <= longestNameBytes;
  const plain = fits ? name : 'long-name';
  return [
    ...(fits ? [] : longName(name, modified)),
    header(plain, bytes.length, modified, '0'),
    bytes,
    filling(bytes.length),
  ];
}

// A name that does not fit stands in an entry of its own before the file's.
function longName(name: string, modified: number): Uint8Array[] {
  const record = ` path=${name}\n`;
  const bytes = Buffer.byteLength(record);
  // The length counts its own digits.
  const digits = String(bytes + String(bytes + 4).length).length;
  const text = Buffer.from(`${bytes + digits}${record}`);
  return [header('long-name', text.length, modified, 'x'), text, filling(text.length)];
}

function header(name: string, sizeBytes: number, modified: number, type: '0' | 'x'): Uint8Array {
  const block = Buffer.alloc(blockBytes);
  block.write(name, 0);
  block.write(octal(0o600, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(sizeBytes, 11), 124);
  block.write(octal(modified, 11), 136);
  // The sum is taken with blanks in its own place.
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write('ustar\0' + '00', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return Math.max(0, Math.floor(value)).toString(8).padStart(digits, '0').slice(-digits);
}

function filling(sizeBytes: number): Uint8Array {
  return new Uint8Array((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
}
