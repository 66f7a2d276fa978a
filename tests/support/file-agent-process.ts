/**
 * The file agent as a process that kills itself at its n-th boundary: before and after every
 * transaction, and before every call of the disk that changes something. Its one argument are
 * `{ finish, begin }` of `FileCut`; what became of one goes to its output as a line with a
 * `FileReport`.
 */
import { existsSync, mkdirSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { realDisk } from '../../src/engines/disk/disk.ts';
import type { FileRequest } from '../../src/kernel/files/request.ts';
import { listFilePlans } from '../../src/ledger/file-plans.ts';
import { type FileAgentWorld, fileAgentWorld } from './file-agent-world.ts';
import { treeEntries } from './tree-hash.ts';
import { watchedDisk } from './watched-disk.ts';
import { Boundaries, WatchedLedger } from './watched-ledger.ts';

export interface FileCut {
  /** Where everything of this one lies. */
  readonly folder: string;
  /** On another disk. */
  readonly elsewhere: string;
  readonly what: keyof typeof requests | 'undo';
}

export interface FileReport {
  readonly boundaries: number;
  /** Names, kinds, contents, modes and times, of both places. */
  readonly tree: readonly string[];
  /** Names in between that nobody took away. */
  readonly litter: readonly string[];
  readonly states: readonly string[];
}

const sorted = { sort: 'size', order: 'asc' } as const;

/** What is asked for, on the tree below. */
export const requests = {
  move: { action: 'move_file', path: '~/Downloads/*', destination: '~/Archive/2026/' },
  circle: { action: 'rename_file', path: '~/n/*', destination: '{n}', options: sorted },
  delete: { action: 'delete_file', path: '~/Downloads/*' },
  write: { action: 'write_file', path: '~/Downloads/one.txt', content: 'other' },
  copy: { action: 'copy_file', path: '~/folder', destination: '~/Archive/copy' },
  replace: { action: 'move_file', path: '~/Downloads/one.txt', destination: '~/n/1' },
  moveOver: { action: 'move_file', path: '~/folder', destination: '~/n/1' },
  copyOver: { action: 'copy_file', path: '~/folder', destination: '~/n/1' },
  forEver: { action: 'delete_file', path: '~/*', options: { permanent: true } },
  across: { action: 'move_file', path: 'ROOT/folder', destination: 'ELSEWHERE/folder' },
} as const satisfies Record<string, FileRequest>;

const then = new Date('2026-03-01T12:00:00Z');

function fill(root: string): void {
  const files = {
    ...{ 'Downloads/one.txt': 'one', 'Downloads/-rf': 'two', 'Downloads/Zeile\nzwei': 'three' },
    // By size the order is 3, 1, 2: each takes the name of another.
    ...{ 'n/3': 'a', 'n/1': 'bb', 'n/2': 'ccc' },
    ...{ 'folder/x.txt': 'x', 'folder/deep/y.txt': 'y' },
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), then, then);
  }
}

async function openWorld(
  { folder, what }: FileCut,
  { boundaries, epoch }: { readonly boundaries: Boundaries; readonly epoch: number },
): Promise<FileAgentWorld> {
  const root = join(folder, 'root');
  if (!existsSync(root)) {
    mkdirSync(root, { recursive: true });
    fill(root);
  }
  return fileAgentWorld({
    folder: {
      path: folder,
      at: (...names) => join(folder, ...names),
      async [Symbol.asyncDispose]() {},
    },
    disk: watchedDisk(realDisk, boundaries),
    epoch,
    watch: (ledger) => new WatchedLedger(ledger, boundaries),
    // The other disk lies beside it.
    ...(what === 'across' ? { root: '/' } : {}),
  });
}

async function begin(cut: FileCut & { readonly dieAt: number }): Promise<FileReport> {
  const boundaries = new Boundaries(cut.dieAt);
  await using world = await openWorld(cut, { boundaries, epoch: 1 });
  const isUndo = cut.what === 'undo';
  const request: FileRequest = requests[cut.what === 'undo' ? 'move' : cut.what];
  const destination = request.destination?.replace('ELSEWHERE', cut.elsewhere);
  const path = request.path?.replace('ROOT', join(cut.folder, 'root'));
  mkdirSync(cut.elsewhere, { recursive: true });
  boundaries.isArmed = !isUndo;
  await world.confirm({ ...request, path, destination });
  boundaries.isArmed = true;
  if (isUndo) await world.undo();
  boundaries.isArmed = false;
  return reportOf(cut, world, boundaries.count);
}

async function finish(cut: FileCut): Promise<FileReport> {
  await using world = await openWorld(cut, { boundaries: new Boundaries(), epoch: 2 });
  const complaints: string[] = [];
  await world.agent.recover({ error: (facts) => void complaints.push(JSON.stringify(facts)) });
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  return reportOf(cut, world, 0);
}

async function reportOf(
  { folder, elsewhere, what }: FileCut,
  world: FileAgentWorld,
  boundaries: number,
): Promise<FileReport> {
  const entries = [];
  for (const root of [join(folder, 'root'), elsewhere]) {
    if (!existsSync(root)) continue;
    // Whoever goes on after a crash changes the folders at another time.
    entries.push(...(await treeEntries(root, { folderTimes: 'left-out' })));
  }
  const rows = await listFilePlans(world.ledger.committed, { limit: 100 });
  return {
    boundaries,
    // What is written has the time at which it is.
    tree: entries.map((entry) =>
      JSON.stringify({ ...entry, ...(what === 'write' ? { modifiedNs: undefined } : {}) }),
    ),
    litter: entries.map(({ path }) => path).filter((path) => path.includes('.aos-')),
    states: rows.map(({ action, state, outcome }) =>
      [action, state, ...(state === 'stopped' ? [outcome] : [])].join(' '),
    ),
  };
}

if (process.argv[1] === import.meta.filename) {
  const orders = JSON.parse(process.argv[2] ?? '{}');
  const tell = (report: FileReport) => writeSync(1, `${JSON.stringify(report)}\n`);
  if (orders.finish !== undefined) tell(await finish(orders.finish));
  tell(await begin(orders.begin));
}
