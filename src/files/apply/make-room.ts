/** What has the name that something else gets, because the caller said yes to that. */

import { removeIfThere } from '../../kernel/disk/durable-file.ts';
import { printFilePath } from '../../kernel/files/file-path.ts';
import { partsOf } from '../paths.ts';
import type { FilePlace } from '../place.ts';
import { isSame, isStill, type Was, wasOf } from '../plan/plan.ts';
import { changed } from '../refusals.ts';
import { keepInTrash, throwAway } from '../trash/throw-away.ts';
import { openTrash } from '../trash/trash-folder.ts';
import type { FreedName, StepNote, StepRun } from './deps.ts';
import { moveToFree } from './put-in-place.ts';

/** Makes room for something; where that fails, what had the name keeps it. */
export async function inRoom(
  run: StepRun,
  to: FilePlace,
  freeing: { readonly replaces: Was | undefined; readonly kind: Was['kind'] },
  work: (room: FreedName) => Promise<StepNote>,
): Promise<StepNote> {
  const room = await makeRoom(run, to, freeing);
  try {
    return await work(room);
  } catch (failure) {
    await takeBack(run, to, room).catch(() => {});
    throw failure;
  }
}

/** A file is replaced in one act; where a folder is one of the two, the old one goes first. */
async function makeRoom(
  run: StepRun,
  to: FilePlace,
  { replaces, kind }: { readonly replaces: Was | undefined; readonly kind: Was['kind'] },
): Promise<FreedName> {
  if (replaces === undefined) return {};
  const isSwap = replaces.kind !== 'folder' && kind !== 'folder';
  const known = run.before?.trashed;
  if (known !== undefined) {
    const isLeft = isStill(replaces, to.there);
    return { trashed: known, ...(isSwap && isLeft ? { over: replaces } : {}) };
  }
  // A crash came between the move to the trash and the note of it: the trash finds it there.
  const isGone = run.before !== undefined && !isSwap && to.there === undefined;
  if (!isGone && !isStill(replaces, to.there)) throw changed();
  const unwanted = { ...to, was: replaces };
  const trashed = await (isSwap ? keepInTrash(run, unwanted) : throwAway(run, unwanted));
  await run.note({ trashed });
  return { trashed, ...(isSwap ? { over: replaces } : {}) };
}

/** Where that fails too, it stays in the trash, from where it can be restored. */
async function takeBack(
  { deps }: StepRun,
  to: FilePlace,
  { trashed, over }: FreedName,
): Promise<void> {
  if (trashed === undefined) return;
  const { disk } = deps;
  const parts = partsOf(trashed.file);
  await using trash = await openTrash(deps, printFilePath(parts.slice(0, -2)), '');
  const kept = { folder: trash.files, entry: `${trash.files.path}/${parts.at(-1)}` };
  const there = await disk.stat(kept.entry);
  if (there === undefined) return;
  if (over === undefined) {
    const placed = await moveToFree(disk, { ...kept, was: wasOf(there) }, to);
    if (placed !== 'placed') return;
  }
  // Only a second name: the first one still stands, or this is the last of it.
  else if (isSame(over, await disk.stat(to.entry))) await removeIfThere(disk, kept.entry);
  else return;
  await removeIfThere(disk, `${trash.info.path}/${partsOf(trashed.info).at(-1)}`);
}
