/**
 * The archive does not grow for ever: days that are over become one compressed file an agent,
 * and days that are too old go.
 *
 * U1. Nothing of today is touched.
 * U2. What fails is told and passed over: no file keeps others from being packed, nor a day
 *     others from being removed. What cannot be packed stays as it is until its day goes.
 */
import type { Clock, Instant } from '../../kernel/ports.ts';
import { dayOf } from './archive.ts';
import { namesIn, type PackDeps, packDay, removeDay } from './pack-archive-day.ts';

export interface ArchiveUpkeepDeps extends PackDeps {
  readonly clock: Pick<Clock, 'now'>;
}

const dayMs = 24 * 3_600_000;

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
  // U2: there may be no room left to pack into; removing makes some.
  const packed = await compressArchive(deps, signal);
  const removedDays: string[] = [];
  for (const day of await pastDays(deps)) {
    signal?.throwIfAborted();
    if (!(await isFull())) break;
    if (await removeDay(deps, day)) removedDays.push(day);
  }
  return { packed, removedDays };
}

// U1
async function pastDays({ disk, clock, home }: ArchiveUpkeepDeps): Promise<string[]> {
  const today = dayOf(clock.now());
  const names = await namesIn(disk, `${home}/archive`);
  return names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name) && name < today);
}
