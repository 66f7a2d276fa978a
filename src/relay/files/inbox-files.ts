/** Inboxes as folders. A file appears there whole or not at all. */

import type { BulkDisk } from '../../kernel/disk/bulk-disk.ts';
import { readWholeFile, removeQuietly } from '../../kernel/disk/durable-file.ts';
import { diskError, isMissing, isTaken } from '../../kernel/disk/errors.ts';
import { AosError, toReport } from '../../kernel/errors.ts';
import {
  type Clock,
  type Disk,
  type DiskView,
  type EventLoop,
  endOfTurn,
  type FolderWatch,
  type HeldFolder,
  type Random,
  type Watching,
} from '../../kernel/ports.ts';
import type { RelayLog } from '../deps.ts';
import type { Inboxes, InboxFile, InterruptedBatch, WrittenBatch } from '../mail.ts';
import { isMessageName, type NoticeBursts } from './outbox.ts';

export interface InboxFilesDeps {
  readonly disk: Disk;
  readonly bulk: BulkDisk;
  readonly eventLoop: EventLoop;
  readonly random: Random;
  readonly home: string;
}

export function inboxPath(home: string, agent: string): string {
  return `${home}/agents/${agent}/inbox`;
}

export class InboxFiles implements Inboxes {
  readonly #disk: Disk;
  readonly #bulk: BulkDisk;
  readonly #eventLoop: EventLoop;
  readonly #random: Random;
  readonly #home: string;
  /** Batches of this process that are not noted yet. */
  readonly #own = new Set<string>();

  constructor({ disk, bulk, eventLoop, random, home }: InboxFilesDeps) {
    this.#eventLoop = eventLoop;
    this.#disk = disk;
    this.#bulk = bulk;
    this.#random = random;
    this.#home = home;
  }

