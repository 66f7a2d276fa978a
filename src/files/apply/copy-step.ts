import { removeTree } from '../../kernel/disk/folders.ts';
import type { AosError } from '../../kernel/errors.ts';
import { isInReach } from '../../kernel/files/reach.ts';
import type { FilePlace } from '../place.ts';
import { isStill, type Step } from '../plan/plan.ts';
import { changed, permissionDenied } from '../refusals.ts';
import { copyEntry } from './copy-entry.ts';
import type { Room, StepNote, StepRun } from './deps.ts';
import { exactPlace } from './exact-place.ts';
import { inRoom } from './make-room.ts';
import { madeBefore, namePending, pendingBeside } from './name-pending.ts';

export async function copyStep(
  run: StepRun,
  { from, to, was, replaces }: Extract<Step, { do: 'copy' }>,
): Promise<StepNote> {
  await using target = await exactPlace(run, to, 'write');
  const before = await madeBefore(run, target);
  if (before !== undefined) return before;
  await using source = await exactPlace(run, from, 'read');
  if (!isStill(was, source.there)) throw changed();
  return await inRoom(run, target, { replaces, kind: was.kind }, (room) =>
    copyInto(run, source, { to: target, room, verifies: false }),
  );
}

interface CopyTarget {
  readonly to: FilePlace;
  readonly room: Room;
  readonly verifies: boolean;
}

/** Under a name in between, then under its own. */
export async function copyInto(
  run: StepRun,
  from: FilePlace,
  { to, room, verifies }: CopyTarget,
): Promise<StepNote> {
  const { disk, treeDisk, eventLoop } = run.deps;
  const { signal } = run.caller;
  const reach = await run.caller.reach('read');
  // Whoever owns the machine has named what is copied.
  const within = reach.kind === 'all' ? { ...reach, passOverSecrets: false } : reach;
  const check = (below: readonly string[]): void => {
    if (!isInReach(within, [...from.parts, ...below])) throw mayNot();
  };
  const pending = pendingBeside(run, to);
  await removeTree(disk, pending.entry);
  await copyEntry(
    { disk, treeDisk, eventLoop, signal, verifies, check },
    from.entry,
    pending.entry,
  );
  return namePending(run, pending, to, room);
}

function mayNot(): AosError {
  return permissionDenied('Ask for a grant that covers all that is in the folder');
}
