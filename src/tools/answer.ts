/** A human's answer to a call that waits: it goes on, or it is over. */

import { capabilityFor, printAction } from '../kernel/capability/action-text.ts';
import type { Action } from '../kernel/capability/capability.ts';
import { printCapability } from '../kernel/capability/capability-text.ts';
import { AosError } from '../kernel/errors.ts';
import { oneLine } from '../kernel/text/quote.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { type ApprovalRow, answerApproval, findApproval } from '../ledger/security/approvals.ts';
import { type CallRow, endCall, findCall, freeKey, startCall } from '../ledger/security/journal.ts';
import {
  type AnswerToApproval,
  checkAnswer,
  isMisuse,
  recordRefusedAnswer,
} from '../security/approvals.ts';
import type { GrantChanges } from '../security/grants/grants.ts';
import type { HeldGrant } from '../security/grants/shelf.ts';
import { digestOf, permitCall, recordStart } from './ask.ts';
import type { CallDeps } from './deps.ts';
import { tellOfEnd } from './notes.ts';
import { type CallOutcome, outcomeOf, scrubbedError } from './outcome.ts';
import type { ToolRun } from './run.ts';
import type { PreparedCall } from './tool.ts';

export interface AnswerRequest extends AnswerToApproval {
  readonly verdict:
    | { readonly kind: 'approve'; readonly scope: 'once' | 'always' }
    | { readonly kind: 'deny'; readonly reason: string };
}

/** A call that runs on without a caller that waits for it on a connection. */
export interface GoingOn extends ToolRun {
  readonly onEnd: (outcome: CallOutcome) => Promise<void>;
}

export interface AnsweredCall {
  readonly call: CallRow;
  readonly goesOn?: GoingOn | undefined;
}

export async function answer(deps: CallDeps, request: AnswerRequest): Promise<AnsweredCall> {
  const { clock, grants } = deps;
  const answered = await grants.change(async (tx, changes) => {
    let approval: ApprovalRow;
    let call: CallRow;
    try {
      approval = await checkAnswer(grants, tx, request, clock.now());
      call = await callOf(tx, approval);
      // Who can write to the ledger must not be able to put another call under an approval.
      const isSame = digestOf(call.arguments) === call.arguments_digest;
      if (request.verdict.kind === 'approve' && !isSame) throw changed(approval.id);
    } catch (failure) {
      if (!isMisuse(failure)) throw failure;
      // On record, so the transaction has to end well.
      await recordRefusedAnswer(tx, request, failure);
      return { refusal: failure };
    }
    return request.verdict.kind === 'deny'
      ? { call: await deny(deps, tx, { approval, call, request, reason: request.verdict.reason }) }
      : approve(deps, tx, { approval, call, request, changes, scope: request.verdict.scope });
  });
  if ('refusal' in answered) throw answered.refusal;
  const { call } = answered;
  if (call.state === 'denied' || call.state === 'failed') {
    await tellOfEnd(deps, call, outcomeOf(call));
  }
  return answered;
}

async function callOf(sql: Sql, { call_id }: Pick<ApprovalRow, 'call_id'>): Promise<CallRow> {
  const call = await findCall(sql, call_id);
  if (call === undefined) throw new Error('an approval has lost its call');
  return call;
}

interface Answering {
  readonly approval: ApprovalRow;
  readonly call: CallRow;
  readonly request: AnswerRequest;
}

async function deny(
  deps: CallDeps,
  tx: Transaction,
  { approval, call, request, reason }: Answering & { readonly reason: string },
): Promise<CallRow> {
  const at = deps.clock.now();
  const { by } = request;
  await answerApproval(tx, approval.id, { state: 'denied', by, answer: reason, scope: null, at });
  const error = new AosError('approval.denied', {
    message: `A human has denied the call: ${reason}`,
    details: { approval: approval.id },
  });
  await endWith(deps, tx, call, { to: 'denied', error });
  const subject = `approval:${approval.id}`;
  await tx.record({ actor: by, kind: 'approval.denied', subject, data: { call: call.call_id } });
  return callOf(tx, approval);
}

interface Approving extends Answering {
  readonly changes: GrantChanges;
  readonly scope: 'once' | 'always';
}

