/**
 * The last act of a move, a copy or a write: something gets its name.
 *
 * N1. A name that is taken is never taken over silently: a file gets it with a link, which fails
 *     when it is taken; a folder takes the place of an empty one that was made for it just then.
 * N2. What is replaced, because the caller said yes to that, has a second name in the trash before
 *     it loses this one.
 * N3. What is moved away under the name of the source is looked at once more right before.
 * N4. Names are made safe from a power cut by the caller, which does many of these, once for all.
 */

import { removeIfThere, removeQuietly, removeTree } from '../../kernel/disk/durable-file.ts';
import { isTaken } from '../../kernel/disk/errors.ts';
import type { Disk, DiskEntry } from '../../kernel/ports.ts';
import type { FilePower } from '../../security/reach.ts';
import { partsOf } from '../paths.ts';
import { type FilePlace, findPlace } from '../place.ts';
import { isSame, isStill, type Was, wasOf } from '../plan/plan.ts';
import { changed, systemCode, taken } from '../refusals.ts';
import { type FreedName, pendingName, type StepNote, type StepRun } from './deps.ts';

/** A name in a folder that is held. */
export type HeldName = Pick<FilePlace, 'folder' | 'entry'>;

/** `other-disk`: nothing was done, because it lies on another one. */
export type PlaceOutcome = 'placed' | 'other-disk';

/** From one held name to another one that is free. */
export async function moveToFree(
  disk: Disk,
  from: HeldName & { readonly was: Was },
  to: HeldName,
): Promise<PlaceOutcome> {
  return from.was.kind === 'folder' ? moveFolder(disk, from, to) : moveFile(disk, from, to);
}

async function moveFile(
  disk: Disk,
  from: HeldName & { readonly was: Was },
  to: HeldName,
): Promise<PlaceOutcome> {
  try {
    await disk.link(from.entry, to.entry);
  } catch (failure) {
    const code = systemCode(failure);
    if (code === 'EXDEV') return 'other-disk';
    if (isTaken(failure)) return finishLinked(disk, from, to);
    if (!hasNoLinks(code)) throw failure;
    return moveOverPlaceholder(disk, from, to);
  }
  return finishLinked(disk, from, to);
}

/** Both names may be there: this very step was begun before, or has just been. */
async function finishLinked(
  disk: Disk,
  { entry, was }: HeldName & { readonly was: Was },
  to: HeldName,
): Promise<PlaceOutcome> {
  const there = await disk.stat(to.entry);
  if (!isSame(was, there)) {
    // Another file had the name of the source in the moment of the link; it keeps that one.
    const source = await disk.stat(entry);
    if (there !== undefined && isSame(there, source) && !isSame(was, source)) {
      await removeQuietly(disk, to.entry);
      throw changed();
    }
    throw taken();
  }
  // N3
  if (!isSame(was, await disk.stat(entry))) return 'placed';
  try {
    await removeIfThere(disk, entry);
  } catch (failure) {
    // The folder of the source lets nothing go: then it has not moved.
    await removeQuietly(disk, to.entry);
    throw failure;
  }
  return 'placed';
}

// Disks without links, and files of others that the system does not let us link.
function hasNoLinks(code: string | undefined): boolean {
  return code === 'EPERM' || code === 'EOPNOTSUPP' || code === 'ENOTSUP' || code === 'EMLINK';
}

async function moveOverPlaceholder(
  disk: Disk,
  from: HeldName & { readonly was: Was },
  to: HeldName,
): Promise<PlaceOutcome> {
  const made = await disk.create(to.entry);
  await made[Symbol.asyncDispose]();
  const placeholder = await disk.stat(to.entry);
  try {
    if (!isStill(from.was, await disk.stat(from.entry))) throw changed();
    await disk.rename(from.entry, to.entry);
    return 'placed';
  } catch (failure) {
    await removeIfStill(disk, to.entry, placeholder);
    if (systemCode(failure) === 'EXDEV') return 'other-disk';
    throw failure;
  }
}

async function moveFolder(
  disk: Disk,
  from: HeldName & { readonly was: Was },
  to: HeldName,
): Promise<PlaceOutcome> {
  // N1
  await makeOrEmpty(disk, to.entry);
  const reserved = await disk.stat(to.entry);
  try {
    if (!isSame(from.was, await disk.stat(from.entry))) throw changed();
    await disk.rename(from.entry, to.entry);
    return 'placed';
  } catch (failure) {
    await removeIfStill(disk, to.entry, reserved);
    if (systemCode(failure) === 'EXDEV') return 'other-disk';
    throw failure;
  }
}

/** An empty folder may be what the same step left before the process died. */
async function makeOrEmpty(disk: Disk, entry: string): Promise<void> {
  try {
    await disk.makeFolder(entry);
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    const there = await disk.stat(entry);
    if (there?.kind !== 'folder' || (await disk.list(entry)).length > 0) throw taken();
  }
}

async function removeIfStill(disk: Disk, entry: string, was: DiskEntry | undefined): Promise<void> {
  const there = await disk.stat(entry);
  if (was !== undefined && isSame(was, there)) await removeQuietly(disk, entry);
}

/** N2: over what is there, which has its second name already. */
export async function moveOver(
  disk: Disk,
  from: HeldName,
  to: HeldName & { readonly replaces: Was },
): Promise<void> {
  if (!isStill(to.replaces, await disk.stat(to.entry))) throw changed();
  await disk.rename(from.entry, to.entry);
}

export function pendingBeside(run: StepRun, to: FilePlace): HeldName {
  return { folder: to.folder, entry: `${to.folder.path}/${pendingName(run)}` };
}

/** What this step had made when the process died, if it has its name already. */
export async function madeBefore(run: StepRun, to: FilePlace): Promise<StepNote | undefined> {
  const { disk } = run.deps;
  if (run.before === undefined) return undefined;
  const { made } = run.before;
  const isThere = made !== undefined && isSame(made, to.there);
  // What was begun under the name in between is of no use: it is made anew.
  await removeTree(disk, pendingBeside(run, to).entry);
  return isThere ? run.before : undefined;
}

export async function namePending(
  run: StepRun,
  pending: HeldName,
  to: FilePlace,
  { trashed, over }: FreedName,
): Promise<StepNote> {
  const { disk } = run.deps;
  try {
    const entry = await disk.stat(pending.entry);
    if (entry === undefined) throw changed();
    const made = wasOf(entry);
    // It keeps its inode when it gets its name, so that it is known as ours after a crash.
    await run.note({ made });
    if (over === undefined) await moveToFree(disk, { ...pending, was: made }, to);
    else await moveOver(disk, pending, { ...to, replaces: over });
    await disk.syncFolder(`${to.folder.path}/.`);
    return { made, trashed };
  } catch (failure) {
    await removeTree(disk, pending.entry).catch(() => {});
    throw failure;
  }
}

/** The very path of a step: where a symlink has come onto it, it is another one. */
export async function exactPlace(
  { deps, caller }: StepRun,
  path: string,
  power: FilePower,
): Promise<FilePlace> {
  const place = await findPlace(deps, caller, partsOf(path), { power, last: 'keep' });
  if (place.path === path) return place;
  await place[Symbol.asyncDispose]();
  throw changed();
}
