/** Giving, handing on and taking back capabilities, and asking about them. */

import { granteeOf, isGrantee } from '../../kernel/agent/operation.ts';
import { type Action, type Capability, whyNot } from '../../kernel/capability/capability.ts';
import { parseCapability, printCapability } from '../../kernel/capability/capability-text.ts';
import { inheritConstraints, isNarrower } from '../../kernel/capability/narrower.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, Instant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { findAgent } from '../../ledger/agents.ts';
import { readEvents, type SealedEvent } from '../../ledger/events.ts';
import type { Ledger, Sql, Transaction } from '../../ledger/ledger.ts';
import {
  countDelegatedBy,
  findGrant,
  type GrantRow,
  grantChain,
  grantsHeldBy,
  newestGrants,
} from '../../ledger/security/grants.ts';
import { findPrincipalByAddress, insertPrincipal } from '../../ledger/security/principals.ts';
import { checksummed } from '../identity/key-pair.ts';
import { authorize } from '../permit.ts';
import { unknownAgent } from '../register.ts';
import type { Decision, GrantChanges, Grants, Miss } from './grants.ts';
import { isOver, newLink } from './shelf.ts';

export interface CapabilityManagerDeps {
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly clock: Pick<Clock, 'now'>;
}

export interface Grant {
  /** To whom: an agent's name, or the address of an outsider. */
  readonly agent: string;
  /** In either spelling. */
  readonly capability: string;
  /** A human has to approve every use. */
  readonly asks?: boolean | undefined;
}

export interface Delegation extends Grant {
  /** Whose: an agent's name. */
  readonly from: string;
  /** Which of its grants; else the first that is wide enough. */
  readonly parent?: string | undefined;
}

export interface RevokedGrants {
  readonly revoked: readonly GrantRow[];
  /** How many more ended with them. */
  readonly below: number;
}

const longestChain = 16;
// What was revoked long before is not listed.
const mostOld = 200;
const mostDelegations = 10_000;
const dayMs = 24 * 3_600_000;

export class CapabilityManager {
  readonly #deps: CapabilityManagerDeps;

  constructor(deps: CapabilityManagerDeps) {
    this.#deps = deps;
  }

  /** Gives an agent a capability. The row is the token: its id is what revokes it. */
  async grant(grant: Grant, actor: string): Promise<GrantRow> {
    return this.#deps.grants.change((tx, changes) => this.grantIn(tx, changes, grant, actor));
  }

  /** Like grant(), as a part of a larger change. */
  async grantIn(
    tx: Transaction,
    changes: GrantChanges,
    { agent, capability, asks = false }: Grant,
    actor: string,
  ): Promise<GrantRow> {
    const parsed = parseCapability(capability);
    const canonical = printCapability(parsed);
    const principal = await makeHolder(tx, agent, this.#deps.clock.now());
    if (isGrantee(principal) && parsed.resource !== 'operation') throw ofNoUse(agent, parsed);
    const row = await changes.give({
      principal,
      capability: canonical,
      parent: null,
      granted_by: actor,
      origin: 'owner',
      asks: asks ? 1 : 0,
    });
    const data = { grant: row.id, capability: canonical, ...(asks ? { asks } : {}) };
    await tx.record({ actor, kind: 'capability.granted', subject: row.principal, data });
    return row;
  }

  /** Hands a part of what an agent holds on to another one. */
  async delegate(wanted: Delegation, actor: string): Promise<GrantRow> {
    return this.#deps.grants.change((tx, changes) => this.delegateIn(tx, changes, wanted, actor));
  }

  /** Like delegate(), as a part of a larger change. */
  async delegateIn(
    tx: Transaction,
    changes: GrantChanges,
    wanted: Delegation,
    actor: string,
  ): Promise<GrantRow> {
    const { agent, from, asks = false } = wanted;
    const asked = parseCapability(wanted.capability);
    await this.#checkAgent(tx, agent);
    if (agent === from) throw tooWide(from, 'it holds that itself already');
    const parent = await this.#parentOf(tx, wanted, asked);
    const capability = inheritConstraints(asked, parseCapability(parent.capability));
    await this.#checkCounts(tx, wanted);
    const row = await changes.give({
      principal: `agent:${agent}`,
      capability: printCapability(capability),
      parent: parent.id,
      granted_by: `agent:${from}`,
      origin: 'delegation',
      asks: asks ? 1 : 0,
    });
    const data = { grant: row.id, capability: row.capability, parent: parent.id };
    await tx.record({ actor, kind: 'capability.delegated', subject: row.principal, data });
    return row;
  }

  /**
   * Takes a grant back, and with it everything that was delegated from it: at once, also
   * under what is running. Tells how many were below it.
   */
  async revoke(
    id: string,
    actor: string,
  ): Promise<{ readonly grant: GrantRow; readonly below: number }> {
    return this.#deps.grants.change(
      async (tx, changes) => {
        const grant = await findGrant(tx, id);
        if (grant === undefined || !(await mayRevoke(tx, grant, actor))) throw unknownGrant(id);
        const { below } = await revokeIn(tx, changes, grant, actor);
        return { grant, below };
      },
      [id],
    );
  }

