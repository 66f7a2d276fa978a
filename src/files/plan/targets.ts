/** Where each file goes, and what to do where something is there already. */
import { AosError } from '../../kernel/errors.ts';
import type { DiskEntry } from '../../kernel/ports.ts';
import type { FilePower } from '../../security/reach.ts';
import type { FileCaller } from '../caller.ts';
import type { FilesDeps } from '../deps.ts';
import { partsOf } from '../paths.ts';
import { findPlace } from '../place.ts';
import { taken } from '../refusals.ts';
import { numberedName } from './name-pattern.ts';
import { isSame, type LeftOut, type Was, wasOf } from './plan.ts';
import type { Source } from './select.ts';

export type OnConflict = 'replace' | 'skip' | 'number' | 'fail';

export interface Wished {
  readonly source: Source;
  readonly to: string;
}

export interface Target extends Wished {
  readonly replaces?: Was | undefined;
}

export interface Targets {
  readonly targets: readonly Target[];
  readonly leftOut: readonly LeftOut[];
  /** How many got a number because their name was taken. */
  readonly numbered: number;
}

interface TargetsWish {
  readonly onConflict: OnConflict;
  /** Names that the same plan makes free, if nothing is left out. */
  readonly freed: ReadonlySet<string>;
  readonly isBatch: boolean;
  /** A copy keeps its source, so that it cannot have the same name. */
  readonly isCopy: boolean;
}

export async function targetsOf(
  deps: FilesDeps,
  caller: FileCaller,
  wished: readonly Wished[],
  wish: TargetsWish,
): Promise<Targets> {
  const freed = new Set(wish.freed);
  /** By the name that each gets. */
  const taken = new Map<string, Target>();
  const leftOut: LeftOut[] = [];
  let numbered = 0;
  const open = [...wished];
  for (const one of open) {
    caller.signal.throwIfAborted();
    checkNotInto(one);
    const { path } = one.source;
    const found = await targetOf(deps, caller, one, { ...wish, freed, taken });
    if (typeof found !== 'string') {
      taken.set(found.to, found);
      if (found.to !== one.to) numbered++;
      continue;
    }
    leftOut.push({ path, why: found });
    // It keeps its name after all: whoever was to get that is looked at once more.
    const next = freed.delete(path) ? taken.get(path) : undefined;
    if (next === undefined) continue;
    taken.delete(path);
    open.push(next);
  }
  return { targets: [...taken.values()], leftOut, numbered };
}

type OneWish = TargetsWish & { readonly taken: ReadonlyMap<string, Target> };

/** Or why it stays where it is. */
async function targetOf(
  deps: FilesDeps,
  caller: FileCaller,
  wished: Wished,
  wish: OneWish,
): Promise<Target | string> {
  const { source, to } = wished;
  if (to === source.path && !wish.isCopy) {
    if (!wish.isBatch) throw sameFile();
    return 'it is there already';
  }
  const there = await lookAt(deps, caller, to, powerOf(wish));
  const isFree = there === undefined || (wish.freed.has(to) && !isSame(source.was, there));
  if (isFree && !wish.taken.has(to)) return wished;
  if (there !== undefined && isSame(source.was, there) && to !== source.path) {
    if (!wish.isBatch) throw sameFile();
    return 'it is the same file';
  }
  // A name that this very plan gives away cannot be replaced.
  const canReplace = there !== undefined && !wish.taken.has(to) && to !== source.path;
  if (wish.onConflict === 'replace' && canReplace) return replacing(wished, there);
  if (wish.onConflict === 'skip') return 'something has that name there already';
  if (wish.onConflict === 'fail') throw taken();
  return { source, to: await freeName(deps, caller, wished, wish) };
}

function replacing(wished: Wished, there: DiskEntry): Target {
  if (there.kind === 'folder') {
    throw new AosError('files.conflict', {
      message: 'A folder has that name already, and I replace no folder',
      fix: 'Choose another name, or move what is in it',
    });
  }
  return { ...wished, replaces: wasOf(there) };
}

const mostNumbers = 10_000;

async function freeName(
  deps: FilesDeps,
  caller: FileCaller,
  { source, to }: Wished,
  wish: OneWish,
): Promise<string> {
  const folder = to.slice(0, to.lastIndexOf('/'));
  const name = to.slice(to.lastIndexOf('/') + 1);
  for (let number = 2; number < mostNumbers; number++) {
    const path = `${folder}/${numberedName(name, number, source.was.kind === 'folder')}`;
    if (wish.taken.has(path) || wish.freed.has(path)) continue;
    if ((await lookAt(deps, caller, path, powerOf(wish))) === undefined) return path;
  }
  throw taken();
}

/** Also where the folder is not there yet, which the plan makes. */
async function lookAt(
  deps: FilesDeps,
  caller: FileCaller,
  path: string,
  power: FilePower,
): Promise<DiskEntry | undefined> {
  try {
    await using place = await findPlace(deps, caller, partsOf(path), { power, last: 'keep' });
    return place.there;
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'disk.missing') return undefined;
    throw failure;
  }
}

/** Who may move files may give them another place; who copies makes new ones. */
function powerOf({ isCopy }: TargetsWish): FilePower {
  return isCopy ? 'write' : 'move';
}

function checkNotInto({ source, to }: Wished): void {
  if (source.was.kind !== 'folder' || !to.startsWith(`${source.path}/`)) return;
  throw new AosError('files.conflict', {
    message: 'A folder cannot be put into itself',
    fix: 'Choose a destination outside of it',
  });
}

function sameFile(): AosError {
  return new AosError('files.same-file', {
    message: 'Both paths are the same file, so there is nothing to do',
    fix: 'Choose another name',
  });
}
