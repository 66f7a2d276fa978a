/**
 * A move. On one disk a name is given and another taken away. Between two it is a copy, read back
 * and compared, and only then the source goes: a crash leaves the source, or both, or the copy.
 */

import { removeIfThere } from '../../kernel/disk/durable-file.ts';
import { isMissing } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk, DiskEntry } from '../../kernel/ports.ts';
import type { FilePlace } from '../place.ts';
import { isSame, isStill, type PlanStep, type Was, wasOf } from '../plan/plan.ts';
import { changed, systemCode } from '../refusals.ts';
import { copyInto } from './copy-step.ts';
import type { FreedName, StepNote, StepRun } from './deps.ts';
import { inRoom } from './make-room.ts';
import { exactPlace, madeBefore, moveOver, moveToFree } from './put-in-place.ts';

export async function moveStep(
  run: StepRun,
  { from, to, was, replaces }: Extract<PlanStep, { do: 'move' }>,
): Promise<StepNote> {
  await using target = await exactPlace(run, to, 'move');
  await using source = await exactPlace(run, from, 'move');
  if (source.there === undefined && isSame(was, target.there)) return await arrived(run, target);
  const copied = await madeBefore(run, target);
  if (copied !== undefined) return await dropSource(run, { source, target, was, note: copied });
  if (!isStill(was, source.there)) throw changed();
  const note = await inRoom(run, target, { replaces, kind: was.kind }, (room) =>
    moveInto(run, { source, target, was, room }),
  );
  const isLeft = note.isSourceLeft === true;
  return isLeft ? await dropSource(run, { source, target, was, note }) : note;
}

interface Move {
  readonly source: FilePlace;
  readonly target: FilePlace;
  readonly was: Was;
  readonly room: FreedName;
}

async function moveInto(run: StepRun, move: Move): Promise<StepNote> {
  const { source, target, room } = move;
  if (await renamed(run, move)) return { ...(await arrived(run, target)), trashed: room.trashed };
  const note = await copyInto(run, source, { to: target, room, verifies: true });
  return { ...note, isSourceLeft: true };
}

/** False where they are on two disks. */
async function renamed(run: StepRun, { source, target, was, room }: Move): Promise<boolean> {
  const { disk } = run.deps;
  if (room.over === undefined) {
    return (await moveToFree(disk, { ...source, was }, target)) === 'placed';
  }
  if (was.device !== target.folder.device) return false;
  try {
    await moveOver(disk, source, { ...target, replaces: room.over });
    return true;
  } catch (failure) {
    // Two mounts of one disk, which no name goes between.
    if (systemCode(failure) === 'EXDEV') return false;
    throw failure;
  }
}

async function arrived({ deps: { disk }, before }: StepRun, to: FilePlace): Promise<StepNote> {
  const made = await disk.stat(to.entry);
  return { ...before, ...(made === undefined ? {} : { made: wasOf(made) }) };
}

/**
 * What is on the other disk by now is safe; the source goes, as far as it was not touched since.
 */
async function dropSource(
  { deps: { disk } }: StepRun,
  { source, target, was, note }: Pick<Move, 'source' | 'target' | 'was'> & { note: StepNote },
): Promise<StepNote> {
  const there = await disk.stat(source.entry);
  if (there === undefined) return note;
  if (was.kind === 'folder') {
    if (!(await dropCopied(disk, source.entry, target.entry))) throw leftBehind();
    return note;
  }
  if (!isStill(was, there)) throw changed();
  await disk.remove(source.entry);
  return note;
}

function leftBehind(): AosError {
  return new AosError('files.changed', {
    message: 'All of it was copied, but some changed meanwhile: that stays where it was, too',
    fix: 'Look at what is left there, and move it by itself',
  });
}

/**
 * Removes what is left on the old disk when a folder was copied to another one. Another process may
 * have saved something there meanwhile: only what the copy has too, unchanged, is removed. Both are
 * in folders that are held. Resolves to whether all of the source is gone.
 */
async function dropCopied(disk: Disk, source: string, copy: string): Promise<boolean> {
  const there = await disk.stat(source);
  if (there === undefined) return true;
  const copied = await disk.stat(copy);
  if (copied === undefined || copied.kind !== there.kind) return false;
  if (there.kind !== 'folder') {
    if (!isCopyOf(there, copied)) return false;
    await removeIfThere(disk, source);
    return true;
  }
  return dropFolder(disk, { source, copy, mode: there.mode });
}

async function dropFolder(
  disk: Disk,
  { source, copy, mode }: { readonly source: string; readonly copy: string; readonly mode: number },
): Promise<boolean> {
  // A folder whose mode shuts it is opened to us, so that it can be emptied.
  if ((mode & 0o700) !== 0o700) await disk.makePrivate(source);
  let isAll = true;
  {
    await using from = await disk.holdFolder(source);
    await using to = await disk.holdFolder(copy);
    for (const name of await disk.list(`${from.path}/.`)) {
      const isGone = await dropCopied(disk, `${from.path}/${name}`, `${to.path}/${name}`);
      isAll &&= isGone;
    }
  }
  return isAll && (await removeEmpty(disk, source));
}

/** Something may have come into it in the last moment. */
async function removeEmpty(disk: Disk, folder: string): Promise<boolean> {
  try {
    await disk.remove(folder);
    return true;
  } catch (failure) {
    if (isMissing(failure)) return true;
    if (failure instanceof AosError && failure.code === 'disk.not-empty') return false;
    throw failure;
  }
}

// Where no program sets a time exactly, Node comes as near as this.
const nearNs = 1000n;

function isCopyOf(one: DiskEntry, other: DiskEntry): boolean {
  const apart = BigInt(one.modifiedNs) - BigInt(other.modifiedNs);
  return one.sizeBytes === other.sizeBytes && apart < nearNs && apart > -nearNs;
}
