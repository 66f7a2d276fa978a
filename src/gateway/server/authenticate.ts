/**
 * Who is calling. The owner's socket needs no handle, because only the owner can reach
 * it. Everywhere else the handle says it, looked up by its hash, so that nothing can be
 * learnt from how long a comparison takes.
 *
 * R1. A handle that was revoked is refused from then on, and one that has expired within
 *     a second: what is remembered is dropped with every commit that could have changed
 *     it, an answer that was under way meanwhile is not remembered, and nothing is
 *     remembered for longer than that second.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { addressOfGrantee } from '../../kernel/agent/operation.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Clock } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { findAgent } from '../../ledger/agents.ts';
import type { Ledger, Sql } from '../../ledger/ledger.ts';
import { findHandle, type KnownHandle } from '../../ledger/security/principals.ts';
import { ownerName, type PrincipalName } from '../../relay/envelope.ts';
import { hashOfHandle, looksLikeHandle } from '../../security/handles.ts';
import { unknownAgent } from '../../security/register.ts';
import type { Door } from './connections.ts';

export type Caller =
  | { readonly kind: 'owner'; readonly id: 'owner' }
  | { readonly kind: 'agent'; readonly id: `agent:${string}`; readonly name: string }
  | {
      readonly kind: 'grantee';
      readonly id: `grantee:${string}`;
      readonly address: string;
    };

/** A caller that belongs to this home: the owner, or an agent. */
export type HomeCaller = Exclude<Caller, { readonly kind: 'grantee' }>;

export function isOfHome(caller: Caller): caller is HomeCaller {
  return caller.kind !== 'grantee';
}

export const owner: HomeCaller = { kind: 'owner', id: 'owner' };

type AuthenticatorLedger = Pick<Ledger, 'committed' | 'onEvents'>;

interface Known {
  readonly caller: Caller;
  /** Whether the handle ends by itself. */
  readonly hasEnd: boolean;
}

interface Remembered extends Known {
  readonly until: number;
}

const mostRemembered = 1000;
const longestRememberedMs = 1000;

export class Authenticator implements Disposable {
  readonly #ledger: AuthenticatorLedger;
  readonly #clock: Clock;
  readonly #subscription: Disposable;
  readonly #remembered = new Map<string, Remembered>();
  /** Counts the commits: R1. */
  #commits = 0;

  constructor(ledger: AuthenticatorLedger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#subscription = ledger.onEvents(() => {
      this.#commits++;
      this.#remembered.clear();
    });
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  /** Who it is, at once when that is known; throws when the caller is unknown, or not here. */
  identify(door: Door, headers: IncomingHttpHeaders): Caller | Promise<Caller> {
    if (door.kind === 'owner') return owner;
    const handle = handleOf(headers.authorization);
    if (handle === undefined) throw missingHandle(door);
    if (!looksLikeHandle(handle)) throw unknownHandle();
    const hash = hashOfHandle(handle);
    const known = this.#remembered.get(hash);
    if (known !== undefined && known.until > this.#clock.monotonicMs()) {
      return admitted(door, known);
    }
    return this.#lookUp(hash).then((found) => admitted(door, found));
  }

  async #lookUp(hash: string): Promise<Known | undefined> {
    const commits = this.#commits;
    const until = this.#clock.monotonicMs() + longestRememberedMs;
    const handle = await findHandle(this.#ledger.committed, hash, this.#clock.now());
    const known = knownBy(handle);
    if (commits === this.#commits && known !== undefined) {
      if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
      this.#remembered.set(hash, { ...known, until });
    }
    return known;
  }
}

function knownBy(handle: KnownHandle | undefined): Known | undefined {
  const caller = handle && callerOf(handle.principal);
  return caller && { caller, hasEnd: typeof handle?.expires_at === 'number' };
}

/** Undefined for a name that no principal has. */
export function callerOf(principal: string): Caller | undefined {
  if (principal === 'owner') return owner;
  const address = addressOfGrantee(principal);
  if (address !== undefined) {
    return { kind: 'grantee', id: `grantee:${address}`, address };
  }
  const name = /^agent:(.+)$/.exec(principal)?.[1];
  return name === undefined ? undefined : { kind: 'agent', id: `agent:${name}`, name };
}

