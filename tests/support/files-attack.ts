/**
 * The file agent with somebody hostile around: a root to work in, and beside it an `outside` that
 * nobody may touch. Whatever is answered is kept, so that its words can be looked at.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { bytesOf } from '../../src/engines/disk/owners.ts';
import { openFileLooking } from '../../src/engines/files/looking.ts';
import { openFileSearching } from '../../src/engines/files/search/searching.ts';
import type { FileRun } from '../../src/files/file-agent.ts';
import type { FileAnswer, FileRequest } from '../../src/kernel/files/request.ts';
import { type FileAgentChoices, type FileAgentWorld, fileAgentWorld } from './file-agent-world.ts';
import type { AttackSwap } from './files-attack-swap.ts';
import { runAsOrdinary } from './ordinary.ts';
import type { SearchThreads } from './search-world.ts';
import type { SwapNames } from './swap-names.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { type TreeOptions, treeHash } from './tree-hash.ts';

export interface AttackedWorld extends FileAgentWorld {
  /** Holds `secret.txt` and `deep/file`, both with the word `OUTSIDE` in them. */
  readonly outside: string;
  /** A path in the root. */
  at(path: string): string;
  /** Makes a file in the root, with the folders above it; its name may be no UTF-8. */
  plant(path: string, content?: string | Uint8Array): string;
  /** The code of the refusal, or the status where it is none. */
  code(request: FileRequest, run?: Partial<FileRun>): Promise<string>;
  /** The same, with the owner's yes to whatever is asked. */
  confirmedCode(request: FileRequest): Promise<string>;
  outsideHash(options?: TreeOptions): Promise<string>;
}

/** Longer than any test: a thread that ended meanwhile would be taken for one that came. */
const idleMs = 3_600_000;

let shared: SearchThreads | undefined;

/**
 * All worlds of a file use the same threads, whose start takes longer than what most tests do with
 * them. A test that indexes, or that makes a thread end, says `attackedWorld({ threads: undefined })`
 * and has its own.
 */
export function shareThreads(): void {
  const opened = new AsyncDisposableStack();

  beforeAll(async () => {
    const folder = opened.use(temporaryFolder());
    const looking = opened.use(openFileLooking({ clock: realClock, zone: 'UTC', idleMs }));
    const indexFolder = folder.at('index');
    const searching = opened.use(
      openFileSearching({ looking, indexFolder, clock: realClock, idleMs }),
    );
    shared = { looking, searching, [Symbol.asyncDispose]: () => opened.disposeAsync() };
    // So that all of them are there before the first test, and are none of what it leaves: a tree
    // is walked by two of four, and another one searches.
    await using world = await fileAgentWorld({ threads: shared });
    const walk: FileRequest = { action: 'list_files', path: '~', options: { recursive: true } };
    await Promise.all([world.ask(walk), world.ask(walk)]);
    await world.ask({ action: 'search_files', query: 'anything' });
  });

  afterAll(() => opened.disposeAsync());
}

export async function attackedWorld(choices: FileAgentChoices = {}): Promise<AttackedWorld> {
  // The shared threads have a zone of their own.
  const threads = choices.zone === undefined ? shared : undefined;
  const world = await fileAgentWorld({ threads, ...choices });
  const outside = world.folder.at('outside');
  mkdirSync(join(outside, 'deep'), { recursive: true });
  for (const name of ['secret.txt', 'deep/file']) writeFileSync(join(outside, name), 'OUTSIDE');
  const kept = <Answer extends FileAnswer>(answer: Answer): Answer => {
    heard.push({ answer, root: world.root, folder: world.folder.path });
    return answer;
  };
  const ask: AttackedWorld['ask'] = async (request, run) => kept(await world.ask(request, run));
  const confirm: AttackedWorld['confirm'] = async (request) => kept(await world.confirm(request));
  const at = (path: string): string => join(world.root, path);
  return {
    ...{ ...world, outside, ask, confirm, at },
    undo: async (plan) => kept(await world.undo(plan)),
    plant: (path, content = path) => plant(at(path), content),
    code: async (request, run) => endOf(await ask(request, run)),
    confirmedCode: async (request) => endOf(await confirm(request)),
    outsideHash: (options) => treeHash(outside, options),
  };
}

function plant(path: string, content: string | Uint8Array): string {
  mkdirSync(bytesOf(dirname(path)), { recursive: true });
  writeFileSync(bytesOf(path), content);
  return path;
}

export function endOf({ status, error }: FileAnswer): string {
  return error?.code ?? status;
}

/** The names of what was listed or found. */
export function namesIn({ result }: FileAnswer): readonly string[] {
  // An answer to list_files or search_files has them.
  const { files } = result as { readonly files: readonly { readonly name: string }[] };
  return files.map(({ name }) => name);
}

interface Heard {
  readonly answer: FileAnswer;
  readonly root: string;
  /** Of the whole test: what is in it and not in the root is nobody's business. */
  readonly folder: string;
}

const heard: Heard[] = [];

/** After each test: nobody was told of a stack, of what the system says, or of a path outside. */
export function checkWords(): void {
  const all = heard.splice(0);
  expect(all.flatMap(faultyWords)).toEqual([]);
}

const technical = new RegExp(
  `\\b(?:${Object.keys(constants.errno).join('|')}|errno|syscall)\\b|\\n\\s+at |\\.[tj]s:\\d|node:`,
);
const system = /(?<![\w.~])\/(?:etc|proc|dev|usr|var|root|home|tmp|sys)\//;

// Of whoever asks: it is a root of theirs.
const workspace = /\/\S+\/home\/agents\/\w+\/workspace/g;

function faultyWords({ answer, root, folder }: Heard): readonly string[] {
  return wordsOf(answer).filter((text) => {
    const rest = text.replaceAll(root, '~').replaceAll(workspace, '~');
    return technical.test(rest) || rest.includes(folder) || system.test(rest);
  });
}

function wordsOf({ action_performed, confirmation_prompt, error }: FileAnswer): readonly string[] {
  const { message = '', fix = '' } = error ?? {};
  return [action_performed, confirmation_prompt ?? '', message, fix];
}

export interface Swapping extends AsyncDisposable {
  swaps(): number;
}

/** Lets two names change places, in a thread of its own, until it is disposed of. */
export async function swapping(
  names: Omit<SwapNames, 'shared'>,
  { restMs = 0, restEvery = 1 } = {},
): Promise<Swapping> {
  const shared = new SharedArrayBuffer(8);
  const cells = new Int32Array(shared);
  const worker = new Worker(join(import.meta.dirname, 'files-attack-swap.ts'), {
    workerData: { ...names, shared, restMs, restEvery } satisfies AttackSwap,
  });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
  await new Promise((resolve) => worker.once('online', resolve));
  return {
    swaps: () => Atomics.load(cells, 0),
    async [Symbol.asyncDispose]() {
      Atomics.store(cells, 1, 1);
      await ended;
    },
  };
}

/** What the file agent answers the owner who may not do everything, also where the tests may. */
export function askAsOrdinary(
  root: string,
  requests: readonly FileRequest[],
): readonly FileAnswer[] {
  const program = join(import.meta.dirname, 'files-attack-process.ts');
  const answers = runAsOrdinary(`
    const { execFileSync } = await import('node:child_process');
    const input = ${JSON.stringify(JSON.stringify(requests))};
    const words = ${JSON.stringify([program, root])};
    process.stdout.write(execFileSync(process.execPath, words, { input }));
  `);
  // That program prints nothing else.
  return answers as readonly FileAnswer[];
}
