/**
 * `.reserve`: room that a home keeps for the day on which its disk is full, because to start the
 * daemon, and to remove what is not needed, takes room too. `aos gc` gives it back.
 *
 * V1. It holds nothing that is read. So it is written under its own name and not synced, and
 *     one that a crash or a full disk cut short is filled up by the next look.
 * V2. It takes half of what is free at most: what the home writes into the other half fits into it.
 * V3. It is as large as the log of the ledger may get, which is moved into the ledger when a home
 *     is opened, and something for the start itself (docs/decisions.md).
 * V4. It is a file itself, so it is not made where few more can be: others need those.
 */
import { join } from 'node:path';
import { removeIfThere } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import {
  type Disk,
  type EventLoop,
  endOfTurn,
  type Random,
  type Volume,
} from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import {
  describeFullDisk,
  isFull,
  isShortOfFiles,
  reserveSize,
  startBytes,
} from '../doctor/disk.ts';
import { reserveName } from '../doctor/modes.ts';

export interface ReserveDeps {
  readonly disk: Disk;
  readonly volume: Volume;
  readonly random: Random;
  readonly eventLoop: EventLoop;
}

const chunkBytes = 1024 * 1024;

/** Makes it, or fills it up, as far as there is room. */
export async function keepReserve(deps: ReserveDeps, home: string): Promise<void> {
  const { disk, volume, random, eventLoop } = deps;
  const path = join(home, reserveName);
  const there = await disk.stat(path);
  const keptBytes = there?.sizeBytes ?? 0;
  const usage = await volume.usage(home);
  // V4
  if (there === undefined && isShortOfFiles(usage)) return;
  const wantedBytes = Math.min(startBytes, (keptBytes + usage.writableBytes) / 2);
  if (keptBytes + chunkBytes > wantedBytes) return;
  // Not zeros, which some disks do not store.
  const chunk = random.bytes(chunkBytes);
  await using writer = await disk.create(path, there && { keepBytes: keptBytes });
  for (let bytes = keptBytes; bytes + chunkBytes <= wantedBytes; bytes += chunkBytes) {
    await writer.append(chunk);
    await endOfTurn(eventLoop);
  }
}

type RoomDeps = Pick<ReserveDeps, 'disk' | 'volume'>;

/** Gives it back. Resolves to how many bytes that were. */
export async function freeReserve({ disk }: Pick<RoomDeps, 'disk'>, home: string): Promise<number> {
  const keptBytes = await reserveSize({ disk }, home);
  if (keptBytes > 0) await removeIfThere(disk, join(home, reserveName));
  return keptBytes;
}

/** Does the work of making room, and gives the reserve back where the disk is full for it. */
export async function withRoom<T>(
  deps: RoomDeps,
  home: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly givenBytes: number }> {
  const givenBytes = await freeIfFull(deps, home);
  if (givenBytes > 0) return { result: await work(), givenBytes };
  try {
    // Afterwards too: to move the log into the ledger may take the last room.
    return { result: await work(), givenBytes: await freeIfFull(deps, home) };
  } catch (failure) {
    // V3: what a start needs may be more than is left on a disk that does not count as full, and
    // "aos gc" is what is advised then.
    const laterBytes = isNoRoom(failure) ? await freeReserve(deps, home) : 0;
    if (laterBytes === 0) throw failure;
    return { result: await work(), givenBytes: laterBytes };
  }
}

/** Not where only files are short: there its room is of no use. */
async function freeIfFull(deps: RoomDeps, home: string): Promise<number> {
  const usage = await deps.volume.usage(home);
  return isFull(usage) && !isShortOfFiles(usage) ? freeReserve(deps, home) : 0;
}

function isNoRoom(failure: unknown): boolean {
  return failure instanceof AosError && ['disk.full', 'ledger.full'].includes(failure.code);
}

/** What kept a home from being opened, as what to do where it was a disk without room. */
export async function plainerIfFull(
  { disk, volume }: RoomDeps,
  home: string,
  failure: unknown,
): Promise<unknown> {
  if (!(failure instanceof AosError)) return failure;
  if (!isNoRoom(failure) && !sqliteCodesOnFull.has(failure.code)) return failure;
  const usage = await volume.usage(home);
  if (!isNoRoom(failure) && !isFull(usage)) return failure;
  const { is, fix } = await describeFullDisk({ disk }, home, usage);
  return new AosError('disk.full', {
    message: `The disk under the home folder ${quote(home)} ${is}, so nothing can be done there; nothing was lost`,
    fix: `${fix}; then try again`,
    cause: failure,
  });
}

// Where SQLite finds no room for its shared memory, it calls that a disk that fails; and where
// it cannot make a file, a ledger that cannot be opened.
const sqliteCodesOnFull: ReadonlySet<string> = new Set(['ledger.failed', 'ledger.unreadable']);
