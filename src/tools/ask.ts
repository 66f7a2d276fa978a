/**
 * The first half of a call, in one transaction: what was asked is written down, it is decided
 * whether it may be done, and either it has started, or a human is asked, or it is over.
 */
import { hash } from 'node:crypto';
import type { Action } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import { newId } from '../kernel/new-id.ts';
import type { OutputPart } from '../kernel/sandbox.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { countWaiting, insertApproval } from '../ledger/security/approvals.ts';
import { type CallRow, endCall, findCallByKey, insertCall } from '../ledger/security/journal.ts';
import { setTimer } from '../ledger/timers.ts';
import { hashOfShown, shownText } from '../security/approvals.ts';
import type { Grants } from '../security/grants/grants.ts';
import type { HeldGrant } from '../security/grants/shelf.ts';
import {
  authorize,
  findGrants,
  linksOf,
  type PermitResult,
  refuseTerminated,
  resourceText,
  useGrants,
} from '../security/permit.ts';
import type { CallDeps } from './deps.ts';
import { scrubbedError } from './outcome.ts';
import type { PreparedCall, Tool } from './tool.ts';

export interface CallRequest {
  /** `owner` or `agent:NAME`. */
  readonly principal: string;
  readonly tool: string;
  readonly args: unknown;
  /** The same key is the same call: it is not run twice. */
  readonly key?: string | undefined;
  /** No longer than so; and never longer than the limits and the grants say. */
  readonly timeoutMs?: number | undefined;
  /** Ends it too when it aborts; the caller that waited goes on, whatever the tool does. */
  readonly signal?: AbortSignal | undefined;
  /** It was not refused, and its end is waited for from now on. Not for one that a human approves. */
  readonly onStart?: (() => void) | undefined;
  /**
   * What it shows while it runs; must not throw. One that a human has to approve shows nothing,
   * and one that is made again under its key shows it to who made it first.
   */
  readonly onOutput?: ((part: OutputPart) => void) | undefined;
  /** It is made by a run of the runtime, under a key that no other caller may use. */
  readonly isOfRun?: true | undefined;
}

export type AskedCall =
  | { readonly kind: 'started'; readonly grants: readonly (HeldGrant | undefined)[] }
  | { readonly kind: 'waiting'; readonly approval: string }
  | { readonly kind: 'over'; readonly error: AosError }
  /** It had been asked before under the same key. */
  | { readonly kind: 'repeated'; readonly call: CallRow };

export interface NewCallFacts {
  readonly callId: string;
  readonly request: CallRequest;
  readonly tool: Tool;
  readonly prepared: PreparedCall;
  /** What the tool says that a human has to approve. */
  readonly asks: string | undefined;
}

export function ask(deps: CallDeps, facts: NewCallFacts): Promise<AskedCall> {
  checkKey(facts.request);
  const written = writtenDown(deps, facts);
  return deps.ledger.transact(async (tx) => {
    const { principal, key } = facts.request;
    const before = key === undefined ? undefined : await findCallByKey(tx, principal, key);
    if (before !== undefined) return { kind: 'repeated', call: sameCall(before, written) };
    return decide(deps, tx, { ...facts, written });
  });
}

const lawfulKey = /^[\x20-\x7e]{1,200}$/;

function checkKey({ key, isOfRun }: CallRequest): void {
  if (key === undefined || (lawfulKey.test(key) && (isOfRun || !isReserved(key)))) return;
  throw new AosError('tool.bad-arguments', {
    message: 'An idempotency key has 1 to 200 plain characters, and does not begin with "run:"',
    fix: 'Use a new random one for each call',
  });
}

/** A tool reads off such a key for which operation it works. */
function isReserved(key: string): boolean {
  return key.startsWith('run:');
}

type Written = Pick<
  CallRow,
  'call_id' | 'principal' | 'tool' | 'effect' | 'repeatable' | 'idempotency_key' | 'arguments'
> & { readonly arguments_digest: string };

