/** Finding files: by what is in them, and by an index. */
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '../src/engines/clock.ts';
import { openFileLooking } from '../src/engines/files/looking.ts';
import { findRipgrep, openFileSearching } from '../src/engines/files/search/searching.ts';
import type { FileSearching, SearchRequest } from '../src/kernel/files/look.ts';
import { sharedFileTree } from './files-tree.ts';
import type { Bench, Sides } from './frame.ts';
import { workplace } from './workplace.ts';

export const fileSearchBenches: readonly Bench[] = [
  {
    name: 'files.content',
    unit: 'ms',
    floorIs: 'ripgrep itself over the same 200,000 files, printing the same lines',
    target: '<=1.4',
    rounds: 15,
    prepare: prepareContent,
  },
  {
    name: 'files.indexed',
    unit: 'ms',
    floorIs: 'fd printing every name with the word, of the same 200,000 files',
    target: '<=0.2',
    rounds: 15,
    prepare: prepareIndexed,
  },
];

const ahmed = { query: 'Ahmed', where: 'content' } as const;
const invoice = { query: 'invoice', where: 'name' } as const;

const never = new AbortController().signal;

async function prepareContent(): Promise<Sides> {
  const tree = await openTree();
  const program = findRipgrep();
  if (program === undefined) throw new Error('There is no ripgrep for this machine');
  const args = ['--json', '-uu', '--no-config', '-i', '--regexp=(?:\\b|_)ahmed', '--', tree.path];
  return {
    value: () => timed(() => tree.search({ ...ahmed, limit: 1000, by: 'walk', total: 500 })),
    floor: () => timed(() => ended(program, args)),
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

async function prepareIndexed(): Promise<Sides> {
  const fd = ['fdfind', 'fd'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (fd === undefined) throw new Error('files.indexed needs fd, which is not installed');
  const tree = await openTree();
  await tree.index();
  return {
    value: () => timed(() => tree.search({ ...invoice, limit: 100, by: 'index', total: 2000 })),
    floor: () => timed(() => ended(fd, ['-uu', '--color=never', 'invoice', tree.path])),
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

interface SearchTree extends AsyncDisposable {
  readonly path: string;
  index(): Promise<void>;
  /** Throws where not so many were found, or not in that way. */
  search(wanted: Wanted): Promise<void>;
}

interface Wanted extends Pick<SearchRequest, 'query' | 'where' | 'limit'> {
  readonly by: 'walk' | 'index';
  readonly total: number;
}

async function openTree(): Promise<SearchTree> {
  const { folder, disposables } = await workplace();
  const path = await sharedFileTree();
  const descriptor = openSync(path, 'r');
  disposables.defer(() => closeSync(descriptor));
  const looking = disposables.use(openFileLooking({ clock: realClock, zone: 'UTC' }));
  const searching: FileSearching = disposables.use(
    openFileSearching({ looking, clock: realClock, indexFolder: join(folder, 'index') }),
  );
  const base = { held: `/proc/self/fd/${descriptor}`, path };
  const reach = { kind: 'all', aosHome: join(folder, 'home'), passOverSecrets: false } as const;
  const common = { base, reach, recursive: true, hidden: false, passOver: [], now: Date.now() };
  return {
    path,
    index: async () => void (await searching.index({ base, reach, passOver: [] }, never)),
    async search({ by, total, ...wanted }) {
      const rest = { ...common, how: 'words', filters: { kind: 'file' } } as const;
      const found = await searching.search({ ...rest, ...wanted }, never);
      if (found.by === by && found.total === total) return;
      throw new Error(`${found.total} were found by ${found.by}`);
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

// Through a pipe that is read, as whoever uses it would.
async function ended(program: string, args: readonly string[]): Promise<void> {
  const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'ignore'] };
  const child = spawn(program, args, options);
  child.stdout?.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
