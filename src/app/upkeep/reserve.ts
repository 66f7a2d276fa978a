/**
 * `.reserve`: room that a home keeps for the day on which its disk is full, because to start the
 * daemon, and to remove what nobody needs, takes room too. `aos gc` gives it back.
 *
 * V1. It holds nothing that anybody reads. So it is written under its own name and not synced, and
 *     one that a crash or a full disk cut short is filled up by the next look.
 * V2. It takes half of what is free at most: what the home writes into the other half fits into it.
 * V3. It is as large as the log of the ledger may get, which is moved into the ledger when a home
 *     is opened, and something for the start itself (docs/decisions.md).
 */
import { join } from 'node:path';
import { removeIfThere } from '../../kernel/disk/remove.ts';
import { AosError } from '../../kernel/errors.ts';
import {
  type Disk,
  type DiskView,
  type EventLoop,
  endOfTurn,
  type Random,
  type Volume,
} from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { isFull } from '../doctor/disk.ts';
import { reserveName } from '../doctor/own-names.ts';

export interface ReserveDeps {
  readonly disk: Disk;
  readonly volume: Volume;
  readonly random: Random;
  readonly eventLoop: EventLoop;
}

const chunkBytes = 1024 * 1024;
const reserveBytes = 36 * chunkBytes;

/** Makes it, or fills it up, as far as there is room. */
export async function keepReserve(deps: ReserveDeps, home: string): Promise<void> {
  const { disk, volume, random, eventLoop } = deps;
  const path = join(home, reserveName);
  const there = await disk.stat(path);
  const keptBytes = there?.sizeBytes ?? 0;
  const { writableBytes } = await volume.usage(home);
  const wantedBytes = Math.min(reserveBytes, (keptBytes + writableBytes) / 2);
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

/** How many bytes are kept; 0 also where something else has that name. */
export async function reserveSize(
  { disk }: { readonly disk: DiskView },
  home: string,
): Promise<number> {
  const there = await disk.stat(join(home, reserveName)).catch(() => undefined);
  return there?.kind === 'file' ? there.sizeBytes : 0;
}

/** Does the work of making room, and gives the reserve back first where the disk is full. */
export async function withRoom<T>(
  deps: RoomDeps,
  home: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly givenBytes: number }> {
  const isFullNow = isFull(await deps.volume.usage(home));
  const givenBytes = isFullNow ? await freeReserve(deps, home) : 0;
  try {
    return { result: await work(), givenBytes };
  } catch (failure) {
    if (!isNoRoom(failure)) throw failure;
    // V3: what a start moves into the ledger may need more than is left on a disk that is not
    // full yet, and then "aos gc" is what was advised.
    const laterBytes = await freeReserve(deps, home);
    if (laterBytes === 0) throw failure;
    return { result: await work(), givenBytes: givenBytes + laterBytes };
  }
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
  if (!(failure instanceof AosError) || !(await isForWantOfRoom(volume, home, failure))) {
    return failure;
  }
  return new AosError('disk.full', {
    message: `The disk under the home folder ${quote(home)} is full, so nothing can be done there; nothing was lost`,
    fix:
      (await reserveSize({ disk }, home)) > 0
        ? 'aos gc gives back the room that is kept for this; then try again'
        : 'Free some space on that disk; "aos du" shows what the home takes',
    cause: failure,
  });
}

async function isForWantOfRoom(volume: Volume, home: string, failure: AosError): Promise<boolean> {
  if (isNoRoom(failure)) return true;
  // Where SQLite cannot make its shared memory, it calls that a disk that fails.
  return failure.code === 'ledger.failed' && isFull(await volume.usage(home));
}
