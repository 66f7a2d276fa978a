/**
 * Where a message's file goes when the relay has answered for it.
 *
 * P1. A file that is not the one that was read goes back: it is a new message.
 * P2. Only ordinary files are kept in the archive.
 * P3. What goes wrong with one file concerns that file only.
 * P4. Of an outbox that is not ours, what was read is kept, in a file of ours: the agent that wrote
 *     the one that was moved may hold it open, or have a second name for it. And what the
 *     relay took for one that it has already is not kept: it may look the same and not be.
 */
import type { BulkDisk, Moved } from '../../kernel/disk/bulk-disk.ts';
import { removeIfThere } from '../../kernel/disk/durable-file.ts';
import { isMissing } from '../../kernel/disk/errors.ts';
import { AosError, type ErrorCode, toReport } from '../../kernel/errors.ts';
import type { Clock, Disk, DiskEntry } from '../../kernel/ports.ts';
import type { Acceptance, ArchivePlace } from '../envelope.ts';
import type { FilesDone } from '../relay.ts';
import { archivePath, archiveStem, moveToArchive, putBack } from './archive.ts';
import type { Outbox, Stray } from './outbox.ts';
import type { Standing } from './read-outbox-file.ts';

export interface PutAwayDeps {
  readonly disk: Disk;
  readonly bulk: BulkDisk;
  readonly clock: Clock;
  readonly home: string;
  readonly tellOnce: (about: string, facts: object, words: string) => void;
}

/** A file of an outbox, and what the relay said to it. */
export interface AnsweredFile {
  readonly name: string;
  readonly stands: Standing;
  readonly answer: Acceptance;
  /** P4: of a file that its writer may still change. */
  readonly bytes: Uint8Array | undefined;
}

const stuckMs = 30_000;

export async function putAway(
  deps: PutAwayDeps,
  outbox: Outbox,
  { answered, folder }: { readonly answered: readonly AnsweredFile[]; readonly folder: string },
): Promise<FilesDone> {
  const ids = { archived: [] as string[], gone: [] as string[] };
  if (answered.length === 0) return ids;
  const moves = answered.map(({ name, answer, bytes }, index) => {
    outbox.stopWaiting(name);
    outbox.forgetPending(name);
    outbox.willMove(name);
    const place = placeOf(deps, outbox, name, answer);
    // P4: not onto what was kept of the one before.
    const isAgain = bytes !== undefined && answer.kind === 'duplicate';
    const below = isAgain ? `tmp/again-${outbox.agent}-${index}` : archivePath(place);
    return { from: `${folder}/${name}`, to: `${deps.home}/${below}`, place, isAgain };
  });
  const paths = moves.map(({ from, to }) => ({ from, to }));
  const moved = await deps.bulk.moveFiles(paths, { look: true });
  for (const [index, { answer, ...file }] of answered.entries()) {
    const [move, done] = [moves[index], moved[index]];
    if (move === undefined || done === undefined) continue;
    const end = await settle(deps, outbox, { ...file, move, moved: done, id: answer.id });
    if (end !== 'stuck' && answer.id !== undefined) ids[end].push(answer.id);
  }
  return ids;
}

interface FileMove {
  readonly from: string;
  readonly to: string;
  readonly place: ArchivePlace;
  /** P4: of one that was there before. */
  readonly isAgain: boolean;
}

interface OnItsWay extends Pick<AnsweredFile, 'name' | 'stands' | 'bytes'> {
  readonly move: FileMove;
  readonly moved: Moved;
  readonly id: string | undefined;
}

async function settle(
  deps: PutAwayDeps,
  outbox: Outbox,
  { name, stands, bytes, move, moved, id }: OnItsWay,
): Promise<keyof FilesDone | 'stuck'> {
  const { disk } = deps;
  const { from, to, place } = move;
  try {
    let entry: DiskEntry | undefined;
    if (moved.failure === undefined) entry = moved.entry;
    // The folders for this day may have to be made first.
    else if (!isMissing(moved.failure)) throw moved.failure;
    else if (!move.isAgain && (await moveToArchive(deps, from, place))) entry = await disk.stat(to);
    else {
      // Taken back: no notice of a move will come, and the next one is of another file.
      outbox.didNotMove(name);
      return 'gone';
    }
    if (isTheOneRead(entry, stands)) {
      if (move.isAgain) {
        await disk.remove(to);
        return 'gone';
      }
      const isKept =
        bytes === undefined
          ? await keepIfFile(disk, to, stands)
          : await keepCopy(deps, outbox.agent, { path: to, stands, bytes });
      return isKept ? 'archived' : 'gone';
    }
    outbox.didNotMove(name);
    const stray = { archived: to, name, id };
    const folder = from.slice(0, -name.length - 1);
    return (await putBackStray(deps, outbox, { stray, folder })) ? 'gone' : 'stuck';
  } catch (failure) {
    outbox.didNotMove(name);
    // It is handed in again after a while, and the relay knows it.
    const dueMs = deps.clock.monotonicMs() + stuckMs;
    outbox.wait(name, { dueMs, seen: undefined });
    const facts = { agent: outbox.agent, error: toReport(failure) };
    deps.tellOnce(`stuck ${outbox.agent}`, facts, 'a message file cannot be moved to the archive');
    return 'stuck';
  }
}

