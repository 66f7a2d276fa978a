/**
 * Threads that look at files and search them, of which all tests of a file or of a describe use the
 * same: to start them takes longer than what most of these tests do with them. Each test still has
 * a tree of its own.
 */
import { afterAll, beforeAll } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { openFileLooking } from '../../src/engines/files/looking.ts';
import type { FileSearchingOptions } from '../../src/engines/files/search/searching.ts';
import type { FileLooking } from '../../src/kernel/files/look.ts';
import { type LookingPlace, lookingPlace } from './looking-place.ts';
import {
  type SearchThreads,
  type SearchWorld,
  searchThreads,
  searchWorld,
} from './search-world.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/** Longer than any test: a thread that ended meanwhile would be taken for one that came. */
const idleMs = 3_600_000;

/**
 * Registers the hooks, and returns what a test calls for a tree of its own. Without `byIndex` no
 * index is ever made, and every search is one by a walk.
 */
export function sharedSearch({
  byIndex = false,
  ...options
}: Partial<FileSearchingOptions> & { readonly byIndex?: boolean } = {}): () => SearchWorld {
  let folder: TemporaryFolder;
  let threads: SearchThreads;

  beforeAll(async () => {
    folder = temporaryFolder();
    threads = searchThreads(folder.at('index'), { idleMs, ...options });
    // So that they are there before the first test, and are none of what it leaves.
    await using world = searchWorld({}, threads);
    await world.search({ query: 'anything' });
    if (byIndex) await world.index();
  });

  afterAll(async () => {
    await threads[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  return () => searchWorld({}, threads);
}

export function sharedLooking(): () => LookingPlace {
  let looking: FileLooking;

  beforeAll(async () => {
    looking = openFileLooking({ clock: realClock, zone: 'UTC', idleMs });
    // All four, by two for each.
    await using place = lookingPlace({ looking });
    await Promise.all([place.list(), place.list()]);
  });

  afterAll(() => looking[Symbol.asyncDispose]());

  return () => lookingPlace({ looking });
}
