/**
 * A place that the caller named, reached without leaving the root.
 *
 * L1. Nothing is looked at before the caller may reach it, by name; and again wherever a symlink
 *     leads. What is outside the root, or denied, is answered alike whether it is there or not.
 * L2. The folder is held. What is done to the name is done in that very folder.
 */
import { diskError } from '../kernel/disk/errors.ts';
import { printFilePath } from '../kernel/files/file-path.ts';
import { isInReach } from '../kernel/files/reach.ts';
import type { DiskEntry, HeldFolder } from '../kernel/ports.ts';
import type { FilePower } from '../security/reach.ts';
import type { FileCaller, FilesDeps } from './deps.ts';
import { followPath, placesOn } from './follow-path.ts';
import { isInside, outsideRoot } from './paths.ts';
import { permissionDenied } from './refusals.ts';

export interface PlaceOptions {
  readonly power: FilePower;
  /** Whether a symlink in the last place is meant itself, or where it leads. */
  readonly last: 'keep' | 'follow';
}

/** The caller that gets it closes it. */
export interface FilePlace extends AsyncDisposable {
  /** Without symlinks, but for the last one where that is kept. */
  readonly parts: readonly string[];
  readonly path: string;
  readonly folder: HeldFolder;
  readonly name: string;
  /** The name in the held folder. */
  readonly entry: string;
  /** What stands there; undefined where nothing does. */
  readonly there: DiskEntry | undefined;
}

type PlaceDeps = Pick<FilesDeps, 'disk'>;

/** The folder has to be there; the last name need not. */
export async function findPlace(
  { disk }: PlaceDeps,
  caller: FileCaller,
  path: readonly string[],
  { power, last }: PlaceOptions,
): Promise<FilePlace> {
  const check = await checkFor(caller, power);
  check(path);
  let there: DiskEntry | undefined;
  const end = await followPath(disk, path, {
    signal: caller.signal,
    async open(entry) {
      there = await disk.stat(entry);
      // Then it is read, and the path goes on behind it.
      if (there?.kind === 'symlink' && last === 'follow') throw diskError('ELOOP', entry);
      return undefined;
    },
    onTurn: async (parts) => {
      for (const place of placesOn(parts)) check(place);
    },
  });
  const { parts, folder, entry, open } = end;
  return {
    ...{ parts, path: printFilePath(parts), folder, entry, there },
    name: parts.at(-1) ?? '',
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** A folder that is to be looked into; symlinks on the path and at its end are followed. */
export interface FolderPlace extends AsyncDisposable {
  readonly parts: readonly string[];
  readonly path: string;
  readonly held: HeldFolder;
}

/** `passing`: the folder itself may be out of reach, because only what is below it is asked for. */
export type FolderOptions =
  | { readonly power: FilePower; readonly passing?: false }
  | { readonly passing: true };

export async function findFolder(
  { disk }: PlaceDeps,
  caller: FileCaller,
  path: readonly string[],
  options: FolderOptions,
): Promise<FolderPlace> {
  const check =
    options.passing === true ? insideOnly(caller) : await checkFor(caller, options.power);
  check(path);
  if (path.length === 0) return folderPlace([], await disk.holdFolder('/'));
  const { parts, found, open } = await followPath(disk, path, {
    signal: caller.signal,
    open: (entry) => disk.holdFolder(entry),
    wanted: 'folder',
    onTurn: async (turned) => {
      for (const place of placesOn(turned)) check(place);
    },
  });
  const place = folderPlace(parts, found);
  return { ...place, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

function insideOnly({ roots }: FileCaller): (place: readonly string[]) => void {
  return (place) => {
    if (!isInside(roots, place)) throw outsideRoot();
  };
}

function folderPlace(parts: readonly string[], held: HeldFolder): FolderPlace {
  const path = printFilePath(parts);
  return { parts, path, held, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
}

/** L1 */
async function checkFor(
  { roots, reach }: FileCaller,
  power: FilePower,
): Promise<(place: readonly string[]) => void> {
  const known = await reach(power);
  return (place) => {
    if (!isInside(roots, place)) throw outsideRoot();
    if (!isInReach(known, place)) throw permissionDenied(askForGrant);
  };
}

const askForGrant = 'Ask for a grant that names it: aos cap grant AGENT "file:PATH:read"';
