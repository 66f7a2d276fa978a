/** Looking at files, beside the tools that do nothing else. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '../src/engines/clock.ts';
import { openFileLooking } from '../src/engines/files/looking.ts';
import type { FileLooking, LookRequest } from '../src/kernel/files/look.ts';
import type { Bench, Sides } from './frame.ts';
import { benchFolder } from './workplace.ts';

export const fileBenches: readonly Bench[] = [
  {
    name: 'files.list',
    unit: 's',
    floorIs: 'fd of the same 200,000 files',
    target: '<=1.6',
    rounds: 11,
    prepare: () =>
      besideProgram(fd, ['-uu', '-t', 'f', '.'], async (looking, base) => {
        const { total } = await looking.list(requestOf(base), never);
        return total === treeFiles;
      }),
  },
  {
    name: 'files.name',
    unit: 's',
    floorIs: 'fd --glob of the same name',
    target: '<=1.8',
    rounds: 11,
    prepare: () =>
      besideProgram(
        fd,
        ['-uu', '-t', 'f', '--glob', '*invoice*.pdf', '.'],
        async (looking, base) => {
          const name = '*invoice*.pdf';
          const { total } = await looking.list(requestOf(base, { name, kind: 'file' }), never);
          return total > 0 && total < treeFiles;
        },
      ),
  },
  {
    name: 'files.usage',
    unit: 's',
    floorIs: 'du -s of the same files',
    target: '<=2.2',
    rounds: 7,
    prepare: () =>
      besideProgram('du', ['-s', '.'], async (looking, base) => {
        const { files } = await looking.usage(requestOf(base, { kind: 'any' }), never);
        return files === treeFiles;
      }),
  },
  {
    name: 'files.top',
    unit: 's',
    floorIs: 'find, sort and head of the same files',
    target: '<=1.5',
    rounds: 7,
    prepare: () =>
      besideProgram(
        'sh',
        ['-c', "find . -type f -printf '%s %p\\n' | sort -rn | head"],
        async (looking, base) => {
          const request = {
            ...requestOf(base),
            sort: { by: 'size', order: 'desc' },
            limit: 10,
          } as const;
          const { files } = await looking.list(request, never);
          return files.length === 10;
        },
      ),
  },
  {
    name: 'files.memory',
    unit: 'MiB',
    floorIs: 'the same program, listing 1,000 names',
    target: '<=3.0',
    rounds: 3,
    prepare: prepareMemory,
  },
];

const never = new AbortController().signal;
const treeFiles = 200_000;
const fd = ['fdfind', 'fd'].find((name) => spawnSync(name, ['--version']).status === 0) ?? 'fd';

type LookBase = LookRequest['base'];

function requestOf(
  base: LookBase,
  filters: LookRequest['filters'] = { kind: 'file' },
): LookRequest {
  return {
    ...{ base, filters, recursive: true, hidden: true, limit: 1000, passOver: [] },
    reach: { kind: 'all', aosHome: '/nowhere/.aos', passOverSecrets: false },
    sort: { by: 'name', order: 'asc' },
  };
}

/** What a caller waits for, beside a program that is started for it and lists the same. */
async function besideProgram(
  program: string,
  args: readonly string[],
  look: (looking: FileLooking, base: LookBase) => Promise<boolean>,
): Promise<Sides> {
  if (spawnSync(program, ['--version']).error !== undefined) {
    throw new Error(`There is no "${program}" on this machine to compare with: install it first`);
  }
  const folder = await theTree();
  const opened = new AsyncDisposableStack();
  const looking = opened.use(openFileLooking({ clock: realClock, zone: 'UTC' }));
  const descriptor = openSync(folder, 'r');
  opened.defer(() => closeSync(descriptor));
  const base = { held: `/proc/self/fd/${descriptor}`, path: folder };
  return {
    value: () =>
      timed(async () => {
        if (!(await look(looking, base))) throw new Error('the tree was not seen as it is');
      }),
    floor: () => timed(() => ended(program, args, folder)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

let tree: Promise<string> | undefined;

/** Made once for all of them. */
function theTree(): Promise<string> {
  tree ??= makeTree();
  return tree;
}

const words = ['invoice', 'report', 'photo', 'holiday', 'notes', 'draft', 'song', 'data', 'letter'];
const ends = ['txt', 'pdf', 'jpg', 'png', 'mp4', 'md', 'json', 'ts', 'docx', 'csv'];

async function makeTree(): Promise<string> {
  const folder = await benchFolder();
  const folders = 2400;
  for (let index = 0; index < folders; index++) {
    const path = join(folder, `${index % 20}`, `year ${index % 400}`, `folder ${index}`);
    mkdirSync(path, { recursive: true });
    for (let file = index; file < treeFiles; file += folders) {
      const name = `${words[(file * 7) % words.length]} ${file}.${ends[(file * 3) % ends.length]}`;
      writeFileSync(join(path, name), 'x'.repeat((file * 31) % 700));
    }
  }
  return folder;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

async function ended(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

/** The peak of a new process that lists one folder. */
async function prepareMemory(): Promise<Sides> {
  const folder = await benchFolder();
  const [many, few] = [
    namesIn(join(folder, 'many'), 1_000_000),
    namesIn(join(folder, 'few'), 1000),
  ];
  return {
    value: () => peakOf(many, 1_000_000),
    floor: () => peakOf(few, 1000),
    [Symbol.asyncDispose]: async () => {},
  };
}

function namesIn(path: string, count: number): string {
  mkdirSync(path);
  for (let index = 0; index < count; index++) {
    closeSync(openSync(join(path, `a name of usual length ${index}.txt`), 'w'));
  }
  return path;
}

async function peakOf(folder: string, count: number): Promise<number> {
  const args = [join(import.meta.dirname, 'bare-listing.ts'), folder, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`a listing ended with ${code}`);
  return Number(text) / 1024;
}
