/**
 * A search by the index. The index proposes, the disk decides: folders that changed are read
 * again before it is asked, and each file that is returned is looked at again.
 */
import { type Matcher, matcherOf } from '../../../files/search/matcher.ts';
import type { Question } from '../../../files/search/question.ts';
import type { SearchRequest, SearchResult } from '../../../kernel/files/look.ts';
import { bestLine } from '../search/best-line.ts';
import { type PathFilter, pathFilter } from '../search/filter.ts';
import { type HeldTree, openTree } from '../search/held.ts';
import { scanLines } from '../search/scan.ts';
import type { Stop } from '../search/stop.ts';
import { wholeText } from '../search/text.ts';
import { chooseHits, type Proposal } from '../search/verify.ts';
import { isChanged, rewriteFile } from './folder.ts';
import { bodiesWith, filesWith, type IndexRow } from './question.ts';
import type { IndexedFolder, IndexStore } from './store.ts';
import { sweepIndex } from './sweep.ts';

/** So many more than are returned are read. */
const readBeyond = 50;

interface IndexSearch {
  readonly store: IndexStore;
  readonly tree: HeldTree;
  readonly request: SearchRequest;
  readonly matcher: Matcher;
  readonly question: Question;
  readonly filter: PathFilter;
  readonly folders: ReadonlyMap<number, IndexedFolder>;
}

/** `none`: no index knows. */
export function searchIndex(
  store: IndexStore,
  request: SearchRequest,
  stop: Stop,
): SearchResult | 'none' {
  const matcher = matcherOf(request);
  const { question } = matcher;
  if (question === undefined) return 'none';
  using tree = openTree(request.base);
  const withTexts = request.where !== 'name';
  const swept = sweepIndex(store, { base: request.base, tree, stop, withTexts });
  if (swept === undefined) return 'none';
  const { folders, mayMissEdits } = swept;
  const filter = pathFilter(request);
  const search = { store, tree, request, matcher, question, filter, folders };
  const { proposals, isCut } = propose(search);
  const chosen = chooseHits({ tree, matcher, request, stop }, proposals);
  const truncated = chosen.truncated || isCut;
  return { ...chosen, truncated, skipped: [], skippedTotal: 0, by: 'index', mayMissEdits };
}

function propose(search: IndexSearch): { proposals: readonly Proposal[]; isCut: boolean } {
  const { store, request, question } = search;
  const { where, filters } = request;
  const folders = where === 'content' || filters.kind === 'file' ? [] : folderProposals(search);
  if (filters.kind === 'folder') return { proposals: folders, isCut: false };
  const { rows, isCut } = filesWith(store, question, { where, isWanted: isShownIn(search) });
  const files = rows.map((row) => proposalOf(search, row));
  const read = where === 'name' ? files : withTexts(search, files);
  return { proposals: [...read, ...folders], isCut };
}

function folderProposals({ folders, matcher, filter }: IndexSearch): Proposal[] {
  return [...folders.values()].flatMap(({ parts }) => {
    const [above, name] = [parts.slice(0, -1), parts.at(-1)];
    if (name === undefined || !matcher.fitsName(name)) return [];
    return filter.shows(above, name, 'folder') ? { folders: above, name } : [];
  });
}

interface IndexedProposal extends Proposal {
  readonly row: IndexRow;
}

/** Whether it lies below the base, and may be shown. */
function isShownIn({ folders, filter }: IndexSearch): (row: IndexRow) => boolean {
  return ({ dir, name }) => {
    const above = folders.get(dir)?.parts;
    return above !== undefined && filter.shows(above, name, 'file');
  };
}

function proposalOf({ folders }: IndexSearch, row: IndexRow): IndexedProposal {
  const { name, mtime } = row;
  return { folders: folders.get(row.dir)?.parts ?? [], name, row, modifiedAt: mtime };
}

/** The likeliest are read, as they are now. */
function withTexts(search: IndexSearch, files: readonly IndexedProposal[]): readonly Proposal[] {
  const { store, question, matcher, request } = search;
  const bodies = question.words.map((word) => bodiesWith(store, word));
  const counted = files.map((file) => ({
    ...file,
    counts: bodies.map((ids) => (ids.has(file.row.id) ? 1 : 0)),
  }));
  const likely = matcher.rank(counted, request).slice(0, request.limit + readBeyond);
  const read = new Map(
    likely
      .filter(({ candidate }) => candidate.counts.includes(1))
      .map(({ candidate }) => [candidate.row.id, withText(search, candidate)]),
  );
  return counted
    .map((file) => read.get(file.row.id) ?? file)
    .filter((file) => isMeant(search, file));
}

/** By its text as it is now, or by its name where that is asked for too. */
function isMeant({ matcher, request }: IndexSearch, { name, counts = [] }: Proposal): boolean {
  if (counts.some((count) => count > 0)) return true;
  return request.where === 'both' && matcher.fitsName(name);
}

function withText(search: IndexSearch, file: IndexedProposal): Proposal {
  const { store, tree, matcher } = search;
  const parts = [...file.folders, file.name];
  try {
    return tree.read(parts, (descriptor, stats) => {
      if (isChanged(file.row, stats)) {
        store.transact(() => rewriteFile(store, tree, parts, file.row, stats));
      }
      const text = wholeText(descriptor, stats.size);
      const lines = text === undefined ? [] : scanLines(text, matcher.script());
      const counts = matcher.countsOf(lines.flatMap(({ found }) => found));
      return { ...file, counts, line: bestLine(matcher, lines) };
    });
  } catch {
    // It is gone, or closed to us: its text says nothing.
    return { ...file, counts: undefined };
  }
}
