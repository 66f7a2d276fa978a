/**
 * Permits what a principal wants to do: finds a grant for each action, counts the uses, and puts a
 * denial on record. Messages, transfers, tools and operations all come through here; they differ
 * in whether a human can be asked, in when uses are counted, and in the code of a denial.
 *
 * P1. Decision, count and record are one transaction: the caller's, or that of permitUse().
 * P2. Nothing is counted unless everything is allowed.
 */

import { addressOfGrantee } from '../kernel/agent/operation.ts';
import { printAction, wideEnough } from '../kernel/capability/action-text.ts';
import type { Action, Constraints } from '../kernel/capability/capability.ts';
import { printCapability } from '../kernel/capability/capability-text.ts';
import { AosError, type ErrorCode } from '../kernel/errors.ts';
import { type MemoryAction, sharingAction } from '../kernel/memory/memory.ts';
import { must } from '../kernel/must.ts';
import type { Instant } from '../kernel/ports.ts';
import { oneLine, quote, shellQuoted } from '../kernel/text/quote.ts';
import { presenceOf } from '../ledger/agents.ts';
import type { Ledger, Sql, Transaction } from '../ledger/ledger.ts';
import type { DecideOptions, Decision, Grants, Miss } from './grants/grants.ts';
import { type HeldGrant, mostBytesOf } from './grants/shelf.ts';

/** What a principal wants to do, all of it or nothing. */
export interface PermitRequest {
  readonly principal: string;
  readonly actions: readonly Action[];
  /** A human can be asked. Without it, what would have to be approved is denied. */
  readonly canAsk?: boolean | undefined;
  readonly uses?: Uses | undefined;
  /** All actions together are one use of each grant, e.g. a file for several recipients. */
  readonly isOneUse?: boolean | undefined;
  /** How many bytes each action is about, and what is said where a grant allows fewer. */
  readonly size?: SizeCheck | undefined;
  /** What the event of a denial says besides, e.g. the call that wanted it. */
  readonly facts?: object | undefined;
  /** Of a denial, where the area has a code of its own. */
  readonly code?: ErrorCode | undefined;
}

/**
 * `count` counts them now. `look` only looks whether one is left, because they are counted later.
 * `counted` is for what was counted before: that a grant is used up by now does not matter.
 */
export type Uses = 'count' | 'look' | 'counted';

export interface SizeCheck {
  readonly bytes: number;
  tooLarge(action: Action, mostBytes: number): AosError;
}

export type PermitResult =
  | {
      readonly kind: 'allowed';
      /** For each action; undefined for the owner, who needs none. */
      readonly grants: readonly (HeldGrant | undefined)[];
    }
  | { readonly kind: 'denied'; readonly error: AosError };

/** Decides on all actions of a request and counts their uses. A denial is on record after it. */
export async function permitAll(
  grants: Grants,
  tx: Transaction,
  request: PermitRequest,
): Promise<PermitResult> {
  const over = await refuseTerminated(tx, request.principal, request.facts ?? {});
  if (over !== undefined) return { kind: 'denied', error: inCode(over, request.code) };
  const found = await findGrants(grants, tx, request);
  if (found.kind === 'denied') return found;
  return useGrants(grants, tx, request, found.grants);
}

/** The first half of permitAll(), for callers that have more to check before uses are counted. */
export async function findGrants(
  grants: Grants,
  tx: Transaction,
  request: PermitRequest,
): Promise<PermitResult> {
  const { principal, actions, size } = request;
  const found: (HeldGrant | undefined)[] = [];
  for (const action of actions) {
    const decision = await decide(grants, tx, request, action);
    if (decision.kind === 'denied') return deny(tx, request, { principal, action }, decision);
    const mostBytes = size && decision.grant && mostBytesOf(decision.grant);
    if (size !== undefined && mostBytes !== undefined && size.bytes > mostBytes) {
      return { kind: 'denied', error: size.tooLarge(action, mostBytes) };
    }
    found.push(decision.grant);
  }
  return { kind: 'allowed', grants: found };
}

/** The second half: counts one use of each grant that was found, the last step before writing. */
export async function useGrants(
  grants: Grants,
  tx: Transaction,
  request: PermitRequest,
  found: readonly (HeldGrant | undefined)[],
): Promise<PermitResult> {
  const { uses = 'count', isOneUse } = request;
  const used = isOneUse === true ? [...new Set(found)] : found;
  const spent = uses === 'count' ? await grants.use(tx, used) : undefined;
  if (spent === undefined) return { kind: 'allowed', grants: found };
  const action = must(request.actions[found.indexOf(spent)], 'the action of a used-up grant');
  const denial = { kind: 'denied', nearest: { grant: spent.id, why: 'used-up' } } as const;
  return deny(tx, request, { principal: request.principal, action }, denial);
}

