/** The folders of an outbox: there, watched, and without what dead writers left. */

import { checkAgentName } from '../../kernel/agent/agent.ts';
import { AosError, type ErrorCode, toReport } from '../../kernel/errors.ts';
import type {
  Clock,
  Disk,
  DiskEntry,
  DiskView,
  FolderWatch,
  Watching,
} from '../../kernel/ports.ts';
import type { RelayLog } from '../deps.ts';
import type { FolderTimes, Outbox } from './outbox.ts';

const orphanMs = 30_000;

export interface FolderDeps {
  readonly disk: Disk;
  readonly watching: Watching;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: RelayLog;
  readonly tellOnce: (about: string, facts: object, words: string) => void;
}

export interface OutboxNotices {
  readonly onOutbox: (outbox: Outbox, name: string | undefined) => void;
  readonly onPending: (outbox: Outbox, name: string | undefined) => void;
}

/** Makes and watches what is missing. False where the outbox cannot be used. */
export async function keepFolders(
  deps: FolderDeps,
  outbox: Outbox,
  path: string,
  { onOutbox, onPending }: OutboxNotices,
): Promise<boolean> {
  if (!(await ensureFolder(deps, outbox, path))) return false;
  if (outbox.outboxWatch?.open !== true) {
    outbox.outboxWatch = tryWatch(deps, path, (name) => onOutbox(outbox, name));
    // Files that came before the watch did.
    outbox.scanDue = true;
  }
  if (!(await pendingThere(deps, outbox, path))) {
    // Then every message settles first; sending works all the same.
    outbox.pendingWatch?.[Symbol.dispose]();
    outbox.pendingWatch = undefined;
  } else if (outbox.pendingWatch?.open !== true) {
    outbox.pendingWatch = await watchPending(deps, path, (name) => onPending(outbox, name));
  }
  return true;
}

// Held: a symlink that took its place would tell its agent of names in another's folder.
async function watchPending(
  deps: FolderDeps,
  path: string,
  onChange: (name: string | undefined) => void,
): Promise<FolderWatch | undefined> {
  try {
    await using held = await deps.disk.holdFolder(`${path}/.pending`);
    return tryWatch(deps, held.path, onChange);
  } catch {
    // It is gone again: looked after with the next upkeep.
    return undefined;
  }
}

async function pendingThere(deps: FolderDeps, outbox: Outbox, path: string): Promise<boolean> {
  try {
    // Held: were the outbox swapped for a symlink now, we would make a folder elsewhere.
    await using held = await deps.disk.holdFolder(path);
    return await ensureFolder(deps, outbox, `${held.path}/.pending`);
  } catch (failure) {
    const facts = { agent: outbox.agent, error: toReport(failure) };
    deps.tellOnce(`pending ${outbox.agent}`, facts, 'the folder .pending cannot be made');
    return false;
  }
}

async function ensureFolder(deps: FolderDeps, outbox: Outbox, path: string): Promise<boolean> {
  const entry = await deps.disk.stat(path);
  if (entry?.kind === 'folder') return true;
  const { agent } = outbox;
  if (entry === undefined) {
    await deps.disk.makeFolder(path);
    deps.log.warn({ agent }, 'a folder of an outbox was missing and is made again');
    return true;
  }
  const words = 'something else stands where a folder of an outbox should be; it is left alone';
  deps.tellOnce(`swapped ${agent}`, { agent, kind: entry.kind }, words);
  return false;
}

function tryWatch(
  deps: FolderDeps,
  path: string,
  onChange: (name: string | undefined) => void,
): FolderWatch | undefined {
  try {
    return deps.watching.watch(path, onChange);
  } catch (failure) {
    const code = failure instanceof AosError ? failure.code : 'internal.bug';
    const facts = { path, error: toReport(failure) };
    deps.tellOnce(`watch ${code}`, facts, 'an outbox cannot be watched; it is looked into instead');
    return undefined;
  }
}

// A folder that changes within the same moment as it is listed keeps its time of change.
const surelyMs = 1000;

/** Undefined where they say nothing for sure. */
export async function folderTimes(
  { disk, clock }: FolderDeps,
  path: string,
): Promise<FolderTimes | undefined> {
  const outbox = await folderAt(disk, path);
  const pending = outbox === undefined ? undefined : await folderAt(disk, `${path}/.pending`);
  if (outbox === undefined || pending === undefined) return undefined;
  const last = Math.max(outbox.modifiedAt, pending.modifiedAt);
  if (last > clock.now() - surelyMs) return undefined;
  return { outbox: outbox.modifiedAt, pending: pending.modifiedAt };
}

async function folderAt(disk: Disk, path: string): Promise<DiskEntry | undefined> {
  try {
    const entry = await disk.stat(path);
    return entry?.kind === 'folder' ? entry : undefined;
  } catch {
    // The watch of the folders finds out what is wrong there.
    return undefined;
  }
}

