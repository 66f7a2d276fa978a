/**
 * One folder of the index: what is in it now takes the place of what was.
 *
 * F1. What is kept secret is in no index, neither by its name nor by its text (store.ts).
 * F2. A folder that was changed a moment ago may be changed again within the same tick of its
 *     clock: it counts as not yet looked at.
 */
import type { BigIntStats } from 'node:fs';
import { wordsOf } from '../../../files/search/words.ts';
import { must } from '../../../kernel/must.ts';
import { realClock } from '../../clock.ts';
import type { HeldTree } from '../search/held.ts';
import { wholeText } from '../search/rg-output.ts';
import type { SearchedFolder } from '../search/walk.ts';
import { type IndexStore, readName, type StoredName, storedName } from './store.ts';

/** Larger texts are found by their names only. */
const mostTextBytes = 256 * 1024;
const tickMs = 50;

// Their text is for no reader, and a tenth of them would fill the index.
const noText =
  /\.(?:jpe?g|png|gif|webp|heic|tiff?|bmp|ico|mp[34]|m4[av]|mov|mkv|avi|webm|flac|wav|ogg|opus|zip|t?gz|bz2|xz|zst|7z|rar|jar|exe|dll|so|o|a|bin|iso|img|pdf|docx?|xlsx?|pptx?|od[tsp]|sqlite|db|woff2?|ttf|otf|class|pyc|wasm)$/i;

export interface IndexedFile {
  readonly id: number;
  readonly name: StoredName;
  readonly size: number;
  readonly mtime: number;
}

/** Writes the files of a folder; of those that are there already only what changed. */
export function writeFiles(
  store: IndexStore,
  tree: HeldTree,
  { dir, walked }: { readonly dir: number; readonly walked: SearchedFolder },
): void {
  const before = store.all<IndexedFile>(
    'select id, name, size, mtime from file where dir = ?',
    dir,
  );
  const known = new Map(before.map((file) => [readName(file.name), file]));
  for (const { name, kind } of walked.entries) {
    if (kind === 'folder') continue;
    const stats = tree.stat([...walked.parts, name]);
    if (stats === undefined || stats.isDirectory()) continue;
    const file = known.get(name);
    known.delete(name);
    if (file === undefined) addFile(store, tree, { dir, parts: [...walked.parts, name], stats });
    else if (isChanged(file, stats)) rewriteFile(store, tree, [...walked.parts, name], file, stats);
  }
  for (const { id } of known.values()) removeFile(store, id);
}

export function isChanged(file: Pick<IndexedFile, 'size' | 'mtime'>, stats: BigIntStats): boolean {
  return file.size !== Number(stats.size) || file.mtime !== mtimeOf(stats);
}

interface NewFile {
  readonly dir: number;
  readonly parts: readonly string[];
  readonly stats: BigIntStats;
}

function addFile(store: IndexStore, tree: HeldTree, { dir, parts, stats }: NewFile): void {
  const name = must(parts.at(-1), 'the name of a file');
  const id = store.run(
    'insert into file (dir, name, size, mtime) values (?, ?, ?, ?)',
    ...[dir, storedName(name), Number(stats.size), mtimeOf(stats)],
  );
  writeWords(store, tree, parts, { id, stats });
}

export function rewriteFile(
  store: IndexStore,
  tree: HeldTree,
  parts: readonly string[],
  { id }: Pick<IndexedFile, 'id'>,
  stats: BigIntStats,
): void {
  store.run(
    'update file set size = ?, mtime = ? where id = ?',
    ...[Number(stats.size), mtimeOf(stats), id],
  );
  store.run('delete from words where rowid = ?', id);
  writeWords(store, tree, parts, { id, stats });
}

export function removeFile(store: IndexStore, id: number): void {
  store.run('delete from words where rowid = ?', id);
  store.run('delete from file where id = ?', id);
}

/** Whether its words are in the index too, as far as its name tells. */
export function hasText(name: string): boolean {
  return !noText.test(name);
}

function writeWords(
  store: IndexStore,
  tree: HeldTree,
  parts: readonly string[],
  { id, stats }: { readonly id: number; readonly stats: BigIntStats },
): void {
  const name = must(parts.at(-1), 'the name of a file');
  const body = stats.isFile() && stats.size > 0n && hasText(name) ? textOf(tree, parts) : '';
  const words = wordsOf(name).join(' ');
  store.run('insert into words (rowid, name, body) values (?, ?, ?)', id, words, body);
}

function textOf(tree: HeldTree, parts: readonly string[]): string {
  try {
    return tree.read(parts, (file, { size }) =>
      size > BigInt(mostTextBytes) ? '' : (wholeText(file, size)?.toString() ?? ''),
    );
  } catch {
    // Gone, or not for us to read: it has a name all the same.
    return '';
  }
}

/** F2: milliseconds, as other calls of the system tell them too. */
export function folderMtime(stats: BigIntStats): number {
  const mtime = mtimeOf(stats);
  return mtime > realClock.now() - tickMs ? -1 : mtime;
}

function mtimeOf(stats: BigIntStats): number {
  return Number(stats.mtimeNs) / 1e6;
}