async function decide(
  grants: Grants,
  sql: Sql,
  { principal, canAsk, uses }: Omit<PermitRequest, 'actions'>,
  action: Action,
): Promise<Decision> {
  const options = { isCounted: uses === 'counted' };
  const decision = await authorize(grants, sql, { principal, action }, options);
  return canAsk === true ? decision : withoutAsking(decision);
}

async function deny(
  tx: Transaction,
  { facts, code }: PermitRequest,
  request: AuthorizeRequest,
  denial: Denial,
): Promise<PermitResult> {
  await recordDenial(tx, request, denial, facts);
  return { kind: 'denied', error: inCode(deniedError(request, denial), code) };
}

function inCode(error: AosError, code: ErrorCode | undefined): AosError {
  if (code === undefined) return error;
  const { message, fix, details } = error;
  return new AosError(code, { message, fix, details });
}

/** Refuses a terminated agent, whatever it holds. The denial is on record after it. */
export async function refuseTerminated(
  tx: Transaction,
  principal: string,
  facts: object,
): Promise<AosError | undefined> {
  if (!(await isTerminated(tx, principal))) return undefined;
  const data = { ...facts, nearest: 'terminated' };
  await tx.record({ actor: principal, kind: 'capability.denied', subject: principal, data });
  const name = principal.replace(/^agent:/, '');
  return new AosError('capability.denied', {
    message: `Agent ${quote(name)} was terminated, and may do nothing any more`,
    fix: `aos register ${name}, which brings it back`,
    details: { why: 'terminated' },
  });
}

async function isTerminated(sql: Sql, principal: string): Promise<boolean> {
  const name = /^agent:(.+)$/.exec(principal)?.[1];
  return name !== undefined && (await presenceOf(sql, name)) === 'terminated';
}

export interface PermitDeps {
  readonly ledger: Pick<Ledger, 'transact'>;
  readonly grants: Grants;
}

/**
 * Permits one use in the middle of something, where no human can be asked, in a transaction of its
 * own. The use is on record after it, or the denial; `facts` say in the event what it belongs to.
 * Throws the denial. Resolves to the grant; undefined for the owner, who needs none.
 */
export async function permitUse(
  { ledger, grants }: PermitDeps,
  { principal, action }: AuthorizeRequest,
  facts: object,
): Promise<HeldGrant | undefined> {
  const permitted = await ledger.transact(async (tx) => {
    const result = await permitAll(grants, tx, { principal, actions: [action], facts });
    if (result.kind === 'denied') return result;
    const data = { ...facts, grants: linksOf(result.grants) };
    const subject = resourceText(action);
    await tx.record({ actor: principal, kind: 'capability.used', subject, data });
    return result;
  });
  if (permitted.kind === 'denied') throw permitted.error;
  return permitted.grants[0];
}

/** The ids of grants with those above them, for events. */
export function linksOf(grants: readonly (HeldGrant | undefined)[]): readonly string[] {
  return grants.flatMap((grant) => grant?.links.map(({ id }) => id) ?? []);
}

/** Whether permitUse() would permit it. Nothing is counted or recorded. */
export async function wouldPermit(
  grants: Grants,
  sql: Sql,
  request: AuthorizeRequest,
): Promise<boolean> {
  if (await isTerminated(sql, request.principal)) return false;
  return (await decide(grants, sql, request, request.action)).kind === 'allowed';
}

/** Throws the denial of a look that is neither counted nor recorded. */
export async function checkHeld(
  grants: Grants,
  sql: Sql,
  { principal, actions }: Pick<PermitRequest, 'principal' | 'actions'>,
): Promise<void> {
  for (const action of actions) {
    const decision = await decide(grants, sql, { principal }, action);
    if (decision.kind === 'denied') throw deniedError({ principal, action }, decision);
  }
}

/** What a grant that allows an action says of how it may be done. */
export interface Permit {
  /** The most bytes of this use, read or written; undefined where nothing limits them. */
  readonly sizeBytes: number | undefined;
  /** How many leading parts of a path the grant names: beyond them it has a star, or ends. */
  readonly namedParts: number;
}

