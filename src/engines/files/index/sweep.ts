/** What an index has below a base, after it was compared with the disk. */

import { lstatSync } from 'node:fs';
import { partsOfPath } from '../../../kernel/capability/action-text.ts';
import { isIn } from '../../../kernel/files/file-path.ts';
import type { LookBase } from '../../../kernel/files/look.ts';
import { realClock } from '../../clock.ts';
import { bytesOf } from '../../disk/owners.ts';
import type { HeldTree, SearchStop } from '../search/held.ts';
import { hasText, isChanged, rewriteFile } from './folder.ts';
import {
  type IndexedFolder,
  type IndexSettings,
  type IndexStore,
  keptIn,
  readName,
  type StoredName,
  storedName,
} from './store.ts';
import { foldersBelow, type IndexWriting, sweep } from './tree.ts';

/** How old the time of the last sweep may be in the index: it is written for people. */
const sweptMs = 60_000;

interface Root {
  readonly id: number;
  readonly path: StoredName;
  readonly top: number;
  readonly settings: string;
  readonly swept_at: number;
}

export interface Sweeping {
  readonly base: LookBase;
  readonly tree: HeldTree;
  readonly stop: SearchStop;
  /** Whether texts are compared too. */
  readonly withTexts: boolean;
}

export interface Swept {
  /** By id. */
  readonly folders: ReadonlyMap<number, IndexedFolder>;
  /** There were too many texts to see whether each is as it was. */
  readonly mayMissEdits: boolean;
}

/** Nothing where no index covers the base. */
export function sweepIndex(
  store: IndexStore,
  { base, tree, stop, withTexts }: Sweeping,
): Swept | undefined {
  const root = rootAbove(store, base.path);
  const top = root === undefined ? undefined : folderIn(store, root, base.path);
  if (root === undefined || top === undefined) return undefined;
  // Written by us, when it was built.
  const settings = JSON.parse(root.settings) as IndexSettings;
  const writing = { base: base.path, store, tree, isKept: keptIn(base.path, settings), stop };
  const hasChanged = sweep(writing, foldersFrom(store, top).values());
  noteSweep(store, root, hasChanged);
  const mayMissEdits = withTexts && !refreshTexts(writing, foldersFrom(store, top));
  return { folders: foldersFrom(store, top), mayMissEdits };
}

/** The nearest one. */
function rootAbove(store: IndexStore, base: string): Root | undefined {
  const roots = store.all<Root>('select id, path, top, settings, swept_at from root');
  const above = roots.filter(({ path }) => isIn(base, readName(path)));
  return above.sort((one, other) => other.path.length - one.path.length)[0];
}

function folderIn(store: IndexStore, { path, top }: Root, base: string): number | undefined {
  let id: number | undefined = top;
  for (const name of partsOfPath(base.slice(readName(path).length))) {
    if (id === undefined) return undefined;
    id = store.get<{ id: number }>(
      'select id from dir where parent = ? and name = ?',
      id,
      storedName(name),
    )?.id;
  }
  return id;
}

function foldersFrom(store: IndexStore, top: number): ReadonlyMap<number, IndexedFolder> {
  if (store.kept?.top !== top) store.kept = { top, folders: foldersBelow(store, top) };
  return store.kept.folders;
}

function noteSweep(store: IndexStore, { id, swept_at }: Root, hasChanged: boolean): void {
  const now = realClock.now();
  if (!hasChanged && now - swept_at < sweptMs) return;
  store.run('update root set swept_at = ? where id = ?', now, id);
}

// Texts that were edited in place: the time of their folder does not tell, only their own does.
// So each text is compared with the disk before words are looked for in it, by its name, as folders
// are; of very many that would take longer than to read the likely ones.

/** More than these are not compared: some tenths of a second. */
const mostCompared = 50_000;

type FileValues = [id: number, dir: number, name: StoredName, size: number, mtime: number];

/** Whether all are as they are on the disk; false where there are too many. */
function refreshTexts(writing: IndexWriting, folders: ReadonlyMap<number, IndexedFolder>): boolean {
  const texts = textsIn(writing, folders);
  if (texts === undefined) return false;
  const edited = texts.filter((text) => isEdited(writing.base, text));
  if (edited.length > 0) {
    writing.store.transact(() => {
      for (const text of edited) readAgain(writing, text);
    });
  }
  return true;
}

interface IndexedText {
  readonly id: number;
  readonly folder: IndexedFolder;
  readonly name: string;
  readonly size: number;
  readonly mtime: number;
}

/** Undefined where there are too many. */
function textsIn(
  { store }: IndexWriting,
  folders: ReadonlyMap<number, IndexedFolder>,
): readonly IndexedText[] | undefined {
  const texts: IndexedText[] = [];
  for (const folder of folders.values()) {
    const rows = store.lists<FileValues>(
      'select id, dir, name, size, mtime from file where dir = ?',
      folder.id,
    );
    for (const [id, , stored, size, mtime] of rows) {
      const name = readName(stored);
      if (hasText(name)) texts.push({ id, folder, name, size, mtime });
    }
    if (texts.length > mostCompared) return undefined;
  }
  return texts;
}

function isEdited(base: string, { folder, name, size, mtime }: IndexedText): boolean {
  const path = folder.path === '' ? `${base}/${name}` : `${base}/${folder.path}/${name}`;
  try {
    const stats = lstatSync(bytesOf(path), { throwIfNoEntry: false });
    // What is gone is found out when it is looked at. A number has room for a quarter of a
    // microsecond.
    return stats !== undefined && (stats.size !== size || Math.abs(stats.mtimeMs - mtime) > 0.001);
  } catch {
    return false;
  }
}

function readAgain({ store, tree }: IndexWriting, { folder, name, ...file }: IndexedText): void {
  const parts = [...folder.parts, name];
  const stats = tree.stat(parts);
  if (stats !== undefined && isChanged(file, stats)) rewriteFile(store, tree, parts, file, stats);
}
