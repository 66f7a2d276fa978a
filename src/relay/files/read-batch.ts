/**
 * The next files of a look that are handed in together.
 *
 * B1. A file that has to settle holds those behind it back, or a message that came later by
 *     a rename would pass it. Only once: one that is still being written then is passed.
 */

import type { BulkDisk } from '../../kernel/disk/bulk-disk.ts';
import { AosError, toReport } from '../../kernel/errors.ts';
import { messageLimits } from '../../kernel/message/message.ts';
import { must } from '../../kernel/must.ts';
import type { Clock, Disk, HeldFolder } from '../../kernel/ports.ts';
import type { Incoming } from '../envelope.ts';
import type { Relay } from '../relay.ts';
import type { Outbox, OutboxLook } from './outbox.ts';
import { type FileReading, judgeOutboxFile, type Standing } from './read-outbox-file.ts';

export interface BatchDeps {
  readonly disk: Disk;
  readonly bulk: BulkDisk;
  readonly clock: Clock;
  readonly rate: Pick<Relay['rate'], 'take' | 'waitMs'>;
  /** Logs a thing once until it changes. */
  readonly tellOnce: (about: string, facts: object, words: string) => void;
}

export interface BatchPlace {
  readonly look: OutboxLook;
  /** A path into the outbox. */
  readonly folder: string;
  /** The outbox belongs to its agent's own user, and not to ours. */
  readonly isTheirs: boolean;
}

export interface Batch {
  /** Where in the look it begins. */
  readonly start: number;
  readonly found: readonly Found[];
  /** What comes behind it has to wait. */
  readonly pauses: boolean;
}

export interface Found {
  readonly name: string;
  readonly incoming: Incoming;
  readonly stands: Standing;
  /** What was read, of a file that its writer may still change. */
  readonly bytes: Uint8Array | undefined;
}

const batchMessages = 128;
const batchBytes = 1024 * 1024;
/** So that a slowed agent is not looked at for every single message. */
const leastPauseMs = 10;
const fewFiles = 4;
/** As the folder itself tells: some ten thousand names, now or once. */
const largeFolderBytes = 1024 * 1024;
const crowdedFiles = 1000;
/** How many are taken at once of those that may have to settle. */
const unsettledFiles = 16;

/** Undefined when none is left, or none may go now. */
export async function readBatch(
  deps: BatchDeps,
  outbox: Outbox,
  place: BatchPlace,
): Promise<Batch | undefined> {
  const { look } = place;
  const start = look.next;
  if (start >= look.names.length) return undefined;
  if (!takeCredit(deps, outbox, look.names.length - start)) return undefined;
  try {
    const { found, pauses } = await readFiles(deps, outbox, place);
    outbox.credit -= found.length;
    return { start, found, pauses };
  } catch (failure) {
    look.next = start;
    throw failure;
  }
}

// What the limit gave and a batch did not use is kept, because it is not given twice.
function takeCredit({ rate, clock }: BatchDeps, outbox: Outbox, left: number): boolean {
  const wanted = Math.min(batchMessages, left) - outbox.credit;
  if (wanted > 0) outbox.credit += rate.take(outbox.agent, wanted);
  if (outbox.credit > 0) return true;
  const pauseMs = Math.max(leastPauseMs, rate.waitMs(outbox.agent));
  outbox.notBeforeMs = clock.monotonicMs() + pauseMs;
  return false;
}

async function readFiles(
  deps: BatchDeps,
  outbox: Outbox,
  { look, folder, isTheirs }: BatchPlace,
): Promise<Pick<Batch, 'found' | 'pauses'>> {
  const found: Found[] = [];
  const most = Math.min(batchMessages, outbox.credit);
  let bytes = 0;
  while (found.length < most && bytes < batchBytes && look.next < look.names.length) {
    const limits = { messages: most - found.length, bytes: batchBytes - bytes };
    const readings = await readSome(deps, outbox, { look, folder, limits });
    for (const { name, reading, read } of readings) {
      if (reading.kind === 'settling') {
        // B1: it comes with this look, and needs no waking.
        outbox.wait(name, { dueMs: Number.POSITIVE_INFINITY, seen: reading.seen });
        outbox.notBeforeMs = deps.clock.monotonicMs() + reading.waitMs;
        return { found, pauses: true };
      }
      look.next++;
      if (reading.kind === 'incoming') {
        const { incoming, stands } = reading;
        found.push({ name, incoming, stands, bytes: isTheirs ? read : undefined });
        bytes += reading.stands.sizeBytes;
      } else {
        leave(deps, outbox, name, reading);
      }
    }
  }
  return { found, pauses: false };
}

