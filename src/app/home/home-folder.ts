/** The home folder as a place: made, checked and tidied before anything works in it. */

import { dirname, join } from 'node:path';
import { withTarget } from '../../files/follow-path.ts';
import { removeTree } from '../../kernel/disk/durable-file.ts';
import { isTaken } from '../../kernel/disk/errors.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import type { Clock, Disk, DiskEntry, DiskView, Volume } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { judgeFileSystem } from '../doctor/disk.ts';
import type { DoctorVerdict } from '../doctor/finding.ts';
import { judgeContents, judgeLength, preparedFolders, wrongPlace } from '../doctor/home.ts';
import { daemonLogName, isPendingName, judgeModes } from '../doctor/modes.ts';

/** The daemon's log in `logs`, and how much of it is kept: this one and the nine before. */
export const daemonLog = {
  name: daemonLogName,
  limitBytes: 10 * 1024 * 1024,
  keep: 10,
} as const;

export interface PrepareDeps {
  readonly disk: Disk;
  readonly volume: Volume;
}

/**
 * Makes the home and its folders where they are missing, which may be repeated at any
 * time. What is there already is refused rather than changed when it is not safe; but for the
 * settings, which people write with an editor that leaves them open to others. Resolves to what
 * was mended, in words.
 */
export async function prepareHome(
  { disk, volume }: PrepareDeps,
  home: string,
): Promise<readonly string[]> {
  refuse('home.long-path', judgeLength(home));
  const { fileSystem } = await volume.usage(home);
  refuse('home.network-disk', judgeFileSystem(fileSystem));
  await makeHome(disk, home);
  refuse('home.foreign', judgeContents(home, await disk.list(home)));
  const mended = await closeSettings(disk, join(home, 'config.json'));
  refuse('home.open-to-others', await judgeModes(disk, home));
  for (const name of preparedFolders) await ensureFolder(disk, join(home, name));
  await disk.syncFolder(join(home, 'run'));
  // The folder itself, should the home be a link to it.
  await disk.syncFolder(`${home}/.`);
  return mended;
}

/** One that belongs to another user, or is no file, is told by who looks at modes. */
async function closeSettings(disk: Disk, path: string): Promise<readonly string[]> {
  const there = await disk.stat(path);
  if (there?.kind !== 'file' || there.ownerUid !== process.getuid?.()) return [];
  if ((there.mode & 0o077) === 0) return [];
  await disk.makePrivate(path);
  return [`${quote(path)} was open to others (mode ${there.mode.toString(8)}) and is not any more`];
}

function refuse(code: ErrorCode, verdict: DoctorVerdict | undefined): void {
  if (verdict?.state !== 'failed') return;
  throw new AosError(code, {
    message: `The home folder cannot be used: ${verdict.says}`,
    fix: verdict.fix,
  });
}

async function makeHome(disk: Disk, home: string): Promise<void> {
  const there = await disk.stat(home);
  if (there === undefined) return makeFolderWithParents(disk, home);
  // Where the home itself is a link, its owner chose so; what counts is what it leads to.
  const folder = there.kind === 'symlink' ? await disk.stat(`${home}/.`) : there;
  if (folder?.kind !== 'folder') throw notAFolder(home, there.kind);
}

async function makeFolderWithParents(disk: Disk, path: string): Promise<void> {
  const parent = dirname(path);
  if ((await disk.stat(parent)) === undefined) await makeFolderWithParents(disk, parent);
  await ensureFolder(disk, path);
  // A parent that is a link is no folder to be synced; what it leads to is.
  await disk.syncFolder(`${parent}/.`);
}

async function ensureFolder(disk: Disk, path: string): Promise<void> {
  try {
    await disk.makeFolder(path);
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    const there = await disk.stat(path);
    if (there?.kind !== 'folder') throw notAFolder(path, there?.kind);
  }
}

function notAFolder(path: string, kind: DiskEntry['kind'] | undefined): AosError {
  const { says, fix } = wrongPlace(path, 'folder', kind);
  return new AosError('home.not-a-folder', { message: says, fix });
}

const hourMs = 3_600_000;

/**
 * Removes what a crash left: files that never got their name, and everything in `tmp`.
 * Only for the owner of the home, before it starts to work, because all in `tmp` is then
 * from an earlier run. What cannot be removed stays; it does no harm.
 */
export async function sweepHome(
  { disk, clock }: { readonly disk: Disk; readonly clock: Pick<Clock, 'now'> },
  home: string,
): Promise<void> {
  for (const folder of [home, join(home, 'keys')]) {
    for (const name of (await disk.list(folder)).filter(isPendingName)) {
      const path = join(folder, name);
      const there = await disk.stat(path);
      // An hour, in case a command is just writing one.
      const isOld = there?.kind === 'file' && there.modifiedAt < clock.now() - hourMs;
      if (isOld) await removeIfPossible(disk, path);
    }
  }
  const tmp = join(home, 'tmp');
  for (const name of await disk.list(tmp)) await removeIfPossible(disk, join(tmp, name));
}

async function removeIfPossible(disk: Disk, path: string): Promise<void> {
  try {
    await removeTree(disk, path);
  } catch (failure) {
    // Litter that stays does no harm, and must not keep the daemon from starting.
    if (!(failure instanceof AosError)) throw failure;
  }
}

/** A place by the path that no symlink is on: what agents name is held against it. */
export async function withoutSymlinks(disk: DiskView, path: string): Promise<string> {
  let parts: readonly string[] = path.split('/').filter((name) => name !== '');
  for (let index = 0; index < parts.length; ) {
    const place = `/${parts.slice(0, index + 1).join('/')}`;
    if ((await disk.stat(place))?.kind !== 'symlink') index++;
    else {
      parts = withTarget(parts, index, await disk.readLink(place));
      index = 0;
    }
  }
  return `/${parts.join('/')}`;
}
