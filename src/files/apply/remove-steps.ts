import { AosError } from '../../kernel/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { toFilesError } from '../codes.ts';
import { isStill, type Step } from '../plan/plan.ts';
import { treeOf } from '../plan/tree-facts.ts';
import { changed } from '../refusals.ts';
import { throwAway } from '../trash/throw-away.ts';
import type { StepNote, StepRun } from './deps.ts';
import { exactPlace } from './exact-place.ts';
import { pendingBeside } from './name-pending.ts';
import { removeForEver } from './remove-for-ever.ts';

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
 * a crash is another folder's, and stays. What came into it after the yes is none that goes.
 */
export async function removeStep(
  run: StepRun,
  { from, was }: Extract<Step, { do: 'remove' }>,
): Promise<StepNote> {
  const { disk } = run.deps;
  await using source = await exactPlace(run, from, 'delete');
  const going = pendingBeside(run, source).entry;
  const isBegun = run.before !== undefined && (await disk.stat(going)) !== undefined;
  if (isBegun) return await emptied(run, { from, entry: source.entry, going });
  if (run.before !== undefined && source.there === undefined) return {};
  if (!isStill(was, source.there)) throw changed();
  if (was.kind !== 'folder') {
    await disk.remove(source.entry);
    return {};
  }
  await checkUnchanged(run, { from, was });
  await disk.rename(source.entry, going);
  return await emptied(run, { from, entry: source.entry, going });
}

async function checkUnchanged(
  { deps, caller }: StepRun,
  { from, was }: Pick<Extract<Step, { do: 'remove' }>, 'from' | 'was'>,
): Promise<void> {
  if (was.tree === undefined) return;
  const { digest } = await treeOf(deps, caller, from, 'delete');
  if (digest !== was.tree.digest) throw changed();
}

interface Going {
  /** As its owner knows it. */
  readonly from: string;
  readonly entry: string;
  readonly going: string;
}

async function emptied(run: StepRun, { from, entry, going }: Going): Promise<StepNote> {
  const { disk } = run.deps;
  const { signal } = run.caller;
  const gone = { files: 0, bytes: 0 };
  try {
    await removeForEver(disk, going, { gone, signal });
    return {};
  } catch (failure) {
    await run.note({ gone });
    // A daemon that comes back goes on with it under this name.
    const isLeft = signal.reason instanceof AosError && signal.reason.code === 'tool.interrupted';
    if (!isLeft) await putBack(disk, { from, entry, going }, failure);
    throw failure;
  }
}

/** What could not go is found where it was; where something new has that name, it is told where. */
async function putBack(disk: Disk, { from, entry, going }: Going, cause: unknown): Promise<void> {
  const isTaken = (await disk.stat(entry)) !== undefined;
  try {
    if (!isTaken) return await disk.rename(going, entry);
  } catch {
    // It is told below.
  }
  const name = going.slice(going.lastIndexOf('/') + 1);
  const error = toFilesError(cause);
  throw new AosError(error instanceof AosError ? error.code : 'files.interrupted', {
    message: `Not all of ${quote(from)} could be deleted, and the rest is now called ${quote(name)}, in the same folder`,
    fix: 'Give it a name again, or delete it',
    cause,
  });
}
