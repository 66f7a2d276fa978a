/**
 * Registering a guest: an agent that lives elsewhere and talks through its folder, a
 * socket or HTTP.
 *
 * R1. Files first, row last: an agent that the ledger knows has its folder and its key.
 *     A try that dies in between leaves an orphan, which the next try adopts.
 * R2. The row decides who registered: of two at once, one gets the name and a handle.
 *     Both leave the same key, and `meta.json`, which only informs, of the later one.
 * R3. Nothing is followed, and nothing is taken that is not a folder of the home's owner,
 *     closed to others.
 */
import { join } from 'node:path';
import { checkAgentName } from '../kernel/agent-name.ts';
import { type DurableFileDeps, writeFileDurably } from '../kernel/durable-file.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock, Disk, Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/quote.ts';
import { type AgentBody, findAgentInAnyCase, insertAgent } from '../ledger/agents.ts';
import { insertHandle } from '../ledger/handles.ts';
import type { Ledger, Transaction } from '../ledger/ledger.ts';
import { insertPrincipal } from '../ledger/principals.ts';
import { hashOfHandle, mintHandle } from './handles.ts';
import { loadOrCreateKey } from './identity/key-file.ts';
import type { KeyPair } from './identity/key-pair.ts';
import { keysFolder } from './identity/principal.ts';

export interface RegisterDeps extends DurableFileDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Registration {
  readonly name: string;
  /** The principal that asked for it. */
  readonly actor: string;
}

export interface RegisteredAgent {
  readonly name: string;
  readonly address: string;
  /** Shown once: the ledger has only its hash. */
  readonly handle: string;
  readonly folder: string;
}

/** Makes a guest agent: its folders, its key, its handle and its row. */
export async function registerAgent(
  deps: RegisterDeps,
  home: string,
  { name, actor }: Registration,
): Promise<RegisteredAgent> {
  checkAgentName(name);
  const known = await findAgentInAnyCase(deps.ledger.committed, name);
  if (known !== undefined) throw nameTaken(name, known.name);
  // R1
  await makeFolders(deps.disk, home, name);
  const key = await loadOrCreateKey(deps, keysFolder(home), `agent:${name}`);
  const registeredAt = deps.clock.now();
  const folder = join(home, 'agents', name);
  const { address, publicKey } = key;
  await writeMeta(deps, folder, { name, registeredAt, body: 'guest', address, publicKey });
  const handle = mintHandle(deps.random);
  const row = { name, actor, key, registeredAt, handleHash: hashOfHandle(handle) };
  // R2
  const holder = await deps.ledger.transact((tx) => insertRegistration(tx, row));
  if (holder !== undefined) throw nameTaken(name, holder);
  return { name, address: key.address, handle, folder };
}

/** Makes what a registered agent has in its folder, where that is missing, and changes nothing. */
export async function makeAgentFolders(
  deps: DurableFileDeps,
  home: string,
  facts: MetaFacts,
): Promise<void> {
  checkAgentName(facts.name);
  await makeFolders(deps.disk, home, facts.name);
  const folder = join(home, 'agents', facts.name);
  const there = await deps.disk.stat(join(folder, 'meta.json'));
  if (there === undefined) await writeMeta(deps, folder, facts);
}

function nameTaken(name: string, holder: string): AosError {
  const taken = `There is an agent ${quote(holder)} already`;
  return new AosError('agent.exists', {
    message: holder === name ? taken : `${taken}, and names must differ in more than case`,
    fix: `Choose another name; if only its handle is lost: aos register ${holder} --new-handle`,
    details: { name: holder },
  });
}

async function makeFolders(disk: Disk, home: string, name: string): Promise<void> {
  const ownerUid = (await disk.stat(home))?.ownerUid;
  const outermost = join(home, 'agents');
  const agent = join(outermost, name);
  const outbox = join(agent, 'outbox');
  const inside: readonly (readonly [string, readonly string[]])[] = [
    [home, ['agents']],
    [outermost, [name]],
    [agent, ['outbox', 'inbox', 'workspace']],
    [outbox, ['.pending']],
  ];
  for (const [parent, names] of inside) {
    for (const child of names) await makeFolder(disk, join(parent, child), ownerUid);
    // Also when all were there: who made them may have died before this line.
    await disk.syncFolder(parent);
  }
}

async function makeFolder(disk: Disk, path: string, ownerUid: number | undefined): Promise<void> {
  try {
    await disk.makeFolder(path);
  } catch (failure) {
    if (!(failure instanceof AosError && failure.code === 'disk.exists')) throw failure;
    await refuseForeignFolder(disk, path, ownerUid);
  }
}

// R3
async function refuseForeignFolder(
  disk: Disk,
  path: string,
  ownerUid: number | undefined,
): Promise<void> {
  const entry = await disk.stat(path);
  if (entry?.kind !== 'folder') {
    throw new AosError('disk.not-a-folder', {
      message: `${quote(path)} is taken by ${kindWords[entry?.kind ?? 'other']}, and must be a folder`,
      fix: `Look at what it is, then move it away: mv ${quote(path)} ${quote(`${path}.old`)}`,
    });
  }
  if (entry.ownerUid === ownerUid && (entry.mode & 0o077) === 0) return;
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

/** What `meta.json` tells of an agent. */
export interface MetaFacts {
  readonly name: string;
  readonly registeredAt: Instant;
  readonly body: AgentBody;
  readonly address: string;
  readonly publicKey: string;
}

async function writeMeta(deps: DurableFileDeps, folder: string, facts: MetaFacts): Promise<void> {
  const meta = {
    name: facts.name,
    registered_at: new Date(facts.registeredAt).toISOString(),
    body: facts.body,
    address: facts.address,
    public_key: facts.publicKey,
  };
  const text = `${JSON.stringify(meta, undefined, 2)}\n`;
  await writeFileDurably(deps, join(folder, 'meta.json'), Buffer.from(text));
}

interface RegistrationRow extends Registration {
  readonly key: KeyPair;
  readonly registeredAt: Instant;
  readonly handleHash: string;
}

/** Resolves to the agent that holds the name, when it is taken. */
async function insertRegistration(
  tx: Transaction,
  row: RegistrationRow,
): Promise<string | undefined> {
  const { name, registeredAt, key } = row;
  const inserted = await insertAgent(tx, {
    name,
    registered_at: registeredAt,
    status: 'active',
    state: 'pending',
    body: 'guest',
  });
  if (!inserted) return (await findAgentInAnyCase(tx, name))?.name ?? name;
  const principal = `agent:${name}`;
  await insertPrincipal(tx, {
    id: principal,
    kind: 'agent',
    address: key.address,
    public_key: key.publicKey,
    created_at: registeredAt,
  });
  await insertHandle(tx, {
    hash: row.handleHash,
    principal,
    created_at: registeredAt,
    expires_at: null,
  });
  await tx.record({
    actor: row.actor,
    kind: 'agent.registered',
    subject: principal,
    data: { address: key.address, body: 'guest' },
  });
  return undefined;
}
