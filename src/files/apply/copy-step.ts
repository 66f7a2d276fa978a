/**
 * A copy of a file, a symlink or a folder with all that is in it, under a name in between. Half a
 * copy is never found under its own name.
 *
 * C1. Every folder on both sides is held and entered without following symlinks.
 * C2. A symlink is copied as one. What is no file, folder or symlink is refused, and nothing of
 *     the copy is left.
 * C3. Bytes are made safe before the copy gets its name. Where the source is to go, they are read
 *     back and compared.
 */
import { createHash } from 'node:crypto';
import { removeTree } from '../../kernel/disk/durable-file.ts';
import type { AosError } from '../../kernel/errors.ts';
import { isInReach } from '../../kernel/files/reach.ts';
import {
  type Disk,
  type DiskEntry,
  type EventLoop,
  endOfTurn,
  type FileReader,
  type TreeDisk,
} from '../../kernel/ports.ts';
import type { FilePlace } from '../place.ts';
import { isStill, type PlanStep, wasOf } from '../plan/plan.ts';
import { changed, notRegular, otherDisk, permissionDenied } from '../refusals.ts';
import type { FreedName, StepNote, StepRun } from './deps.ts';
import { inRoom } from './make-room.ts';
import { exactPlace, madeBefore, namePending, pendingBeside } from './put-in-place.ts';

export async function copyStep(
  run: StepRun,
  { from, to, was, replaces }: Extract<PlanStep, { do: 'copy' }>,
): Promise<StepNote> {
  await using target = await exactPlace(run, to, 'write');
  const before = await madeBefore(run, target);
  if (before !== undefined) return before;
  await using source = await exactPlace(run, from, 'read');
  if (!isStill(was, source.there)) throw changed();
  return await inRoom(run, target, { replaces, kind: was.kind }, (room) =>
    copyInto(run, source, { to: target, room, verifies: false }),
  );
}

interface CopyTarget {
  readonly to: FilePlace;
  readonly room: FreedName;
  readonly verifies: boolean;
}

/** Under a name in between, then under its own. */
export async function copyInto(
  run: StepRun,
  from: FilePlace,
  { to, room, verifies }: CopyTarget,
): Promise<StepNote> {
  const { disk, treeDisk, eventLoop } = run.deps;
  const { signal } = run.caller;
  const reach = await run.caller.reach('read');
  // The owner of the machine has named what is copied.
  const within = reach.kind === 'all' ? { ...reach, passOverSecrets: false } : reach;
  const check = (below: readonly string[]): void => {
    if (!isInReach(within, [...from.parts, ...below])) throw mayNot();
  };
  const pending = pendingBeside(run, to);
  await removeTree(disk, pending.entry);
  await copyEntry(
    { disk, treeDisk, eventLoop, signal, verifies, check },
    from.entry,
    pending.entry,
  );
  return namePending(run, pending, to, room);
}

function mayNot(): AosError {
  return permissionDenied('Ask for a grant that covers all that is in the folder');
}

interface CopyDeps {
  readonly disk: Disk;
  readonly treeDisk: TreeDisk;
  readonly eventLoop: EventLoop;
  readonly signal: AbortSignal;
  /** Read back what was written. */
  readonly verifies: boolean;
  /** Throws where what is at this path below the source may not be copied. */
  check(below: readonly string[]): void;
}

/** Both in folders that are held; nothing stands at `to`. */
async function copyEntry(deps: CopyDeps, from: string, to: string): Promise<void> {
  try {
    await copyAny(deps, { from, to, below: [] });
  } catch (failure) {
    await removeTree(deps.disk, to).catch(() => {});
    throw failure;
  }
}

interface Pair {
  /** The disk that the source is on; undefined at its top. */
  readonly device?: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly below: readonly string[];
}

async function copyAny(deps: CopyDeps, pair: Pair): Promise<void> {
  const { disk, treeDisk, signal } = deps;
  signal.throwIfAborted();
  deps.check(pair.below);
  const entry = await disk.stat(pair.from);
  if (entry === undefined) throw changed();
  if (entry.device !== (pair.device ?? entry.device)) throw otherDisk();
  switch (entry.kind) {
    case 'file':
      return copyFile(deps, pair, entry);
    case 'symlink':
      await treeDisk.makeLink(pair.to, await linkAt(disk, pair.from));
      return treeDisk.restore(pair.to, entry, { isRough: !deps.verifies });
    case 'folder':
      return copyFolder(deps, pair, entry);
    default:
      throw notRegular();
  }
}

/** It was one a moment ago. */
function linkAt(disk: Disk, path: string): Promise<string> {
  return disk.readLink(path).catch(() => {
    throw changed();
  });
}

const partBytes = 1024 * 1024;

async function copyFile(deps: CopyDeps, { from, to }: Pair, entry: DiskEntry): Promise<void> {
  const { disk, treeDisk, verifies } = deps;
  await using reader = await disk.read(from);
  const { ownerUid: uid, ownerGid: gid } = entry;
  const written = createHash('sha256');
  {
    await using writer = await disk.create(to, { mode: 0o600, owner: { uid, gid } });
    for await (const part of partsOf(deps, reader)) {
      written.update(part);
      await writer.append(part);
    }
    await writer.sync();
  }
  // Another process wrote to it meanwhile: the copy would be of no moment at all.
  if (!isStill(wasOf(entry), await disk.stat(from))) throw changed();
  // C3
  if (verifies && (await hashOf(deps, to)) !== written.digest('hex')) throw changed();
  // A program for each file would take longer than the copies of many.
  await treeDisk.restore(to, entry, { isRough: !verifies });
}

type ReadDeps = Pick<CopyDeps, 'disk' | 'eventLoop' | 'signal'>;

async function* partsOf(
  { eventLoop, signal }: ReadDeps,
  reader: FileReader,
): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    // A read does not wait for anything: without this a large file would hold up all others.
    await endOfTurn(eventLoop);
    signal.throwIfAborted();
    const part = await reader.readAt(offset, partBytes);
    if (part.length === 0) return;
    yield part;
    offset += part.length;
  }
}

async function hashOf(deps: ReadDeps, path: string): Promise<string> {
  await using reader = await deps.disk.read(path);
  const hash = createHash('sha256');
  for await (const part of partsOf(deps, reader)) hash.update(part);
  return hash.digest('hex');
}

async function copyFolder(deps: CopyDeps, pair: Pair, entry: DiskEntry): Promise<void> {
  const { disk, treeDisk } = deps;
  await disk.makeFolder(pair.to);
  {
    // C1
    await using source = await disk.holdFolder(pair.from);
    await using target = await disk.holdFolder(pair.to);
    for (const name of await disk.list(`${source.path}/.`)) {
      await copyAny(deps, {
        from: `${source.path}/${name}`,
        to: `${target.path}/${name}`,
        below: [...pair.below, name],
        device: entry.device,
      });
    }
    await disk.syncFolder(`${target.path}/.`);
  }
  await treeDisk.restore(pair.to, entry, { isRough: !deps.verifies });
}
