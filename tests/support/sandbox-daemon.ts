/**
 * The real daemon with agents that run programs in its sandboxes: as root, and as an ordinary
 * user. What an agent can do to others depends on which of them it is, so that every attack is
 * tried under both.
 */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import type { WireEvent } from '../../src/gateway/contract/contract.ts';
import { hasSandbox, isRoot } from './machine.ts';
import { launcher } from './run-aos.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { cases, isFull } from './tier.ts';
import { type AgentCaller, callerOn, grantAll } from './tool-home.ts';

export type DaemonMode = 'root' | 'ordinary';

export interface SandboxDaemonOptions {
  /** They may run everything, and a line for the shell as well. */
  readonly agents: readonly string[];
  /** By their names in the configuration. */
  readonly settings?: Readonly<Record<string, number | string>>;
  /** A program and its arguments that start the daemon in their turn, as root where we are. */
  readonly through?: readonly string[];
  /** The same, as the user of the daemon. */
  readonly within?: readonly string[];
}

/** What shell.execute answers. */
export interface Executed {
  readonly program: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stopped_by: string | null;
  readonly limits_met: readonly string[];
  readonly stdout?: string;
  readonly stderr?: string;
  readonly truncated: boolean;
}

export interface SandboxDaemon extends AsyncDisposable {
  readonly mode: DaemonMode;
  readonly home: string;
  /** Beside the home; whoever is the daemon may read what is in it. */
  readonly folder: TemporaryFolder;
  readonly daemon: RunningDaemon;
  /** As the owner. */
  readonly client: Client;
  /** `aos` for this home, as its owner and in their place: a program with its arguments. */
  readonly aos: readonly [string, ...string[]];
  agent(name: string): AgentCaller;
  workspaceOf(agent: string): string;
  grant(agent: string, ...capabilities: readonly string[]): Promise<readonly string[]>;
  events(kind: string): Promise<readonly WireEvent[]>;
  /** As that agent, over its own socket. */
  execute(agent: string, args: object, call?: CallChoices): Promise<Executed>;
  /** A line for the shell. */
  sh(agent: string, command: string, more?: object): Promise<Executed>;
}

export interface CallChoices {
  /** Of the call, not of the program. */
  readonly timeoutMs?: number;
}

const ordinaryUid = 61_500;

const modes: readonly DaemonMode[] = ['root', 'ordinary'];
const canRun = (mode: DaemonMode): boolean => hasSandbox && (mode === 'ordinary' || isRoot);

/** Defines the same tests for both; those that cannot run here count as skipped. */
export function underEachDaemon(define: (mode: DaemonMode) => void): void {
  for (const mode of modes) {
    const whose = mode === 'root' ? 'root' : 'another user';
    describe.skipIf(!canRun(mode))(`under a daemon of ${whose}`, () => define(mode));
  }
}

/**
 * `test` for what takes long: `npm test` tries it under one of the two daemons, which is drawn by
 * the title; `npm run test:full` under both.
 */
export function longTest(mode: DaemonMode): (title: string, run: () => Promise<void>) => void {
  return (title, run) => {
    const drawn = cases(title, modes.filter(canRun), 1);
    if (isFull || !canRun(mode) || drawn.includes(mode)) test(title, run);
  };
}

/** One for all tests of a block, and the way to it for the time that they run. */
export function oneSandboxDaemon(
  mode: DaemonMode,
  options: SandboxDaemonOptions,
): () => SandboxDaemon {
  let running: SandboxDaemon | undefined;
  beforeAll(async () => {
    running = await startSandboxDaemon(mode, options);
  });
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]();
  });
  return () => {
    if (running === undefined) throw new Error('the daemon was not started');
    return running;
  };
}

