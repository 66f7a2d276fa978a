/** The search index of memories with its thread, in a folder of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { realClock } from '../../src/engines/clock.ts';
import { type MemoryIndexOptions, openMemoryIndex } from '../../src/engines/memory/memory-index.ts';
import type { IndexQuery, MemoryIndex } from '../../src/kernel/memory/index-port.ts';
import { indexQuery, memoryOf, type ToldMemory } from './memory-shelf.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export interface MemoryIndexWorld extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly file: string;
  readonly index: MemoryIndex;
  /** Returns their ids, which rise. */
  remember(...memories: readonly (string | ToldMemory)[]): Promise<readonly number[]>;
  remove(...ids: readonly number[]): Promise<void>;
  /** The ids that were found, the best first. */
  found(query: string | Partial<IndexQuery>): Promise<readonly number[]>;
  /** Every byte of its files. */
  raw(): Buffer;
}

const never = new AbortController().signal;

export function memoryIndexWorld(options: Partial<MemoryIndexOptions> = {}): MemoryIndexWorld {
  const folder = temporaryFolder();
  const file = folder.at('index', 'search.db');
  const index = openMemoryIndex({ file, clock: realClock, ...options });
  let [lastId, seq] = [0, 0];
  return {
    ...{ folder, file, index },
    async remember(...memories) {
      const told = memories.map((each) => (typeof each === 'string' ? { text: each } : each));
      const changes = told.map((each) => ({ id: ++lastId, memory: memoryOf(lastId, each) }));
      await index.apply(changes, { seq: ++seq, event: 0, eventHash: '' });
      return changes.map(({ id }) => id);
    },
    remove: (...ids) =>
      index.apply(
        ids.map((id) => ({ id, memory: undefined })),
        { seq: ++seq, event: 0, eventHash: '' },
      ),
    async found(query) {
      const wanted = indexQuery(typeof query === 'string' ? { query } : query);
      return (await index.search(wanted, never)).hits.map(({ id }) => id);
    },
    raw: () =>
      Buffer.concat(
        readdirSync(folder.at('index')).map((name) => readFileSync(folder.at('index', name))),
      ),
    async [Symbol.asyncDispose]() {
      await index[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
