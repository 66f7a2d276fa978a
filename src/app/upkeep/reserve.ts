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

/** Gives it back where the disk is short of room. Resolves to how many bytes that were. */
export async function freeReserve(
  { disk, volume }: Pick<ReserveDeps, 'disk' | 'volume'>,
  home: string,
): Promise<number> {
  const path = join(home, reserveName);
  const there = await disk.stat(path).catch(() => undefined);
  if (there?.kind !== 'file') return 0;
  if ((await volume.usage(home)).writableBytes >= reserveBytes) return 0;
  await removeIfThere(disk, path);
  return there.sizeBytes;
}

/** What kept a home from being opened, as what to do where it was a disk without room. */
export async function plainerIfFull(
  { disk, volume }: Pick<ReserveDeps, 'disk' | 'volume'>,
  home: string,
  failure: unknown,
): Promise<unknown> {
  if (!(failure instanceof AosError) || !(await isForWantOfRoom(volume, home, failure))) {
    return failure;
  }
  const there = await disk.stat(join(home, reserveName)).catch(() => undefined);
  return new AosError('disk.full', {
    message: `The disk under the home folder ${quote(home)} is full, so nothing can be done there; nothing was lost`,
    fix:
      there?.kind === 'file'
        ? 'aos gc gives back the room that is kept for this; then try again'
        : 'Free some space on that disk; "aos du" shows what the home takes',
    cause: failure,
  });
}

async function isForWantOfRoom(volume: Volume, home: string, { code }: AosError): Promise<boolean> {
  if (code === 'disk.full' || code === 'ledger.full') return true;
  // Where SQLite cannot make its shared memory, it calls that a disk that fails.
  return code === 'ledger.failed' && isFull(await volume.usage(home));
}
