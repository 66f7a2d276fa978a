/**
 * What a process that died left in the middle. A call that only reads, or whose second run
 * has no second effect, is run again; of any other it is not known whether it had its effect, so
 * it is `unsure` until a human says.
 */
import { AosError, toReport } from '../kernel/errors.ts';
import { operationOfKey } from '../kernel/journal/step.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { findOperation } from '../ledger/operations/operations.ts';
import { answerApproval, findApprovalOfCall } from '../ledger/security/approvals.ts';
import {
  type CallRow,
  endCall,
  findCall,
  listCalls,
  startCall,
  startedCalls,
  waitingCallsUnder,
} from '../ledger/security/journal.ts';
import { type AnsweredCall, endWith, type GoingOn, lostCall } from './answer.ts';
import { permitCall, recordStart } from './ask.ts';
import type { CallDeps } from './deps.ts';
import { tellOfEnd, tellQuietly } from './notes.ts';
import { outcomeOf } from './outcome.ts';

const pageCalls = 100;
// A call that takes the daemon down with it must not do so for ever.
const mostRuns = 3;

/** Resolves to the calls that are to be run again. */
export async function recover(deps: CallDeps): Promise<readonly GoingOn[]> {
  const goingOn: GoingOn[] = [];
  const seen = new Set<string>();
  for (;;) {
    const page = await startedCalls(deps.ledger.committed, pageCalls + seen.size);
    const left = page.filter(({ call_id }) => !seen.has(call_id));
    if (left.length === 0) return goingOn;
    for (const call of left) {
      seen.add(call.call_id);
      const work = await deps.ledger.transact((tx) => takeUp(deps, tx, call));
      if (work !== undefined) goingOn.push(work);
      else await tellIfOver(deps, call.call_id);
    }
  }
}

async function takeUp(
  deps: CallDeps,
  tx: Transaction,
  call: CallRow,
): Promise<GoingOn | undefined> {
  const isRepeatable = call.effect === 'read' || call.repeatable === 1;
  if (!isRepeatable) {
    await endWith(deps, tx, call, { to: 'unsure', error: unsure(call) });
    await note(tx, call, 'tool.unsure');
    return undefined;
  }
  if (call.runs >= mostRuns) {
    await endWith(deps, tx, call, { to: 'failed', error: givenUp(call) });
    await note(tx, call, 'tool.failed');
    return undefined;
  }
  return runAgain(deps, tx, call);
}

/** Under the grants of now: what was revoked meanwhile is not run again. */
async function runAgain(
  deps: CallDeps,
  tx: Transaction,
  call: CallRow,
): Promise<GoingOn | undefined> {
  const { principal, call_id: callId } = call;
  try {
    const prepared = deps.tool(call.tool).prepare(JSON.parse(call.arguments));
    const permission = await permitCall(deps.grants, tx, {
      ...{ principal, callId, prepared },
      isApproved: true,
      isCounted: call.runs > 0,
    });
    if (permission.kind === 'denied') throw permission.error;
    const at = deps.clock.now();
    if (!(await startCall(tx, callId, { from: call.state, at }))) throw lostCall();
    await recordStart(tx, { written: call, prepared, grants: permission.grants }, { again: true });
    return {
      ...{ call, prepared, grants: permission.grants },
      onEnd: (outcome) => tellOfEnd(deps, call, outcome),
    };
  } catch (error) {
    if (!(error instanceof AosError)) throw error;
    // The tool is gone, or takes other arguments now, or may not be called any more.
    await endWith(deps, tx, call, { to: 'failed', error });
    await note(tx, call, 'tool.failed');
    return undefined;
  }
}

function note(tx: Transaction, call: CallRow, kind: string): Promise<void> {
  const data = { call: call.call_id, runs: call.runs };
  return tx.record({ actor: 'system', kind, subject: `tool:${call.tool}`, data });
}

/** What could not be run again has come to its end here. */
export async function tellIfOver(deps: CallDeps, callId: string): Promise<void> {
  const call = await findCall(deps.ledger.committed, callId);
  if (call?.state !== 'failed' && call?.state !== 'answered') return;
  await tellOfEnd(deps, call, outcomeOf(call));
}

const mostTold = 100;

/** At every start, because the one before may have died before it had told; each is sent once. */
export async function tellOfAllUnsure(deps: CallDeps): Promise<void> {
  const page = { state: 'unsure', limit: mostTold } as const;
  for (const call of await listCalls(deps.ledger.committed, page)) await tellOfUnsure(deps, call);
}

async function tellOfUnsure(deps: CallDeps, call: CallRow): Promise<void> {
  await tellOfEnd(deps, call, outcomeOf(call));
  const how = ['done', 'redo', 'fail'].map((word) => `aos resolve ${call.call_id} ${word}`);
  const what = `Nobody knows whether call ${call.call_id} of ${call.tool}, for ${call.principal}, had its effect: the daemon died while it ran.`;
  await tellQuietly(deps, {
    to: 'owner',
    key: `unsure-${call.call_id}-${call.runs}`,
    body: `${what}\n\n${how.join('\n')}\n`,
  });
}

function unsure({ tool, call_id }: CallRow): AosError {
  return new AosError('tool.unsure', {
    message: `Nobody knows whether ${tool} had its effect: the daemon died while it ran`,
    fix: `Look, then say so: aos resolve ${call_id} done, redo or fail`,
    details: { call_id },
  });
}

function givenUp({ tool, runs }: CallRow): AosError {
  return new AosError('tool.failed', {
    message: `${tool} was begun ${runs} times, and the daemon died each time`,
    fix: 'Look into the log before you call it again',
  });
}

// Calls whose end is not known: a human says what became of them. And those that are withdrawn.

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
