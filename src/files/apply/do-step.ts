/**
 * One step of a plan.
 *
 * S1. A step may be begun again after the process died at any point of it: it looks at both ends
 *     first, and goes on from what it finds.
 * S2. What is at its source is what the plan says, or nothing is done.
 * S3. The caller may still reach both ends at the moment in which it is done.
 */

import { removeIfThere, removeTree } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { printFilePath } from '../../kernel/files/file-path.ts';
import { partsOf } from '../paths.ts';
import type { FilePlace } from '../place.ts';
import { isSame, isStill, type PlanStep } from '../plan/plan.ts';
import { changed } from '../refusals.ts';
import { openTrash } from '../trash/trash-folder.ts';
import { copyStep } from './copy-step.ts';
import type { FreedName, StepNote, StepRun } from './deps.ts';
import { contentPath } from './journal.ts';
import { inRoom } from './make-room.ts';
import { moveStep } from './move-step.ts';
import { exactPlace, madeBefore, moveToFree, namePending, pendingBeside } from './put-in-place.ts';
import { removeStep, trashStep } from './remove-steps.ts';

/** Resolves to what is to be remembered of it. */
export async function doStep(run: StepRun, step: PlanStep): Promise<StepNote> {
  run.caller.signal.throwIfAborted();
  switch (step.do) {
    case 'make-folder':
      return makeFolderStep(run, step.to);
    case 'move':
      return moveStep(run, step);
    case 'copy':
      return copyStep(run, step);
    case 'write':
      return writeStep(run, step);
    case 'trash':
      return trashStep(run, step);
    case 'remove':
      return removeStep(run, step);
    case 'remove-folder':
      return removeFolderStep(run, step.from);
    case 'restore':
      return restoreStep(run, step);
  }
}

async function makeFolderStep(run: StepRun, path: string): Promise<StepNote> {
  const { disk, treeDisk } = run.deps;
  await using place = await exactPlace(run, path, 'write');
  if (place.there !== undefined) {
    if (place.there.kind !== 'folder') throw changed();
    // After a crash it may be our own, made before that could be noted.
    return { wasThere: run.before === undefined };
  }
  await run.note({});
  await disk.makeFolder(place.entry);
  // As open as the folder that it is in.
  const above = await disk.stat(`${place.folder.path}/.`);
  const made = await disk.stat(place.entry);
  if (above !== undefined && made !== undefined) {
    await treeDisk.restore(place.entry, { mode: above.mode, modifiedNs: made.modifiedNs });
  }
  return {};
}

/** Only an empty one: what was put there since stays, and the folder with it. */
async function removeFolderStep(run: StepRun, path: string): Promise<StepNote> {
  const { disk } = run.deps;
  await using place = await exactPlace(run, path, 'write');
  if (place.there?.kind !== 'folder') return {};
  if ((await disk.list(place.entry)).length === 0) await disk.remove(place.entry);
  return {};
}

async function restoreStep(
  run: StepRun,
  { from, info, to, was }: Extract<PlanStep, { do: 'restore' }>,
): Promise<StepNote> {
  const { disk } = run.deps;
  const parts = partsOf(from);
  await using trash = await openTrash(run.deps, printFilePath(parts.slice(0, -2)), '');
  const source = { folder: trash.files, entry: `${trash.files.path}/${parts.at(-1)}` };
  const infoEntry = `${trash.info.path}/${partsOf(info).at(-1)}`;
  await using target = await exactPlace(run, to, 'write');
  const there = await disk.stat(source.entry);
  const isBack = there === undefined && isSame(was, target.there);
  if (!isBack) {
    if (!isStill(was, there)) throw changed();
    // Both names, as a crash in the middle of a replacement leaves it.
    if (isSame(was, target.there)) await disk.remove(source.entry);
    else if ((await moveToFree(disk, { ...source, was }, target)) !== 'placed')
      throw onAnotherDisk();
  }
  await removeIfThere(disk, infoEntry);
  return {};
}

/** Nothing is taken from one disk to another without being asked for: it stays in the trash. */
function onAnotherDisk(): AosError {
  return new AosError('files.other-disk', {
    message: 'It was on another disk than the one that is there now, so it stays in the trash',
    fix: 'Have that disk where it was, or move it out of the trash by hand',
  });
}

/** The bytes lie in the home since the plan was begun. */
async function writeStep(
  run: StepRun,
  { to, sizeBytes, replaces }: Extract<PlanStep, { do: 'write' }>,
): Promise<StepNote> {
  await using target = await exactPlace(run, to, 'write');
  const before = await madeBefore(run, target);
  if (before !== undefined) return before;
  return await inRoom(run, target, { replaces, kind: 'file' }, (room) =>
    writeInto(run, target, { room, sizeBytes, mode: replaces?.mode }),
  );
}

interface WriteTarget {
  readonly room: FreedName;
  readonly sizeBytes: number;
  readonly mode: number | undefined;
}

/** Under a name in between, then under its own. */
async function writeInto(
  run: StepRun,
  target: FilePlace,
  { room, sizeBytes, mode: kept }: WriteTarget,
): Promise<StepNote> {
  const { disk, home } = run.deps;
  const pending = pendingBeside(run, target);
  await removeTree(disk, pending.entry);
  // As open as the folder, where nothing says otherwise; what is replaced keeps mode and owner.
  const above = await disk.stat(`${target.folder.path}/.`);
  const mode = kept ?? (above?.mode ?? 0o600) & 0o666;
  const { there } = target;
  const owner = there && { uid: there.ownerUid, gid: there.ownerGid };
  try {
    await using content = await disk.read(contentPath(home, run.planId));
    await using writer = await disk.create(pending.entry, { mode, owner });
    await writer.append(await content.readAt(0, sizeBytes));
    await writer.sync();
  } catch (failure) {
    await removeTree(disk, pending.entry).catch(() => {});
    throw failure;
  }
  return namePending(run, pending, target, room);
}
