/**
 * The archive does not grow for ever: days that are over become one compressed file an agent,
 * and days that are too old go.
 *
 * R1. A compressed file is whole and safe from power loss before one of its originals is
 *     removed. Dying in between leaves both, and nothing is lost.
 * R2. It never replaces another: files that came late for a day make one more, `jean.2.tar.gz`.
 * R3. Nothing of today is touched. Only ordinary files are packed; what else an outbox held
 *     stays as it is until its day goes.
 */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pendingPath, readWholeFile } from '../../kernel/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { messageLimits } from '../../kernel/message.ts';
import type { Clock, Disk, Instant, Random } from '../../kernel/ports.ts';
import { dayOf } from './archive.ts';
import { tarEnd, tarEntry } from './tar.ts';

export interface ArchiveUpkeepDeps {
  readonly disk: Disk;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
  readonly home: string;
}

const dayMs = 24 * 3_600_000;

/** Removes the days before the last `keepDays`, and tells which. */
export async function pruneArchive(
  deps: ArchiveUpkeepDeps,
  { keepDays, now }: { readonly keepDays: number; readonly now: Instant },
): Promise<readonly string[]> {
  const oldest = dayOf(Math.max(0, now - keepDays * dayMs));
  const removed = (await pastDays(deps)).filter((day) => day < oldest);
  for (const day of removed) await removeDay(deps, day);
  return removed;
}

/** Packs every day that is over. Resolves to the number of message files that were packed. */
export async function compressArchive(
  deps: ArchiveUpkeepDeps,
  signal?: AbortSignal,
): Promise<number> {
  let packed = 0;
  for (const day of await pastDays(deps)) {
    const folder = `${deps.home}/archive/${day}`;
    for (const agent of await deps.disk.list(folder)) {
      signal?.throwIfAborted();
      packed += await packAgent(deps, folder, agent);
    }
  }
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
  const packed = await compressArchive(deps, signal).catch((failure) => {
    // There may be no room left to pack into; removing makes some.
    if (failure instanceof AosError && failure.code === 'disk.full') return 0;
    throw failure;
  });
  const removedDays: string[] = [];
  for (const day of await pastDays(deps)) {
    signal?.throwIfAborted();
    if (!(await isFull())) break;
    await removeDay(deps, day);
    removedDays.push(day);
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

async function packAgent(deps: ArchiveUpkeepDeps, day: string, agent: string): Promise<number> {
  const { disk, random } = deps;
  const folder = `${day}/${agent}`;
  const names = await filesIn(disk, folder);
  if (names.length === 0) {
    await removeIfEmpty(disk, folder);
    return 0;
  }
  const target = await freeName(disk, day, agent);
  const pending = pendingPath(random, target);
  try {
    await pack(disk, pending, folder, names);
    // R2: a link, because a rename would replace what somebody put there meanwhile.
    await disk.link(pending, target);
  } finally {
    await disk.remove(pending).catch(() => {});
  }
  // R1
  await disk.syncFolder(day);
  for (const name of names) await removeIfThere(disk, `${folder}/${name}`);
  await removeIfEmpty(disk, folder);
  return names.length;
}

async function filesIn(disk: Disk, folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const name of await namesIn(disk, folder)) {
    const entry = await disk.stat(`${folder}/${name}`);
    // Larger ones were refused as messages; they are not read into memory.
    const isSmall = (entry?.sizeBytes ?? 0) <= messageLimits.wholeBytes;
    if (entry?.kind === 'file' && isSmall) files.push(name);
  }
  return files;
}

async function freeName(disk: Disk, day: string, agent: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = `${day}/${agent}${number === 1 ? '' : `.${number}`}.tar.gz`;
    if ((await disk.stat(path)) === undefined) return path;
  }
}

// One file at a time is in memory, of at most 1 MiB.
async function pack(
  disk: Disk,
  path: string,
  folder: string,
  names: readonly string[],
): Promise<void> {
  await using writer = await disk.create(path);
  await pipeline(entries(disk, folder, names), createGzip(), async (compressed) => {
    for await (const bytes of compressed) await writer.append(bytes);
  });
  await writer.sync();
}

async function* entries(
  disk: Disk,
  folder: string,
  names: readonly string[],
): AsyncGenerator<Uint8Array> {
  for (const name of names) {
    const path = `${folder}/${name}`;
    const modifiedAt = (await disk.stat(path))?.modifiedAt ?? 0;
    const bytes = await readWholeFile(disk, path, messageLimits.wholeBytes);
    yield* tarEntry({ name, bytes, modified: modifiedAt / 1000 });
  }
  yield tarEnd;
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

async function removeDay({ disk, home }: ArchiveUpkeepDeps, day: string): Promise<void> {
  await removeTree(disk, `${home}/archive/${day}`);
}

// Only here, where no agent can write: between the look and the removal a folder could
// become a symlink.
async function removeTree(disk: Disk, path: string): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === undefined) return;
  if (entry.kind === 'folder') {
    for (const name of await disk.list(path)) await removeTree(disk, `${path}/${name}`);
  }
  await disk.remove(path);
}
