/** The search index of memories without its thread: what it does with what it is told. */
import { Grounds } from '../../src/engines/memory/memory-grounds.ts';
import { searchMemories } from '../../src/engines/memory/memory-search.ts';
import { MemoryStore } from '../../src/engines/memory/memory-store.ts';
import { writeChanges } from '../../src/engines/memory/memory-writing.ts';
import type {
  IndexChange,
  IndexedMemory,
  IndexFound,
  IndexHit,
  IndexQuery,
  MemoryReach,
} from '../../src/kernel/memory/index-port.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export type ToldMemory = Partial<IndexedMemory> & { readonly text: string };

export interface MemoryShelf extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly store: MemoryStore;
  readonly grounds: Grounds;
  /** Returns their ids, which rise. */
  remember(...memories: readonly (string | ToldMemory)[]): readonly number[];
  apply(changes: readonly IndexChange[]): void;
  remove(...ids: readonly number[]): void;
  search(query: string | Partial<IndexQuery>): readonly IndexHit[];
  /** The same, and whether there is more. */
  look(query: Partial<IndexQuery>): IndexFound;
  /** The texts that were found, the best first. */
  texts(query: string | Partial<IndexQuery>): readonly string[];
}

export const jean: MemoryReach = { owner: 'agent:jean', scope: 'long-term', chains: 'all' };
/** 2026-11-16. */
export const today = Date.UTC(2026, 10, 16);
export const dayMs = 86_400_000;

/** Jean's, of today, in no thread, unless they say something else. */
export function memoryOf(id: number, told: ToldMemory): IndexedMemory {
  return {
    ...{ id, owner: jean.owner, scope: jean.scope, key: `notes/${id}`, tags: [] },
    ...{ thread: undefined, validFrom: today },
    ...told,
  };
}

export function indexQuery(wanted: Partial<IndexQuery>): IndexQuery {
  return {
    ...{ query: '', within: [jean], tags: [], now: today, limit: 10, by: 'memory' },
    ...wanted,
  };
}

export function memoryShelf(): MemoryShelf {
  const folder = temporaryFolder();
  const store = MemoryStore.open(folder.at('search.db'));
  const grounds = new Grounds(store);
  const texts = new Map<number, string>();
  let lastId = 0;
  const apply = (changes: readonly IndexChange[]) => {
    for (const { id, memory } of changes) if (memory !== undefined) texts.set(id, memory.text);
    grounds.follow(writeChanges(store, changes, { seq: lastId, event: 0, eventHash: '' }));
  };
  const look = (query: Partial<IndexQuery>) => searchMemories(store, grounds, indexQuery(query));
  const search = (query: string | Partial<IndexQuery>) =>
    look(typeof query === 'string' ? { query } : query).hits;
  return {
    ...{ folder, store, grounds, apply, search, look },
    remember(...memories) {
      const told = memories.map((each) => (typeof each === 'string' ? { text: each } : each));
      const changes = told.map((each) => ({ id: ++lastId, memory: memoryOf(lastId, each) }));
      apply(changes);
      return changes.map(({ id }) => id);
    },
    remove: (...ids) => apply(ids.map((id) => ({ id, memory: undefined }))),
    texts: (query) => search(query).map(({ id }) => texts.get(id) ?? ''),
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
