/**
 * Where a message's file goes when the relay has answered for it.
 *
 * P1. A file that is not the one that was read goes back: it is a new message.
 * P2. Only ordinary files are kept in the archive.
 * P3. What goes wrong with one file concerns that file only.
 */
import type { BulkDisk, Moved } from '../../kernel/bulk-disk.ts';
import { isMissing } from '../../kernel/disk-errors.ts';
import { AosError, type ErrorCode, toReport } from '../../kernel/errors.ts';
import type { Clock, Disk, DiskEntry } from '../../kernel/ports.ts';
import type { Acceptance, ArchivePlace } from '../envelope.ts';
import { archivePath, moveToArchive } from './archive.ts';
import type { Outbox } from './outbox.ts';
import type { Standing } from './read-outbox-file.ts';

export interface PutAwayDeps {
  readonly disk: Disk;
  readonly bulk: BulkDisk;
  readonly clock: Clock;
  readonly home: string;
  readonly tellOnce: (about: string, facts: object, words: string) => void;
}

/** A file of an outbox, and what the relay said to it. */
export interface Answered {
  readonly name: string;
  readonly stands: Standing;
  readonly answer: Acceptance;
}

const stuckMs = 30_000;

/** The ids of the messages whose files lie in the archive now. */
export async function putAway(
  deps: PutAwayDeps,
  outbox: Outbox,
  { answered, folder }: { readonly answered: readonly Answered[]; readonly folder: string },
): Promise<string[]> {
  if (answered.length === 0) return [];
  const moves = answered.map(({ name, answer }) => {
    outbox.stopWaiting(name);
    outbox.forgetPending(name);
    outbox.willMove(name);
    const place = placeOf(deps, outbox, name, answer);
    return { from: `${folder}/${name}`, to: `${deps.home}/${archivePath(place)}`, place };
  });
  const paths = moves.map(({ from, to }) => ({ from, to }));
  const moved = await deps.bulk.moveFiles(paths, { look: true });
  const ids: string[] = [];
  for (const [index, { name, stands, answer }] of answered.entries()) {
    const [move, done] = [moves[index], moved[index]];
    if (move === undefined || done === undefined) continue;
    const isKept = await settle(deps, outbox, { name, stands, move, moved: done });
    if (isKept && answer.id !== undefined) ids.push(answer.id);
  }
  return ids;
}

interface OnItsWay {
  readonly name: string;
  readonly stands: Standing;
  readonly move: { readonly from: string; readonly to: string; readonly place: ArchivePlace };
  readonly moved: Moved;
}

/** False when the file is not in the archive. */
async function settle(
  deps: PutAwayDeps,
  outbox: Outbox,
  { name, stands, move, moved }: OnItsWay,
): Promise<boolean> {
  const { disk } = deps;
  const { from, to, place } = move;
  try {
    let entry: DiskEntry | undefined;
    if (moved.failure === undefined) entry = moved.entry;
    // The folders for this day may have to be made first.
    else if (!isMissing(moved.failure)) throw moved.failure;
    else if (!(await moveToArchive(deps, from, place))) return false;
    else entry = await disk.stat(to);
    if (isTheOneRead(entry, stands)) return await keepIfFile(disk, to, stands);
    await putBack(disk, to, from);
    outbox.didNotMove(name);
    outbox.want(name);
    return false;
  } catch (failure) {
    outbox.didNotMove(name);
    // It is handed in again after a while, and the relay knows it.
    const dueMs = deps.clock.monotonicMs() + stuckMs;
    outbox.wait(name, { dueMs, seen: undefined });
    const facts = { agent: outbox.agent, error: toReport(failure) };
    deps.tellOnce(`stuck ${outbox.agent}`, facts, 'a message file cannot be moved to the archive');
    return false;
  }
}

// P1. Looked at where nobody else changes it any more.
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

/** Under its own name, or, when that is taken by now, beside it: nothing is replaced. */
async function putBack(disk: Disk, archived: string, path: string): Promise<void> {
  const kind = (await disk.stat(archived))?.kind;
  // A folder replaces nothing but an empty folder.
  if (kind === 'folder') return disk.rename(archived, path);
  if (kind === 'file') await linkBeside(disk, archived, path);
  // What else came in the place of a file within a moment is no message that could be lost.
  if (kind !== undefined) await disk.remove(archived);
}

async function linkBeside(disk: Disk, archived: string, path: string): Promise<void> {
  const stem = path.slice(0, -'.msg'.length);
  for (let number = 1; ; number++) {
    try {
      await disk.link(archived, number === 1 ? path : `${stem}.${number}.msg`);
      return;
    } catch (failure) {
      if (!hasCode(failure, 'disk.exists')) throw failure;
    }
  }
}

function hasCode(failure: unknown, ...codes: readonly ErrorCode[]): boolean {
  return failure instanceof AosError && codes.includes(failure.code);
}

// A name has 255 bytes, of which the number that the relay may add takes some.
const longestStemBytes = 251;

function placeOf(
  { clock }: PutAwayDeps,
  { agent }: Outbox,
  name: string,
  { archive, id }: Acceptance,
): ArchivePlace {
  const stem = name.slice(0, -'.msg'.length);
  const place = archive ?? { agent, stem, at: clock.now() };
  const fits = Buffer.byteLength(place.stem) <= longestStemBytes;
  return fits ? place : { ...place, stem: id ?? stem };
}
