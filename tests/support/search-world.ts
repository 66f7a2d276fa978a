import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { realClock } from '../../src/engines/clock.ts';
import { openFileLooking } from '../../src/engines/files/looking.ts';
import {
  type FileSearchingOptions,
  openFileSearching,
} from '../../src/engines/files/search/searching.ts';
import type {
  FileLooking,
  FileSearching,
  IndexState,
  LookBase,
  SearchRequest,
  SearchResult,
} from '../../src/kernel/files/look.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface SearchWorld extends AsyncDisposable {
  readonly searching: FileSearching;
  readonly looking: FileLooking;
  readonly base: LookBase;
  /** A path in the tree. */
  at(...names: string[]): string;
  /** A path beside the tree. */
  outside(...names: string[]): string;
  write(path: string, text: string | Uint8Array): void;
  request(wanted: Partial<SearchRequest>): SearchRequest;
  search(wanted: Partial<SearchRequest>): Promise<SearchResult>;
  /** What was found, below the base. */
  paths(wanted: Partial<SearchRequest>): Promise<readonly string[]>;
  index(): Promise<IndexState>;
}

/** What looks at trees, with its threads. */
export interface SearchThreads extends AsyncDisposable {
  readonly looking: FileLooking;
  readonly searching: FileSearching;
}

const never = new AbortController().signal;

/** The real threads that search; what is indexed lies in `indexFolder`. */
export function searchThreads(
  indexFolder: string,
  options: Partial<FileSearchingOptions> = {},
): SearchThreads {
  const looking = openFileLooking({ clock: realClock, zone: 'UTC' });
  const searching = openFileSearching({ looking, clock: realClock, indexFolder, ...options });
  return {
    ...{ looking, searching },
    async [Symbol.asyncDispose]() {
      await searching[Symbol.asyncDispose]();
      await looking[Symbol.asyncDispose]();
    },
  };
}

/** A tree of files, and the threads that search it: its own, unless those of several are said. */
export function searchWorld(
  options: Partial<FileSearchingOptions> = {},
  shared?: SearchThreads,
): SearchWorld {
  const folder = temporaryFolder();
  const path = folder.at('tree');
  mkdirSync(path);
  const descriptor = openSync(path, 'r');
  const base = { held: `/proc/self/fd/${descriptor}`, path };
  const reach = { kind: 'all', aosHome: folder.at('aos'), passOverSecrets: false } as const;
  const threads = shared ?? searchThreads(folder.at('index'), options);
  const { looking, searching } = threads;
  const request = (wanted: Partial<SearchRequest>): SearchRequest => ({
    ...{ base, reach, recursive: true, hidden: false, passOver: [], limit: 100 },
    ...{ filters: { kind: 'any' }, query: '', how: 'words', where: 'both', now: realClock.now() },
    ...wanted,
  });
  const search = (wanted: Partial<SearchRequest>) => searching.search(request(wanted), never);
  return {
    ...{ searching, looking, base, request, search },
    at: (...names) => folder.at('tree', ...names),
    outside: (...names) => folder.at(...names),
    write(name, text) {
      mkdirSync(dirname(folder.at('tree', name)), { recursive: true });
      writeFileSync(folder.at('tree', name), text);
    },
    paths: async (wanted) => {
      const { hits } = await search(wanted);
      return hits.map(({ file }) => file.path.slice(path.length + 1));
    },
    index: () => searching.index({ base, reach, passOver: [] }, never),
    async [Symbol.asyncDispose]() {
      // Nothing of a tree that is gone is left to those who share the threads.
      if (shared === undefined) await threads[Symbol.asyncDispose]();
      else await searching.dropIndex(path);
      closeSync(descriptor);
      await folder[Symbol.asyncDispose]();
    },
  };
}
