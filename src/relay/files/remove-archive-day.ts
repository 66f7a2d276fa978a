import { removeIfThere } from '../../kernel/disk/folders.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { RelayLog } from '../deps.ts';
import { Failures } from './archive-failures.ts';

export interface RemoveDeps {
  readonly disk: Disk;
  readonly log: Pick<RelayLog, 'error'>;
  readonly home: string;
}

/** Each folder on the way down is open meanwhile. */
const deepest = 64;

/** False when something of it is left. */
export async function removeDay({ disk, log, home }: RemoveDeps, day: string): Promise<boolean> {
  const failures = new Failures();
  await removeTree(disk, { folder: `${home}/archive`, name: day, way: [] }, failures);
  failures.tell(log, day, 'something in the archive cannot be removed, and stays there');
  return failures.count === 0;
}

interface Removal {
  /** A path of the folder that it is in. */
  readonly folder: string;
  readonly name: string;
  /** The names that lead to it, below the day and with it; empty for the day itself. */
  readonly way: readonly string[];
}

// Folders of agents may lie in the archive, such as were moved there unseen or by an older
// version, and whoever works in one may still write there. So nothing is known of a name
// from one call to the next: the system itself tells a folder from the rest by refusing to
// remove it, and each folder is held while it is emptied (where the system has paths for
// that), so that no symlink in its place is followed.
async function removeTree(disk: Disk, removal: Removal, failures: Failures): Promise<void> {
  const path = `${removal.folder}/${removal.name}`;
  try {
    if (await removeUnlessFilled(disk, path)) return;
    if (removal.way.length >= deepest) throw tooDeep(removal);
    const before = failures.count;
    await empty(disk, removal, failures);
    // What is left in it was told.
    if (failures.count === before) await disk.remove(path);
  } catch (failure) {
    failures.note(removal.way.join('/'), failure);
  }
}

async function empty(
  disk: Disk,
  { folder, name, way }: Removal,
  failures: Failures,
): Promise<void> {
  await using held = await disk.holdFolder(`${folder}/${name}`);
  for (const below of await disk.list(held.path)) {
    await removeTree(disk, { folder: held.path, name: below, way: [...way, below] }, failures);
  }
}

async function removeUnlessFilled(disk: Disk, path: string): Promise<boolean> {
  try {
    await removeIfThere(disk, path);
    return true;
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'disk.not-empty') return false;
    throw failure;
  }
}

function tooDeep({ name }: Removal): AosError {
  return new AosError('disk.bad-name', {
    message: `The folder ${quote(name)} lies more than ${deepest} folders deep in the archive`,
    fix: 'Remove it by hand',
  });
}
