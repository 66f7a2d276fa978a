/** A folder, and what looks at it, for tests of files. */
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { realClock } from '../../src/engines/clock.ts';
import { openFileLooking } from '../../src/engines/files/looking.ts';
import type {
  FileLooking,
  Listing,
  LookFilters,
  LookRequest,
} from '../../src/kernel/files/look.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export interface LookingPlace extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly looking: FileLooking;
  /** The whole tree, hidden names too, unless something else is said. */
  request(change?: RequestChange): LookRequest;
  list(change?: RequestChange): Promise<Listing>;
  /** The paths below the folder that a listing has, sorted. */
  names(change?: RequestChange): Promise<string[]>;
  /** With the folders on the way. */
  write(path: string, content?: string | Uint8Array): string;
}

export type RequestChange = Partial<Omit<LookRequest, 'filters'>> & Partial<LookFilters>;

export const never: AbortSignal = new AbortController().signal;

export interface LookingChoices {
  readonly zone?: string;
  /** That of several places, whose threads stay. */
  readonly looking?: FileLooking;
}

export function lookingPlace({ zone = 'UTC', looking: shared }: LookingChoices = {}): LookingPlace {
  const opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const descriptor = openSync(folder.path, 'r');
  opened.defer(() => closeSync(descriptor));
  const looking = shared ?? opened.use(openFileLooking({ clock: realClock, zone }));
  const request = (change: RequestChange = {}) =>
    requestOf({ held: `/proc/self/fd/${descriptor}`, path: folder.path }, change);
  const list = (change?: RequestChange) => looking.list(request(change), never);
  return {
    ...{ folder, looking, request, list },
    names: async (change) => {
      const { files } = await list(change);
      return files.map(({ path }) => path.slice(folder.path.length + 1)).sort();
    },
    write: (path, content = '') => {
      mkdirSync(dirname(folder.at(path)), { recursive: true });
      writeFileSync(folder.at(path), content);
      return folder.at(path);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const plain: Omit<LookRequest, 'base' | 'filters'> = {
  reach: { kind: 'all', aosHome: '/nowhere/.aos', passOverSecrets: false },
  recursive: true,
  hidden: true,
  sort: { by: 'name', order: 'asc' },
  limit: 1000,
  passOver: [],
};

function requestOf(base: LookRequest['base'], change: RequestChange): LookRequest {
  const { reach, recursive, hidden, sort, limit, passOver, base: other, ...filters } = change;
  const said = { reach, recursive, hidden, sort, limit, passOver };
  return {
    ...plain,
    base: other ?? base,
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
    filters: { kind: 'any', ...filters },
  };
}