  async write(recipient: string, files: readonly InboxFile[]): Promise<WrittenBatch> {
    if (files.length === 0) return { count: 0, failure: undefined, noted: async () => {} };
    const base = `${batchFolder(this.#home)}/${hex(this.#random.bytes(8))}`;
    this.#own.add(base);
    let count = 0;
    let failure: AosError | undefined;
    let isInboxGone = false;
    try {
      await using inbox = await this.#holdIfThere(recipient);
      isInboxGone = inbox === undefined;
      if (inbox === undefined) throw diskError('ENOENT', inboxPath(this.#home, recipient));
      await this.#stage(base, recipient, files);
      const moves = files.map(({ name }, index) => ({
        from: stagedPath(base, index),
        to: `${inbox.path}/${name}`,
      }));
      const moved = await this.#bulk.moveFiles(moves, { inTurn: true });
      failure = moved.at(-1)?.failure;
      count = failure === undefined ? moved.length : moved.length - 1;
    } catch (thrown) {
      if (!(thrown instanceof AosError)) throw thrown;
      failure = thrown;
    }
    const left = range(count, files.length);
    return { count, failure, isInboxGone, noted: () => this.#clear(base, left) };
  }

  make(recipient: string): Promise<void> {
    return this.#ensure(inboxPath(this.#home, recipient));
  }

  async interrupted(): Promise<readonly InterruptedBatch[]> {
    const found = await findBatches(this.#disk, this.#home, this.#own);
    return found.map(({ recipient, names, base, staged }) => ({
      recipient,
      reached: names.filter((_, index) => !staged.includes(index)),
      noted: () => this.#clear(base, staged),
    }));
  }

  async remove(recipient: string, names: readonly string[]): Promise<void> {
    await using inbox = await this.#holdIfThere(recipient);
    if (inbox === undefined) return;
    for (const name of names) {
      try {
        await this.#disk.remove(`${inbox.path}/${name}`);
      } catch (failure) {
        if (!isMissing(failure)) throw failure;
      }
    }
  }

  async list(recipient: string): Promise<ReadonlySet<string> | undefined> {
    await using inbox = await this.#holdIfThere(recipient);
    if (inbox === undefined) return undefined;
    return new Set((await this.#disk.list(inbox.path)).filter(isMessageName));
  }

  // The folder itself and no symlink in its place: else an agent could have files of ours
  // written wherever it likes.
  async #holdIfThere(recipient: string): Promise<HeldFolder | undefined> {
    try {
      return await this.#disk.holdFolder(inboxPath(this.#home, recipient));
    } catch (failure) {
      if (isMissing(failure)) return undefined;
      throw failure;
    }
  }

  async #stage(base: string, recipient: string, files: readonly InboxFile[]): Promise<void> {
    try {
      await stageBatch(this.#bulk, base, recipient, files);
    } catch (failure) {
      await clearBatch(this.#disk, base, range(0, files.length));
      if (!isMissing(failure)) throw failure;
      await this.#ensure(batchFolder(this.#home));
      await stageBatch(this.#bulk, base, recipient, files);
    }
  }

  // Another recipient's batch may have made it meanwhile.
  async #ensure(folder: string): Promise<void> {
    try {
      await this.#disk.makeFolder(folder);
    } catch (failure) {
      if (!isTaken(failure)) throw failure;
    }
  }

  async #clear(base: string, staged: readonly number[]): Promise<void> {
    // Whatever else the same commit set going comes first: callers wait for that.
    await endOfTurn(this.#eventLoop);
    await clearBatch(this.#disk, base, staged);
    this.#own.delete(base);
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

// Files on their way into an inbox, so that a process that dies in between does not leave it
// open which of them got there: an agent may take a file away as soon as it has its name.
//
// R1. The files are written below `run/inboxes` first, then a record of all their names,
//     then each file gets its place in the inbox by a rename.
// R2. So of a batch with a whole record, the files that are no longer below `run/inboxes`
//     have reached the inbox. Without a record, none has.
// R3. The record goes first when the ledger knows of them, then what is left of the files.
//
// Nothing is flushed. Not below `tmp`, because that is emptied before interrupted() is asked.

function batchFolder(home: string): string {
  return `${home}/run/inboxes`;
}

interface BatchRecord {
  readonly recipient: string;
  readonly names: readonly string[];
}

const recordEnd = '.batch';
const longestRecordBytes = 16 * 1024 * 1024;

/** R1: the files and the record. */
async function stageBatch(
  bulk: BulkDisk,
  base: string,
  recipient: string,
  files: readonly InboxFile[],
): Promise<void> {
  await bulk.writeFiles(files.map(({ text }, index) => ({ path: stagedPath(base, index), text })));
  const record: BatchRecord = { recipient, names: files.map(({ name }) => name) };
  // The line's end shows that it is whole.
  await bulk.writeFiles([{ path: base + recordEnd, text: `${JSON.stringify(record)}\n` }]);
}

function stagedPath(base: string, index: number): string {
  return `${base}.${index}`;
}

/** R3. What the disk refuses to remove is swept at the next start. */
async function clearBatch(disk: Disk, base: string, staged: Iterable<number>) {
  await removeQuietly(disk, base + recordEnd);
  for (const index of staged) await removeQuietly(disk, stagedPath(base, index));
}

interface FoundBatch extends BatchRecord {
  readonly base: string;
  /** The indexes of the files that have not reached the inbox. */
  readonly staged: readonly number[];
}

/** What processes before this one left; files without a record are removed (R2). */
async function findBatches(
  disk: Disk,
  home: string,
  own: ReadonlySet<string>,
): Promise<FoundBatch[]> {
  const folder = batchFolder(home);
  const found: FoundBatch[] = [];
  const byBase = Map.groupBy(await namesIn(disk, folder), (name) => name.split('.')[0] ?? '');
  for (const [key, names] of byBase) {
    const base = `${folder}/${key}`;
    if (own.has(base)) continue;
    const record = await readRecord(disk, base);
    const staged = names.map((name) => Number(name.slice(key.length + 1))).filter(Number.isInteger);
    if (record === undefined) await clearBatch(disk, base, staged);
    else found.push({ ...record, base, staged });
  }
  return found;
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    return await disk.list(folder);
  } catch (failure) {
    if (isMissing(failure)) return [];
    throw failure;
  }
}

async function readRecord(disk: Disk, base: string): Promise<BatchRecord | undefined> {
  try {
    const bytes = await readWholeFile(disk, base + recordEnd, longestRecordBytes);
    const text = Buffer.from(bytes).toString();
    return text.endsWith('\n') ? asRecord(JSON.parse(text)) : undefined;
  } catch (failure) {
    const isNone = failure instanceof SyntaxError || isMissing(failure);
    if (isNone) return undefined;
    throw failure;
  }
}

function asRecord(value: unknown): BatchRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('recipient' in value) || !('names' in value)) return undefined;
  const { recipient, names } = value;
  if (typeof recipient !== 'string' || !Array.isArray(names)) return undefined;
  return { recipient, names: names.map(String) };
}

// Hears that agents take messages out of their inboxes. Only inboxes with unread messages
// are watched, and only the names of notices are looked at; what no notice tells of, the
// relay finds when it lists the inbox.

interface InboxWatchDeps {
  readonly disk: DiskView;
  readonly watching: Watching;
  readonly bursts: NoticeBursts;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: RelayLog;
  readonly home: string;
  /** Those of the names that are in the inbox no more. It must not throw. */
  readonly onGone: (recipient: string, names: readonly string[]) => void;
}

// An agent that takes a hundred messages makes a few looks of it, not a hundred.
const pauseMs = 20;
const mostNames = 4096;

export class InboxWatch implements AsyncDisposable {
  readonly #deps: InboxWatchDeps;
  readonly #watches = new Map<string, FolderWatch>();
  #noticed = new Map<string, Set<string>>();
  /** Names that are just being written, of which a notice is still to come. */
  readonly #coming = new Map<string, Set<string>>();
  #looking: Promise<void> | undefined;
  readonly #stop = new AbortController();
  #told = false;

  constructor(deps: InboxWatchDeps) {
    this.#deps = deps;
  }

  /**
   * Unread messages lie in that inbox, or those of these names will in a moment. Costs next
   * to nothing when repeated.
   */
  expect(recipient: string, coming: readonly string[] = []): void {
    if (this.#stop.signal.aborted) return;
    if (this.#watch(recipient)) this.#expectNames(recipient, coming);
  }

  // One that does not come, because the disk is full say, is forgotten with the next ones.
  #expectNames(recipient: string, coming: readonly string[]): void {
    const known = this.#coming.get(recipient);
    const names = known === undefined || known.size > mostNames ? new Set<string>() : known;
    for (const name of coming) names.add(name);
    if (names.size > 0) this.#coming.set(recipient, names);
  }

  #watch(recipient: string): boolean {
    if (this.#watches.get(recipient)?.open === true) return true;
    const { watching, home } = this.#deps;
    try {
      const watch = watching.watch(inboxPath(home, recipient), (name) =>
        this.#onChange(recipient, name),
      );
      this.#watches.set(recipient, watch);
      return true;
    } catch (failure) {
      // Without a watch it is heard of later, when the relay lists the inbox.
      if (!this.#told) this.#tell(recipient, failure);
      return false;
    }
  }

  /** Nothing is unread there now. */
  forget(recipient: string): void {
    this.#watches.get(recipient)?.[Symbol.dispose]();
    this.#watches.delete(recipient);
    this.#noticed.delete(recipient);
    this.#coming.delete(recipient);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const recipient of [...this.#watches.keys()]) this.forget(recipient);
    await this.#looking;
  }

  #onChange(recipient: string, name: string | undefined): void {
    this.#deps.bursts.count();
    if (name === undefined) {
      this.forget(recipient);
      return;
    }
    if (!isMessageName(name) || this.#cameItself(recipient, name)) return;
    const names = this.#noticed.get(recipient) ?? new Set();
    this.#noticed.set(recipient, names);
    if (names.size < mostNames) names.add(name);
    this.#looking ??= this.#look();
  }

  #cameItself(recipient: string, name: string): boolean {
    const coming = this.#coming.get(recipient);
    if (coming?.delete(name) !== true) return false;
    if (coming.size === 0) this.#coming.delete(recipient);
    return true;
  }

  async #look(): Promise<void> {
    while (this.#noticed.size > 0 && !this.#stop.signal.aborted) {
      // Being stopped ends the pause, and then there is nothing to look at.
      await this.#deps.clock.sleep(pauseMs, this.#stop.signal).catch(() => {});
      const noticed = this.#noticed;
      this.#noticed = new Map();
      for (const [recipient, names] of noticed) {
        const gone = await this.#missing(recipient, names);
        if (gone.length > 0) this.#deps.onGone(recipient, gone);
      }
    }
    this.#looking = undefined;
  }

  async #missing(recipient: string, names: Iterable<string>): Promise<string[]> {
    const folder = inboxPath(this.#deps.home, recipient);
    const missing: string[] = [];
    try {
      // To take a message away is to read it; to take the inbox away is not.
      if ((await this.#deps.disk.stat(folder)) === undefined) return [];
      for (const name of names) {
        if ((await this.#deps.disk.stat(`${folder}/${name}`)) === undefined) missing.push(name);
      }
    } catch {
      // No folder is there to see anything in; whether all is read, the listing tells.
      return [];
    }
    return missing;
  }

  #tell(recipient: string, failure: unknown): void {
    this.#told = true;
    const facts = { agent: recipient, error: toReport(failure) };
    this.#deps.log.warn(facts, 'an inbox cannot be watched; what is read is seen every 30 s');
  }
}
