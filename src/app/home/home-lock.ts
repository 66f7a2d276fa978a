/**
 * One writer a home: the process that holds a transaction open in `.lock` owns it. The system
 * refuses that to a second process at once, keeps it under SIGSTOP, and frees it when the
 * owner ends, however it ends. (Node has no flock.)
 *
 * R1. The owner is who has begun in `.lock` and then finds its own row there. Either alone
 *     is not enough: for others to read the row it must be committed, and between that and
 *     the second begin another process may come. Of all who come, the last to commit owns it,
 *     and the others see that and go.
 * R2. No process waits for the first begin: an owned home is refused at once. What is waited
 *     for is only what others do in passing.
 * R3. Each taking raises the epoch in the commit that names the new owner, so that no two
 *     owners have the same one.
 * R4. While it is held, this process opens `.lock` through SQLite only: the system drops all
 *     locks of a process on a file as soon as it closes any descriptor of that file.
 * R5. A process is killed only when its number and its start time are those of the row.
 * R6. A row counts only as long as its process runs, so one that was left behind by a crash
 *     stands in no one's way.
 */
import { join } from 'node:path';
import { createFileDurably, pendingPath } from '../../kernel/disk/durable-file.ts';
import { diskError, isTaken } from '../../kernel/disk/errors.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import type { Clock, Disk, DiskView, Processes, Random } from '../../kernel/ports.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import {
  brokenLock,
  type HomeHolder,
  isBusy,
  LockFile,
  type LockRow,
  passingMs,
} from './home-lock-file.ts';

export interface HomeLockDeps {
  readonly disk: Disk;
  readonly random: Random;
  readonly processes: Processes;
  readonly clock: Clock;
}

export interface TakeOptions {
  /** `daemon`, or the words of the command that wants it. */
  readonly holder: string;
}

/** Good for as long as it is kept: what is not referred to any more is closed sooner or later. */
export class HomeLock implements AsyncDisposable {
  readonly #home: string;
  readonly #file: LockFile;
  #row: LockRow;
  #state: 'held' | 'released' = 'held';

  constructor(home: string, file: LockFile, row: LockRow) {
    this.#home = home;
    this.#file = file;
    this.#row = row;
  }

  /** Greater than that of every owner before, as far as `.lock` can tell. */
  get epoch(): number {
    return this.#row.epoch;
  }