interface Asked extends Omit<BatchPlace, 'isTheirs'> {
  readonly limits: { readonly messages: number; readonly bytes: number };
}

interface ReadFile {
  readonly name: string;
  readonly reading: FileReading;
  readonly read: Uint8Array | undefined;
}

/** The next files of a look: at least one, and as many as are taken in one go. */
async function readSome(
  deps: BatchDeps,
  outbox: Outbox,
  { look, folder, limits }: Asked,
): Promise<ReadFile[]> {
  const names = nextNames(outbox, look, limits.messages);
  const askedAt = deps.clock.now();
  const askedMs = deps.clock.monotonicMs();
  // Before they are taken: a marker that is gone then says that the file is whole.
  const inPending = await markedNames(deps, look, { folder, names });
  // Also before: what is told of a name meanwhile may be of another file.
  const known = names.map((name) => ({
    renamed: outbox.wasPending(name),
    seen: outbox.seen(name),
    marked: inPending.has(name),
  }));
  const paths = names.map((name) => `${folder}/${name}`);
  const takeLimits = { eachBytes: messageLimits.wholeBytes, allBytes: limits.bytes };
  const taken = await deps.bulk.takeFiles(paths, takeLimits);
  const readings: ReadFile[] = [];
  for (const [index, each] of taken.entries()) {
    const name = must(names[index], 'the name of a file that was taken');
    const before = must(known[index], 'what was known of a file that was taken');
    const file = { agent: outbox.agent, folder, name, askedAt, askedMs, ...before };
    const reading = await judgeOutboxFile(deps, file, each);
    readings.push({ name, reading, read: each.failure === undefined ? each.bytes : undefined });
  }
  return readings;
}

/** Those that came by a rename, or else a few: behind one that has to settle, none is used. */
function nextNames(outbox: Outbox, { names, next }: OutboxLook, most: number): readonly string[] {
  const isRenamed = (name: string | undefined): boolean =>
    name !== undefined && outbox.wasPending(name);
  const few = Math.min(most, names.length - next, unsettledFiles);
  let count = isRenamed(names[next]) ? 1 : few;
  while (count < most && isRenamed(names[next + count])) count++;
  return names.slice(next, next + count);
}

async function markedNames(
  { disk }: BatchDeps,
  look: OutboxLook,
  { folder, names }: { readonly folder: string; readonly names: readonly string[] },
): Promise<ReadonlySet<string>> {
  await using held = await holdPending(disk, folder);
  if (held === undefined) return new Set();
  const pending = await pendingNames(disk, look, { path: held.path, files: names.length });
  if (pending !== undefined) return pending;
  const marked = new Set<string>();
  for (const name of names) {
    try {
      const entry = await disk.stat(`${held.path}/${name}`);
      if (entry !== undefined) marked.add(name);
    } catch {
      // What is closed to us marks nothing.
    }
  }
  return marked;
}

// Held, because a symlink in its place would tell its agent what is in another's folder.
// Where it is no folder, nothing is in it.
async function holdPending(disk: Disk, folder: string): Promise<HeldFolder | undefined> {
  try {
    return await disk.holdFolder(`${folder}/.pending`);
  } catch (failure) {
    if (failure instanceof AosError && noFolder.has(failure.code)) return undefined;
    throw failure;
  }
}

const noFolder: ReadonlySet<string> = new Set(['disk.missing', 'disk.not-a-folder']);

// One listing instead of many looks, where there are many. Were thousands lying there, it
// would be the other way round. A folder is large also when there were many in it once.
async function pendingNames(
  disk: Disk,
  look: OutboxLook,
  { path, files }: { readonly path: string; readonly files: number },
): Promise<ReadonlySet<string> | undefined> {
  if (files < fewFiles || look.isPendingCrowded) return undefined;
  try {
    // The held path itself is a symlink.
    const entry = await disk.stat(`${path}/.`);
    if (entry === undefined || entry.sizeBytes > largeFolderBytes) return undefined;
    const names = await disk.list(path);
    look.isPendingCrowded = names.length > crowdedFiles;
    return new Set(names);
  } catch {
    // Then each file is asked about by itself.
    return undefined;
  }
}

function leave(
  { clock, tellOnce }: BatchDeps,
  outbox: Outbox,
  name: string,
  reading: Extract<FileReading, { kind: 'wait' | 'gone' }>,
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
