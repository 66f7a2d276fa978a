/**
 * One look at an outbox: which files are there, what is in them, hand them in, put them away.
 *
 * R1. A file leaves the outbox only after the relay answered for it. Dying in between is
 *     harmless: the relay knows the file when it comes again.
 * R2. Files are handed in one batch after another, so that a failure never lets a later
 *     message pass an earlier one.
 * R3. A file that is not the one that was read stays: it is a new message. Only ordinary
 *     files are kept in the archive.
 * R4. A file that has to settle holds those behind it back, or a message that came later by
 *     a rename would pass it. Only once: one that is still being written then is passed.
 */
import { AosError, type ErrorCode, toReport } from '../../kernel/errors.ts';
import type { Clock, Disk } from '../../kernel/ports.ts';
import type { RelayLog } from '../deps.ts';
import type { Acceptance, ArchivePlace, Incoming } from '../envelope.ts';
import type { Relay } from '../relay.ts';
import { archivePath, moveToArchive } from './archive.ts';
import type { Look, Outbox } from './outbox.ts';
import { type Reading, readOutboxFile, type Standing } from './read-outbox-file.ts';

export interface LookDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly log: RelayLog;
  readonly home: string;
  readonly rate: Pick<Relay['rate'], 'take' | 'waitMs'>;
  readonly accept: Relay['accept'];
  /** Tells the relay of files that lie in the archive; nobody waits for it. */
  readonly archived: (ids: readonly string[]) => void;
  readonly stopped: () => boolean;
  /** Logs a thing once until it changes. */
  readonly tellOnce: (about: string, facts: object, words: string) => void;
}

const batchMessages = 128;
const batchBytes = 1024 * 1024;
/** So that a slowed agent is not looked at for every single message. */
const leastPauseMs = 10;
const crowdedMs = 1000;
const fewFiles = 4;
/** As the folder itself tells: some thousand names. */
const largeFolderBytes = 256 * 1024;
const stuckMs = 30_000;
/** When a file is handed in again for which there was no room. */
const laterMs = 500;

