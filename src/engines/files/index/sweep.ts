/** What an index has below a base, after it was compared with the disk. */
import { partsOfPath } from '../../../kernel/capability/deed-text.ts';
import type { LookBase } from '../../../kernel/files/look.ts';
import { realClock } from '../../clock.ts';
import type { HeldTree } from '../search/held.ts';
import type { Stop } from '../search/stop.ts';
import { type IndexSettings, keptIn } from './secrets.ts';
import {
  type IndexedFolder,
  type IndexStore,
  readName,
  type StoredName,
  storedName,
} from './store.ts';
import { refreshTexts } from './texts.ts';
import { foldersBelow, sweep } from './tree.ts';

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
  readonly stop: Stop;
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

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
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
