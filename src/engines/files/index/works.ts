/** What is done with the index, in its thread. */
import { statSync } from 'node:fs';
import { AosError } from '../../../kernel/errors.ts';
import type {
  IndexState,
  LookRequest,
  SearchRequest,
  SearchResult,
} from '../../../kernel/files/look.ts';
import { must } from '../../../kernel/must.ts';
import { quote } from '../../../kernel/text/quote.ts';
import { realClock } from '../../clock.ts';
import { isDamage } from '../../index-file.ts';
import { openTree, type SearchStop } from '../search/held.ts';
import { searchIndex } from './search.ts';
import {
  IndexStore,
  isSecretBase,
  keptIn,
  readName,
  type StoredName,
  storedName,
} from './store.ts';
import { foldersBelow, IndexStopped, removeFolders, writeFolders } from './tree.ts';

export type IndexWork = { readonly file: string } & (
  | { readonly kind: 'build'; readonly request: IndexRequest }
  | { readonly kind: 'drop'; readonly path: string }
  | { readonly kind: 'list' }
  | { readonly kind: 'search'; readonly request: SearchRequest }
);

export type IndexRequest = Pick<LookRequest, 'base' | 'reach' | 'passOver'>;

/** `none`: no index can answer it. */
export type IndexAnswer = SearchResult | 'none' | readonly IndexState[] | IndexState | boolean;

let open: { readonly file: string; readonly store: IndexStore } | undefined;

/** A damaged file is dropped: the question is asked once more, of an empty one. */
export function indexWorks(work: IndexWork, stop: SearchStop): IndexAnswer {
  try {
    return perform(storeOf(work.file), work, stop);
  } catch (failure) {
    if (!isDamage(failure)) throw failure;
    open?.store[Symbol.dispose]();
    open = undefined;
    IndexStore.drop(work.file);
    return perform(storeOf(work.file), work, stop);
  }
}

function storeOf(file: string): IndexStore {
  // The file may have been taken away, and what is still open has no name any more.
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  if (open?.file === file && isThere) return open.store;
  open?.store[Symbol.dispose]();
  open = { file, store: IndexStore.open(file) };
  return open.store;
}

function perform(store: IndexStore, work: IndexWork, stop: SearchStop): IndexAnswer {
  if (work.kind === 'build') return build(store, work.request, stop);
  if (work.kind === 'drop') return drop(store, work.path);
  if (work.kind === 'list') return rootsOf(store).map((root) => stateOf(store, root));
  return searchIndex(store, work.request, stop);
}

function build(store: IndexStore, request: IndexRequest, stop: SearchStop): IndexState {
  const { base, reach, passOver } = request;
  const settings = { aosHome: reach.aosHome, passOver };
  if (isSecretBase(base.path, settings)) throw secretBase(base.path);
  using tree = openTree(base);
  const writing = { base: base.path, store, tree, isKept: keptIn(base.path, settings), stop };
  try {
    return store.transact(() => {
      drop(store, base.path);
      const top = writeFolders(writing, [], null) ?? 0;
      store.run(
        'insert into root (path, built_at, swept_at, top, settings) values (?, ?, ?, ?, ?)',
        ...[storedName(base.path), realClock.now(), realClock.now(), top, JSON.stringify(settings)],
      );
      return stateOf(store, rootAt(store, base.path));
    });
  } catch (failure) {
    if (failure instanceof IndexStopped) throw tooSlow(base.path);
    throw failure;
  }
}

function secretBase(path: string): AosError {
  return new AosError('files.secret', {
    message: `${quote(path)} is where secrets are kept, and those are in no index`,
    fix: 'Index a folder of ordinary files',
  });
}

function tooSlow(path: string): AosError {
  return new AosError('files.timeout', {
    message: `It takes too long to index ${quote(path)}; the index is as it was before`,
    fix: 'Index a folder with fewer files',
  });
}

function drop(store: IndexStore, path: string): boolean {
  const root = rootAt(store, path);
  if (root === undefined) return false;
  removeFolders(store, root.top);
  store.run('delete from root where id = ?', root.id);
  return true;
}

interface RootRow {
  readonly id: number;
  readonly path: StoredName;
  readonly built_at: number;
  readonly swept_at: number;
  readonly top: number;
}

function rootsOf(store: IndexStore): RootRow[] {
  return store.all<RootRow>('select id, path, built_at, swept_at, top from root order by path');
}

function rootAt(store: IndexStore, path: string): RootRow | undefined {
  return rootsOf(store).find((root) => readName(root.path) === path);
}

function stateOf(store: IndexStore, root: RootRow | undefined): IndexState {
  if (root === undefined) throw new Error('an index that was just built is not there');
  const folders = foldersBelow(store, root.top);
  let [files, bytes] = [0, 0];
  for (const id of folders.keys()) {
    const row = store.get<{ files: number; bytes: number }>(
      'select count(*) as files, coalesce(sum(size), 0) as bytes from file where dir = ?',
      id,
    );
    const { files: count, bytes: size } = must(row, 'the count of files');
    files += count;
    bytes += size;
  }
  return {
    path: readName(root.path),
    files,
    folders: folders.size,
    bytes,
    builtAt: root.built_at,
    sweptAt: root.swept_at,
  };
}
