/**
 * The archive does not grow for ever: days that are over become one compressed file an agent,
 * and days that are too old go.
 *
 * R1. A compressed file is whole and safe from power loss before one of its originals is
 *     removed. Dying in between leaves both, and nothing is lost.
 * R2. It never replaces another: files that came late for a day make one more, `jean.2.tar.gz`.
 * R3. Nothing of today is touched. Only ordinary files are packed.
 * R4. What fails is told and passed over: no file keeps others from being packed, nor a day
 *     others from being removed. What cannot be packed stays as it is until its day goes.
 */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pendingPath, readWholeFile } from '../../kernel/durable-file.ts';
import { AosError, toReport } from '../../kernel/errors.ts';
import { messageLimits } from '../../kernel/message.ts';
import type { Clock, Disk, Instant, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/quote.ts';
import type { RelayLog } from '../deps.ts';
import { dayOf } from './archive.ts';
import { type TarFile, tarEnd, tarEntry } from './tar.ts';

export interface ArchiveUpkeepDeps {
  readonly disk: Disk;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<RelayLog, 'error'>;
  readonly home: string;
}

const dayMs = 24 * 3_600_000;
/** Each folder on the way down is open meanwhile. */
const deepest = 64;
const mostPathsTold = 5;
const longestPathTold = 300;

/** Removes the days before the last `keepDays`, and tells which. */
export async function pruneArchive(
  deps: ArchiveUpkeepDeps,
  { keepDays, now }: { readonly keepDays: number; readonly now: Instant },
): Promise<readonly string[]> {
  const oldest = dayOf(Math.max(0, now - keepDays * dayMs));
  const removed: string[] = [];
  for (const day of await pastDays(deps)) {
    if (day < oldest && (await removeDay(deps, day))) removed.push(day);
  }
  return removed;
}

/** Packs every day that is over. Resolves to the number of message files that were packed. */
export async function compressArchive(
  deps: ArchiveUpkeepDeps,
  signal?: AbortSignal,
): Promise<number> {
  let packed = 0;
  for (const day of await pastDays(deps)) packed += await packDay(deps, day, signal);
  return packed;
}

export interface RoomMade {
  /** How many message files were packed. */
  readonly packed: number;
  /** The days that were removed, oldest first. */
  readonly removedDays: readonly string[];
}

/** Packs days that are over, then removes the oldest ones until there is room. */
export async function makeRoom(
  deps: ArchiveUpkeepDeps,
  isFull: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<RoomMade> {
  if (!(await isFull())) return { packed: 0, removedDays: [] };
  // R4: there may be no room left to pack into; removing makes some.
  const packed = await compressArchive(deps, signal);
  const removedDays: string[] = [];
  for (const day of await pastDays(deps)) {
    signal?.throwIfAborted();
    if (!(await isFull())) break;
    if (await removeDay(deps, day)) removedDays.push(day);
  }
  return { packed, removedDays };
}

// R3
async function pastDays({ disk, clock, home }: ArchiveUpkeepDeps): Promise<string[]> {
  const today = dayOf(clock.now());
  const names = await namesIn(disk, `${home}/archive`);
  return names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name) && name < today);
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await disk.stat(folder))?.kind === 'folder' ? disk.list(folder) : [];
}

async function packDay(
  deps: ArchiveUpkeepDeps,
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

/** R4. All that failed at one day is one line in the log, however many an agent made. */
class Failures {
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

  tell(log: ArchiveUpkeepDeps['log'], day: string, words: string): void {
    if (this.#count === 0) return;
    const error = toReport(this.#first);
    log.error({ day, failed: this.#count, such_as: this.#paths, error }, words);
  }
}

async function packAgent(
  deps: ArchiveUpkeepDeps,
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
  { disk, random }: ArchiveUpkeepDeps,
  { day, agent, names }: ToPack,
  failures: Failures,
): Promise<number> {
  const target = await freeName(disk, day, agent);
  const pending = pendingPath(random, target);
  const packed: string[] = [];
  try {
    await pack(disk, pending, readable(disk, { day, agent, names }, packed, failures));
    if (packed.length === 0) return 0;
    // R2: a link, because a rename would replace what somebody put there meanwhile.
    await disk.link(pending, target);
  } finally {
    await disk.remove(pending).catch(() => {});
  }
  // R1
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

async function removeIfThere(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch (failure) {
    if (!(failure instanceof AosError && failure.code === 'disk.missing')) throw failure;
  }
}

async function removeIfEmpty(disk: Disk, folder: string): Promise<void> {
  try {
    if ((await disk.stat(folder))?.kind === 'folder') await disk.remove(folder);
  } catch (failure) {
    if (!(failure instanceof AosError && failure.code === 'disk.not-empty')) throw failure;
  }
}

/** False when something of it is left. */
async function removeDay({ disk, log, home }: ArchiveUpkeepDeps, day: string): Promise<boolean> {
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
// version, and whoever works in one may still write there. So nothing is known of a name
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
