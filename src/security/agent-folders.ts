/**
 * What an agent has under `agents/`: its folders, and `meta.json`, which only informs.
 *
 * F1. Nothing is followed, and nothing is taken that is not a folder of the home's owner,
 *     closed to others. What a guest made for itself is closed first. Under a daemon of root,
 *     those that the agent's programs write to may be its own; they lie in one that is not.
 * F2. A meta.json that is there stays: the agent may keep its pid in it.
 */
import { join } from 'node:path';
import { checkAgentName } from '../kernel/agent/agent.ts';
import { type DurableFileDeps, writeFileDurably } from '../kernel/disk/durable-file.ts';
import { isTaken } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Disk, Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import type { AgentBody } from '../ledger/agents.ts';

export function workspaceOf(home: string, agent: string): string {
  return join(home, 'agents', agent, 'workspace');
}

/** What `meta.json` tells of an agent. */
export interface MetaFacts {
  readonly name: string;
  readonly registeredAt: Instant;
  readonly body: AgentBody;
  readonly address: string;
  readonly publicKey: string;
}

/** Makes what a registered agent has in its folder, where that is missing, and changes nothing. */
export async function makeAgentFolders(
  deps: DurableFileDeps,
  home: string,
  facts: MetaFacts & Pick<FoundFolders, 'uid'>,
): Promise<void> {
  const { name, uid } = facts;
  checkAgentName(name);
  await makeFolders(deps.disk, home, name, { open: 'refused', uid });
  await keepMeta(deps, join(home, 'agents', name), facts);
}

/** F1: what becomes of folders that are there and open to others. */
export interface FoundFolders {
  readonly open: 'refused' | 'closed';
  /** The agent's own, where it has one. */
  readonly uid?: number | null | undefined;
}

/** The folders alone. */
export async function makeFolders(
  disk: Disk,
  home: string,
  name: string,
  { open, uid }: FoundFolders,
): Promise<void> {
  const ownerUid = (await disk.stat(home))?.ownerUid;
  const outermost = join(home, 'agents');
  const agent = join(outermost, name);
  const outbox = join(agent, 'outbox');
  const ours = { ownerUid, open, uid: undefined };
  const theirs = { ownerUid, open, uid };
  const inside: readonly (readonly [string, readonly string[], OwnFolder])[] = [
    [home, ['agents'], ours],
    [outermost, [name], ours],
    [agent, ['outbox', 'inbox', 'workspace'], theirs],
    [outbox, ['.pending'], theirs],
  ];
  for (const [parent, names, own] of inside) {
    for (const child of names) await makeFolder(disk, join(parent, child), own);
    // Also when all were there: who made them may have died before this line.
    await disk.syncFolder(parent);
  }
}

interface OwnFolder extends FoundFolders {
  readonly ownerUid: number | undefined;
}

async function makeFolder(disk: Disk, path: string, own: OwnFolder): Promise<void> {
  try {
    await disk.makeFolder(path);
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    // A guest may make its folders while we do: each is closed when it is met.
    if (own.open === 'closed') await closeOwn(disk, path, own);
    await refuseForeignFolder(disk, path, own);
  }
}

async function closeOwn(disk: Disk, path: string, { ownerUid }: OwnFolder): Promise<void> {
  const entry = await disk.stat(path);
  if (entry?.kind === 'folder' && entry.ownerUid === ownerUid) await disk.makePrivate(path);
}

// F1
async function refuseForeignFolder(
  disk: Disk,
  path: string,
  { ownerUid, uid }: OwnFolder,
): Promise<void> {
  const entry = await disk.stat(path);
  if (entry?.kind !== 'folder') {
    throw new AosError('disk.not-a-folder', {
      message: `${quote(path)} is taken by ${kindWords[entry?.kind ?? 'other']}, and must be a folder`,
      fix: `Look at what it is, then move it away: mv ${quote(path)} ${quote(`${path}.old`)}`,
    });
  }
  if (entry.ownerUid === ownerUid && (entry.mode & 0o077) === 0) return;
  // Whatever mode it gave it: no other user gets through the folder around it.
  if (entry.ownerUid === uid) return;
  throw new AosError('disk.denied', {
    message: `The folder ${quote(path)} is open to others, or somebody else's`,
    fix: `Make it yours alone: chmod 700 ${quote(path)}`,
  });
}

const kindWords = {
  symlink: 'a symlink',
  file: 'a file',
  folder: 'a folder',
  other: 'something else',
} as const;

/** F2. What is no ordinary file is replaced, a symlink itself and not what it leads to. */
export async function keepMeta(
  deps: DurableFileDeps,
  folder: string,
  facts: MetaFacts,
): Promise<void> {
  const path = join(folder, 'meta.json');
  if ((await deps.disk.stat(path))?.kind === 'file') return;
  const meta = {
    name: facts.name,
    registered_at: new Date(facts.registeredAt).toISOString(),
    body: facts.body,
    address: facts.address,
    public_key: facts.publicKey,
    // For the agent to fill in.
    pid: null,
    started_at: null,
  };
  const text = `${JSON.stringify(meta, undefined, 2)}\n`;
  await writeFileDurably(deps, path, Buffer.from(text));
}
