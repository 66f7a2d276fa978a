/** From a name in between to its own. */
import { removeTree } from '../../kernel/disk/folders.ts';
import type { FilePlace } from '../place.ts';
import { isSame, wasOf } from '../plan/plan.ts';
import { changed } from '../refusals.ts';
import { pendingName, type Room, type StepNote, type StepRun } from './deps.ts';
import { type HeldName, moveOver, moveToFree } from './put-in-place.ts';

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
  { trashed, over }: Room,
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
