/**
 * What somebody may see of the disk, asked of a path, or of one name after the other in a walk.
 * It says what `decide` says of the same grants: a test compares the two.
 *
 * R1. What has to be named (sensitive-path.ts) is in reach only where the grant names it.
 * R2. The owner may see everything. Where something is to be changed, secrets and our own home
 *     are passed over, unless the base lies in them.
 * R3. In a walk most names are nothing special, and then the folder knows the answer. Which names
 *     need the whole question is told from the tables, on the safe side.
 */
import type { PathTarget } from '../capability/capability.ts';
import { coversPath } from '../capability/decide.ts';
import { partsOfPath } from '../capability/file-deed.ts';
import { endsAtSecret, sensitiveParts } from '../capability/sensitive-path.ts';
import type { FileReach } from './look.ts';
import { continuesPlace, specialNames } from './special-names.ts';

type GrantedReach = Extract<FileReach, { kind: 'granted' }>;

/** `base` is where a walk began; a path that somebody named is its own. */
export function isInReach(
  reach: FileReach,
  parts: readonly string[],
  base: readonly string[] = parts,
): boolean {
  return reach.kind === 'all' ? !isPassedOver(reach, parts, base) : isGranted(reach, parts);
}

/** R1 */
function isGranted({ aosHome, chains }: GrantedReach, path: readonly string[]): boolean {
  const mustName = sensitiveParts(path, { aosHome: partsOfPath(aosHome) });
  const deed = { resource: 'file', action: 'read', path, mustName } as const;
  return chains.some((chain) => chain.every((target) => coversPath(target, deed)));
}

/** R2 */
function isPassedOver(
  { aosHome, passOverSecrets }: Extract<FileReach, { kind: 'all' }>,
  parts: readonly string[],
  base: readonly string[],
): boolean {
  if (!passOverSecrets) return false;
  const home = partsOfPath(aosHome);
  if (isBelow(parts, home) && !isBelow(base, home)) return true;
  return lastSecret(parts) > base.length && lastSecret(base) === 0;
}

/** How many parts there are up to the last place of secrets on the way; 0 without any. */
function lastSecret(parts: readonly string[]): number {
  let count = parts.length;
  while (count > 0 && !endsAtSecret(parts.slice(0, count))) count--;
  return count;
}

function isBelow(parts: readonly string[], folder: readonly string[]): boolean {
  return folder.length <= parts.length && folder.every((name, index) => name === parts[index]);
}

/** In one folder of a walk. */
export interface ReachHere {
  /** Whether what has that name here is in reach. */
  sees(name: string): boolean;
  /** In the folder of that name; undefined where nothing below it is in reach. */
  into(name: string): ReachHere | undefined;
}

/** In the folder in which a walk begins; its real path, in parts. */
export function reachFrom(reach: FileReach, base: readonly string[]): ReachHere {
  if (reach.kind === 'all' && !reach.passOverSecrets) return everything;
  return inFolder({ reach, base, isSpecial: specialNames(partsOfPath(reach.aosHome)) }, base);
}

const everything: ReachHere = { sees: () => true, into: () => everything };

interface Walk {
  readonly reach: FileReach;
  readonly base: readonly string[];
  /** Whether a name may be one of the tables', wherever it stands. */
  readonly isSpecial: (name: string) => boolean;
}

function inFolder(walk: Walk, parts: readonly string[]): ReachHere {
  const { reach, base, isSpecial } = walk;
  const sees = (name: string) => isInReach(reach, [...parts, name], base);
  const into = (name: string) => {
    const below = [...parts, name];
    return mayHoldSome(reach, below, base) ? inFolder(walk, below) : undefined;
  };
  if (!seesOrdinary(reach, parts)) return { sees, into };
  // R3
  return {
    sees: (name) => !isSpecial(name) || sees(name),
    into: (name) => (isSpecial(name) ? into(name) : inFolder(walk, [...parts, name])),
  };
}

/** Whether every name here is in reach that is not special. */
function seesOrdinary(reach: FileReach, parts: readonly string[]): boolean {
  if (continuesPlace(parts, partsOfPath(reach.aosHome))) return false;
  if (reach.kind === 'all') return true;
  const mustName = mustNameOnTheWay(reach, parts);
  return reach.chains.some((chain) =>
    chain.every((target) => target.subtree && coversPath(target, deedOn(parts, mustName))),
  );
}

function mayHoldSome(reach: FileReach, parts: readonly string[], base: readonly string[]): boolean {
  if (reach.kind === 'all') return isInReach(reach, parts, base);
  const mustName = mustNameOnTheWay(reach, parts);
  return reach.chains.some((chain) => chain.every((target) => isOnTheWay(target, parts, mustName)));
}

// Of something in the folder: `.git` itself has to be named, but not for what is in it.
function mustNameOnTheWay({ aosHome }: FileReach, parts: readonly string[]): readonly number[] {
  const home = { aosHome: partsOfPath(aosHome) };
  return sensitiveParts([...parts, ''], home).filter((index) => index < parts.length);
}

/** Whether the target covers the folder, or something below it. */
function isOnTheWay(
  target: PathTarget,
  parts: readonly string[],
  mustName: readonly number[],
): boolean {
  const { segments, subtree } = target;
  if (segments.length <= parts.length) {
    return subtree && coversPath(target, deedOn(parts, mustName));
  }
  const way = { ...target, segments: segments.slice(0, parts.length) };
  return coversPath({ ...way, subtree: false }, deedOn(parts, mustName));
}

function deedOn(path: readonly string[], mustName: readonly number[]) {
  return { resource: 'file', action: 'read', path, mustName } as const;
}