function admitted(door: Door, known: Known | undefined): Caller {
  if (known === undefined) throw unknownHandle();
  const { caller, hasEnd } = known;
  if (door.kind === 'tcp' && caller.kind === 'agent' && !hasEnd) throw endless(caller.name);
  const isOwnDoor = door.kind !== 'agent' || (caller.kind === 'agent' && caller.name === door.name);
  if (isOwnDoor) return caller;
  throw new AosError('handle.wrong-door', {
    message: 'This handle belongs to somebody else than this socket',
    fix: 'Use the socket of the agent whose handle it is',
  });
}

function endless(name: string): AosError {
  return new AosError('handle.wrong-door', {
    message:
      'This handle never ends, so it is good on the socket of its agent and not on this port',
    fix: `aos register ${name} --new-handle --expires 30d`,
  });
}

/** `Bearer aos_…`, or the password of `Basic`, which is what a browser can send. */
function handleOf(authorization: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(authorization ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(value, 'base64').toString('latin1');
  const password = pair.slice(pair.indexOf(':') + 1);
  return pair.includes(':') && password !== '' ? password : undefined;
}

function missingHandle(door: Door): AosError {
  const where = door.kind === 'agent' ? `the socket of agent "${door.name}"` : 'this port';
  return new AosError('handle.missing', {
    message: `A request to ${where} needs a handle`,
    fix: 'Send "Authorization: Bearer aos_…" (the owner\'s handle is in keys/owner.handle), or sign the request: docs/operations.md',
  });
}

function unknownHandle(): AosError {
  return new AosError('handle.unknown', {
    message: 'The handle is unknown, has expired or was revoked',
    fix: 'Ask the owner for a new one',
  });
}

// As whom a caller sends, reads and settles. The owner may act for any agent.

export type ActingLedger = Pick<Ledger, 'committed' | 'transact'>;

/** Who is meant by a `from`, `as` or `agent` that may be left out. */
export async function actingName(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<PrincipalName> {
  if (caller.kind === 'agent') {
    if (named === undefined || named === caller.name) return caller.name;
    await recordPretence(ledger, caller, named);
    throw notOneself(caller.name, named);
  }
  if (named === undefined || named === ownerName) return ownerName;
  return knownAgent(ledger.committed, named);
}

/** Like actingName(), but as a principal: `owner` or `agent:NAME`. */
export async function actingPrincipal(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<string> {
  const name = await actingName(ledger, caller, named);
  return name === ownerName ? 'owner' : `agent:${name}`;
}

/** Of whom a list is: an agent's own, or for the owner of whom it names. */
export async function whose(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<string | undefined> {
  if (caller.kind === 'owner' && named === undefined) return undefined;
  return actingPrincipal(ledger, caller, named);
}

/** Whose inbox a path names. To an agent all others are unknown. */
export async function inboxName(
  sql: Sql,
  caller: HomeCaller,
  name: string,
): Promise<PrincipalName> {
  if (caller.kind === 'agent') {
    if (name === caller.name) return name;
    throw unknownAgent(name);
  }
  return name === ownerName ? ownerName : knownAgent(sql, name);
}

/** Like actingPrincipal(), for what only agents do: the owner has to name one. */
export async function actingAgent(
  ledger: ActingLedger,
  caller: HomeCaller,
  named: string | undefined,
): Promise<string> {
  if (caller.kind === 'owner' && named === undefined) {
    throw new AosError('gateway.bad-request', {
      message: 'Only an agent can do this, and none is named',
      fix: 'Name one with "agent"',
    });
  }
  return caller.kind === 'owner'
    ? knownAgent(ledger.committed, must(named, 'The name of an agent'))
    : actingName(ledger, caller, named);
}

async function knownAgent(sql: Sql, name: string): Promise<string> {
  const found = await findAgent(sql, name);
  if (found === undefined) throw unknownAgent(name);
  return found.name;
}

/** That a caller tried to act for another is on record, whichever way it came. */
function recordPretence(
  ledger: ActingLedger,
  { id: actor }: HomeCaller,
  named: string,
): Promise<void> {
  const subject = `agent:${named.slice(0, 100)}`;
  const data = { nearest: 'not-oneself' };
  return ledger.transact((tx) => tx.record({ actor, kind: 'capability.denied', subject, data }));
}

function notOneself(caller: string, named: string): AosError {
  return new AosError('message.denied', {
    message: `Agent ${quote(caller)} may not act for ${quote(named.slice(0, 100))}`,
    fix: 'Leave the name out: it is known who is calling',
  });
}