  /** Revokes, as one change, every grant of an agent that says exactly this. */
  async revokeCapability(
    { agent, capability }: Pick<Grant, 'agent' | 'capability'>,
    actor: string,
  ): Promise<RevokedGrants> {
    const canonical = printCapability(parseCapability(capability));
    const sql = this.#deps.ledger.committed;
    const holder = await holderOf(sql, agent);
    const ids = (await grantsSaying(sql, holder, canonical)).map(({ id }) => id);
    return this.#deps.grants.change(async (tx, changes) => {
      const revoked: GrantRow[] = [];
      let ended = 0;
      for (const grant of await grantsSaying(tx, holder, canonical)) {
        // One that was given since the look was given after this.
        if (!ids.includes(grant.id) || !(await mayRevoke(tx, grant, actor))) continue;
        const { isNew, below } = await revokeIn(tx, changes, grant, actor);
        // One that is not new has just ended, below another of these.
        ended += below + (isNew ? 1 : 0);
        revoked.push((await findGrant(tx, grant.id)) ?? grant);
      }
      if (revoked.length === 0) throw noneSaysThat(agent, canonical);
      return { revoked, below: ended - revoked.length };
    }, ids);
  }

  /** Whether an agent may do something. It counts as no use and is not recorded. */
  async check(agent: string, action: Action): Promise<boolean> {
    return (await this.explain(agent, action)).kind === 'allowed';
  }

  /** What was revoked or is over counts for the reason too. */
  async explain(agent: string, action: Action): Promise<Decision> {
    const sql = this.#deps.ledger.committed;
    const principal = await holderOf(sql, agent);
    const decision = await authorize(this.#deps.grants, sql, { principal, action });
    if (decision.kind === 'allowed' || decision.nearest !== undefined) return decision;
    return { kind: 'denied', nearest: await this.#nearestOfOld(sql, principal, action) };
  }

  async #nearestOfOld(sql: Sql, principal: string, action: Action): Promise<Miss | undefined> {
    const now = this.#deps.clock.now();
    const rows = await newestGrants(sql, principal, mostOld);
    for (const { id } of rows) {
      const chain = await grantChain(sql, id);
      const miss = whyNot({ id, links: chain.map(newLink) }, action, now);
      if (miss?.why === 'revoked' || miss?.why === 'expired') return { grant: id, why: miss.why };
    }
    return undefined;
  }

  /** What an agent did and was denied, the newest first. */
  async audit(agent: string, { limit = 100 } = {}): Promise<readonly SealedEvent[]> {
    const filter = { actor: `agent:${agent}` };
    return readEvents(this.#deps.ledger.committed, filter, { limit, order: 'newest-first' });
  }

  async #checkAgent(sql: Sql, name: string): Promise<void> {
    if ((await findAgent(sql, name)) === undefined) throw unknownAgent(name);
  }

  /** An agent can fill neither the ledger nor what another principal holds. */
  async #checkCounts(sql: Sql, { from, agent }: Delegation): Promise<void> {
    const since = this.#deps.clock.now() - dayMs;
    if ((await countDelegatedBy(sql, `agent:${from}`, since)) >= mostDelegations) {
      throw tooMany(`Agent ${quote(from)} has delegated ${mostDelegations} times already`);
    }
    await checkReceived(sql, { to: agent, giver: `agent:${from}` }, this.#deps.clock.now());
  }

  /** Of what the giver holds, the grant that is wide enough. */
  async #parentOf(
    sql: Sql,
    { from, parent }: Pick<Delegation, 'from' | 'parent'>,
    asked: Capability,
  ): Promise<GrantRow> {
    const held = await grantsHeldBy(sql, `agent:${from}`);
    const chosen = parent === undefined ? held : held.filter(({ id }) => id === parent);
    if (parent !== undefined && chosen.length === 0) throw unknownGrant(parent);
    let isTooDeep = false;
    for (const row of chosen) {
      const wide = parseCapability(row.capability);
      if (!isNarrower(inheritConstraints(asked, wide), wide)) continue;
      const chain = await grantChain(sql, row.id);
      if (chain.some((link) => isOver(newLink(link), this.#deps.clock.now()))) continue;
      if (chain.length < longestChain) return row;
      isTooDeep = true;
    }
    if (isTooDeep) throw tooMany(`It would be delegated for the ${longestChain}th time`);
    throw tooWide(from, 'none of its grants is provably as wide');
  }
}

function ofNoUse(name: string, { resource }: Capability): AosError {
  return new AosError('capability.bad', {
    message: `${quote(name)} is an outsider, who can do nothing with a capability for ${resource}`,
    fix: 'Outsiders submit operations: operation:default:start',
  });
}

async function grantsSaying(sql: Sql, holder: string, canonical: string): Promise<GrantRow[]> {
  const held = await grantsHeldBy(sql, holder);
  return held.filter(({ capability }) => capability === canonical);
}

async function revokeIn(
  tx: Transaction,
  changes: GrantChanges,
  { id, principal, capability }: GrantRow,
  actor: string,
): Promise<{ readonly isNew: boolean; readonly below: number }> {
  const { isNew, below } = await changes.revoke(id);
  if (isNew) {
    const data = { grant: id, capability, below };
    await tx.record({ actor, kind: 'capability.revoked', subject: principal, data });
  }
  return { isNew, below };
}

/** The owner may revoke all; an agent what it holds, and what was delegated from that. */
async function mayRevoke(sql: Sql, { id }: GrantRow, actor: string): Promise<boolean> {
  if (actor === 'owner') return true;
  return (await grantChain(sql, id)).some(({ principal }) => principal === actor);
}

/** In the same words where the grant is another principal's. */
export function unknownGrant(id: string): AosError {
  return new AosError('capability.unknown', {
    message: `There is no grant ${quote(id.slice(0, 100))}`,
    fix: 'aos cap ls',
  });
}

function noneSaysThat(agent: string, capability: string): AosError {
  return new AosError('capability.unknown', {
    message: `Agent ${quote(agent)} has no grant that says ${capability}`,
    fix: `aos cap ls ${agent}`,
  });
}

function tooWide(from: string, why: string): AosError {
  return new AosError('capability.not-narrower', {
    message: `Agent ${quote(from)} cannot delegate that: ${why}`,
    fix: `aos cap ls ${from} shows what it holds`,
  });
}

function tooMany(message: string): AosError {
  return new AosError('capability.too-many', {
    message,
    fix: 'Revoke what is not needed any more',
  });
}

// Who is meant by a name to whom something is granted: an agent, or an outsider by its address.

/** The principal; throws where there is no such agent. Of an outsider nothing need be known. */
export async function holderOf(sql: Sql, name: string): Promise<string> {
  const address = checksummed(name);
  if (address === undefined) {
    if ((await findAgent(sql, name)) === undefined) throw unknownAgent(name);
    return `agent:${name}`;
  }
  return (await findPrincipalByAddress(sql, address))?.id ?? granteeOf(address);
}

/** Like holderOf(), but an outsider is known from now on: by the address, until a signature tells the key. */
async function makeHolder(tx: Transaction, name: string, at: Instant): Promise<string> {
  const holder = await holderOf(tx, name);
  const address = checksummed(name);
  if (address !== undefined && (await findPrincipalByAddress(tx, address)) === undefined) {
    const facts = { kind: 'grantee', address, public_key: '', created_at: at } as const;
    await insertPrincipal(tx, { id: holder, ...facts });
  }
  return holder;
}

// What a principal was given by others is limited, and by one of them most.

const mostReceived = 1000;
const mostFromOne = 250;

/** Throws where one more from this giver would be too many. What has expired does not count. */
export async function checkReceived(
  sql: Sql,
  { to, giver }: { readonly to: string; readonly giver: string },
  now: Instant,
): Promise<void> {
  const held = await grantsHeldBy(sql, `agent:${to}`);
  const given = held.filter((row) => row.origin === 'delegation' && !hasExpired(row, now));
  const fromOne = given.filter(({ granted_by }) => granted_by === giver);
  if (given.length >= mostReceived) throw tooManyReceived(to, `${mostReceived} grants by others`);
  if (giver.startsWith('agent:') && fromOne.length >= mostFromOne) {
    throw tooManyReceived(to, `${mostFromOne} grants by ${quote(giver.replace(/^agent:/, ''))}`);
  }
}

export function hasExpired(row: GrantRow, now: Instant): boolean {
  return isOver(newLink(row), now);
}

function tooManyReceived(name: string, what: string): AosError {
  return new AosError('capability.too-many', {
    message: `Agent ${quote(name)} was given ${what} already`,
    fix: 'Revoke what is not needed any more',
  });
}
