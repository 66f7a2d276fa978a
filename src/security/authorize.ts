/** The one question before anything is done for a principal, and what is said and kept of a no. */

import { addressOfGrantee } from '../kernel/agent/operation.ts';
import type { Deed } from '../kernel/capability/capability.ts';
import { printCapability } from '../kernel/capability/capability-text.ts';
import { printDeed, wideEnough } from '../kernel/capability/deed-text.ts';
import { AosError } from '../kernel/errors.ts';
import { type MemoryDeed, sharingDeed } from '../kernel/memory/memory.ts';
import { oneLine, quote, shellQuoted } from '../kernel/text/quote.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import type { DecideOptions, Decision, Grants, Miss } from './grants/grants.ts';
import type { HeldGrant } from './grants/held-grant.ts';

export interface AuthorizeRequest {
  /** `owner`, `system` or `agent:NAME`. */
  readonly principal: string;
  readonly deed: Deed;
}

/**
 * In the transaction of what it is for, so that nothing comes between the answer and the deed.
 * A share of memories counts no longer than its giver may share: it stands in the way of no
 * other grant, which may be one that asks or is counted.
 */
export async function authorize(
  grants: Grants,
  sql: Sql,
  { principal, deed }: AuthorizeRequest,
  options: DecideOptions = {},
): Promise<Decision> {
  if (deed.resource !== 'memory') return grants.decide(sql, principal, deed, options);
  for (const without = new Set(options.without); ; ) {
    const decision = await grants.decide(sql, principal, deed, { ...options, without });
    const grant = decision.kind === 'allowed' ? decision.grant : undefined;
    if (grant === undefined || (await isStillShared(grants, sql, grant, deed))) return decision;
    without.add(grant.id);
  }
}

/**
 * One that the owner gave stays; one that an agent gave needs its right to share, however often it
 * was handed on since.
 */
async function isStillShared(
  grants: Grants,
  sql: Sql,
  { links }: HeldGrant,
  deed: MemoryDeed,
): Promise<boolean> {
  const giver = links.at(-1)?.giver;
  if (giver === undefined) return true;
  const right = sharingDeed(giver, deed);
  const decision = await grants.decide(sql, giver, right, { isCounted: true });
  // Who is put on hold has taken nothing back.
  return decision.kind === 'allowed' || decision.nearest?.why === 'paused';
}

/** For where no human can be asked: what would have to be approved is denied. */
export function withoutAsking(decision: Decision): Decision {
  if (decision.kind === 'denied' || decision.grant?.asks !== true) return decision;
  return { kind: 'denied', nearest: { grant: decision.grant.id, why: 'asks' } };
}

export type Denial = Extract<Decision, { kind: 'denied' }>;

/** Every denial is on record, with the resource in its one spelling. */
export async function recordDenial(
  tx: Transaction,
  { principal, deed }: AuthorizeRequest,
  { nearest }: Denial,
  facts: object = {},
): Promise<void> {
  await tx.record({
    actor: principal,
    kind: 'capability.denied',
    subject: resourceText(deed),
    data: {
      ...facts,
      ...(nearest === undefined ? {} : { nearest: nearest.why, grant: nearest.grant }),
    },
  });
}

const longestResource = 500;

/** For events, where a path may be too long to read. */
export function resourceText(deed: Deed): string {
  const text = printDeed(deed);
  return text.length <= longestResource ? text : `${text.slice(0, longestResource)}…`;
}

export function deniedError({ principal, deed }: AuthorizeRequest, { nearest }: Denial): AosError {
  const missing = oneLine(printDeed(deed));
  const details = { missing, ...nearest };
  const command = grantCommand(principal, deed);
  if (nearest?.why === 'used-up') {
    return new AosError('capability.used-up', {
      message: `${nameOf(principal)} has used its grant for ${missing} as often as it may`,
      fix: command === undefined ? 'Wait' : `Wait, or give it another: ${command}`,
      details,
    });
  }
  if (nearest?.why === 'paused') {
    return new AosError('capability.denied', {
      message: `${nameOf(principal)} is paused, and may do nothing until it is resumed`,
      fix: `aos resume ${principal.replace(/^agent:/, '')}`,
      details,
    });
  }
  return new AosError('capability.denied', {
    message: `${nameOf(principal)} lacks the capability ${missing}${nearWords(deed, nearest)}`,
    // Another grant would take the human out who is to be asked.
    fix: nearest?.why === 'asks' ? 'Call the tool for it' : (command ?? noGrant(deed)),
    details,
  });
}

/** The command that gives what is missing; undefined where it would give every name. */
export function grantCommand(principal: string, deed: Deed): string | undefined {
  const capability = wideEnough(deed);
  if (capability === undefined) return undefined;
  const text = shellQuoted(printCapability(capability));
  return `aos cap grant ${principal.replace(/^(?:agent|grantee):/, '')} ${text}`;
}

function noGrant({ resource }: Deed): string {
  return resource === 'shell'
    ? 'The name of this program cannot be granted: give it one of letters, digits and . _ + -'
    : `The name of this ${resource} cannot be granted: choose another`;
}

function nameOf(principal: string): string {
  const agent = /^agent:(.+)$/.exec(principal)?.[1];
  const outsider = addressOfGrantee(principal);
  if (outsider !== undefined) return outsider;
  return agent === undefined ? quote(principal) : `Agent ${quote(agent)}`;
}

function nearWords({ resource }: Deed, nearest: Miss | undefined): string {
  if (nearest === undefined) return '';
  const words = {
    // It covers the place by a star: else it would not have been looked at.
    target:
      resource === 'shell'
        ? 'does not have it on its allowlist'
        : 'does not name it, and what may hold secrets or lies on this machine has to be named',
    action: 'allows other actions',
    revoked: 'was revoked, or what it was delegated from',
    expired: 'has expired',
    'used-up': 'is used up',
    paused: 'does not count while its holder is paused',
    asks: 'has a human asked before each use, which can only be done by a call of a tool',
  } as const;
  return ` (its grant ${nearest.grant.slice(0, 16)} ${words[nearest.why]})`;
}