/** As it is kept: without secrets. */
function writtenDown(
  { scrubber }: CallDeps,
  { callId, request, tool, prepared }: NewCallFacts,
): Written {
  const args = JSON.stringify(scrubber.scrubJson(request.args)) ?? 'null';
  return {
    call_id: callId,
    principal: request.principal,
    tool: tool.name,
    effect: prepared.effect,
    repeatable: tool.repeatable ? 1 : 0,
    idempotency_key: request.key ?? callId,
    arguments: args,
    arguments_digest: digestOf(args),
  };
}

export function digestOf(text: string): string {
  return hash('sha256', text);
}

function sameCall(before: CallRow, { tool, arguments_digest }: Written): CallRow {
  if (before.tool === tool && before.arguments_digest === arguments_digest) return before;
  throw new AosError('tool.key-used', {
    message: `The key ${quote(before.idempotency_key.slice(0, 100))} was used for another call, of ${before.tool}`,
    fix: 'Use a new key for a new call',
    details: { call_id: before.call_id },
  });
}

async function decide(
  deps: CallDeps,
  tx: Transaction,
  { callId, request, prepared, asks, written }: NewCallFacts & { readonly written: Written },
): Promise<AskedCall> {
  const { principal } = request;
  const now = deps.clock.now();
  const wanted = { principal, callId, prepared, asks, isApproved: false };
  const permission = await permitCall(deps.grants, tx, wanted);
  if (permission.kind === 'allowed') {
    await insertCall(tx, { ...written, state: 'started', asked_at: now, started_at: now });
    await recordStart(tx, { written, prepared, grants: permission.grants });
    return { kind: 'started', grants: permission.grants };
  }
  if (permission.kind === 'asks') {
    const { mostWaiting } = deps.limits;
    if ((await countWaiting(tx, principal)) >= mostWaiting) {
      throw tooMany(principal, `${mostWaiting} calls waiting for a human`);
    }
    await insertCall(tx, { ...written, state: 'waiting', asked_at: now, started_at: null });
    return {
      kind: 'waiting',
      approval: await askHuman(deps, tx, { written, prepared, ...permission }),
    };
  }
  // A caller that is denied cannot fill the ledger with what it sends along: the digest stays.
  // And it was not made: under its key it can be made once it is allowed.
  const asked = { ...written, arguments: 'null', idempotency_key: callId };
  await insertCall(tx, { ...asked, state: 'waiting', asked_at: now, started_at: null });
  const { error, text: result } = scrubbedError(deps.scrubber, permission.error);
  await endCall(tx, callId, { from: 'waiting', to: 'failed', result, at: now });
  return { kind: 'over', error };
}

export function tooMany(principal: string, what: string): AosError {
  return new AosError('tool.too-many', {
    message: `${quote(principal)} has ${what} already`,
    fix: 'Wait until some of them are over',
  });
}

export interface Start {
  readonly written: Pick<CallRow, 'call_id' | 'principal' | 'tool' | 'effect' | 'arguments_digest'>;
  readonly prepared: Pick<PreparedCall, 'actions'>;
  readonly grants: readonly (HeldGrant | undefined)[];
}

export function recordStart(
  tx: Transaction,
  { written, prepared, grants }: Start,
  facts: object = {},
): Promise<void> {
  return tx.record({
    actor: written.principal,
    kind: 'tool.started',
    subject: `tool:${written.tool}`,
    data: {
      ...{ call: written.call_id, effect: written.effect, arguments: written.arguments_digest },
      ...groundsOf(prepared.actions, grants),
      ...facts,
    },
  });
}

