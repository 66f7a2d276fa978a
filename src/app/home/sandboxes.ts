/** The sandboxes of a home: who sees what in them, and under which limits. */
import { Server } from 'node:net';
import { join } from 'node:path';
import { readSpec } from '../../kernel/agent/agent.ts';
import { ensureFolder, removeIfThere } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import type {
  Sandboxes,
  SandboxLimits,
  SandboxNetwork,
  SandboxView,
} from '../../kernel/sandbox.ts';
import { agentInnards, everyAgent, uidOf } from '../../ledger/agents.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { holdsAny } from '../../ledger/security/grants.ts';
import { serveSandbox } from '../../sandbox/proxy/serve-sandbox.ts';
import { uidFor } from '../../sandbox/view/uids.ts';
import { makeFolders, workspaceOf } from '../../security/agent-folders.ts';
import type { Settings } from '../config/settings.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';

export interface HomeSandboxes extends AsyncDisposable {
  readonly sandboxes: Sandboxes;
  /** Of one call of a tool. */
  readonly callLimits: SandboxLimits;
  /** Of the program of an agent. */
  readonly programLimits: SandboxLimits;
  /** Of an outbox or inbox of such a one: more than a mailbox may hold. */
  readonly mailLimits: Pick<SandboxLimits, 'workspaceBytes' | 'workspaceFiles'>;
  /** For what a tool runs. Their workspace is there afterwards, and theirs. */
  viewFor(principal: string): Promise<SandboxView>;
  /** Undefined for who may ask no host at all. */
  networkFor(principal: string): Promise<SandboxNetwork | undefined>;
  /** The network of an agent's program: what it may ask for is decided at every request. */
  serveBody(name: string, server: unknown): AsyncDisposable;
  /** What its program sees of the home is there afterwards, and its own: by the uid, if it has one. */
  ownFolders(name: string): Promise<number | undefined>;
}

export interface HomeSandboxesOptions {
  readonly open: OpenHome;
  readonly log: { error(facts: object, words: string): void };
}

export function openHomeSandboxes(
  engines: Engines,
  settings: Settings,
  { open, log }: HomeSandboxesOptions,
): HomeSandboxes {
  const { ledger, grants } = open;
  const folder = join(open.realHome, 'run', 'sandbox');
  const sandboxes = engines.openSandboxes({ log, folder, ready: settings.sandboxesReady });
  const proxy = { ...engines, ledger, grants, log };
  return {
    sandboxes,
    callLimits: callLimits(settings),
    programLimits: programLimits(settings),
    mailLimits: {
      workspaceBytes: 2 * settings.mailboxMegabytes * megabyte,
      workspaceFiles: 2 * settings.mailboxMessages,
    },
    async viewFor(principal) {
      const uid = engines.owners.isRoot
        ? await uidFor({ ...engines, ledger }, principal)
        : undefined;
      const workspace = await ensureWorkspace(engines, open, principal);
      if (uid !== undefined) await engines.owners.give(workspace, uid);
      const workspaceIs = await identityOf(engines.disk, workspace);
      return { principal, uid, workspace, workspaceIs, sees: [], unixSockets: false };
    },
    async networkFor(principal) {
      if (!(await holdsAny(ledger.committed, principal, 'http'))) return undefined;
      return (listener) => serveSandbox(proxy, principal, listener);
    },
    serveBody(name, server) {
      const listener = { server, [Symbol.asyncDispose]: async () => closeServer(server) };
      return serveSandbox(proxy, `agent:${name}`, listener);
    },
    ownFolders: (name) => ownFolders(engines, open, name),
    [Symbol.asyncDispose]: () => sandboxes[Symbol.asyncDispose](),
  };
}

function closeServer(server: unknown): void {
  if (server instanceof Server) server.close();
}

async function ownFolders(
  engines: Engines,
  open: OpenHome,
  name: string,
): Promise<number | undefined> {
  const { disk, owners } = engines;
  const { home, ledger } = open;
  await ensureWorkspace(engines, open, `agent:${name}`);
  const socketFolder = join(home, 'run', 'bodies', name);
  for (const folder of [join(home, 'run', 'bodies'), socketFolder]) {
    await ensureFolder(disk, folder);
  }
  if (!owners.isRoot) return undefined;
  const uid = await uidFor({ ...engines, ledger }, `agent:${name}`);
  const own = ['workspace', 'outbox', 'inbox'].map((folder) => join(home, 'agents', name, folder));
  for (const folder of [...own, socketFolder]) await owners.give(folder, uid);
  return uid;
}

async function identityOf(disk: Disk, path: string): Promise<string | undefined> {
  const entry = await disk.stat(path);
  return entry && `${entry.device}:${entry.inode}`;
}