/** Works off what is known to be there. Throws when nothing can be done for now; see R2. */
export async function lookAtOutbox(deps: LookDeps, outbox: Outbox): Promise<void> {
  await using held = await deps.disk.holdFolder(outboxPath(deps.home, outbox.agent));
  outbox.look ??= { names: await namesToLookAt(deps, outbox, held.path), next: 0 };
  const { look } = outbox;
  while (look.next < look.names.length && !deps.stopped()) {
    if (!takeCredit(deps, outbox, look.names.length - look.next)) return;
    const start = look.next;
    const { notBeforeMs } = outbox;
    try {
      const batch = await readBatch(deps, outbox, look, held.path);
      if (batch.length > 0) await handIn(deps, outbox, batch, held.path);
    } catch (failure) {
      look.next = start;
      throw failure;
    }
    // R4
    if (outbox.notBeforeMs > notBeforeMs) return;
  }
  outbox.look = undefined;
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

// What the limit gave and a batch did not use is kept, because it is not given twice.
function takeCredit({ rate, clock }: LookDeps, outbox: Outbox, left: number): boolean {
  const wanted = Math.min(batchMessages, left) - outbox.credit;
  if (wanted > 0) outbox.credit += rate.take(outbox.agent, wanted);
  if (outbox.credit > 0) return true;
  const pauseMs = Math.max(leastPauseMs, rate.waitMs(outbox.agent));
  outbox.notBeforeMs = clock.monotonicMs() + pauseMs;
  return false;
}

interface Found {
  readonly name: string;
  readonly incoming: Incoming;
  readonly stands: Standing;
}

async function readBatch(
  deps: LookDeps,
  outbox: Outbox,
  look: Look,
  folder: string,
): Promise<Found[]> {
  const batch: Found[] = [];
  let bytes = 0;
  const most = Math.min(batchMessages, outbox.credit);
  const pending = await pendingNames(deps, folder, Math.min(most, look.names.length - look.next));
  while (batch.length < most && bytes < batchBytes && look.next < look.names.length) {
    const name = look.names[look.next] ?? '';
    const { agent } = outbox;
    const renamed = outbox.wasPending(name);
    const file = { agent, folder, name, pending, renamed, seen: outbox.seen(name) };
    const reading = await readOutboxFile(deps, file);
    if (reading.kind === 'settling') {
      // R4: it comes with this look, and needs no waking.
      outbox.wait(name, { dueMs: Number.POSITIVE_INFINITY, seen: reading.seen });
      outbox.notBeforeMs = deps.clock.monotonicMs() + reading.waitMs;
      break;
    }
    look.next++;
    if (reading.kind === 'incoming') {
      batch.push({ name, incoming: reading.incoming, stands: reading.stands });
      bytes += reading.stands.sizeBytes;
    } else {
      leave(deps, outbox, name, reading);
    }
  }
  return batch;
}

// One listing instead of many looks, where there are many. Were thousands lying there, it
// would be the other way round.
async function pendingNames(
  { disk }: LookDeps,
  folder: string,
  files: number,
): Promise<ReadonlySet<string> | undefined> {
  if (files < fewFiles) return undefined;
  try {
    const path = `${folder}/.pending`;
    const entry = await disk.stat(path);
    if (entry?.kind !== 'folder' || entry.sizeBytes > largeFolderBytes) return undefined;
    return new Set(await disk.list(path));
  } catch {
    // Then each file is asked about by itself.
    return undefined;
  }
}

function leave(
  { clock, tellOnce }: LookDeps,
  outbox: Outbox,
  name: string,
  reading: Extract<Reading, { kind: 'wait' | 'gone' }>,
): void {
  outbox.stopWaiting(name);
  if (reading.kind === 'gone') return;
  if (reading.failure !== undefined) {
    const error = toReport(reading.failure);
    const words = 'something in an outbox cannot be read for now, and stays there';
    tellOnce(
      `unread ${outbox.agent} ${error.code}`,
      { agent: outbox.agent, file: name, error },
      words,
    );
  }
  if (reading.waitMs === undefined) return;
  // What was not a message at once has lost the benefit of the rename, unless its marker
  // still stands there.
  if (reading.seen !== undefined) outbox.forgetPending(name);
  outbox.wait(name, { dueMs: clock.monotonicMs() + reading.waitMs, seen: reading.seen });
}

async function handIn(
  deps: LookDeps,
  outbox: Outbox,
  batch: readonly Found[],
  folder: string,
): Promise<void> {
  const answers = await deps.accept(batch.map(({ incoming }) => incoming));
  const ids: string[] = [];
  for (const [index, found] of batch.entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    if (answer.kind === 'refused' && answer.later === true) {
      holdBack(deps, outbox, found.name);
      break;
    }
    outbox.credit--;
    noteStamp(deps, outbox, found.name);
    if ((await putAway(deps, outbox, found, answer, folder)) && answer.id !== undefined) {
      ids.push(answer.id);
    }
  }
  if (ids.length > 0) deps.archived(ids);
}

// R2: those behind it wait too, and the look goes on with it.
function holdBack({ clock }: LookDeps, outbox: Outbox, name: string): void {
  const place = outbox.look?.names.indexOf(name) ?? -1;
  if (outbox.look !== undefined && place !== -1) outbox.look.next = place;
  outbox.notBeforeMs = clock.monotonicMs() + laterMs;
}

/** False when the file is not in the archive. What goes wrong here concerns this file only. */
async function putAway(
  deps: LookDeps,
  outbox: Outbox,
  { name, stands }: Found,
  answer: Acceptance,
  folder: string,
): Promise<boolean> {
  const path = `${folder}/${name}`;
  outbox.stopWaiting(name);
  outbox.forgetPending(name);
  const place = placeOf(deps, outbox, name, answer);
  try {
    outbox.willMove(name);
    if (!(await moveToArchive(deps, path, place))) return false;
    const archived = `${deps.home}/${archivePath(place)}`;
    if (await isTheOneRead(deps.disk, archived, stands)) {
      return await keepIfFile(deps.disk, archived, stands);
    }
    await putBack(deps.disk, archived, path);
    outbox.didNotMove(name);
    outbox.want(name);
    return false;
  } catch (failure) {
    outbox.didNotMove(name);
    // R1: it is handed in again after a while, and the relay knows it.
    const dueMs = deps.clock.monotonicMs() + stuckMs;
    outbox.wait(name, { dueMs, seen: undefined });
    const facts = { agent: outbox.agent, error: toReport(failure) };
    deps.tellOnce(`stuck ${outbox.agent}`, facts, 'a message file cannot be moved to the archive');
    return false;
  }
}

// R3. Looked at where nobody else changes it any more.
async function isTheOneRead(disk: Disk, path: string, stands: Standing): Promise<boolean> {
  if (stands.inode === undefined) {
    const entry = await disk.stat(path);
    return (
      entry?.kind === stands.kind &&
      entry?.sizeBytes === stands.sizeBytes &&
      entry.modifiedAt === stands.modifiedAt
    );
  }
  try {
    await using reader = await disk.read(path);
    const now = await reader.identity();
    return (
      now.inode === stands.inode &&
      now.modifiedNs === stands.modifiedNs &&
      now.sizeBytes === stands.sizeBytes
    );
  } catch (failure) {
    // The one that was read could be opened.
    if (hasCode(failure, 'disk.not-a-file', 'disk.denied')) return false;
    throw failure;
  }
}

/** False when it was removed. A link or pipe was moved first so that none but it goes (R3). */
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
  { clock }: LookDeps,
  { agent }: Outbox,
  name: string,
  { archive, id }: Acceptance,
): ArchivePlace {
  const stem = name.slice(0, -'.msg'.length);
  const place = archive ?? { agent, stem, at: clock.now() };
  const fits = Buffer.byteLength(place.stem) <= longestStemBytes;
  return fits ? place : { ...place, stem: id ?? stem };
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