export async function startSandboxDaemon(
  mode: DaemonMode,
  { agents, settings = {}, through = [], within = [] }: SandboxDaemonOptions,
): Promise<SandboxDaemon> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const place = mode === 'root' ? asWeAre(folder, within) : asOrdinaryUser(folder, within);
  const args = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const way = [...through, ...place.through];
  const daemon = opened.use(await startDaemon(place.home, { args, through: way }));
  const { client } = daemon;
  const callers = new Map<string, AgentCaller>();
  for (const name of agents) {
    const { handle } = await client.register(name);
    callers.set(name, callerOn(daemon, name, handle));
    await grantAll(client, name, ['shell:*:execute']);
  }
  const kept = opened.move();
  const agent = (name: string) => callers.get(name) ?? unknown(name);
  const execute: SandboxDaemon['execute'] = async (name, given, { timeoutMs } = {}) => {
    const call = { args: given, ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }) };
    const { output } = await agent(name).client.callTool('shell.execute', call);
    // The tool's own form.
    return output as Executed;
  };
  return {
    ...{ mode, folder, daemon, client, agent, execute },
    home: place.home,
    aos: asCommand([...way, process.execPath, launcher, '--home', place.home]),
    workspaceOf: (name) => join(place.home, 'agents', name, 'workspace'),
    grant: (name, ...capabilities) => grantAll(client, name, capabilities),
    events: (kind) => Array.fromAsync(client.events({ kind })),
    sh: (name, command, more = {}) =>
      execute(name, { command, timeout_ms: longestProgramMs, ...more }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

// Far above what any of them takes, so that one that hangs fails its test by name.
const longestProgramMs = 20_000;

interface Place {
  readonly home: string;
  readonly through: readonly string[];
}

function asWeAre(folder: TemporaryFolder, within: readonly string[]): Place {
  return { home: folder.at('home'), through: within };
}

/** Ourselves, unless we are root: then another user, to whom the checkout may be closed. */
function asOrdinaryUser(folder: TemporaryFolder, within: readonly string[]): Place {
  if (!isRoot) return asWeAre(folder, within);
  openWayTo(folder.path);
  const theirs = folder.at('user');
  mkdirSync(theirs, { mode: 0o700 });
  chownSync(theirs, ordinaryUid, ordinaryUid);
  const { node, program } = copyOfProgram(folder.at('program'));
  // Behind it come the Node and the program of the checkout, which are left out.
  const instead = 'node=$1 program=$2; shift 4; exec "$node" "$program" "$@"';
  const ids = [`--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, '--clear-groups'];
  return {
    home: join(theirs, 'home'),
    through: [
      ...['/usr/bin/setpriv', ...ids, '/usr/bin/env', `HOME=${theirs}`, ...within],
      ...['/bin/sh', '-c', instead, 'sh', node, program],
    ],
  };
}

/** Folders of the test run are made for one user; those of others are left as they are. */
function openWayTo(path: string): void {
  chmodSync(path, 0o755);
  for (let above = dirname(path); above !== '/'; above = dirname(above)) {
    const isClosed = (statSync(above).mode & 0o001) === 0;
    if (!isClosed) continue;
    if (!basename(above).startsWith('aos-')) {
      throw new Error(`another user cannot enter ${above}: set TMPDIR to a folder that all can`);
    }
    chmodSync(above, 0o711);
  }
}

function copyOfProgram(to: string): { readonly node: string; readonly program: string } {
  const root = dirname(dirname(launcher));
  mkdirSync(join(to, 'bin'), { recursive: true });
  copyFileSync(launcher, join(to, 'bin', 'aos.cjs'));
  copyFileSync(join(root, 'package.json'), join(to, 'package.json'));
  const filter = (path: string) => !path.endsWith('.map') && !path.endsWith('.compiled');
  cpSync(join(root, 'dist'), join(to, 'dist'), { recursive: true, filter });
  const node = join(to, 'bin', 'node');
  try {
    linkSync(process.execPath, node);
  } catch {
    // It lies on another disk.
    copyFileSync(process.execPath, node);
  }
  return { node, program: join(to, 'bin', 'aos.cjs') };
}

/** What comes of each, by what it is called; a few at a time. */
export async function outcomes<Row extends readonly [what: string, ...rest: unknown[]]>(
  rows: readonly Row[],
  tryOut: (row: Row) => Promise<unknown>,
): Promise<Readonly<Record<string, unknown>>> {
  const found: (readonly [string, unknown])[] = [];
  const left = [...rows];
  const work = async () => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      found.push([row[0], await tryOut(row)]);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return Object.fromEntries(found);
}

/** Processes of this machine that have these words in their command line. */
export function processesWith(words: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(words))
    .map(Number);
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It ended while we looked.
    return '';
  }
}

function asCommand([program = '', ...args]: readonly string[]): readonly [string, ...string[]] {
  return [program, ...args];
}

function unknown(name: string): never {
  throw new Error(`the test has no agent ${name}`);
}
