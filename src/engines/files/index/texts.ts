/**
 * Texts that were edited in place: the time of their folder does not tell, only their own does.
 * So each text is compared with the disk before words are looked for in it, by its name, as folders
 * are; of very many that would take longer than to read the likely ones.
 */
import { lstatSync } from 'node:fs';
import { bytesOf } from '../../disk/name-bytes.ts';
import { hasText, isChanged, rewriteFile } from './folder.ts';
import { type IndexedFolder, readName, type StoredName } from './store.ts';
import type { IndexWriting } from './tree.ts';

/** More than these are not compared: some tenths of a second. */
const mostCompared = 50_000;

type FileValues = [id: number, dir: number, name: StoredName, size: number, mtime: number];

/** Whether all are as they are on the disk; false where there are too many. */
export function refreshTexts(
  writing: IndexWriting,
  folders: ReadonlyMap<number, IndexedFolder>,
): boolean {
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
