/** All that is in a folder, so that it is known what goes with it, and whether that has changed. */
import { hash } from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import type { Listing } from '../../kernel/files/look.ts';
import type { FilePower } from '../../security/reach.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { lookRequest } from '../look-request.ts';
import { partsOf } from '../paths.ts';
import { findFolder } from '../place.ts';
import { otherDisk } from '../refusals.ts';
import type { TreeFacts } from './plan.ts';

/** Refused where some of it may not be touched. */
export async function treeOf(
  deps: FilesDeps,
  caller: FileCaller,
  path: string,
  power: FilePower,
): Promise<TreeFacts> {
  await using folder = await findFolder(deps, caller, partsOf(path), { power });
  const wanted = await lookRequest(
    deps,
    caller,
    { action: 'list_files' },
    {
      ...{ folder, glob: [], power, kind: 'any', limit: deps.limits.mostItems },
      ...{ recursive: true, hidden: true },
    },
  );
  // The owner of the machine has named the folder with all that is in it.
  const reach =
    wanted.reach.kind === 'all' ? { ...wanted.reach, passOverSecrets: false } : wanted.reach;
  const sort = { by: 'size', order: 'desc' } as const;
  const listing = await deps.looking.list({ ...wanted, reach, sort, passOver: [] }, caller.signal);
  if (listing.truncated) throw tooMany(deps.limits.mostItems);
  if (listing.deniedTotal > 0) throw deniedWithin(listing.deniedTotal);
  checkOneDisk(listing);
  const files = listing.files.filter(({ kind }) => kind !== 'folder');
  const lines = listing.files.map(
    (file) =>
      `${file.path}\0${file.inode}\0${file.kind === 'folder' ? '' : `${file.sizeBytes}\0${file.modifiedNs}`}`,
  );
  return {
    files: files.length,
    bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    digest: hash('sha256', JSON.stringify(lines.sort())),
    ...(listing.skippedTotal === 0 ? {} : { unseen: listing.skippedTotal }),
  };
}

/** A disk that is mounted in a folder is not meant by the name of the folder. */
function checkOneDisk({ skipped, skippedTotal }: Listing): void {
  const isKnown = skippedTotal === skipped.length;
  if (isKnown && !skipped.some(({ why }) => why === 'other-disk')) return;
  throw otherDisk();
}

export function tooMany(most: number): AosError {
  return new AosError('files.too-many', {
    message: `That would be more than ${most} files at once`,
    fix: 'Take a smaller folder, or narrow it down with filters',
  });
}

function deniedWithin(count: number): AosError {
  return new AosError('files.permission-denied', {
    message: `I don't have permission to access ${count} of the files in that folder`,
    fix: 'Take the files one by one, or ask for a grant that covers all of them',
  });
}
