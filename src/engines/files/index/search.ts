/**
 * A search by the index. The index proposes, the disk decides: folders that changed are read
 * again before it is asked, and each file that is returned is looked at again.
 */
import { type Matcher, matcherOf } from '../../../files/search/matcher.ts';
import type { Question, QuestionWord } from '../../../files/search/question.ts';
import { isOneTypoAway } from '../../../files/search/word-match.ts';
import { stemOf } from '../../../files/search/words.ts';
import type { SearchRequest, SearchResult } from '../../../kernel/files/look.ts';
import { must } from '../../../kernel/must.ts';
import { scanLines } from '../search/content.ts';
import { type HeldTree, openTree, type SearchStop } from '../search/held.ts';
import { bestLine, wholeText } from '../search/rg-output.ts';
import { chooseHits, type Proposal } from '../search/verify.ts';
import { type PathFilter, pathFilter } from '../search/walk.ts';
import { isChanged, rewriteFile } from './folder.ts';
import { type IndexedFolder, type IndexStore, readName, type StoredName } from './store.ts';
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
  stop: SearchStop,
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
  return {
    folders: must(folders.get(row.dir), 'the folder of an indexed file').parts,
    name,
    row,
    modifiedAt: mtime,
  };
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

// Questions to the full-text table. They are made of quoted words only: what has a meaning in its
// language (`OR`, `NEAR`, `*`, a name of a column) is a word like any other.

interface IndexRow {
  readonly id: number;
  readonly dir: number;
  readonly name: string;
  readonly size: number;
  readonly mtime: number;
}

const mostRows = 5000;
const mostBodies = 20_000;
const mostTypos = 20;

const columns = { name: 'name', content: 'body', both: '{name body}' } as const;

interface FilesWanted {
  readonly where: SearchRequest['where'];
  /** Asked before they are counted: what may not be shown takes no place of what may. */
  readonly isWanted: (row: IndexRow) => boolean;
}

/** Files in which one of the words is; of too many those with the most and the rarest words. */
function filesWith(
  store: IndexStore,
  { words }: Question,
  { where, isWanted }: FilesWanted,
): { readonly rows: readonly IndexRow[]; readonly isCut: boolean } {
  const forms = words.flatMap((word) => formsInIndex(store, word));
  const match = `${columns[where]} : (${forms.join(' OR ')})`;
  const rows = firstOf(rowsInPages(store, match), isWanted);
  // To put them in order takes as long as to find them.
  if (rows.length < mostRows) return { rows, isCut: false };
  return { rows: firstOf(rowsInOrder(store, match), isWanted), isCut: true };
}

function firstOf(
  rows: Iterable<IndexRow>,
  isWanted: (row: IndexRow) => boolean,
): readonly IndexRow[] {
  const wanted: IndexRow[] = [];
  for (const row of rows) {
    if (isWanted(row)) wanted.push(row);
    if (wanted.length === mostRows) break;
  }
  return wanted;
}

type RowValues = [id: number, dir: number, name: StoredName, size: number, mtime: number];

const rowsWith = `
  select file.id, file.dir, file.name, file.size, file.mtime
  from words join file on file.id = words.rowid
  where words match ?`;

function* rowsInPages(store: IndexStore, match: string): Generator<IndexRow> {
  const page = `${rowsWith} and words.rowid > ? order by words.rowid limit ${mostRows}`;
  for (let last = 0; ; ) {
    const rows = store.lists<RowValues>(page, match, last);
    for (const values of rows) yield rowOf(values);
    if (rows.length < mostRows) return;
    last = rows.at(-1)?.[0] ?? last;
  }
}

function* rowsInOrder(store: IndexStore, match: string): Generator<IndexRow> {
  for (const values of store.eachList<RowValues>(`${rowsWith} order by words.rank`, match)) {
    yield rowOf(values);
  }
}

function rowOf([id, dir, name, size, mtime]: RowValues): IndexRow {
  return { id, dir, name: readName(name), size, mtime };
}

/** The ids of files with the word in their text. */
function bodiesWith(store: IndexStore, word: QuestionWord): ReadonlySet<number> {
  const rows = store.all<{ id: number }>(
    `select rowid as id from words where words match ? limit ${mostBodies}`,
    `body : (${formsOf(word, 4).join(' OR ')})`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Where nothing has the word, what is one letter away from it. */
function formsInIndex(store: IndexStore, word: QuestionWord): string[] {
  const forms = formsOf(word);
  const known = store.get('select 1 from words where words match ? limit 1', forms.join(' OR '));
  return known === undefined && word.folded.length >= 5
    ? [...forms, ...typosOf(store, word)]
    : forms;
}

/** What a word begins with, where that says enough: in a text more letters have to. */
function formsOf({ typed, stem }: QuestionWord, shortestBeginning = 3): string[] {
  const forms = new Set([stem, stemOf(typed.toLowerCase())]);
  return [...forms].map((form) => `${quoted(form)}${form.length >= shortestBeginning ? ' *' : ''}`);
}

function quoted(form: string): string {
  return `"${form.replaceAll('"', '""')}"`;
}

// The index has stems: of a word without its last letter or two the stem is one letter away too.
function typosOf(store: IndexStore, { folded }: QuestionWord): string[] {
  const half = Math.floor(folded.length / 2);
  const rows = store.all<{ term: string }>(
    `select term from terms where (term >= ? and term < ?) or term like ?`,
    ...[folded.slice(0, half - 1), `${folded.slice(0, half - 1)}\u{10ffff}`],
    `%${folded.slice(half, -1)}%`,
  );
  const meant = [folded, folded.slice(0, -1), folded.slice(0, -2)];
  return rows
    .map(({ term }) => term)
    .filter((term) => meant.some((form) => isOneTypoAway(form, term)))
    .slice(0, mostTypos)
    .map(quoted);
}
