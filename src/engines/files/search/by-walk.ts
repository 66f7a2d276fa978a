/**
 * A search without an index.
 *
 * W1. What was found is a proposal. What is returned was looked at again, through held folders, and
 *     the line that is shown was read there: what was seen through a folder that was swapped for a
 *     symlink is dropped.
 * W2. Sizes and dates are asked for only of what has the name or the text that was asked for,
 *     and where nothing but the order depends on them, only of the best.
 * W3. However many fit, no more than so many are kept; then the answer says so.
 */
import { type Matcher, matcherOf } from '../../../files/search/matcher.ts';
import type {
  LookBase,
  SearchRequest,
  SearchResult,
  SkippedFile,
} from '../../../kernel/files/look.ts';
import { must } from '../../../kernel/must.ts';
import { searchContent } from './content.ts';
import { type HeldTree, openTree, type SearchStop } from './held.ts';
import { bestLine, type FittingLine } from './rg-output.ts';
import { chooseHits, type Proposal } from './verify.ts';
import { type PathFilter, pathFilter, walkFolders } from './walk.ts';

const mostProposals = 20_000;

export interface WalkSearch {
  readonly request: SearchRequest;
  readonly ripgrep: string | undefined;
  readonly stop: SearchStop;
}

export async function searchByWalk({ request, ripgrep, stop }: WalkSearch): Promise<SearchResult> {
  const matcher = matcherOf(request);
  using tree = openTree(request.base);
  const filter = pathFilter(request);
  const found = new Proposals(matcher);
  const skips = new Skips(request.base);
  const onSkipped = (parts: readonly string[], why: SkippedFile['why']) => {
    if (isShown(filter, parts)) skips.add(parts, why);
  };
  if (request.where !== 'name' && request.filters.kind !== 'folder') {
    const onFile = (parts: readonly string[], lines: readonly FittingLine[]) =>
      found.addContent(parts, lines);
    const { glob, name } = request.filters;
    // Wherever a pattern may lead; what is not meant is left out here.
    const recursive = request.recursive || glob !== undefined;
    const hidden = request.hidden || glob !== undefined || name?.startsWith('.') === true;
    const search = { tree, matcher, filter, hidden, recursive, ripgrep, stop, onFile, onSkipped };
    await searchContent(search);
  }
  if (request.where !== 'content') findNames(tree, { filter, matcher, found, onSkipped, stop });
  const isCut = found.isFull || stop.isOver();
  const chosen = chooseHits({ tree, matcher, request, stop }, found.all());
  return { ...chosen, truncated: chosen.truncated || isCut, ...skips.skippedFiles(), by: 'walk' };
}

interface NameSearch {
  readonly filter: PathFilter;
  readonly matcher: Matcher;
  readonly found: Proposals;
  readonly stop: SearchStop;
  readonly onSkipped: (parts: readonly string[], why: SkippedFile['why']) => void;
}

function findNames(tree: HeldTree, search: NameSearch): void {
  const { filter, matcher, found, onSkipped, stop } = search;
  const enters: PathFilter['enters'] = (folders, name) => filter.enters(folders, name);
  for (const { parts, entries } of walkFolders(tree, { enters, onSkipped })) {
    if (stop.isOver()) return;
    for (const { name, kind } of entries) {
      if (matcher.fitsName(name) && filter.shows(parts, name, kind)) found.addName(parts, name);
    }
  }
}

function isShown(filter: PathFilter, parts: readonly string[]): boolean {
  const [folders, name] = [parts.slice(0, -1), parts.at(-1)];
  if (name === undefined) return true;
  return filter.shows(folders, name, 'file') || filter.shows(folders, name, 'folder');
}

/** By path, because a file may be found by its name and by its text. */
class Proposals {
  readonly #matcher: Matcher;
  readonly #byPath = new Map<string, Proposal>();
  /** W3 */
  isFull = false;

  constructor(matcher: Matcher) {
    this.#matcher = matcher;
  }

  addContent(parts: readonly string[], lines: readonly FittingLine[]): void {
    const counts = this.#matcher.countsOf(lines.flatMap(({ found }) => found));
    this.#add(parts.slice(0, -1), must(parts.at(-1), 'the name of a file'), {
      counts,
      line: bestLine(this.#matcher, lines),
    });
  }

  addName(folders: readonly string[], name: string): void {
    this.#add(folders, name, {});
  }

  #add(folders: readonly string[], name: string, more: Pick<Proposal, 'counts' | 'line'>): void {
    const key = folders.length === 0 ? name : `${folders.join('/')}/${name}`;
    if (this.#byPath.has(key)) return;
    if (this.#byPath.size >= mostProposals) this.isFull = true;
    else this.#byPath.set(key, { folders, name, ...more });
  }

  all(): Proposal[] {
    return [...this.#byPath.values()];
  }
}

const mostNamed = 100;

/** What could not be looked into, and is told. */
class Skips {
  readonly #base: string;
  readonly #named: SkippedFile[] = [];
  readonly #seen = new Set<string>();

  constructor(base: LookBase) {
    this.#base = base.path === '/' ? '' : base.path;
  }

  /** Once each, also where it was found by its name and by its text. */
  add(parts: readonly string[], why: SkippedFile['why']): void {
    const path = `${this.#base}/${parts.join('/')}`;
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    if (this.#named.length < mostNamed) this.#named.push({ path, why });
  }

  skippedFiles(): { readonly skipped: readonly SkippedFile[]; readonly skippedTotal: number } {
    return { skipped: this.#named, skippedTotal: this.#seen.size };
  }
}