async function askHuman(
  { clock, random, limits, scrubber }: CallDeps,
  tx: Transaction,
  {
    written,
    prepared,
    reason,
  }: Omit<Start, 'grants'> & { readonly written: Written; readonly reason: string },
): Promise<string> {
  const now = clock.now();
  const { resources } = groundsOf(prepared.actions, []);
  const whole = shownText({
    ...{ principal: written.principal, tool: written.tool, effect: written.effect, reason },
    ...{ arguments: written.arguments, argumentsDigest: written.arguments_digest, resources },
  });
  const shown = scrubber.scrubText(whole);
  const id = newId(now, random);
  const expires_at = now + limits.approvalMs;
  await insertApproval(tx, {
    ...{ id, call_id: written.call_id, principal: written.principal, tool: written.tool, reason },
    ...{ shown, hash: hashOfShown(shown), asked_at: now, expires_at },
  });
  for (const [kind, due_at] of [
    ['approval.announce', now],
    ['approval.expire', expires_at],
  ] as const) {
    const timer = { id: `${kind} ${id}`, kind, subject: id, payload: '{}', due_at, every_ms: null };
    await setTimer(tx, timer, now);
  }
  await tx.record({
    actor: written.principal,
    kind: 'approval.asked',
    subject: `approval:${id}`,
    data: { call: written.call_id, tool: written.tool, hash: hashOfShown(shown), resources },
  });
  return id;
}

// Whether all that a call wants to do is allowed, and under which limits.

type Permission =
  | PermitResult
  /** A human has to be asked, for this reason. */
  | { readonly kind: 'asks'; readonly reason: string; readonly grants: readonly HeldGrant[] };

interface Wanted {
  readonly principal: string;
  readonly callId: string;
  readonly prepared: Pick<PreparedCall, 'actions' | 'asksEachTime'>;
  /** What the tool says that a human has to approve. */
  readonly asks?: string | undefined;
  /** A human has said yes to this very call. */
  readonly isApproved: boolean;
  /** It was begun before: one call is one use, however often it is run. */
  readonly isCounted?: boolean | undefined;
}

/** Decides, and where the call may start, counts the uses. A denial is on record after it. */
export async function permitCall(
  grants: Grants,
  tx: Transaction,
  { principal, callId, prepared, asks, isApproved, isCounted = false }: Wanted,
): Promise<Permission> {
  const facts = { call: callId };
  const uses = isCounted ? 'counted' : 'count';
  const request = { principal, actions: prepared.actions, facts, uses, canAsk: true } as const;
  const over = await refuseTerminated(tx, principal, facts);
  if (over !== undefined) return { kind: 'denied', error: over };
  const found = await findGrants(grants, tx, request);
  if (found.kind === 'denied') return found;
  const held = found.grants.filter((grant) => grant !== undefined);
  const reason = isApproved
    ? undefined
    : await reasonToAsk(grants, tx, { principal, prepared, asks, held });
  if (reason !== undefined) return { kind: 'asks', reason, grants: held };
  return useGrants(grants, tx, request, found.grants);
}

/** The owner needs no approval. What was approved for always is not asked again. */
async function reasonToAsk(
  grants: Grants,
  sql: Sql,
  {
    principal,
    prepared,
    asks,
    held,
  }: Pick<Wanted, 'principal' | 'prepared' | 'asks'> & { readonly held: readonly HeldGrant[] },
): Promise<string | undefined> {
  if (principal === 'owner') return undefined;
  const asking = held.find((grant) => grant.asks);
  const reason = asks ?? (asking && `grant ${asking.id.slice(0, 16)} asks before each use`);
  if (reason === undefined || prepared.actions.length === 0) return reason;
  if (asks !== undefined && prepared.asksEachTime) return reason;
  for (const action of prepared.actions) {
    const approved = await authorize(grants, sql, { principal, action }, { approvedOnly: true });
    if (approved.kind === 'denied') return reason;
  }
  return undefined;
}

/** For the events: what was done, and by which grants with those above them. */
function groundsOf(
  actions: readonly Action[],
  grants: readonly (HeldGrant | undefined)[],
): { readonly resources: readonly string[]; readonly grants: readonly string[] } {
  return { resources: actions.map(resourceText), grants: linksOf(grants) };
}
