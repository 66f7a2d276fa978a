import { ignoreMissing } from '../../kernel/disk/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import type { FolderTime, Step } from './plan.ts';

/** Of every folder in which a name comes or goes, as far as it is there. */
export async function folderTimes(disk: Disk, steps: readonly Step[]): Promise<FolderTime[]> {
  const paths = new Set(steps.flatMap(placesOf).map((path) => folderOf(path)));
  const times: FolderTime[] = [];
  for (const path of paths) {
    const there = await disk.stat(path).catch(ignoreMissing);
    if (there?.kind === 'folder') times.push({ path, modifiedNs: there.modifiedNs });
  }
  return times;
}

function placesOf(step: Step): readonly string[] {
  if (step.do === 'copy') return [step.to];
  return [...('from' in step ? [step.from] : []), ...('to' in step ? [step.to] : [])];
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
