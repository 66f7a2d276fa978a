/** What was put into the trash to make room, when what it made room for has failed. */

import { removeIfThere } from '../../kernel/disk/folders.ts';
import { printFilePath } from '../../kernel/files/file-path.ts';
import type { Room, StepRun } from '../apply/deps.ts';
import { moveToFree } from '../apply/put-in-place.ts';
import { partsOf } from '../paths.ts';
import type { FilePlace } from '../place.ts';
import { isSame, wasOf } from '../plan/plan.ts';
import { openTrash } from './trash-folder.ts';

/** Where that fails too, it stays in the trash, from where it can be restored. */
export async function takeBack(
  { deps }: StepRun,
  to: FilePlace,
  { trashed, over }: Room,
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