  /** For when the ledger knows of later owners than `.lock`, because that was removed. */
  raiseEpoch(to: number): void {
    if (to <= this.epoch) return;
    const raised = { ...this.#row, epoch: to };
    if (this.#state === 'released' || !hold(this.#file, raised)) {
      this.#close();
      throw busy(this.#home, undefined);
    }
    this.#row = raised;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === 'released') return;
    try {
      this.#file.writeRow({ epoch: this.epoch, holder: undefined });
      this.#file.commit();
    } catch {
      // Closing frees it all the same, and R6 takes care of the row.
    }
    this.#close();
  }

  #close(): void {
    this.#state = 'released';
    this.#file[Symbol.dispose]();
  }
}

/** Makes this process the only writer of the home; `home.busy` when there is one already. */
export async function takeHomeLock(
  deps: HomeLockDeps,
  home: string,
  options: TakeOptions,
): Promise<HomeLock> {
  const taking = await tryTaking(deps, home, options);
  if (taking.kind === 'busy') throw busy(home, taking.holder);
  return taking.lock;
}

/** Which process owns the home now, if any. None is kept from taking it meanwhile. */
export async function readHolder(
  { disk, processes }: { readonly disk: DiskView; readonly processes: Processes },
  home: string,
): Promise<HomeHolder | undefined> {
  const holder = (await readLockRow(disk, home))?.holder;
  if (holder === undefined) return undefined;
  // R6
  return processes.startTimeOf(holder.pid) === holder.startTime ? holder : undefined;
}

/** Throws `home.broken-lock` where `.lock` is not one that could be taken. Takes nothing. */
export async function checkLockFile(disk: DiskView, home: string): Promise<void> {
  await readLockRow(disk, home);
}

async function readLockRow(disk: DiskView, home: string): Promise<LockRow | undefined> {
  const path = lockPath(home);
  const there = await disk.stat(path);
  if (there === undefined) return undefined;
  if (there.kind !== 'file') throw brokenLock(path);
  return committedRow(path);
}

function committedRow(path: string): LockRow | undefined {
  using file = new LockFile(path);
  try {
    return file.readRow();
  } catch (failure) {
    // A process is writing it and does not come to an end: who, cannot be read yet.
    if (isBusy(failure)) return undefined;
    throw failure;
  }
}

const takeOverMs = 5000;
const lookAgainMs = 20;

/** Kills the process that owns the home, if there is one, and takes the home. */
export async function takeOver(
  deps: HomeLockDeps,
  home: string,
  options: TakeOptions,
): Promise<HomeLock> {
  const { processes, clock } = deps;
  const deadline = clock.monotonicMs() + takeOverMs;
  let victim: HomeHolder | undefined;
  for (;;) {
    const taking = await tryTaking(deps, home, options);
    if (taking.kind === 'taken') return taking.lock;
    victim ??= taking.holder;
    if (taking.holder !== undefined) {
      // Only the owner that was there is to go, not another that was faster than this one.
      if (!isSame(victim, taking.holder)) throw busy(home, taking.holder);
      killHolder(processes, home, taking.holder);
    }
    if (clock.monotonicMs() >= deadline) throw notFreed(home, victim);
    await clock.sleep(lookAgainMs);
  }
}

function isSame(one: HomeHolder | undefined, other: HomeHolder): boolean {
  return one?.pid === other.pid && one.startTime === other.startTime;
}

// R5: readHolder() has just compared the start time.
function killHolder(processes: Processes, home: string, holder: HomeHolder): void {
  if (holder.pid === processes.selfPid) throw busy(home, holder);
  if (processes.kill(holder.pid, 'SIGKILL') !== 'denied') return;
  throw new AosError('home.takeover-denied', {
    message: `Process ${holder.pid}, which owns the home folder ${quote(home)}, runs as another user and cannot be ended by this one`,
    fix: `Ask that user, or end it as root: sudo kill -9 ${holder.pid}`,
    details: factsOf(holder),
  });
}

type Taking =
  | { readonly kind: 'taken'; readonly lock: HomeLock }
  | { readonly kind: 'busy'; readonly holder: HomeHolder | undefined };

async function tryTaking(deps: HomeLockDeps, home: string, options: TakeOptions): Promise<Taking> {
  await makeLockFile(deps, lockPath(home));
  const lock = await takeNowOrSay(deps, home, options);
  if (lock !== undefined) return { kind: 'taken', lock };
  return { kind: 'busy', holder: await readHolder(deps, home) };
}

async function takeNowOrSay(
  deps: HomeLockDeps,
  home: string,
  options: TakeOptions,
): Promise<HomeLock | undefined> {
  try {
    return takeNow(deps, home, options);
  } catch (failure) {
    if (hasCode(failure, 'disk.denied')) await askDisk(deps, lockPath(home));
    throw failure;
  }
}

/**
 * Throws where the disk can only be read or has no room for another file. SQLite, which wants a
 * journal beside `.lock`, says the same of those as of a file that may not be written.
 */
async function askDisk({ disk, random }: HomeLockDeps, path: string): Promise<void> {
  // A file that is moved to its own name stays as it is.
  await disk.rename(path, path);
  const trial = pendingPath(random, path);
  try {
    await using _trial = await disk.create(trial);
    await disk.remove(trial);
  } catch (failure) {
    if (hasCode(failure, 'disk.full')) throw diskError('ENOSPC', path, failure);
    // Another refusal is what SQLite has met too, and said of the file that people know.
  }
}

function hasCode(failure: unknown, code: ErrorCode): boolean {
  return failure instanceof AosError && failure.code === code;
}

function takeNow(deps: HomeLockDeps, home: string, options: TakeOptions): HomeLock | undefined {
  using closing = new DisposableStack();
  const file = closing.use(new LockFile(lockPath(home)));
  // R2
  if (!file.begin({ waitMs: 0 })) return undefined;
  // R3
  const row = { epoch: file.readRow().epoch + 1, holder: self(deps, options) };
  if (!hold(file, row)) return undefined;
  closing.move();
  return new HomeLock(home, file, row);
}

/** From inside a transaction: writes the row, shows it to all and holds on to it. */
function hold(file: LockFile, row: LockRow): boolean {
  file.writeRow(row);
  // R1
  return file.commit() && file.begin({ waitMs: passingMs }) && file.readRow().epoch === row.epoch;
}

function self({ processes, clock }: HomeLockDeps, { holder }: TakeOptions): HomeHolder {
  const pid = processes.selfPid;
  const startTime = processes.startTimeOf(pid) ?? '';
  return { pid, startTime, what: holder, since: clock.now() };
}

async function makeLockFile(deps: HomeLockDeps, path: string): Promise<void> {
  const there = await deps.disk.stat(path);
  // Looked at before it is opened: opening a FIFO would wait, and a symlink leads elsewhere.
  if (there !== undefined && there.kind !== 'file') throw brokenLock(path);
  if (there !== undefined) return;
  try {
    // R4: it gets its name only once it has been closed.
    await createFileDurably(deps, path, new Uint8Array());
  } catch (failure) {
    // Another process was faster, which is as good; what it made is looked at again.
    if (!isTaken(failure)) throw failure;
    await makeLockFile(deps, path);
  }
}

function lockPath(home: string): string {
  return join(home, '.lock');
}

function busy(home: string, holder: HomeHolder | undefined): AosError {
  const inUse = `The home folder ${quote(home)} is in use`;
  if (holder === undefined) {
    return new AosError('home.busy', {
      message: `${inUse} by another process`,
      fix: 'Try again in a moment',
    });
  }
  const since = new Date(holder.since).toISOString();
  return new AosError('home.busy', {
    message: `${inUse} by process ${holder.pid} (${oneLine(holder.what)}) since ${since}`,
    fix:
      holder.what === 'daemon'
        ? 'aos down, or, when it does not answer, aos up --takeover'
        : 'Wait until that command has ended, or, when it does not end, aos up --takeover',
    details: factsOf(holder),
  });
}

function notFreed(home: string, victim: HomeHolder | undefined): AosError {
  const who =
    victim === undefined
      ? 'a process that cannot be seen from here'
      : `process ${victim.pid}, which was told to end`;
  return new AosError('home.takeover-failed', {
    message: `The home folder ${quote(home)} is still held by ${who}`,
    fix: 'Look for it with "ps aux | grep aos", also in other containers that use this folder',
    details: victim === undefined ? undefined : factsOf(victim),
  });
}

function factsOf({ pid, what, since }: HomeHolder) {
  return { pid, what, since };
}
