/**
 * Steps that take something away: into the trash, or a folder with all that is in it for ever.
 *
 * R1. Everything goes in its place, what is in a folder before the folder: where something cannot
 *     go, the rest stands where it stood.
 * R2. A process that is told to stop stops between two files.
 * R3. How much has gone is known, whatever becomes of the rest.
 */

import { openUp, removeIfThere, removeTree } from '../../kernel/disk/durable-file.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk, DiskEntry, HeldFolder } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { isStill, type PlanStep } from '../plan/plan.ts';
import { treeOf } from '../plan/tree-facts.ts';
import { changed, toFilesError } from '../refusals.ts';
import { throwAway } from '../trash/throw-away.ts';
import type { StepNote, StepRun } from './deps.ts';
import { exactPlace, pendingBeside } from './put-in-place.ts';

export async function trashStep(
  run: StepRun,
  { from, was }: Extract<PlanStep, { do: 'trash' }>,
): Promise<StepNote> {
  await using source = await exactPlace(run, from, 'delete');
  const isGone = source.there === undefined && run.before !== undefined;
  if (!isGone && !isStill(was, source.there)) throw changed();
  return { trashed: await throwAway(run, { ...source, was }) };
}

/**
 * For ever. A folder loses its name in one act before it is emptied: what is put there after a
 * crash is another folder's, and stays. What came into it after the yes is none that goes.
 */
export async function removeStep(
  run: StepRun,
  { from, was }: Extract<PlanStep, { do: 'remove' }>,
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
  { from, was }: Pick<Extract<PlanStep, { do: 'remove' }>, 'from' | 'was'>,
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

interface Gone {
  files: number;
  bytes: number;
}

/** What is deeper goes as one, moved up first and not counted, so that few folders are held. */
const deepest = 64;

async function removeForEver(
  disk: Disk,
  path: string,
  { gone, signal }: { readonly gone: Gone; readonly signal: AbortSignal },
): Promise<void> {
  const remover = new Remover(disk, gone, signal);
  const entry = await disk.stat(path);
  if (entry !== undefined) await remover.remove(path, entry, { device: entry.device, depth: 0 });
}

interface Level {
  /** What is mounted on a folder is another disk, and goes with no folder. */
  readonly device: string;
  readonly depth: number;
}

class Remover {
  readonly #disk: Disk;
  readonly #gone: Gone;
  readonly #signal: AbortSignal;

  constructor(disk: Disk, gone: Gone, signal: AbortSignal) {
    this.#disk = disk;
    this.#gone = gone;
    this.#signal = signal;
  }

  async remove(path: string, entry: DiskEntry, level: Level): Promise<void> {
    // R2
    this.#signal.throwIfAborted();
    if (entry.kind !== 'folder') {
      await removeIfThere(this.#disk, path);
      // R3
      this.#gone.files += 1;
      this.#gone.bytes += entry.sizeBytes;
      return;
    }
    if (entry.device !== level.device) throw diskError('EXDEV', path);
    if (level.depth === deepest) return await removeTree(this.#disk, path);
    await openUp(this.#disk, path, entry);
    {
      await using held = await this.#disk.holdFolder(path);
      await this.#empty(held, { ...level, depth: level.depth + 1 });
    }
    await this.#disk.remove(path);
  }

  /** R1 */
  async #empty({ path }: HeldFolder, level: Level): Promise<void> {
    for (const name of await this.#disk.list(path)) {
      const entry = await this.#disk.stat(`${path}/${name}`);
      if (entry !== undefined) await this.remove(`${path}/${name}`, entry, level);
    }
  }
}
