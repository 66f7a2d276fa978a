/** The folders of an outbox: there, watched, and without what dead writers left. */

import { AosError, toReport } from '../../kernel/errors.ts';
import type { Clock, Disk, DiskEntry, FolderWatch, Watching } from '../../kernel/ports.ts';
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
    // Whoever looks after the folders finds out what is wrong there.
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
