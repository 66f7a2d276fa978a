import { removeTree } from '../../kernel/disk/folders.ts';
import type { FilePlace } from '../place.ts';
import type { Step } from '../plan/plan.ts';
import type { Room, StepNote, StepRun } from './deps.ts';
import { exactPlace } from './exact-place.ts';
import { contentPath } from './journal.ts';
import { inRoom } from './make-room.ts';
import { madeBefore, namePending, pendingBeside } from './name-pending.ts';

/** The bytes lie in the home since the plan was begun. */
export async function writeStep(
  run: StepRun,
  { to, sizeBytes, replaces }: Extract<Step, { do: 'write' }>,
): Promise<StepNote> {
  await using target = await exactPlace(run, to, 'write');
  const before = await madeBefore(run, target);
  if (before !== undefined) return before;
  return await inRoom(run, target, { replaces, kind: 'file' }, (room) =>
    writeInto(run, target, { room, sizeBytes, mode: replaces?.mode }),
  );
}

interface WriteTarget {
  readonly room: Room;
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
