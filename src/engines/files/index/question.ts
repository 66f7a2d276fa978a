/**
 * Questions to the full-text table. They are made of quoted words only: what has a meaning in its
 * language (`OR`, `NEAR`, `*`, a name of a column) is a word like any other.
 */
import type { Question, QuestionWord } from '../../../files/search/question.ts';
import { isOneTypoAway } from '../../../files/search/word-match.ts';
import { stemOf } from '../../../files/search/words.ts';
import type { SearchRequest } from '../../../kernel/files/look.ts';
import { type IndexStore, readName, type StoredName } from './store.ts';

export interface IndexRow {
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

export interface FilesWanted {
  readonly where: SearchRequest['where'];
  /** Asked before they are counted: what may not be shown takes no place of what may. */
  readonly isWanted: (row: IndexRow) => boolean;
}

/** Files in which one of the words is; of too many those with the most and the rarest words. */
export function filesWith(
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
export function bodiesWith(store: IndexStore, word: QuestionWord): ReadonlySet<number> {
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
