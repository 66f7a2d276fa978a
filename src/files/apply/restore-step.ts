/** Out of the trash, back to where it was. */

import { removeIfThere } from '../../kernel/disk/folders.ts';
import { AosError } from '../../kernel/errors.ts';
import { printFilePath } from '../../kernel/files/file-path.ts';
import { partsOf } from '../paths.ts';
import { isSame, isStill, type Step } from '../plan/plan.ts';
import { changed } from '../refusals.ts';
import { openTrash } from '../trash/trash-folder.ts';
import type { StepNote, StepRun } from './deps.ts';
import { exactPlace } from './exact-place.ts';
import { moveToFree } from './put-in-place.ts';

export async function restoreStep(
  run: StepRun,
  { from, info, to, was }: Extract<Step, { do: 'restore' }>,
): Promise<StepNote> {
  const { disk } = run.deps;
  const parts = partsOf(from);
  await using trash = await openTrash(run.deps, printFilePath(parts.slice(0, -2)), '');
  const source = { folder: trash.files, entry: `${trash.files.path}/${parts.at(-1)}` };
  const infoEntry = `${trash.info.path}/${partsOf(info).at(-1)}`;
  await using target = await exactPlace(run, to, 'write');
  const there = await disk.stat(source.entry);
  const isBack = there === undefined && isSame(was, target.there);
  if (!isBack) {
    if (!isStill(was, there)) throw changed();
    // Both names, as a crash in the middle of a replacement leaves it.
    if (isSame(was, target.there)) await disk.remove(source.entry);
    else if ((await moveToFree(disk, { ...source, was }, target)) !== 'placed')
      throw onAnotherDisk();
  }
  await removeIfThere(disk, infoEntry);
  return {};
}

/** Nothing is taken from one disk to another behind somebody's back: it stays in the trash. */
function onAnotherDisk(): AosError {
  return new AosError('files.other-disk', {
    message: 'It was on another disk than the one that is there now, so it stays in the trash',
    fix: 'Have that disk where it was, or move it out of the trash by hand',
  });
}