/**
 * P1. False when it cannot be put back now: it is tried again with every look, and after a
 * restart by the look for the file of its message.
 */
export async function putBackStray(
  deps: Pick<PutAwayDeps, 'disk' | 'clock' | 'tellOnce'>,
  outbox: Outbox,
  { stray, folder }: { readonly stray: Stray; readonly folder: string },
): Promise<boolean> {
  const { archived, name } = stray;
  try {
    // Also the one beside it, which is the older one and comes first by its name.
    outbox.want(await putBack(deps.disk, archived, `${folder}/${name}`));
    outbox.want(name);
    return true;
  } catch (failure) {
    outbox.strays = [...outbox.strays, stray];
    outbox.wait(name, { dueMs: deps.clock.monotonicMs() + stuckMs, seen: undefined });
    const facts = { agent: outbox.agent, error: toReport(failure) };
    const words = 'a message lies in the archive unread, and cannot be put back now';
    deps.tellOnce(`stray ${outbox.agent}`, facts, words);
    return false;
  }
}

// P1. Looked at where no agent changes it any more.
function isTheOneRead(entry: DiskEntry | undefined, stands: Standing): boolean {
  if (entry === undefined || entry.kind !== (stands.kind ?? 'file')) return false;
  if (entry.sizeBytes !== stands.sizeBytes) return false;
  return stands.inode === undefined
    ? entry.modifiedAt === stands.modifiedAt
    : entry.inode === stands.inode && entry.modifiedNs === stands.modifiedNs;
}

/** False when it was removed. A link or pipe was moved first so that none but it goes (P2). */
async function keepIfFile(disk: Disk, path: string, { kind }: Standing): Promise<boolean> {
  if (kind === undefined) return true;
  if (kind !== 'file') {
    await disk.remove(path);
    return false;
  }
  try {
    // It could not be read, and is to be packed some day.
    await disk.makePrivate(path);
  } catch (failure) {
    // Another's file is kept as it is.
    if (!hasCode(failure, 'disk.denied')) throw failure;
  }
  return true;
}

interface Copied {
  readonly path: string;
  readonly stands: Standing;
  readonly bytes: Uint8Array;
}

/** P4. False when it is not kept: the ledger has what was accepted of it. */
async function keepCopy(
  { disk, home, tellOnce }: PutAwayDeps,
  agent: string,
  { path, stands, bytes }: Copied,
): Promise<boolean> {
  // Of what is too large nothing was read.
  if (bytes.length !== stands.sizeBytes) {
    await disk.remove(path);
    return false;
  }
  // One look at an outbox at a time, and what a crash leaves there is swept with the next start.
  const pending = `${home}/tmp/outbox-${agent}`;
  try {
    await removeIfThere(disk, pending);
    {
      await using writer = await disk.create(pending);
      await writer.append(bytes);
    }
    await disk.rename(pending, path);
    return true;
  } catch (failure) {
    await disk.remove(path);
    const facts = { agent, error: toReport(failure) };
    tellOnce(`copy ${agent}`, facts, 'a message file is not kept in the archive');
    return false;
  }
}

function hasCode(failure: unknown, ...codes: readonly ErrorCode[]): boolean {
  return failure instanceof AosError && codes.includes(failure.code);
}

function placeOf(
  { clock }: PutAwayDeps,
  { agent }: Outbox,
  name: string,
  { archive, id }: Acceptance,
): ArchivePlace {
  const stem = name.slice(0, -'.msg'.length);
  const place = archive ?? { agent, stem, at: clock.now() };
  return { ...place, stem: archiveStem(place.stem, id ?? stem) };
}