/** Undefined is the owner's, who needs no grant. */
export function permitOf(grant: HeldGrant | undefined): Permit {
  if (grant === undefined) return { sizeBytes: undefined, namedParts: Number.POSITIVE_INFINITY };
  const target = grant.links[0]?.capability.target;
  const segments = target?.kind === 'path' ? target.segments : [];
  const star = segments.indexOf('any');
  return {
    sizeBytes: mostBytesOf(grant),
    namedParts: star === -1 ? segments.length : star,
  };
}

/** How long something may take under these grants; undefined where none of them limits it. */
export function longestRunMs(
  grants: readonly (HeldGrant | undefined)[],
  now: Instant,
): number | undefined {
  const all = grants.filter((grant) => grant !== undefined).flatMap(constraintsOf);
  return least([
    ...all.map(({ timeoutMs }) => timeoutMs),
    ...all.map(({ expires }) => (expires === undefined ? undefined : Math.max(0, expires - now))),
  ]);
}

function constraintsOf({ links }: HeldGrant): readonly Constraints[] {
  return links.map(({ capability }) => capability.constraints);
}

function least(numbers: readonly (number | undefined)[]): number | undefined {
  const given = numbers.filter((number) => number !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

// The one question before anything is done for a principal, and what is said and kept of a no.

interface AuthorizeRequest {
  /** `owner`, `system` or `agent:NAME`. */
  readonly principal: string;
  readonly action: Action;
}

/**
 * In the transaction of what it is for, so that nothing comes between the answer and the action.
 * A share of memories counts no longer than its giver may share: it stands in the way of no
 * other grant, which may be one that asks or is counted.
 */
export async function authorize(
  grants: Grants,
  sql: Sql,
  { principal, action }: AuthorizeRequest,
  options: DecideOptions = {},
): Promise<Decision> {
  if (action.resource !== 'memory') return grants.decide(sql, principal, action, options);
  for (const without = new Set(options.without); ; ) {
    const decision = await grants.decide(sql, principal, action, { ...options, without });
    const grant = decision.kind === 'allowed' ? decision.grant : undefined;
    if (grant === undefined || (await isStillShared(grants, sql, grant, action))) return decision;
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
  action: MemoryAction,
): Promise<boolean> {
  const giver = links.at(-1)?.giver;
  if (giver === undefined) return true;
  const right = sharingAction(giver, action);
  const decision = await grants.decide(sql, giver, right, { isCounted: true });
  // Who is put on hold has taken nothing back.
  return decision.kind === 'allowed' || decision.nearest?.why === 'paused';
}

/** For where no human can be asked: what would have to be approved is denied. */
export function withoutAsking(decision: Decision): Decision {
  if (decision.kind === 'denied' || decision.grant?.asks !== true) return decision;
  return { kind: 'denied', nearest: { grant: decision.grant.id, why: 'asks' } };
}

type Denial = Extract<Decision, { kind: 'denied' }>;

/** Every denial is on record, with the resource in its one spelling. */
export async function recordDenial(
  tx: Transaction,
  { principal, action }: AuthorizeRequest,
  { nearest }: Denial,
  facts: object = {},
): Promise<void> {
  await tx.record({
    actor: principal,
    kind: 'capability.denied',
    subject: resourceText(action),
    data: {
      ...facts,
      ...(nearest === undefined ? {} : { nearest: nearest.why, grant: nearest.grant }),
    },
  });
}

const longestResource = 500;

/** For events, where a path may be too long to read. */
export function resourceText(action: Action): string {
  const text = printAction(action);
  return text.length <= longestResource ? text : `${text.slice(0, longestResource)}…`;
}

export function deniedError(
  { principal, action }: AuthorizeRequest,
  { nearest }: Denial,
): AosError {
  const missing = oneLine(printAction(action));
  const details = { missing, ...nearest };
  const command = grantCommand(principal, action);
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
    message: `${nameOf(principal)} lacks the capability ${missing}${nearWords(action, nearest)}`,
    // Another grant would take the human out who is to be asked.
    fix: nearest?.why === 'asks' ? 'Call the tool for it' : (command ?? noGrant(action)),
    details,
  });
}

/** The command that gives what is missing; undefined where it would give every name. */
export function grantCommand(principal: string, action: Action): string | undefined {
  const capability = wideEnough(action);
  if (capability === undefined) return undefined;
  const text = shellQuoted(printCapability(capability));
  return `aos cap grant ${principal.replace(/^(?:agent|grantee):/, '')} ${text}`;
}

function noGrant({ resource }: Action): string {
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

function nearWords({ resource }: Action, nearest: Miss | undefined): string {
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
