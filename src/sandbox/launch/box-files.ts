/** The files that launchers read: their arguments, one file for each view, and the filters. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isAgentUid } from '../../kernel/ports.ts';
import type { SandboxView } from '../../kernel/sandbox.ts';
import { shellQuoted } from '../../kernel/text/quote.ts';
import { unlessSkipped } from '../watch/watch-folders.ts';
import {
  type FirstOptions,
  insideWords,
  nodeCalled,
  proxyPort,
  proxyVariables,
  waitingShell,
} from './inner-script.ts';
import { descriptors, type LaunchParts } from './launch.ts';
import {
  type HostParts,
  type LauncherOptions,
  launcherArguments,
  workspaceInside,
} from './launcher-arguments.ts';
import { type SeccompKind, seccompFilter } from './seccomp/filter.ts';

// Of an ordinary daemon, inside.
const usualUid = 1000;

const bodyPrefix = 'body-';

export type ViewParts = Omit<LaunchParts, 'launcher'>;

/** What a sandbox of a tool is made for. */
export interface ToolBox extends Pick<FirstOptions, 'limits' | 'byProcess'> {
  readonly view: SandboxView;
  readonly listens: boolean;
}

export class BoxFiles {
  readonly #folder: string;
  readonly #hosts = new Map<number, HostParts>();
  readonly #known = new Map<string, ViewParts>();

  /** The folder is ours. What is seen by programs that outlived an earlier process stays. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A program that was started with one has read it, or will not run.
    for (const name of readdirSync(folder)) {
      if (name.startsWith(bodyPrefix)) rmSync(join(folder, name), { force: true });
    }
    removeUnusedEtc(folder);
    for (const kind of ['tool', 'full', 'body'] as const) {
      const filter = seccompFilter(process.arch, kind);
      if (filter !== undefined) writeFileSync(this.#filterPath(kind), filter, { mode: 0o600 });
    }
  }

  /** What differs from call to call is not part of it. */
  forTool(launcher: string, tool: ToolBox): ViewParts {
    const key = keyOf(tool);
    const known = this.#known.get(key) ?? this.#make(launcher, tool);
    this.#known.set(key, known);
    return known;
  }

