/**
 * What a caller may see of the disk, asked of a path, or of one name after the other in a walk. It
 * says what `decide` says of the same grants: a test compares the two.
 *
 * R1. What has to be named (sensitive-path.ts) is in reach only where the grant names it.
 * R2. The owner may see everything. Where something is to be changed, secrets and our own home
 *     are passed over, unless the base lies in them.
 * R3. In a walk most names are nothing special, and then the folder knows the answer. Which names
 *     need the whole question is told from the tables, on the safe side.
 */

import { partsOfPath } from '../capability/action-text.ts';
import { coversPath, type PathTarget } from '../capability/capability.ts';
import { endsAtSecret, sensitiveParts } from '../capability/sensitive-path.ts';
import { compileGlob, exactPath, type Glob, type GlobState } from './glob.ts';
import { type NameTest, namePattern } from './glob-name.ts';
import type { FileKind, FileReach, LookRequest } from './look.ts';
import { continuesPlace, specialNames } from './names.ts';

type GrantedReach = Extract<FileReach, { kind: 'granted' }>;

/** `base` is where a walk began; a path that the caller named is its own. */
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
  const action = { resource: 'file', action: 'read', path, mustName } as const;
  return chains.some((chain) => chain.every((target) => coversPath(target, action)));
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

/** How many parts there are up to the last place of secrets on the path; 0 without any. */
function lastSecret(parts: readonly string[]): number {
  let count = parts.length;
  while (count > 0 && !endsAtSecret(parts.slice(0, count))) count--;
  return count;
}

function isBelow(parts: readonly string[], folder: readonly string[]): boolean {
  return folder.length <= parts.length && folder.every((name, index) => name === parts[index]);
}

/** In one folder of a walk. */
interface ReachHere {
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
    chain.every((target) => target.subtree && coversPath(target, actionOn(parts, mustName))),
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
    return subtree && coversPath(target, actionOn(parts, mustName));
  }
  const way = { ...target, segments: segments.slice(0, parts.length) };
  return coversPath({ ...way, subtree: false }, actionOn(parts, mustName));
}

function actionOn(path: readonly string[], mustName: readonly number[]) {
  return { resource: 'file', action: 'read', path, mustName } as const;
}

export type ViewRequest = Pick<
  LookRequest,
  'base' | 'reach' | 'recursive' | 'hidden' | 'filters' | 'passOver'
>;

type NameVerdict = 'fits' | 'other' | 'denied';

interface Rules {
  readonly recursive: boolean;
  readonly hidden: boolean;
  readonly kind: 'file' | 'folder' | 'any';
  readonly glob: Glob | undefined;
  readonly name: NameTest | undefined;
  readonly excluded: readonly NameTest[];
}

interface Standing {
  readonly glob: GlobState;
  readonly reach: ReachHere;
  /** What is passed over below here: a pattern each, and where in it we are. */
  readonly passedOver: readonly { readonly glob: Glob; readonly state: GlobState }[];
}

/** Throws `files.too-complex` and `files.outside-root`. */
export function treeViewOf(request: ViewRequest): TreeView {
  const { filters, hidden, recursive, passOver } = request;
  const base = partsOfPath(request.base.path);
  const excludes = filters.exclude ?? [];
  const glob = filters.glob === undefined ? undefined : compileGlob(deeper(request), { hidden });
  return new TreeView(
    {
      ...{ recursive, hidden, kind: filters.kind, glob },
      name: filters.name === undefined ? undefined : oneOf(filters.name),
      excluded: excludes.filter((each) => !each.includes('/')).map(oneOf),
    },
    {
      glob: glob?.start ?? [],
      reach: reachFrom(request.reach, base),
      passedOver: [
        ...passOver.flatMap((path) => below(partsOfPath(path), base).map(exactPath)),
        ...excludes
          .filter((each) => each.includes('/'))
          .flatMap((each) => excludedPath(each, base)),
      ].map((each) => ({ glob: each, state: each.start })),
    },
  );
}

