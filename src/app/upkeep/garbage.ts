/**
 * `aos gc`: what lies in a home folder and is of no use. What belongs to an
 * agent (its workspace, its outbox) and what stands in `run` is never looked at.
 */
import { dirname, join, relative } from 'node:path';
import { removeTree } from '../../kernel/disk/durable-file.ts';
import { toReport } from '../../kernel/errors.ts';
import type { Clock, Disk, DiskEntry, DiskView, EventLoop } from '../../kernel/ports.ts';
import { isPendingName } from '../doctor/modes.ts';
import { daemonLog } from '../home/home-folder.ts';
import { filesBelow, namesIn } from './home-usage.ts';

export interface Garbage {
  readonly path: string;
  readonly bytes: number;
  /** A few words for people. */
  readonly why: string;
}

export interface GarbageDeps {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'now'>;
  readonly eventLoop: EventLoop;
}

const hourMs = 3_600_000;
const keptBackups = 3;

// Where files are only ever written by us, and in any depth.
const ownTrees = ['keys', 'attachments', 'blobs', 'transfers', 'artifacts', 'archive', 'index'];

/** Everything that may go, in the order of the paths. Nothing is changed. */
export async function findGarbage(
  deps: GarbageDeps,
  home: string,
  signal?: AbortSignal,
): Promise<Garbage[]> {
  const found = [
    ...(await pendingLitter(deps, home, signal)),
    ...(await oldTemporaries(deps, join(home, 'tmp'), signal)),
    ...(await logsBeyondKeep(deps.disk, join(home, 'logs'))),
    ...(await backupsBeyondKeep(deps.disk, home)),
  ];
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function pendingLitter(deps: GarbageDeps, home: string, signal?: AbortSignal) {
  const found: Garbage[] = [];
  const judge = (path: string, entry: DiskEntry | undefined) => {
    const isOld = entry?.kind === 'file' && isOlderThanAnHour(deps, entry.modifiedAt);
    if (isOld && isPendingName(nameOf(path))) {
      found.push(garbage(path, entry, 'a file that a crash kept from getting its name'));
    }
  };
  for (const folder of [home, ...(await agentFolders(deps.disk, home))]) {
    for (const name of (await namesIn(deps.disk, folder)).filter(isPendingName)) {
      judge(join(folder, name), await deps.disk.stat(join(folder, name)));
    }
  }
  for (const tree of ownTrees) {
    for await (const { path, entry } of filesBelow(deps, join(home, tree), signal)) {
      judge(path, entry);
    }
  }
  return found;
}

/** Of each agent only the folders in which we write, and of those only the first level. */
async function agentFolders(disk: DiskView, home: string): Promise<string[]> {
  const agents = join(home, 'agents');
  const folders: string[] = [];
  for (const name of await namesIn(disk, agents)) {
    for (const folder of [join(agents, name), join(agents, name, 'inbox')]) {
      if (await isInside(disk, home, folder)) folders.push(folder);
    }
  }
  return folders;
}

async function oldTemporaries(deps: GarbageDeps, tmp: string, signal?: AbortSignal) {
  const found: Garbage[] = [];
  for (const name of await namesIn(deps.disk, tmp)) {
    const path = join(tmp, name);
    const entry = await deps.disk.stat(path);
    if (entry?.kind !== 'file' && entry?.kind !== 'folder') continue;
    const { bytes, newest } = await sizeAndAge(deps, path, signal);
    // A folder is as old as the newest that is in it.
    if (!isOlderThanAnHour(deps, Math.max(entry.modifiedAt, newest))) continue;
    found.push({ ...garbage(path, entry, 'left by something that did not end well'), bytes });
  }
  return found;
}

async function sizeAndAge(deps: GarbageDeps, path: string, signal?: AbortSignal) {
  let bytes = 0;
  let newest = 0;
  for await (const { entry } of filesBelow(deps, path, signal)) {
    bytes += entry.sizeBytes;
    newest = Math.max(newest, entry.modifiedAt);
  }
  return { bytes, newest };
}

async function logsBeyondKeep(disk: DiskView, logs: string): Promise<Garbage[]> {
  const numbered = new RegExp(`^${RegExp.escape(daemonLog.name)}\\.(\\d+)$`);
  const beyond = (await namesIn(disk, logs)).filter(
    (name) => Number(numbered.exec(name)?.[1] ?? 0) >= daemonLog.keep,
  );
  const found = await filesAmong(disk, logs, beyond);
  return found.map(({ path, entry }) => garbage(path, entry, 'an older log than is kept'));
}

async function backupsBeyondKeep(disk: DiskView, home: string): Promise<Garbage[]> {
  const names = (await namesIn(disk, home)).filter((name) => /^ledger\.db\.before-\d+$/.test(name));
  const backups = await filesAmong(disk, home, names);
  const newestFirst = backups.sort((one, other) => other.entry.modifiedAt - one.entry.modifiedAt);
  return newestFirst
    .slice(keptBackups)
    .map(({ path, entry }) => garbage(path, entry, 'the ledger from before an older migration'));
}

async function filesAmong(disk: DiskView, folder: string, names: readonly string[]) {
  const found: { readonly path: string; readonly entry: DiskEntry }[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const entry = await disk.stat(path);
    if (entry?.kind === 'file') found.push({ path, entry });
  }
  return found;
}

function garbage(path: string, { sizeBytes }: DiskEntry, why: string): Garbage {
  return { path, bytes: sizeBytes, why };
}

function isOlderThanAnHour({ clock }: Pick<GarbageDeps, 'clock'>, modifiedAt: number): boolean {
  return modifiedAt < clock.now() - hourMs;
}

export interface Removal {
  /** What is gone now. */
  readonly items: readonly Garbage[];
  readonly freed_bytes: number;
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}

/** Removes of these what is still garbage: it is looked for once more before anything goes. */
export async function removeGarbage(
  deps: GarbageDeps,
  home: string,
  items: readonly Garbage[],
  signal?: AbortSignal,
): Promise<Removal> {
  const found = new Map((await findGarbage(deps, home, signal)).map((item) => [item.path, item]));
  const removed: Garbage[] = [];
  const failed: { path: string; why: string }[] = [];
  for (const { path } of items) {
    signal?.throwIfAborted();
    const item = found.get(path);
    const problem = item === undefined ? changed : await removalProblem(deps.disk, home, path);
    if (item === undefined || problem !== undefined) failed.push({ path, why: problem ?? changed });
    else removed.push(item);
  }
  return {
    items: removed,
    freed_bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0),
    failed,
  };
}

const changed = 'it is gone, or has changed since it was found';

async function removalProblem(disk: Disk, home: string, path: string): Promise<string | undefined> {
  try {
    // Looked at last of all: an agent may put a link in the place of its own inbox.
    if (!(await isInside(disk, home, dirname(path)))) return changed;
    await removeTree(disk, path);
    return undefined;
  } catch (failure) {
    return toReport(failure).message;
  }
}

/** Does every step from the home to that folder stand there as a folder, none as a link? */
async function isInside(disk: DiskView, home: string, folder: string): Promise<boolean> {
  const way = relative(home, folder);
  if (way.startsWith('..') || way.startsWith('/')) return false;
  let path = home;
  for (const name of way === '' ? [] : way.split('/')) {
    path = join(path, name);
    if ((await disk.stat(path))?.kind !== 'folder') return false;
  }
  return true;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
