/** Calls whose end is not known: a human says what became of them. And those that are withdrawn. */
import { AosError, toReport } from '../kernel/errors.ts';
import { operationOfKey } from '../kernel/journal/step.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { findOperation } from '../ledger/operations/operations.ts';
import { answerApproval, findApprovalOfCall } from '../ledger/security/approvals.ts';
import { type CallRow, endCall, findCall, waitingCallsUnder } from '../ledger/security/journal.ts';
import { type AnsweredCall, endWith } from './answer.ts';
import type { CallDeps } from './deps.ts';
import { runAgain } from './recover.ts';

export interface Resolution {
  readonly callId: string;
  /** It had its effect; do it again; it had none and is not to be done. */
  readonly as: 'done' | 'redo' | 'fail';
  readonly by: string;
}

export async function resolve(
  deps: CallDeps,
  { callId, as, by }: Resolution,
): Promise<AnsweredCall> {
  return deps.ledger.transact(async (tx) => {
    const call = await findCall(tx, callId);
    if (call === undefined) throw unknownCall(callId);
    if (call.state !== 'unsure') throw notUnsure(call);
    if (as === 'redo') await refuseForNobody(tx, call);
    const data = { call: callId, as };
    await tx.record({ actor: by, kind: 'tool.resolved', subject: `tool:${call.tool}`, data });
    let goesOn: AnsweredCall['goesOn'];
    if (as === 'redo') goesOn = await runAgain(deps, tx, call);
    else if (as === 'fail')
      await endWith(deps, tx, call, { to: 'failed', error: saidToHaveFailed(by) });
    else {
      const result = JSON.stringify({ resolved: 'done', by });
      await endCall(tx, callId, { from: 'unsure', to: 'answered', result, at: deps.clock.now() });
    }
    return { call: (await findCall(tx, callId)) ?? call, goesOn };
  });
}

/** A run that is over wants nothing done any more. */
async function refuseForNobody(sql: Sql, { call_id, idempotency_key }: CallRow): Promise<void> {
  const id = operationOfKey(idempotency_key);
  const operation = id === undefined ? undefined : await findOperation(sql, id);
  if (operation === undefined || operation.ended_at === null) return;
  throw new AosError('operation.over', {
    message: `The goal for which call ${call_id} was made is ${operation.state}, so it is not made again`,
    fix: `aos resolve ${call_id} done, or fail`,
  });
}

/** Also for a call of another principal. */
export function unknownCall(id: string): AosError {
  return new AosError('tool.unknown-call', {
    message: `There is no call ${quote(id.slice(0, 100))}`,
    fix: 'aos tool calls',
  });
}

function notUnsure({ call_id, state }: CallRow): AosError {
  return new AosError('tool.not-unsure', {
    message: `Call ${call_id} is ${state}, so there is nothing to resolve`,
    fix: 'aos tool calls --state unsure',
    details: { state },
  });
}

function saidToHaveFailed(by: string): AosError {
  return new AosError('tool.failed', { message: `${by} says that the call had no effect` });
}

// Calls that wait for a human, of a run that is over: they are not wanted any more.

/** All whose key begins so; their approvals can be answered no longer. */
export async function withdrawCalls(
  tx: Transaction,
  {
    principal,
    keyPrefix,
    at,
  }: { readonly principal: string; readonly keyPrefix: string; readonly at: Instant },
): Promise<void> {
  for (const { call_id, tool } of await waitingCallsUnder(tx, principal, keyPrefix)) {
    const error = new AosError('tool.interrupted', {
      message: `The run that asked for ${tool} is over, so it is not called`,
    });
    const result = JSON.stringify(toReport(error));
    if (!(await endCall(tx, call_id, { from: 'waiting', to: 'failed', result, at }))) continue;
    const approval = await findApprovalOfCall(tx, call_id);
    if (approval !== undefined) {
      const answer = { state: 'expired', by: 'system', answer: error.message } as const;
      await answerApproval(tx, approval.id, { ...answer, scope: null, at });
    }
    const data = { call: call_id, code: error.code };
    await tx.record({ actor: 'system', kind: 'tool.failed', subject: `tool:${tool}`, data });
  }
}