/** In folders below too: the last name of the pattern may lie in any of them. */
function deeper({ filters: { glob = [] }, recursive }: ViewRequest): readonly string[] {
  if (!recursive || glob.includes('**')) return glob;
  return [...glob.slice(0, -1), '**', ...glob.slice(-1)];
}

/**
 * A pattern of a name, with braces. Capital letters do not count here: who looks for screenshots
 * means `Screenshot 5.png` too, and who leaves them out does as well.
 */
function oneOf(text: string): NameTest {
  const glob = compileGlob([text.toLowerCase()], { hidden: true });
  const isHidden = namePattern(text).isHidden;
  return { isHidden, fits: (name) => glob.fits(glob.start, name.toLowerCase()) };
}

/** From the root, or from the base. */
function excludedPath(text: string, base: readonly string[]): readonly Glob[] {
  const parts = partsOfPath(text);
  const wanted = text.startsWith('/') ? below(parts, base) : [parts];
  return wanted.map((each) => compileGlob(each, { hidden: true }));
}

/** The path from there; none where it does not lie below. */
function below(parts: readonly string[], base: readonly string[]): readonly (readonly string[])[] {
  const isBelow = parts.length > base.length && base.every((name, index) => name === parts[index]);
  return isBelow ? [parts.slice(base.length)] : [];
}

/**
 * What of a tree is looked at, name by name: hidden names, the pattern of the path, what is
 * passed over, and what is in reach. Asked in a walk, for each of very many names.
 *
 * Whether a name is in reach is asked before any pattern: else the number of those that are not
 * would tell which names there are.
 */
export class TreeView {
  readonly #rules: Rules;
  readonly #here: Standing;

  constructor(rules: Rules, here: Standing) {
    this.#rules = rules;
    this.#here = here;
  }

  /** Whether what has that name here is asked for. */
  judge(name: string, kind: FileKind): NameVerdict {
    if (this.#isUnseen(name)) return 'other';
    if (!this.#here.reach.sees(name)) return 'denied';
    return this.#isMeant(name, kind) && !this.#isPassedOver(name) ? 'fits' : 'other';
  }

  /** In the folder of that name; undefined where nothing in it is looked at. */
  into(name: string): TreeView | undefined {
    const { recursive, glob } = this.#rules;
    if (!recursive && glob === undefined) return undefined;
    if (this.#isHiddenFolder(name) || this.#isPassedOver(name)) return undefined;
    const state = glob?.into(this.#here.glob, name) ?? [];
    if (glob !== undefined && state.length === 0) return undefined;
    const reach = this.#here.reach.into(name);
    return (
      reach && new TreeView(this.#rules, { glob: state, reach, passedOver: this.#below(name) })
    );
  }

  // Without a look at the pattern itself.
  #isUnseen(name: string): boolean {
    const { hidden, name: wanted } = this.#rules;
    if (hidden || !name.startsWith('.') || wanted?.isHidden === true) return false;
    return !this.#here.glob.some((step) => step.kind === 'name' && step.test.isHidden);
  }

  #isHiddenFolder(name: string): boolean {
    const { hidden, glob } = this.#rules;
    return !hidden && glob === undefined && name.startsWith('.');
  }

  #isMeant(name: string, kind: FileKind): boolean {
    const { kind: wanted, glob, name: test } = this.#rules;
    if (wanted !== 'any' && (kind === 'folder') !== (wanted === 'folder')) return false;
    if (glob !== undefined && !glob.fits(this.#here.glob, name)) return false;
    return test === undefined || test.fits(name);
  }

  #isPassedOver(name: string): boolean {
    return (
      this.#rules.excluded.some((test) => test.fits(name)) ||
      this.#here.passedOver.some(({ glob, state }) => glob.fits(state, name))
    );
  }

  #below(name: string): Standing['passedOver'] {
    return this.#here.passedOver
      .map(({ glob, state }) => ({ glob, state: glob.into(state, name) }))
      .filter(({ state }) => state.length > 0);
  }
}
