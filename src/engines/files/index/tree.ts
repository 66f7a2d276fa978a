/** Folders of the index: written with all that is below them, and compared with the disk. */
import { lstatSync } from 'node:fs';
import { bytesOf } from '../../disk/owners.ts';
import type { HeldTree, SearchStop } from '../search/held.ts';
import { lookInto, type SearchedFolder, walkFolders } from '../search/walk.ts';
import { folderMtime, removeFile, writeFiles } from './folder.ts';
import {
  type IndexedFolder,
  type IndexStore,
  readName,
  type StoredName,
  storedName,
} from './store.ts';

export interface IndexWriting {
  /** The real path of the base. */
  readonly base: string;
  readonly store: IndexStore;
  readonly tree: HeldTree;
  /** Whether what has that name, in a folder below the base, is to be in the index. */
  readonly isKept: (folders: readonly string[], name: string) => boolean;
  readonly stop: SearchStop;
}

/** The id of the folder. Throws `IndexStopped` where the caller no longer waits for it. */
export function writeFolders(
  writing: IndexWriting,
  from: readonly string[],
  parent: number | null,
): number | undefined {
  const { store, isKept, stop } = writing;
  const ids = new Map<string, number>();
  // What cannot be read is not in the index, and a search says that it is skipped.
  for (const walked of walkFolders(writing.tree, { from, enters: isKept, onSkipped: () => {} })) {
    if (stop.isOver()) throw new IndexStopped();
    const above = ids.get(keyOf(walked.parts.slice(0, -1))) ?? parent;
    const id = store.run(
      'insert into dir (parent, name, mtime) values (?, ?, ?)',
      ...[above, storedName(walked.parts.at(-1) ?? ''), folderMtime(walked.folder.stats)],
    );
    ids.set(keyOf(walked.parts), id);
    writeFiles(store, writing.tree, { dir: id, walked: kept(writing, walked) });
  }
  return ids.get(keyOf(from));
}

export class IndexStopped extends Error {
  override readonly message = 'it was stopped';
}

/** All folders from this one on, by id, each after the one that it is in. */
export function foldersBelow(store: IndexStore, top: number): Map<number, IndexedFolder> {
  const rows = store.all<FolderRow>(below('select id, parent, name, mtime from folders'), top);
  const byId = new Map<number, IndexedFolder>();
  for (const { id, parent, name, mtime } of rows) {
    const above = id === top ? undefined : byId.get(parent ?? 0)?.parts;
    const parts = id === top ? [] : [...(above ?? []), readName(name)];
    byId.set(id, { id, parts, path: parts.join('/'), mtime });
  }
  return byId;
}

interface FolderRow {
  readonly id: number;
  readonly parent: number | null;
  readonly name: StoredName;
  readonly mtime: number;
}

function below(select: string): string {
  return `
    with recursive folders (id, parent, name, mtime) as (
      select id, parent, name, mtime from dir where id = ?
      union all
      select dir.id, dir.parent, dir.name, dir.mtime from dir join folders on dir.parent = folders.id)
    ${select}`;
}

export function removeFolders(store: IndexStore, top: number): void {
  for (const id of foldersBelow(store, top).keys()) {
    const files = store.all<{ id: number }>('select id from file where dir = ?', id);
    for (const file of files) removeFile(store, file.id);
    store.run('delete from dir where id = ?', id);
  }
}

/** Whether anything had changed. */
export function sweep(writing: IndexWriting, folders: Iterable<IndexedFolder>): boolean {
  const changed = [...folders].filter((folder) => isChanged(writing.base, folder));
  if (changed.length === 0) return false;
  writing.store.transact(() => {
    const gone = new Set<string>();
    for (const folder of changed) refresh(writing, folder, gone);
  });
  return true;
}

const quietly = { throwIfNoEntry: false } as const;

// By its name, which costs half as much as a path through a descriptor. It may lead elsewhere by
// now: then nothing but a time is learnt, and what is read is read through held folders.
function isChanged(base: string, { path, mtime }: IndexedFolder): boolean {
  try {
    const stats = lstatSync(bytesOf(path === '' ? base : `${base}/${path}`), quietly);
    // A number has room for a quarter of a microsecond.
    return !stats?.isDirectory() || Math.abs(stats.mtimeMs - mtime) > 0.001;
  } catch {
    return true;
  }
}

function refresh(writing: IndexWriting, { id, parts }: IndexedFolder, gone: Set<string>): void {
  if (parts.some((_, index) => gone.has(keyOf(parts.slice(0, index + 1))))) return;
  const walked = lookInto(writing.tree, parts, { onSkipped: () => {} });
  if (walked === undefined) {
    gone.add(keyOf(parts));
    removeFolders(writing.store, id);
    return;
  }
  const { store } = writing;
  const here = kept(writing, walked);
  writeFiles(store, writing.tree, { dir: id, walked: here });
  refreshFolders(writing, id, here, gone);
  store.run('update dir set mtime = ? where id = ?', folderMtime(walked.folder.stats), id);
}

function refreshFolders(
  writing: IndexWriting,
  dir: number,
  { parts, entries }: SearchedFolder,
  gone: Set<string>,
): void {
  const { store } = writing;
  const rows = store.all<FolderRow>(
    'select id, parent, name, mtime from dir where parent = ?',
    dir,
  );
  const known = new Map(rows.map(({ id, name }) => [readName(name), id]));
  for (const { name, kind } of entries) {
    if (kind === 'folder' && !known.delete(name)) writeFolders(writing, [...parts, name], dir);
  }
  for (const [name, id] of known) {
    gone.add(keyOf([...parts, name]));
    removeFolders(store, id);
  }
}

function kept({ isKept }: IndexWriting, walked: SearchedFolder): SearchedFolder {
  return { ...walked, entries: walked.entries.filter(({ name }) => isKept(walked.parts, name)) };
}

function keyOf(parts: readonly string[]): string {
  return parts.join('/');
}