/** Removes what has lain in `.pending` for 30 s: its writer died. What fails is only told. */
export async function sweepPending(deps: FolderDeps, outbox: Outbox, path: string): Promise<void> {
  if (outbox.pendingWatch === undefined) return;
  const { agent } = outbox;
  try {
    const files = await removeOrphans(deps, outbox, path);
    if (files === 0) return;
    const words = 'removed files from .pending that nobody had finished for 30 s';
    deps.log.warn({ agent, files }, words);
  } catch (failure) {
    const facts = { agent, error: toReport(failure) };
    deps.tellOnce(`sweep ${agent}`, facts, 'files that nobody finished stay in .pending');
  }
}

async function removeOrphans(
  { disk, clock }: FolderDeps,
  outbox: Outbox,
  path: string,
): Promise<number> {
  let removed = 0;
  await using heldOutbox = await disk.holdFolder(path);
  await using held = await disk.holdFolder(`${heldOutbox.path}/.pending`);
  const names = await disk.list(held.path);
  outbox.lying.pending = names.length;
  for (const name of names) {
    const orphan = `${held.path}/${name}`;
    if (!isOrphan(await disk.stat(orphan), clock.now())) continue;
    await disk.remove(orphan);
    removed++;
  }
  return removed;
}

function isOrphan(entry: DiskEntry | undefined, now: number): boolean {
  if (entry?.kind !== 'file' && entry?.kind !== 'symlink') return false;
  return now - entry.modifiedAt > orphanMs;
}

// Folders that were made under `agents/`: each with a lawful name becomes a guest.

interface GuestDeps {
  readonly disk: DiskView;
  readonly home: string;
  /** Makes an agent of it; no error when it is one already. */
  registerGuest(name: string): Promise<void>;
  readonly tellOnce: (about: string, facts: object, words: string) => void;
}

/** True when an agent of that name has its folder and may be listened to. Never throws. */
export async function meetGuest(deps: GuestDeps, name: string): Promise<boolean> {
  try {
    const entry = await deps.disk.stat(`${deps.home}/agents/${name}`);
    if (entry === undefined) return false;
    if (entry.kind !== 'folder') {
      const words = 'what stands under agents/ is no folder of its own and is left alone';
      deps.tellOnce(`guest ${name}`, { name: shortened(name), kind: entry.kind }, words);
      return false;
    }
    checkAgentName(name);
    await deps.registerGuest(name);
    return true;
  } catch (failure) {
    const facts = { name: shortened(name), error: toReport(failure) };
    deps.tellOnce(`guest ${name}`, facts, wordsFor(toReport(failure).code));
    return false;
  }
}

function wordsFor(code: AosError['code']): string {
  return code === 'agent.bad-name'
    ? 'a folder under agents/ has a name that no agent may have; it is left alone'
    : 'a folder under agents/ cannot be made a guest for now';
}

function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}

// What keeps outboxes from being worked off: said when it begins and when it is over.

const firstRetryMs = 1000;
const longestRetryMs = 30_000;

/** Makes an event of it; where that cannot be written, the log has it. */
export type NoteTrouble = (
  kind: 'outbox.stalled' | 'outbox.recovered',
  data: { readonly code: ErrorCode },
) => void;

export class Troubles {
  readonly #log: RelayLog;
  readonly #note: NoteTrouble;
  /** How many outboxes have each: a full disk is one line, not one an agent. */
  readonly #counts = new Map<ErrorCode, number>();

  constructor(log: RelayLog, note: NoteTrouble) {
    this.#log = log;
    this.#note = note;
  }

  /** The outbox is tried again after a while, which grows. */
  begin(outbox: Outbox, failure: unknown, nowMs: number): void {
    const report = toReport(failure);
    outbox.notBeforeMs = nowMs + Math.min(firstRetryMs * 2 ** outbox.failures, longestRetryMs);
    outbox.failures++;
    if (outbox.trouble === report.code) return;
    this.#count(outbox.trouble, -1);
    outbox.trouble = report.code;
    if (this.#count(report.code, 1) > 1) return;
    const facts = { agent: outbox.agent, error: report };
    this.#log.error(facts, 'messages stay in the outbox for now; it is tried again');
    this.#note('outbox.stalled', { code: report.code });
  }

  end(outbox: Outbox): void {
    outbox.failures = 0;
    if (outbox.trouble === undefined) return;
    const code = outbox.trouble;
    outbox.trouble = undefined;
    if (this.#count(code, -1) > 0) return;
    this.#log.info({ code }, 'messages are taken from the outboxes again');
    this.#note('outbox.recovered', { code });
  }

  #count(code: ErrorCode | undefined, by: 1 | -1): number {
    if (code === undefined) return 0;
    const count = (this.#counts.get(code) ?? 0) + by;
    if (count > 0) this.#counts.set(code, count);
    else this.#counts.delete(code);
    return count;
  }
}