async function approve(
  deps: CallDeps,
  tx: Transaction,
  approving: Approving,
): Promise<AnsweredCall> {
  const { approval, call, request, changes, scope } = approving;
  const { by } = request;
  const at = deps.clock.now();
  const prepared = deps.tool(call.tool).prepare(JSON.parse(call.arguments));
  await answerApproval(tx, approval.id, { state: 'approved', by, answer: null, scope, at });
  const data = { call: call.call_id, hash: approval.hash, scope };
  const subject = `approval:${approval.id}`;
  await tx.record({ actor: by, kind: 'approval.approved', subject, data });
  const { principal, call_id: callId } = call;
  const permission = await permitCall(deps.grants, tx, {
    ...{ principal, callId, prepared },
    isApproved: true,
  });
  if (permission.kind !== 'allowed') {
    // What was granted when it was asked has been revoked or used up since.
    const error = permission.kind === 'denied' ? permission.error : changed(approval.id);
    await endWith(deps, tx, call, { to: 'failed', error });
    return { call: await callOf(tx, approval) };
  }
  if (scope === 'always') {
    if (prepared.asksEachTime && prepared.effect !== 'read') throw eachByItself(call.tool);
    await giveApproved(changes, { call, prepared, by, grants: permission.grants });
  }
  if (!(await startCall(tx, callId, { from: 'waiting', at }))) throw lostCall();
  await recordStart(
    tx,
    { written: call, prepared, grants: permission.grants },
    { approval: approval.id },
  );
  const goesOn: GoingOn = {
    ...{ call, prepared, grants: permission.grants },
    onEnd: (outcome) => tellOfEnd(deps, call, outcome),
  };
  return { call: await callOf(tx, approval), goesOn };
}

/** What was approved for always hangs on the grant that it was asked under, and goes with it. */
async function giveApproved(
  changes: GrantChanges,
  {
    call,
    prepared,
    by,
    grants,
  }: {
    readonly call: CallRow;
    readonly prepared: Pick<PreparedCall, 'actions'>;
    readonly by: string;
    readonly grants: readonly (HeldGrant | undefined)[];
  },
): Promise<void> {
  for (const [index, action] of prepared.actions.entries()) {
    const capability = capabilityFor(action);
    if (capability === undefined) throw onceOnly(action);
    await changes.give({
      principal: call.principal,
      capability: printCapability(capability),
      parent: grants[index]?.id ?? null,
      granted_by: by,
      origin: 'approval',
      asks: 0,
    });
  }
}

export async function endWith(
  { clock, scrubber }: Pick<CallDeps, 'clock' | 'scrubber'>,
  tx: Transaction,
  { call_id, state }: Pick<CallRow, 'call_id' | 'state'>,
  { to, error }: { readonly to: 'failed' | 'denied' | 'unsure'; readonly error: AosError },
): Promise<void> {
  const { text: result } = scrubbedError(scrubber, error);
  const at = clock.now();
  if (!(await endCall(tx, call_id, { from: state, to, result, at }))) throw lostCall();
}

/** Only a ledger that another program writes to has it. */
export function lostCall(): Error {
  return new Error('a call is not in the state in which it was found');
}

export async function expire(deps: CallDeps, id: string): Promise<void> {
  const call = await deps.ledger.transact(async (tx) => {
    const approval = await findApproval(tx, id);
    if (approval?.state !== 'waiting') return undefined;
    const at = deps.clock.now();
    const nobody = { by: 'system', answer: null, scope: null };
    await answerApproval(tx, id, { state: 'expired', ...nobody, at });
    const waiting = await callOf(tx, approval);
    const error = new AosError('approval.expired', {
      message: 'Nobody has answered in time whether the call may be made',
      fix: 'Make the call again',
      details: { approval: id },
    });
    await endWith(deps, tx, waiting, { to: 'denied', error });
    // Under its key it can be made again.
    await freeKey(tx, waiting.call_id);
    const data = { call: waiting.call_id };
    await tx.record({ actor: 'system', kind: 'approval.expired', subject: `approval:${id}`, data });
    return callOf(tx, approval);
  });
  if (call !== undefined) await tellOfEnd(deps, call, outcomeOf(call));
}

function onceOnly(action: Action): AosError {
  return new AosError('capability.bad', {
    message: `No capability can name just ${oneLine(printAction(action))}, so it cannot be approved for always`,
    fix: 'Approve it once, or grant a place above it',
  });
}

function eachByItself(tool: string): AosError {
  return new AosError('capability.bad', {
    message: `Each plan of ${tool} is asked for by itself, so it cannot be approved for always`,
    fix: 'Approve it once',
  });
}

function changed(id: string): AosError {
  return new AosError('approval.changed', {
    message: `The call of approval ${id} is not what was shown`,
    fix: 'Let it be asked again',
  });
}
