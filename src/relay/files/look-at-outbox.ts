/**
 * One look at an outbox: which files are there, what is in them, hand them in, put them away.
 *
 * R1. A file leaves the outbox only after the relay answered for it. Dying in between is
 *     harmless: the relay knows the file when it comes again.
 * R2. Files are handed in one batch after another, so that a failure never lets a later
 *     message pass an earlier one. Only the reading is ahead, and is done again where it
 *     was in vain.
 */

import type { BulkDisk, Moved } from '../../kernel/disk/bulk-disk.ts';
import { removeIfThere } from '../../kernel/disk/durable-file.ts';
import { isMissing } from '../../kernel/disk/errors.ts';
import { AosError, type ErrorCode, toReport } from '../../kernel/errors.ts';
import {
  type Clock,
  type Disk,
  type DiskEntry,
  type EventLoop,
  endOfTurn,
} from '../../kernel/ports.ts';
import type { RelayLog } from '../deps.ts';
import type { Acceptance, ArchivePlace } from '../envelope.ts';
import type { FilesDone, Relay } from '../relay.ts';
import { archivePath, archiveStem, moveToArchive, putBack } from './archive.ts';
import type { Outbox, Stray } from './outbox.ts';
import { type Batch, type BatchDeps, type BatchPlace, readBatch } from './read-batch.ts';
import type { Standing } from './read-outbox-file.ts';

export interface LookDeps extends BatchDeps, PutAwayDeps {
  readonly eventLoop: EventLoop;
  readonly log: RelayLog;
  readonly accept: Relay['accept'];
  /** Tells the relay; it is not waited for. */
  readonly filesDone: (files: FilesDone) => void;
  readonly stopped: () => boolean;
  /** Whose the home is, by the uid. */
  readonly homeOwner: () => Promise<number>;
}

const crowdedMs = 1000;
/** When a file is handed in again for which there was no room. */
const laterMs = 500;

/** Works off what is known to be there. Throws when nothing can be done for now; see R2. */
export async function lookAtOutbox(deps: LookDeps, outbox: Outbox): Promise<void> {
  await using held = await deps.disk.holdFolder(outboxPath(deps.home, outbox.agent));
  if (outbox.strays.length > 0) await finishStrays(deps, outbox, held.path);
  outbox.look ??= {
    names: await namesToLookAt(deps, outbox, held.path),
    next: 0,
    isPendingCrowded: false,
  };
  const isTheirs = held.ownerUid !== (await deps.homeOwner());
  await workOff(deps, outbox, { look: outbox.look, folder: held.path, isTheirs });
}

async function finishStrays(deps: LookDeps, outbox: Outbox, folder: string): Promise<void> {
  const strays = outbox.strays;
  outbox.strays = [];
  const gone: string[] = [];
  for (const stray of strays) {
    const isBack = await putBackStray(deps, outbox, { stray, folder });
    if (isBack && stray.id !== undefined) gone.push(stray.id);
  }
  if (gone.length > 0) deps.filesDone({ archived: [], gone });
}

export function outboxPath(home: string, agent: string): string {
  return `${home}/agents/${agent}/outbox`;
}

async function namesToLookAt(
  { disk, clock }: LookDeps,
  outbox: Outbox,
  folder: string,
): Promise<readonly string[]> {
  if (!outbox.scanDue) return outbox.takeWanted();
  const listed = await disk.list(folder);
  // Besides `.pending`.
  outbox.lying.outbox = listed.length - 1;
  outbox.scanDue = false;
  const names = outbox.pick(listed, clock.monotonicMs());
  // As many files as are remembered wait already; some of them will be done by then.
  if (names.length === 0 && outbox.scanDue) outbox.notBeforeMs = clock.monotonicMs() + crowdedMs;
  return names;
}

