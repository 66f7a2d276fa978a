/** Where to: a folder, which may have to be made, or a name. */
import { AosError } from '../../kernel/errors.ts';
import { folderOf, printFilePath } from '../../kernel/files/file-path.ts';
import { isInReach } from '../../kernel/files/reach.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import type { FilePower } from '../../security/reach.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { parsePath, partsOf } from '../paths.ts';
import { findPlace } from '../place.ts';
import { notAFolder } from '../refusals.ts';
import type { PlanStep } from './plan.ts';

export interface PlannedDestination {
  /** Real, as far as it is there. */
  readonly path: string;
  /** What is moved goes into it, under its own name. */
  readonly isFolder: boolean;
  /** The folders that are not there yet, the outermost first. */
  readonly makes: readonly Extract<PlanStep, { do: 'make-folder' }>[];
}

/** A path that is not there is a folder when it ends with a slash, or when many things go there. */
export async function destinationOf(
  deps: FilesDeps,
  caller: FileCaller,
  { action, destination }: FileRequest,
  { isBatch }: { readonly isBatch: boolean },
): Promise<PlannedDestination> {
  if (destination === undefined || destination === '') throw noDestination(action);
  const parts = parsePath(caller.roots, destination);
  const power = action === 'copy_file' ? 'write' : 'move';
  const { path, missing, kind } = await realPath(deps, caller, parts, power);
  const isFolder =
    kind === 'folder' || (kind === undefined && (isBatch || destination.endsWith('/')));
  if (isBatch && !isFolder) throw notAFolder('Choose another destination');
  const makes = isFolder ? madeOf(path, missing) : madeOf(folderOf(path), missing - 1);
  await checkMakes(caller, makes);
  return { path, isFolder, makes };
}

/** For a file that is written: the folders above it. */
export async function foldersFor(
  deps: FilesDeps,
  caller: FileCaller,
  parts: readonly string[],
): Promise<PlannedDestination> {
  const { path, missing } = await realPath(deps, caller, parts, 'write');
  return { path, isFolder: false, makes: madeOf(folderOf(path), missing - 1) };
}

interface RealPath {
  readonly path: string;
  /** How many of its last parts are not there. */
  readonly missing: number;
  readonly kind: string | undefined;
}

async function realPath(
  deps: FilesDeps,
  caller: FileCaller,
  parts: readonly string[],
  power: FilePower,
): Promise<RealPath> {
  const options = { power, last: 'follow' } as const;
  if (parts.length === 0) return { path: '/', missing: 0, kind: 'folder' };
  for (let length = parts.length; length > 0; length--) {
    try {
      await using place = await findPlace(deps, caller, parts.slice(0, length), options);
      const rest = parts.slice(length);
      const path = printFilePath([...place.parts, ...rest]);
      // Its folder is there, or it would have been missing.
      if (place.there === undefined) return { path, missing: rest.length + 1, kind: undefined };
      if (rest.length > 0 && place.there.kind !== 'folder')
        throw notAFolder('Choose another destination');
      return { path, missing: rest.length, kind: rest.length === 0 ? place.there.kind : undefined };
    } catch (failure) {
      if (!(failure instanceof AosError) || failure.code !== 'disk.missing') throw failure;
    }
  }
  throw notAFolder('Choose another destination');
}

/** To make a folder is to write, also for who may move things into it. */
async function checkMakes(caller: FileCaller, makes: PlannedDestination['makes']): Promise<void> {
  if (makes.length === 0) return;
  const reach = await caller.reach('write');
  if (makes.every(({ to }) => isInReach(reach, partsOf(to)))) return;
  throw new AosError('files.permission-denied', {
    message: 'That folder is not there, and I have no permission to make it',
    fix: 'Make it first, or ask for a grant to write there',
  });
}

/** The last so many folders of a path. */
function madeOf(path: string, count: number): PlannedDestination['makes'] {
  const parts = path.split('/').slice(1);
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const length = parts.length - count + index + 1;
    return { do: 'make-folder', to: printFilePath(parts.slice(0, length)) } as const;
  });
}

function noDestination(action: string): AosError {
  return new AosError('files.invalid-input', {
    message: `${action} does not say where to`,
    fix: 'Say it in destination',
  });
}
