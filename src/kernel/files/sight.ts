/**
 * What of a tree is looked at, name by name: hidden names, the pattern of the path, what is
 * passed over, and what is in reach. Asked in a walk, for each of very many names.
 *
 * Whether a name is in reach is asked before any pattern: else the number of those that are not
 * would tell which names there are.
 */
import { partsOfPath } from '../capability/file-deed.ts';
import { compileGlob, exactPath, type Glob, type GlobState } from './glob.ts';
import { type NameTest, namePattern } from './glob-name.ts';
import type { FileKind, LookRequest } from './look.ts';
import { type ReachHere, reachFrom } from './reach.ts';

export type SightRequest = Pick<
  LookRequest,
  'base' | 'reach' | 'recursive' | 'hidden' | 'filters' | 'passOver'
>;

export type Verdict = 'fits' | 'other' | 'denied';

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
export function sightOf(request: SightRequest): Sight {
  const { filters, hidden, recursive, passOver } = request;
  const base = partsOfPath(request.base.path);
  const excludes = filters.exclude ?? [];
  const glob = filters.glob === undefined ? undefined : compileGlob(deeper(request), { hidden });
  return new Sight(
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
function deeper({ filters: { glob = [] }, recursive }: SightRequest): readonly string[] {
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

export class Sight {
  readonly #rules: Rules;
  readonly #here: Standing;

  constructor(rules: Rules, here: Standing) {
    this.#rules = rules;
    this.#here = here;
  }

  /** Whether what has that name here is asked for. */
  judge(name: string, kind: FileKind): Verdict {
    if (this.#isUnseen(name)) return 'other';
    if (!this.#here.reach.sees(name)) return 'denied';
    return this.#isMeant(name, kind) && !this.#isPassedOver(name) ? 'fits' : 'other';
  }

  /** In the folder of that name; undefined where nothing in it is looked at. */
  into(name: string): Sight | undefined {
    const { recursive, glob } = this.#rules;
    if (!recursive && glob === undefined) return undefined;
    if (this.#isHiddenFolder(name) || this.#isPassedOver(name)) return undefined;
    const state = glob?.into(this.#here.glob, name) ?? [];
    if (glob !== undefined && state.length === 0) return undefined;
    const reach = this.#here.reach.into(name);
    return reach && new Sight(this.#rules, { glob: state, reach, passedOver: this.#below(name) });
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
