/**
 * A move. On one disk a name is given and another taken away. Between two it is a copy, read back
 * and compared, and only then the source goes: a crash leaves the source, or both, or the copy.
 */
import { AosError } from '../../kernel/errors.ts';
import type { FilePlace } from '../place.ts';
import { isSame, isStill, type Step, type Was, wasOf } from '../plan/plan.ts';
import { changed, systemCode } from '../refusals.ts';
import { copyInto } from './copy-step.ts';
import type { Room, StepNote, StepRun } from './deps.ts';
import { dropCopied } from './drop-copied.ts';
import { exactPlace } from './exact-place.ts';
import { inRoom } from './make-room.ts';
import { madeBefore } from './name-pending.ts';
import { moveOver, moveToFree } from './put-in-place.ts';

export async function moveStep(
  run: StepRun,
  { from, to, was, replaces }: Extract<Step, { do: 'move' }>,
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
  readonly room: Room;
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

/** What is on the other disk by now is safe; the source goes, as far as nobody has touched it. */
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
