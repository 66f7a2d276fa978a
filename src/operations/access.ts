/**
 * Who may know of an operation, and who may have what it made.
 *
 * W1. A caller that may not know of it hears the same, in the same words, as of one that is not there.
 * W2. Its artifacts are for its submitter, under the grant that allowed it. Another principal
 *     who holds a grant on it may know that it is there, and hears a no.
 */

import type { Limits } from '../kernel/agent/budget.ts';
import { addressOfGrantee, isGrantee } from '../kernel/agent/operation.ts';
import { AosError } from '../kernel/errors.ts';
import { quote } from '../kernel/text/quote.ts';
import { timeText } from '../kernel/text/time-text.ts';
import { type ArtifactRow, artifactsOf, findArtifact } from '../ledger/operations/artifacts.ts';
import {
  findOperation,
  findOperationByKey,
  type OperationRow,
  submitDigestOf,
} from '../ledger/operations/operations.ts';
import { findPrincipal, insertPrincipal } from '../ledger/security/principals.ts';
import type { Goal } from '../runtime/submit.ts';
import { permitUse, recordDenial } from '../security/permit.ts';
import type { OperationQueue, OperationsDeps } from './deps.ts';
import { checkGrant, endArtifact, endOfGrant, isPast } from './expire.ts';

/** `owner` is the owner of the home, who may look at everything. */
export type OperationAccess = 'own' | 'owner' | 'granted';

export interface SeenOperation {
  readonly row: OperationRow;
  readonly access: OperationAccess;
}

export type OperationAction = 'read' | 'cancel';

/** Throws `operation.unknown` (W1), `capability.denied` or `operation.not-yours`. */
export async function seeOperation(
  { ledger, grants }: Pick<OperationsDeps, 'ledger' | 'grants'>,
  principal: string,
  { id, action }: { readonly id: string; readonly action: OperationAction },
): Promise<SeenOperation> {
  const sql = ledger.committed;
  const row = await findOperation(sql, id);
  const actionOf = (wanted: OperationAction) =>
    ({ resource: 'operation', action: wanted, name: id.slice(0, 100) }) as const;
  // W1: the same is written down, so that it takes the same time.
  const refuse = async (): Promise<never> => {
    const request = { principal, action: actionOf(action) };
    await ledger.transact((tx) =>
      recordDenial(tx, request, { kind: 'denied', nearest: undefined }),
    );
    throw unknownOperation(id);
  };
  if (row === undefined) return principal === 'owner' ? notThere(id) : refuse();
  if (row.owner === principal) {
    await checkGrant(sql, row);
    return { row, access: 'own' };
  }
  if (principal === 'owner') return { row, access: 'owner' };
  const holds = async (wanted: OperationAction): Promise<boolean> =>
    (await grants.decide(sql, principal, actionOf(wanted))).kind === 'allowed';
  if (await holds(action)) return { row, access: 'granted' };
  if (await holds(action === 'read' ? 'cancel' : 'read')) throw notYours(id);
  return refuse();
}

function notThere(id: string): never {
  throw unknownOperation(id);
}

/** Only for its submitter (W2); the owner of the home may look, and delete. */
export async function seeArtifacts(
  deps: OperationsDeps,
  principal: string,
  id: string,
): Promise<SeenOperation & { readonly artifacts: readonly ArtifactRow[] }> {
  const seen = await seeOwn(deps, principal, id);
  const artifacts = await presentArtifacts(deps, id);
  const data = { count: artifacts.length };
  await recordAccess(deps, principal, { kind: 'artifact.listed', operation: id, data });
  return { ...seen, artifacts };
}

/** All that a caller gets of artifacts is on record before they have it. */
export async function recordAccess(
  { ledger }: Pick<OperationsDeps, 'ledger'>,
  actor: string,
  {
    kind,
    operation,
    data,
  }: { readonly kind: `artifact.${string}`; readonly operation: string; readonly data?: object },
): Promise<void> {
  const subject = `operation:${operation}`;
  await ledger.transact((tx) => tx.record({ actor, kind, subject, data }));
}

/** W2. A refused caller is on record. */
async function seeOwn(deps: OperationsDeps, principal: string, id: string): Promise<SeenOperation> {
  const seen = await seeOperation(deps, principal, { id, action: 'read' });
  if (seen.access !== 'granted') return seen;
  await recordAccess(deps, principal, { kind: 'artifact.denied', operation: id });
  throw notYours(id);
}

/** Those that are there now. */
export async function presentArtifacts(
  { ledger, clock }: Pick<OperationsDeps, 'ledger' | 'clock'>,
  id: string,
): Promise<readonly ArtifactRow[]> {
  const now = clock.now();
  return (await artifactsOf(ledger.committed, id)).filter((row) => !isPast(row, now));
}

