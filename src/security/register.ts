/**
 * Registering a guest: an agent that lives elsewhere and talks through its folder, a
 * socket or HTTP.
 *
 * R1. Files first, row last: an agent that the ledger knows has its folder and its key.
 *     A try that dies in between leaves an orphan, which the next try adopts.
 * R2. The row decides who registered: of two at once, one gets the name and a handle.
 *     Both leave the same key, and `meta.json`, which only informs, of the first one.
 * R3. One at a time for a name in this process: the folder that a registration makes is
 *     seen by the look for guests, which must not get the name before it.
 *
 * What is in the folder, and whose folder is refused, is in agent-folders.ts.
 */

import { join } from 'node:path';
import { type AgentState, checkAgentName, checkNewAgentName } from '../kernel/agent/agent.ts';
import type { DurableFileDeps } from '../kernel/disk/durable-file.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock, Instant, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import {
  type AgentBody,
  type AgentRow,
  changeState,
  changeStatus,
  findAgent,
  findAgentInAnyCase,
  insertAgent,
  uidOf,
} from '../ledger/agents.ts';
import type { Ledger, Sql, Transaction } from '../ledger/ledger.ts';
import { grantsHeldBy } from '../ledger/security/grants.ts';
import {
  hasHadHandle,
  insertHandle,
  insertPrincipal,
  revokeHandlesOf,
} from '../ledger/security/principals.ts';
import { type FoundFolders, keepMeta, makeFolders } from './agent-folders.ts';
import { defaultsFor, giveDefaults } from './grants/default-grants.ts';
import type { GrantChanges, Grants } from './grants/grants.ts';
import { endOfHandle, hashOfHandle, mintHandle } from './handles.ts';
import { keysFolder, loadOrCreateKey } from './identity/key-file.ts';
import type { KeyPair } from './identity/key-pair.ts';

export interface RegisterDeps extends DurableFileDeps {
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly clock: Pick<Clock, 'now'>;
}

interface Registration {
  readonly name: string;
  /** The principal that asked for it. */
  readonly actor: string;
  /** How long the handle is good; for ever where nothing is said. */
  readonly handleMs?: number | undefined;
  /** A guest where nothing is said. */
  readonly body?: AgentBody | undefined;
  /** It comes with the system, under a name that no other agent may have. */
  readonly isBundled?: boolean | undefined;
  /** What is written down together with it. It awaits ledger calls only. */
  readonly also?: ((tx: Transaction, grants: GrantChanges) => Promise<void>) | undefined;
}

export interface RegisteredAgent {
  readonly name: string;
  readonly address: string;
  /** Shown once: the ledger has only its hash. */
  readonly handle: string;
  readonly folder: string;
}

/** Makes an agent that has a folder: that, its key, its handle and its row. */
export function registerAgent(
  deps: RegisterDeps,
  home: string,
  registration: Registration,
): Promise<RegisteredAgent> {
  const { name, body = 'guest', isBundled = false } = registration;
  return inTurn(deps.ledger, name, async () => {
    if (isBundled) checkAgentName(name);
    else checkNewAgentName(name);
    const known = await findAgentInAnyCase(deps.ledger.committed, name);
    const takesUp =
      known?.name === name && (await mayTakeUp(deps.ledger.committed, known, registration));
    if (known !== undefined && !takesUp) throw nameTaken(name, known.name);
    const made = await makeAgent(deps, home, { name, body, open: 'refused' });
    const handle = mintHandle(deps.random);
    if (takesUp) {
      const before =
        body === 'command' ? await grantsHeldBy(deps.ledger.committed, `agent:${name}`) : [];
      const ids = before.map(({ id }) => id);
      await deps.grants.change(
        (tx, grants) => takeUp(tx, grants, { ...registration, handle, ids, at: deps.clock.now() }),
        ids,
      );
      return { name, address: made.key.address, handle, folder: join(home, 'agents', name) };
    }
    const row = { ...made, ...registration, handleHash: hashOfHandle(handle), data: {} };
    // R2
    const holder = await deps.grants.change((tx, grants) => insertRegistration(tx, grants, row));
    if (holder !== undefined) throw nameTaken(name, holder);
    return { name, address: made.key.address, handle, folder: join(home, 'agents', name) };
  });
}