  /** Of one start and no other. */
  forBody(
    id: string,
    view: SandboxView,
    options: LauncherOptions,
  ): Pick<ViewParts, 'argumentsPath' | 'filterPath'> {
    const words = launcherArguments(this.hostFor(view), view, options);
    const argumentsPath = this.bodyPath(id);
    writeFileSync(argumentsPath, `${words.join('\0')}\0`, { mode: 0o600, flag: 'wx' });
    return { argumentsPath, filterPath: this.#filterPath(kindOf(view)) };
  }

  bodyPath(id: string): string {
    return join(this.#folder, `${bodyPrefix}${basename(id)}`);
  }

  hostFor(view: Pick<SandboxView, 'uid'>): HostParts {
    const uid = view.uid ?? usualUid;
    const host = this.#hosts.get(uid) ?? hostParts(this.#folder, uid);
    this.#hosts.set(uid, host);
    return host;
  }

  #filterPath(kind: SeccompKind): string {
    return join(this.#folder, `${kind}.bpf`);
  }

  #make(launcher: string, { view, listens, limits, byProcess }: ToolBox): ViewParts {
    const host = this.hostFor(view);
    const env = { ...toolEnvironment, ...(listens ? proxyEnvironment : {}) };
    const words = launcherArguments(host, view, {
      ...{ seccomp: descriptors.filter, info: descriptors.info, listens, env },
    });
    const argumentsPath = join(this.#folder, `args-${this.#known.size}`);
    const startPath = join(this.#folder, `start-${this.#known.size}`);
    writeFileSync(argumentsPath, `${words.join('\0')}\0`, { mode: 0o600 });
    const listenerBy = listens ? nodeCalled(host.node, process.execPath) : undefined;
    const filterPath = this.#filterPath(kindOf(view));
    const inside = insideWords(waitingShell({ listenerBy }), { uid: view.uid, limits, byProcess });
    const parts = { argumentsPath, filterPath, startPath, inside };
    writeFileSync(startPath, startScript({ ...parts, launcher }), { mode: 0o600 });
    return parts;
  }
}

/** For a shell that starts launchers. `$1` to `$5` are the pipes of this sandbox. */
function startScript({ launcher, argumentsPath, filterPath, inside }: LaunchParts): string {
  const { args, filter, info } = descriptors;
  const words = [launcher, '--args', String(args), '--', ...inside].map(shellQuoted).join(' ');
  const files = `${args}<${shellQuoted(argumentsPath)} ${filter}<${shellQuoted(filterPath)}`;
  return `${words} <"$1" >"$2" 2>"$3" 3<"$4" ${files} ${info}>"$5"\n`;
}

function kindOf({ unixSockets, isFull }: SandboxView): SeccompKind {
  if (unixSockets) return 'body';
  return isFull === true ? 'full' : 'tool';
}

/** Two orders of one key may use the same sandbox. It begins with whose it is. */
export function keyOf({ view, listens, limits }: Omit<ToolBox, 'byProcess'>): string {
  return `${view.principal}\n${JSON.stringify([view, listens, limits])}`;
}

const toolEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: workspaceInside,
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  USER: 'agent',
  LOGNAME: 'agent',
  SHELL: '/bin/sh',
};

export const proxyEnvironment = proxyVariables(proxyPort);

// What this machine has that every sandbox sees, and the small /etc that it gets.

// /nix is where some systems keep all of their programs.
const programFolders = ['/usr', '/nix/store'];
const besideUsr = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
// Links of programs lead through alternatives; the others are certificates that all may read.
const etcParts = ['/etc/alternatives', '/etc/ssl', '/etc/ca-certificates', '/etc/pki'];
const etcCopies = ['ld.so.cache', 'localtime', 'mime.types', 'protocols', 'services'];

const etcPrefix = 'etc-';

/** `folder` is ours to fill. `uid` is the one that gets a name inside. */
export function hostParts(folder: string, uid: number): HostParts {
  const kinds = besideUsr.flatMap((path) => {
    const kind = lstatSync(path, { throwIfNoEntry: false });
    return kind === undefined ? [] : [{ path, isLink: kind.isSymbolicLink() }];
  });
  const parts = etcParts.filter(isFolder);
  return {
    isRoot: process.getuid?.() === 0,
    folders: [
      ...programFolders.filter(isFolder),
      ...kinds.filter(({ isLink }) => !isLink).map(({ path }) => path),
    ],
    links: kinds
      .filter(({ isLink }) => isLink)
      .map(({ path }) => ({ path, target: readlinkSync(path) })),
    etc: makeEtc(join(folder, `${etcPrefix}${uid}`), uid, parts),
    etcParts: parts,
    node: process.execPath.startsWith('/usr/') ? undefined : process.execPath,
  };
}

/**
 * What was made for agents of which nothing runs: it is made again when it is needed. A program
 * that outlived an earlier process still sees its own.
 */
function removeUnusedEtc(folder: string): void {
  const made = readdirSync(folder).filter((name) => name.startsWith(etcPrefix));
  const ofAgents = made.filter((name) => isAgentUid(Number(name.slice(etcPrefix.length))));
  if (ofAgents.length === 0) return;
  const used = new Set(uidsAtWork().map((uid) => `${etcPrefix}${uid}`));
  for (const name of ofAgents) {
    if (!used.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

// Not by the owners of the folders in /proc: a process that may not be looked into is root's there.
function uidsAtWork(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const status = unlessSkipped(() => readFileSync(`/proc/${pid}/status`, 'latin1'));
    return /^Uid:\t(\d+)/m.exec(status ?? '')?.[1] ?? [];
  });
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function makeEtc(folder: string, uid: number, parts: readonly string[]): string {
  makeOpenFolder(folder);
  const put = (name: string, bytes: string | Buffer) => putFile(join(folder, name), bytes);
  put('passwd', `agent:x:${uid}:${uid}::/workspace:/bin/sh\nroot:x:0:0::/:/bin/false\n`);
  put('group', `agent:x:${uid}:\nroot:x:0:\n`);
  put('hosts', '127.0.0.1 localhost sandbox\n::1 localhost\n');
  put('nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files\n');
  for (const name of etcCopies) {
    const from = join('/etc', name);
    if (existsSync(from)) put(name, readFileSync(from));
  }
  // What is mounted there needs a place that exists: the whole is closed by then.
  for (const part of parts) {
    makeOpenFolder(join(folder, part.slice('/etc/'.length)));
  }
  return folder;
}

/** One that is the same stays: programs that outlived an earlier process may read it now. */
function putFile(path: string, content: string | Buffer): void {
  const bytes = Buffer.from(content);
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  writeFileSync(path, bytes);
  chmodSync(path, 0o644);
}

// Open to the users inside, whatever is taken away from new files of this process.
function makeOpenFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}