/** Throws `artifact.unknown`, or `artifact.expired` for whom it was. */
export async function seeArtifact(
  deps: OperationsDeps,
  principal: string,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<SeenOperation & { readonly artifact: ArtifactRow }> {
  const seen = await seeOwn(deps, principal, id);
  const artifact = await findArtifact(deps.ledger.committed, id, name);
  if (artifact === undefined) throw unknownArtifact(name);
  if (artifact.gone_at === null && isPast(artifact, deps.clock.now())) {
    // The caller is the first to notice; its bytes go before the caller is told.
    await endArtifact(deps, artifact, { why: 'expired', actor: 'system' });
    throw expired(artifact);
  }
  if (artifact.gone_why === 'expired') throw expired(artifact);
  if (artifact.gone_at !== null) throw unknownArtifact(name);
  return { ...seen, artifact };
}

export function unknownOperation(id: string): AosError {
  return new AosError('operation.unknown', {
    message: `There is no operation ${quote(id.slice(0, 100))}`,
    fix: 'Check the id; an operation is there only for whoever submitted it',
  });
}

export function unknownArtifact(name: string): AosError {
  return new AosError('artifact.unknown', {
    message: `The operation has no artifact ${quote(name.slice(0, 100))}`,
    fix: 'List those that it has: aos op artifacts ID',
  });
}

function expired({ name, expires_at }: ArtifactRow): AosError {
  const expiredAt = timeText(expires_at);
  return new AosError('artifact.expired', {
    message: `The artifact ${quote(name)} was kept until ${expiredAt}, and is gone`,
    fix: 'Submit the operation again',
    details: { expired_at: expiredAt },
  });
}

function notYours(id: string): AosError {
  return new AosError('operation.not-yours', {
    message: `Operation ${quote(id)} was submitted by somebody else, and this is for them alone`,
    fix: 'Ask whoever submitted it',
  });
}

// Submitting an operation for a principal, under what it holds.

export interface OperationOrder {
  readonly goal: string;
  /** The template from which its agent is made. */
  readonly template?: string | undefined;
  /** For the owner: the outsider for whom it is. */
  readonly grantee?: string | undefined;
  readonly key?: string | undefined;
  /** Of the request that came with the key. */
  readonly keyDigest?: string | undefined;
}

export async function startOperation(
  deps: OperationsDeps,
  principal: string,
  order: OperationOrder,
): Promise<OperationRow> {
  const queue = queueOf(deps);
  const owner = await ownerOf(deps, principal, order);
  const before = order.key && (await findOperationByKey(deps.ledger.committed, owner, order.key));
  if (before) await checkGrant(deps.ledger.committed, before);
  const { key, keyDigest, template } = order;
  // Who may start an operation of a template gets its agent; what that may is the home's to say.
  const madeBy = owner === 'owner' ? undefined : 'system';
  const goal: Goal = { text: order.goal, owner, template, key, keyDigest, madeBy };
  const grant = before
    ? before.grant_id
    : await permit(deps, principal, order.template ?? (await queue.templateFor(goal)));
  const { operationId } = await queue.submit({
    ...goal,
    ...(isGrantee(owner) ? await outsidersTerms(deps, grant) : {}),
  });
  const row = await findOperation(deps.ledger.committed, operationId);
  if (row === undefined) throw new Error('an operation was submitted and is not there');
  // Also of two at once, of which one was the first.
  const digest = await submitDigestOf(deps.ledger.committed, operationId);
  if (key !== undefined && digest !== (keyDigest ?? null)) throw keyReused();
  return row;
}

export function queueOf({ queue }: Pick<OperationsDeps, 'queue'>): OperationQueue {
  if (queue !== undefined) return queue;
  throw new AosError('daemon.down', {
    message: 'Operations are worked on by the daemon, and none is running',
    fix: 'aos up --detach',
  });
}

function keyReused(): AosError {
  return new AosError('gateway.key-reused', {
    message: 'This Idempotency-Key came before, with another request',
    fix: 'Use a new key for a new request',
    details: { state: 'other-request' },
  });
}

/** The caller that submits it; or an outsider for whom the owner of the home does. */
async function ownerOf(
  { ledger, clock }: OperationsDeps,
  principal: string,
  { grantee }: OperationOrder,
): Promise<string> {
  if (grantee === undefined) return principal;
  if (principal !== 'owner') {
    throw new AosError('gateway.owner-only', {
      message: 'Only the owner of the home submits operations for somebody else',
      fix: 'Leave "grantee_address" out',
    });
  }
  const address = addressOfGrantee(grantee);
  if (address === undefined) throw new Error(`${grantee} is no outsider`);
  await ledger.transact(async (tx) => {
    if ((await findPrincipal(tx, grantee)) !== undefined) return;
    const facts = { id: grantee, kind: 'grantee', address, public_key: '' } as const;
    await insertPrincipal(tx, { ...facts, created_at: clock.now() });
  });
  return grantee;
}

/** The grant under which it may; null for the owner, who needs none. */
async function permit(
  deps: OperationsDeps,
  principal: string,
  template: string,
): Promise<string | null> {
  const action = { resource: 'operation', action: 'start', name: template } as const;
  const grant = await permitUse(deps, { principal, action }, {});
  return grant?.id ?? null;
}

async function outsidersTerms(
  { ledger, clock, limits }: OperationsDeps,
  grant: string | null,
): Promise<Partial<Goal>> {
  const end = await endOfGrant(ledger.committed, grant);
  const budget: Limits = { wall: limits.runMs };
  return {
    isSealed: true,
    budget,
    ...(grant === null ? {} : { grant }),
    ...(end === undefined ? {} : { deadlineMs: Math.max(1, end - clock.now()) }),
  };
}
