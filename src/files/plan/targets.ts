/** Where each file goes, and what to do where something is there already. */
import { AosError } from '../../kernel/errors.ts';
import { dayInName, momentInName } from '../../kernel/files/words.ts';
import type { DiskEntry, TimeZone } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { FilePower } from '../../security/reach.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { bytesOnDisk, partsOf } from '../paths.ts';
import { findPlace } from '../place.ts';
import { taken } from '../refusals.ts';
import { isSame, type LeftOut, type Was, wasOf } from './plan.ts';
import type { PlanSource } from './select.ts';

export type OnConflict = 'replace' | 'skip' | 'number' | 'fail';

export interface WantedMove {
  readonly source: PlanSource;
  readonly to: string;
}

export interface PlanTarget extends WantedMove {
  readonly replaces?: Was | undefined;
}

export interface Targets {
  readonly targets: readonly PlanTarget[];
  readonly leftOut: readonly LeftOut[];
  /** How many got a number because their name was taken. */
  readonly numbered: number;
}

interface TargetsOptions {
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
  wanted: readonly WantedMove[],
  options: TargetsOptions,
): Promise<Targets> {
  const freed = new Set(options.freed);
  /** By the name that each gets. */
  const taken = new Map<string, PlanTarget>();
  const leftOut: LeftOut[] = [];
  let numbered = 0;
  const open = [...wanted];
  for (const one of open) {
    caller.signal.throwIfAborted();
    checkNotInto(one);
    const { path } = one.source;
    const found = await targetOf(deps, caller, one, { ...options, freed, taken });
    if (typeof found !== 'string') {
      taken.set(found.to, found);
      if (found.to !== one.to) numbered++;
      continue;
    }
    leftOut.push({ path, why: found });
    // It keeps its name after all: what was to get that name is looked at once more.
    const next = freed.delete(path) ? taken.get(path) : undefined;
    if (next === undefined) continue;
    taken.delete(path);
    open.push(next);
  }
  return { targets: [...taken.values()], leftOut, numbered };
}

type TargetOptions = TargetsOptions & { readonly taken: ReadonlyMap<string, PlanTarget> };

/** Or why it stays where it is. */
async function targetOf(
  deps: FilesDeps,
  caller: FileCaller,
  wanted: WantedMove,
  options: TargetOptions,
): Promise<PlanTarget | string> {
  const { source, to } = wanted;
  if (to === source.path && !options.isCopy) {
    if (!options.isBatch) throw sameFile();
    return 'it is there already';
  }
  const there = await lookAt(deps, caller, to, powerOf(options));
  const isFree = there === undefined || (options.freed.has(to) && !isSame(source.was, there));
  if (isFree && !options.taken.has(to)) return wanted;
  if (there !== undefined && isSame(source.was, there) && to !== source.path) {
    if (!options.isBatch) throw sameFile();
    return 'it is the same file';
  }
  // A name that this very plan gives away cannot be replaced.
  const canReplace = there !== undefined && !options.taken.has(to) && to !== source.path;
  if (options.onConflict === 'replace' && canReplace) return replacing(wanted, there);
  if (options.onConflict === 'skip') return 'something has that name there already';
  if (options.onConflict === 'fail') throw taken();
  return { source, to: await freeName(deps, caller, wanted, options) };
}

function replacing(wanted: WantedMove, there: DiskEntry): PlanTarget {
  if (there.kind === 'folder') {
    throw new AosError('files.conflict', {
      message: 'A folder has that name already, and I replace no folder',
      fix: 'Choose another name, or move what is in it',
    });
  }
  return { ...wanted, replaces: wasOf(there) };
}

const mostNumbers = 10_000;

async function freeName(
  deps: FilesDeps,
  caller: FileCaller,
  { source, to }: WantedMove,
  options: TargetOptions,
): Promise<string> {
  const folder = to.slice(0, to.lastIndexOf('/'));
  const name = to.slice(to.lastIndexOf('/') + 1);
  for (let number = 2; number < mostNumbers; number++) {
    const path = `${folder}/${numberedName(name, number, source.was.kind === 'folder')}`;
    if (options.taken.has(path) || options.freed.has(path)) continue;
    if ((await lookAt(deps, caller, path, powerOf(options))) === undefined) return path;
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

/** A caller that may move files may give them another place; a copy makes new ones. */
function powerOf({ isCopy }: TargetsOptions): FilePower {
  return isCopy ? 'write' : 'move';
}

function checkNotInto({ source, to }: WantedMove): void {
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

interface NamedThing {
  readonly name: string;
  readonly isFolder: boolean;
  /** From 1. */
  readonly number: number;
  readonly modifiedAt: number;
  readonly takenAt?: number | undefined;
}

type NamePart = (thing: NamedThing, zone: TimeZone) => string;

const parts: Readonly<Record<string, NamePart>> = {
  name: (thing) => stemOf(thing),
  name_lower: (thing) => stemOf(thing).toLowerCase(),
  name_upper: (thing) => stemOf(thing).toUpperCase(),
  name_underscored: (thing) => stemOf(thing).replaceAll(' ', '_'),
  ext: (thing) => endingOf(thing),
  n: ({ number }) => String(number),
  nn: ({ number }) => String(number).padStart(2, '0'),
  nnn: ({ number }) => String(number).padStart(3, '0'),
  // Where a photo does not say when it was taken, it is when it was changed.
  taken: ({ takenAt, modifiedAt }, zone) => momentInName(zone, takenAt ?? modifiedAt),
  taken_date: ({ takenAt, modifiedAt }, zone) => dayInName(zone, takenAt ?? modifiedAt),
  modified: ({ modifiedAt }, zone) => momentInName(zone, modifiedAt),
  modified_date: ({ modifiedAt }, zone) => dayInName(zone, modifiedAt),
};

export function isNamePattern(text: string): boolean {
  return /\{[a-z_]+\}/.test(text);
}

/** Without an ending in the pattern, the old one stays. Throws `files.invalid-input`. */
export function newName(pattern: string, thing: NamedThing, zone: TimeZone): string {
  const whole = isNamePattern(pattern) && !pattern.includes('.') && !pattern.includes('{ext}');
  const name = `${pattern}${whole ? '{ext}' : ''}`.replace(/\{([a-z_]+)\}/g, (_, word: string) => {
    const part = parts[word];
    if (part === undefined) throw unknownPart(word);
    return part(thing, zone);
  });
  if (name !== '' && name !== '.' && name !== '..' && bytesOnDisk(name) <= 255) return name;
  throw new AosError('files.invalid-path', {
    message: `${quote(name.slice(0, 100))} is no name that a file can have`,
    fix: 'Choose another one, of at most 255 bytes',
  });
}

/** `report (2).pdf`. */
function numberedName(name: string, number: number, isFolder: boolean): string {
  const thing = { name, isFolder };
  return `${stemOf(thing)} (${number})${endingOf(thing)}`;
}

function endingOf({ name, isFolder }: Pick<NamedThing, 'name' | 'isFolder'>): string {
  const dot = name.lastIndexOf('.');
  return isFolder || dot <= 0 ? '' : name.slice(dot);
}

function stemOf(thing: Pick<NamedThing, 'name' | 'isFolder'>): string {
  return thing.name.slice(0, thing.name.length - endingOf(thing).length);
}

function unknownPart(word: string): AosError {
  return new AosError('files.invalid-input', {
    message: `A new name cannot have {${word}} in it`,
    fix: `It can have ${Object.keys(parts)
      .map((part) => `{${part}}`)
      .join(' ')}`,
  });
}