/**
 * Makes an agent of a folder that was made under `agents/`. It has no handle, so it
 * talks by files alone. Nothing happens when there is an agent of that name.
 */
export function registerGuest(deps: RegisterDeps, home: string, name: string): Promise<void> {
  return inTurn(deps.ledger, name, async () => {
    const known = await findAgentInAnyCase(deps.ledger.committed, name);
    if (known?.name === name) return;
    checkNewAgentName(name);
    if (known !== undefined) throw nameTaken(name, known.name);
    const made = await makeAgent(deps, home, { name, body: 'guest', open: 'closed' });
    const row = { ...made, name, actor: 'system', handleHash: undefined, data: { by: 'folder' } };
    const holder = await deps.grants.change((tx, grants) => insertRegistration(tx, grants, row));
    if (holder !== undefined && holder !== name) throw nameTaken(name, holder);
  });
}

// A program that has ended may be spawned anew under its name.
const overStates: readonly AgentState[] = ['completed', 'failed', 'terminated'];

/**
 * An agent that was terminated is registered once more, and so is a guest that made its own
 * folder, or whose registration was cut off, and that was given no handle.
 */
async function mayTakeUp(
  sql: Sql,
  known: AgentRow,
  { body = 'guest', actor }: Pick<Registration, 'body' | 'actor'>,
): Promise<boolean> {
  // What it is made of stays: a guest does not become a program of this machine by its name.
  if (known.body !== body) return false;
  // Nor does another owner's agent become the caller's.
  if (actor !== 'owner' && known.spawned_by !== actor) return false;
  if (known.status === 'terminated' || overStates.includes(known.state)) return true;
  return !(await hasHadHandle(sql, `agent:${known.name}`));
}

/** Gives an agent that is there already a handle of its own. */
async function takeUp(
  tx: Transaction,
  grants: GrantChanges,
  {
    name,
    actor,
    handle,
    handleMs,
    also,
    ids,
    at: now,
  }: Registration & {
    readonly handle: string;
    /** Of the grants that it had before, and loses. */
    readonly ids: readonly string[];
    readonly at: Instant;
  },
): Promise<void> {
  const principal = `agent:${name}`;
  const isBack = await changeStatus(tx, name, { from: 'terminated', to: 'active' });
  const wasOver = await changeState(tx, name, {
    ...{ from: overStates, to: 'pending', reason: null, at: now },
  });
  if (!isBack && !wasOver && (await hasHadHandle(tx, principal))) throw nameTaken(name, name);
  await revokeHandlesOf(tx, principal, now);
  const hash = hashOfHandle(handle);
  const expires_at = endOfHandle(now, handleMs);
  await insertHandle(tx, { hash, principal, created_at: now, expires_at });
  const kind = isBack ? 'agent.brought-back' : 'agent.taken-up';
  await tx.record({ actor, kind, subject: principal });
  for (const id of ids) await grants.revoke(id);
  // One that made its own folder has become one that the owner registered; one that comes back
  // has what it had.
  const isTakenUp = actor === 'owner' && !isBack && !wasOver;
  if (ids.length > 0) await giveDefaults(grants, principal, defaultsFor(actor));
  else if (isTakenUp) await giveDefaults(grants, principal, 'registered');
  await also?.(tx, grants);
}

// R3. By the ledger, because that is what all of one home share.
const underWay = new WeakMap<Ledger, Map<string, Promise<unknown>>>();