async function workOff(deps: LookDeps, outbox: Outbox, place: BatchPlace): Promise<void> {
  const { look, folder } = place;
  const readNext = async (): Promise<Batch | undefined> =>
    deps.stopped() ? undefined : readBatch(deps, outbox, place);
  let answered: readonly AnsweredFile[] = [];
  const putAwayAnswered = async (): Promise<void> => {
    const done = answered;
    answered = [];
    const files = await putAway(deps, outbox, { answered: done, folder });
    if (files.archived.length + files.gone.length > 0) deps.filesDone(files);
  };
  try {
    let batch = await readNext();
    while (batch !== undefined) {
      // While the relay is busy with these, the next are read and those before go their way.
      const reading = batch.pauses ? undefined : readNext();
      const work = [handIn(deps, batch), reading, putAwayAnswered()] as const;
      const [answers, ahead, putting] = await Promise.allSettled(work);
      const next = ahead.status === 'fulfilled' ? ahead.value : undefined;
      if (answers.status === 'rejected') {
        goBack(outbox, place, { batch, answered: 0, next });
        throw answers.reason;
      }
      answered = noteAnswers(deps, outbox, batch, answers.value);
      if (answered.length < batch.found.length) {
        goBack(outbox, place, { batch, answered: answered.length, next });
        outbox.notBeforeMs = deps.clock.monotonicMs() + laterMs;
        return;
      }
      if (ahead.status === 'rejected') throw ahead.reason;
      if (putting.status === 'rejected') {
        if (next !== undefined) goBack(outbox, place, { batch: next, answered: 0 });
        throw putting.reason;
      }
      batch = next;
    }
    if (look.next >= look.names.length) outbox.look = undefined;
  } finally {
    // What goes to the recipients just now comes first: callers wait for that.
    if (answered.length > 0) await endOfTurn(deps.eventLoop);
    await putAwayAnswered();
  }
}

interface Undone {
  readonly batch: Batch;
  /** So many of the batch are done. */
  readonly answered: number;
  /** What was read ahead. */
  readonly next?: Batch | undefined;
}

// R2: the look goes on with the first that was not answered for.
function goBack(outbox: Outbox, { look }: BatchPlace, { batch, answered, next }: Undone): void {
  const first = batch.found[answered]?.name;
  look.next = first === undefined ? batch.start : look.names.indexOf(first, batch.start);
  outbox.credit += batch.found.length - answered + (next?.found.length ?? 0);
}

async function handIn(deps: LookDeps, { found }: Batch): Promise<readonly Acceptance[]> {
  return found.length === 0 ? [] : deps.accept(found.map(({ incoming }) => incoming));
}

/** Those of the batch, from the first on, for which the relay has answered. */
function noteAnswers(
  deps: LookDeps,
  outbox: Outbox,
  { found }: Batch,
  answers: readonly Acceptance[],
): readonly AnsweredFile[] {
  const answered: AnsweredFile[] = [];
  for (const [index, { name, stands, bytes }] of found.entries()) {
    const answer = answers[index];
    if (answer === undefined || (answer.kind === 'refused' && answer.later === true)) break;
    noteStamp(deps, outbox, name);
    answered.push({ name, stands, answer, bytes });
  }
  return answered;
}

const backwardsMs = 1000;

// Order is that of discovery, whatever the names say; a person may want to know of the clock.
function noteStamp({ log }: LookDeps, outbox: Outbox, name: string): void {
  const digits = /^\d{19}(?=-)/.exec(name)?.[0];
  if (digits === undefined) return;
  const stampMs = Number(digits) / 1e6;
  if (stampMs < outbox.lastStampMs - backwardsMs) {
    const backMs = Math.round(outbox.lastStampMs - stampMs);
    log.warn(
      { agent: outbox.agent, file: name, back_ms: backMs },
      'a message is named with an earlier time than the one before: a clock went backwards',
    );
  }
  outbox.lastStampMs = stampMs;
}

// Where a message's file goes when the relay has answered for it.
//
// P1. A file that is not the one that was read goes back: it is a new message.
// P2. Only ordinary files are kept in the archive.
// P3. What goes wrong with one file concerns that file only.
// P4. Of an outbox that is not ours, what was read is kept, in a file of ours: the agent that wrote
//     the one that was moved may hold it open, or have a second name for it. And what the
//     relay took for one that it has already is not kept: it may look the same and not be.

interface PutAwayDeps {
  readonly disk: Disk;
  readonly bulk: BulkDisk;
  readonly clock: Clock;
  readonly home: string;
  readonly tellOnce: (about: string, facts: object, words: string) => void;
}

/** A file of an outbox, and what the relay said to it. */
interface AnsweredFile {
  readonly name: string;
  readonly stands: Standing;
  readonly answer: Acceptance;
  /** P4: of a file that its writer may still change. */
  readonly bytes: Uint8Array | undefined;
}

const stuckMs = 30_000;

async function putAway(
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
async function putBackStray(
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
