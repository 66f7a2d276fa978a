import type { Disk } from '../../kernel/ports.ts';
import { removeTree } from '../../kernel/remove.ts';
import { isStill, type Step } from '../plan/plan.ts';
import { treeOf } from '../plan/tree-facts.ts';
import { changed } from '../refusals.ts';
import { throwAway } from '../trash/throw-away.ts';
import type { StepNote, StepRun } from './deps.ts';
import { exactPlace } from './exact-place.ts';
import { pendingBeside } from './name-pending.ts';

export async function trashStep(
  run: StepRun,
  { from, was }: Extract<Step, { do: 'trash' }>,
): Promise<StepNote> {
  await using source = await exactPlace(run, from, 'delete');
  const isGone = source.there === undefined && run.before !== undefined;
  if (!isGone && !isStill(was, source.there)) throw changed();
  return { trashed: await throwAway(run, { ...source, was }) };
}

/**
 * For ever. A folder loses its name in one act before it is emptied: what somebody puts there after
 * a crash is another folder's, and stays.
 */
export async function removeStep(
  run: StepRun,
  { from, was }: Extract<Step, { do: 'remove' }>,
): Promise<StepNote> {
  const { disk } = run.deps;
  await using source = await exactPlace(run, from, 'delete');
  const going = pendingBeside(run, source).entry;
  if (run.before !== undefined) {
    const isBegun = (await disk.stat(going)) !== undefined;
    await removeTree(disk, going);
    if (isBegun || source.there === undefined) return {};
    await checkUnchanged(run, { from, was });
  }
  if (!isStill(was, source.there)) throw changed();
  if (was.kind !== 'folder') await disk.remove(source.entry);
  else await removeFolder(disk, source.entry, going);
  return {};
}

/** After a crash much time may have passed since the yes: nothing goes that came since. */
async function checkUnchanged(
  { deps, caller }: StepRun,
  { from, was }: Pick<Extract<Step, { do: 'remove' }>, 'from' | 'was'>,
): Promise<void> {
  if (was.tree === undefined) return;
  const { digest } = await treeOf(deps, caller, from, 'delete');
  if (digest !== was.tree.digest) throw changed();
}

async function removeFolder(disk: Disk, entry: string, going: string): Promise<void> {
  await disk.rename(entry, going);
  try {
    await removeTree(disk, going);
  } catch (failure) {
    // What could not go is found where it was.
    await disk.rename(going, entry).catch(() => {});
    throw failure;
  }
}