/** The owner is no agent: their calls have a folder that is emptied with every start. */
async function ensureWorkspace(
  { disk }: Engines,
  { home, ledger }: OpenHome,
  principal: string,
): Promise<string> {
  const name = /^agent:(.+)$/.exec(principal)?.[1];
  if (name !== undefined) {
    const workspace = workspaceOf(home, name);
    const there = await disk.stat(workspace);
    // An agent that has shut itself out can mend nothing from inside.
    if (there?.kind === 'folder' && (there.mode & 0o700) !== 0o700)
      await disk.makePrivate(workspace);
    if (there?.kind !== 'folder') {
      const uid = await uidOf(ledger.committed, name);
      await makeFolders(disk, home, name, { open: 'refused', uid });
    }
    return workspace;
  }
  if (principal !== 'owner') throw new AosError('capability.denied', noWorkspace);
  const workspace = join(home, 'tmp', 'owner');
  await ensureFolder(disk, workspace);
  return workspace;
}

const noWorkspace = {
  message: 'Only the owner and agents have a workspace to run programs in',
  fix: 'Call as an agent',
} as const;

const megabyte = 2 ** 20;
const openFiles = { call: 1024, program: 8192 } as const;

function callLimits(settings: Settings): SandboxLimits {
  return {
    memoryBytes: settings.sandboxMegabytes * megabyte,
    processes: settings.sandboxProcesses,
    cpuPercent: settings.sandboxCpuPercent,
    openFiles: openFiles.call,
    ...workspaceLimits(settings),
  };
}

function programLimits(settings: Settings): SandboxLimits {
  return {
    memoryBytes: settings.programMegabytes * megabyte,
    processes: settings.programProcesses,
    cpuPercent: settings.programCpuPercent,
    openFiles: openFiles.program,
    ...workspaceLimits(settings),
  };
}

function workspaceLimits({ workspaceMegabytes, workspaceFiles }: Settings) {
  const workspaceBytes = workspaceMegabytes * megabyte;
  return { fileBytes: workspaceBytes, workspaceBytes, workspaceFiles };
}

// The socket of an agent where its program finds it behind the wall: `run/bodies/NAME/aos.sock`,
// a second name of `run/agents/NAME.sock`.
//
// B1. The folder stays for as long as the agent does: a program that outlived its daemon has it
//     mounted, and finds the socket of the next daemon in it.
// B2. Nothing else is ever in it: the new name is made beside it and moved in, in the place of
//     the old one. Under root the folder is the agent's, and so the socket becomes the agent's.

interface BodySocketDeps extends Pick<HomeSandboxes, 'ownFolders'> {
  readonly disk: Disk;
  readonly ledger: Pick<Ledger, 'committed'>;
  readonly home: string;
}

/** Its socket was made, now or by a daemon after another. For those with a wall around them. */
export async function showSocketOf(deps: BodySocketDeps, name: string): Promise<void> {
  const spec = readSpec((await agentInnards(deps.ledger.committed, name))?.spec);
  if (spec?.body !== 'command' || spec.unsandboxed === true) return;
  await deps.ownFolders(name);
  await showSocket(deps.disk, deps.home, name);
}

/** Removes the folders of agents that are gone, also if they went while no daemon ran. */
export async function sweepSocketFolders({
  disk,
  ledger,
  home,
}: Omit<BodySocketDeps, 'ownFolders'>): Promise<void> {
  const bodies = bodiesFolder(home);
  const found = new Set(await disk.list(bodies));
  for await (const { name, body, state } of everyAgent(ledger.committed)) {
    if (body === 'command' && state !== 'terminated') found.delete(name);
  }
  for (const name of found) {
    if (name.startsWith('.')) await removeIfThere(disk, join(bodies, name));
    else await removeSocketFolder(disk, home, name);
  }
}

/** In it is a folder for each agent. */
function bodiesFolder(home: string): string {
  return join(home, 'run', 'bodies');
}

/** The agent's folder is there already. */
export async function showSocket(disk: Disk, home: string, name: string): Promise<void> {
  const bodies = bodiesFolder(home);
  // No agent's name begins like this.
  const beside = join(bodies, `.${name}.sock`);
  await removeIfThere(disk, beside);
  await disk.link(join(home, 'run', 'agents', `${name}.sock`), beside);
  // B2
  await disk.rename(beside, join(bodies, name, 'aos.sock'));
  // To move one name of a file onto another of the same does nothing.
  await removeIfThere(disk, beside);
}

/** Nothing happens when it is gone. */
export async function removeSocketFolder(disk: Disk, home: string, name: string): Promise<void> {
  const folder = join(bodiesFolder(home), name);
  await removeIfThere(disk, join(folder, 'aos.sock'));
  await removeIfThere(disk, folder);
}
