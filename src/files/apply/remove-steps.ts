import { removeTree } from '../../kernel/remove.ts';
import { isSame, isStill, type Step } from '../plan/plan.ts';
import { changed } from '../refusals.ts';
import { throwAway } from '../trash/throw-away.ts';
import type { StepNote, StepRun } from './deps.ts';
import { exactPlace } from './exact-place.ts';

export async function trashStep(
  run: StepRun,
  { from, was }: Extract<Step, { do: 'trash' }>,
): Promise<StepNote> {
  await using source = await exactPlace(run, from, 'delete');
  const isGone = source.there === undefined && run.before !== undefined;
  if (!isGone && !isStill(was, source.there)) throw changed();
  return { trashed: await throwAway(run, { ...source, was }) };
}

/** For ever. */
export async function removeStep(
  run: StepRun,
  { from, was }: Extract<Step, { do: 'remove' }>,
): Promise<StepNote> {
  await using source = await exactPlace(run, from, 'delete');
  if (run.before === undefined) {
    if (!isStill(was, source.there)) throw changed();
    await run.note({});
  } else if (source.there === undefined) return {};
  // Half of a folder may be gone already, which changes its time.
  else if (!isSame(was, source.there)) throw changed();
  await removeTree(run.deps.disk, source.entry);
  return {};
}