async function inTurn<T>(ledger: Ledger, name: string, work: () => Promise<T>): Promise<T> {
  const turns = underWay.get(ledger) ?? new Map<string, Promise<unknown>>();
  underWay.set(ledger, turns);
  // Names that differ in case only are one to the ledger.
  const key = name.toLowerCase();
  // The caller before has heard of its own failure.
  const mine = (turns.get(key) ?? Promise.resolve()).then(work, work);
  turns.set(key, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(key) === mine) turns.delete(key);
  }
}

interface MadeAgent {
  readonly key: KeyPair;
  readonly registeredAt: Instant;
}

// R1
async function makeAgent(
  deps: RegisterDeps,
  home: string,
  { name, body, open }: FoundFolders & { readonly name: string; readonly body: AgentBody },
): Promise<MadeAgent> {
  const uid = await uidOf(deps.ledger.committed, name);
  await makeFolders(deps.disk, home, name, { open, uid });
  const key = await loadOrCreateKey(deps, keysFolder(home), `agent:${name}`);
  const registeredAt = deps.clock.now();
  const { address, publicKey } = key;
  const facts = { name, registeredAt, body, address, publicKey };
  await keepMeta(deps, join(home, 'agents', name), facts);
  return { key, registeredAt };
}

function nameTaken(name: string, holder: string): AosError {
  const taken = `There is an agent ${quote(holder)} already`;
  return new AosError('agent.exists', {
    message: holder === name ? taken : `${taken}, and names must differ in more than case`,
    fix: `Choose another name; if only its handle is lost: aos register ${holder} --new-handle`,
    details: { name: holder },
  });
}

interface RegistrationRow extends Registration {
  readonly key: KeyPair;
  readonly registeredAt: Instant;
  /** Undefined for an agent without a handle. */
  readonly handleHash: string | undefined;
  /** What the event tells besides. */
  readonly data: Readonly<Record<string, string>>;
}

/** Resolves to the agent that holds the name, when it is taken. */
async function insertRegistration(
  tx: Transaction,
  grants: GrantChanges,
  row: RegistrationRow,
): Promise<string | undefined> {
  const { name, registeredAt, key, body = 'guest' } = row;
  const inserted = await insertAgent(tx, {
    name,
    registered_at: registeredAt,
    status: 'active',
    state: 'pending',
    body,
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
  if (row.handleHash !== undefined) {
    await insertHandle(tx, {
      hash: row.handleHash,
      principal,
      created_at: registeredAt,
      expires_at: endOfHandle(registeredAt, row.handleMs),
    });
  }
  await giveDefaults(grants, principal, defaultsFor(row.actor));
  await tx.record({
    actor: row.actor,
    kind: 'agent.registered',
    subject: principal,
    data: { address: key.address, body, ...row.data },
  });
  await row.also?.(tx, grants);
  return undefined;
}

interface RenewDeps {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
}

/** Gives an agent a new handle; those it had are worth nothing from then on. */
export async function renewHandle(
  { ledger, random, clock }: RenewDeps,
  { name, actor, handleMs }: Registration,
): Promise<{ readonly name: string; readonly handle: string }> {
  const handle = mintHandle(random);
  const principal = `agent:${name}`;
  await ledger.transact(async (tx) => {
    if ((await findAgent(tx, name)) === undefined) throw unknownAgent(name);
    const now = clock.now();
    const revoked = await revokeHandlesOf(tx, principal, now);
    const hash = hashOfHandle(handle);
    const expires_at = endOfHandle(now, handleMs);
    await insertHandle(tx, { hash, principal, created_at: now, expires_at });
    const data = { revoked };
    await tx.record({ actor, kind: 'identity.handle-renewed', subject: principal, data });
  });
  return { name, handle };
}

/** In the same words to a caller that may not know of the agent. */
export function unknownAgent(name: string): AosError {
  return new AosError('agent.unknown', {
    message: `There is no agent ${quote(name)}`,
    fix: 'aos ps lists those that there are',
  });
}
