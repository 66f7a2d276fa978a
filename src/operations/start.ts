/** Submitting an operation for a principal, under what it holds. */
import type { Limits } from '../kernel/agent/budget.ts';
import { addressOfGrantee, isGrantee } from '../kernel/agent/operation.ts';
import { AosError } from '../kernel/errors.ts';
import {
  findOperation,
  findOperationByKey,
  type OperationRow,
  submitDigestOf,
} from '../ledger/operations/operations.ts';
import { findPrincipal, insertPrincipal } from '../ledger/security/principals.ts';
import type { Goal } from '../runtime/submit.ts';
import { permitUse } from '../security/permit.ts';
import type { OperationQueue, OperationsDeps } from './deps.ts';
import { checkGrant, endOfGrant } from './expire.ts';

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
  const deed = { resource: 'operation', action: 'start', name: template } as const;
  const grant = await permitUse(deps, { principal, deed }, {});
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
