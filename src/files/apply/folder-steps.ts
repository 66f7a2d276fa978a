import { changed } from '../refusals.ts';
import type { StepNote, StepRun } from './deps.ts';
import { exactPlace } from './exact-place.ts';

export async function makeFolderStep(run: StepRun, path: string): Promise<StepNote> {
  const { disk, treeDisk } = run.deps;
  await using place = await exactPlace(run, path, 'write');
  if (place.there !== undefined) {
    if (place.there.kind !== 'folder') throw changed();
    // After a crash it may be our own, made before that could be noted.
    return { wasThere: run.before === undefined };
  }
  await run.note({});
  await disk.makeFolder(place.entry);
  // As open as the folder that it is in.
  const above = await disk.stat(`${place.folder.path}/.`);
  const made = await disk.stat(place.entry);
  if (above !== undefined && made !== undefined) {
    await treeDisk.restore(place.entry, { mode: above.mode, modifiedNs: made.modifiedNs });
  }
  return {};
}

/** Only an empty one: what somebody has put there since stays, and the folder with it. */
export async function removeFolderStep(run: StepRun, path: string): Promise<StepNote> {
  const { disk } = run.deps;
  await using place = await exactPlace(run, path, 'write');
  if (place.there?.kind !== 'folder') return {};
  if ((await disk.list(place.entry)).length === 0) await disk.remove(place.entry);
  return {};
}
