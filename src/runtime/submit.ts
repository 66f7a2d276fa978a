/**
 * Goals on their way into the queue, within it and out of it, each change with its event.
 *
 * Q1. A goal, its budget and its event are one transaction.
 * Q2. What runs is ended by the process that runs it. That it is to end is left in its row first, so
 *     that it ends also when its runner dies: the process that takes it up then ends it.
 */
import type { Limits } from '../kernel/agent/budget.ts';
import { AosError, type ErrorReport, toReport } from '../kernel/errors.ts';
import { type Instant, lastInstant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { findAgent } from '../ledger/agents.ts';
import type { Sql, Transaction } from '../ledger/ledger.ts';
import { insertBudget } from '../ledger/operations/leases.ts';
import {
  askToEnd,
  changeOperation,
  countOpenOf,
  findOperation,
  insertOperation,
  type OpenState,
  type OperationRow,
  openChildrenOf,
  setPriority,
} from '../ledger/operations/operations.ts';
import { takeAllowance } from './budgets.ts';
import { concludeIn, type StoredResult } from './conclude.ts';

export interface Goal {
  readonly text: string;
  /** The principal that submits it. */
  readonly owner: string;
  readonly agent?: string | undefined;
  readonly template?: string | undefined;
  readonly model?: string | undefined;
  /** 0 to 9, 0 first; 5 where nothing is said. */
  readonly priority?: number | undefined;
  /** Not before so long from now. */
  readonly delayMs?: number | undefined;
  /** To be done within so long from now. */
  readonly deadlineMs?: number | undefined;
  readonly budget?: Limits | undefined;
  /** The operation whose agent submits it. */
  readonly parent?: string | undefined;
  /** The budgets that its own is taken out of, as `operation:ID` and `agent:NAME`. */
  readonly paidBy?: readonly string[] | undefined;
  /** The same key of the same owner is the same goal. */
  readonly key?: string | undefined;
  /** Of what came with the key, where the goal itself is not kept. */
  readonly keyDigest?: string | undefined;
  /** It was made of messages that came for its agent. */
  readonly isOfMail?: boolean | undefined;
  /** Who makes its agent, where that is not its owner: then what the template grants is not theirs. */
  readonly madeBy?: 'system' | undefined;
  /** The grant under which an outsider submits it. */
  readonly grant?: string | undefined;
  /** Its journal is sealed with a key of its own, and erased when it is over. */
  readonly isSealed?: boolean | undefined;
}

const largestGoalBytes = 256 * 1024;
const mostOpen = 10_000;

/** Throws `operation.bad-goal`. */
export function checkGoal(goal: Goal): void {
  const sizeBytes = Buffer.byteLength(goal.text);
  if (goal.text.includes('\0')) throw badGoal('there is a NUL in it', 'Leave it out');
  if (!goal.text.isWellFormed()) throw badGoal('half of a character is in it', 'Leave it out');
  if (goal.text.trim() === '') throw badGoal('it has no words', 'Say what is to be done');
  if (sizeBytes > largestGoalBytes) {
    throw badGoal(
      `it is ${sizeBytes} bytes long, and may be ${largestGoalBytes}`,
      'Put what is long into a file, and name the file in the goal',
    );
  }
  checkPriority(goal.priority ?? 5);
  const { delayMs = 0, deadlineMs = Number.POSITIVE_INFINITY } = goal;
  if (!isDuration(delayMs)) throw badGoal(`its delay is ${delayMs} ms`, 'Give it one from 0 on');
  if (goal.deadlineMs !== undefined && !isDuration(deadlineMs)) {
    throw badGoal(`its deadline is in ${deadlineMs} ms`, 'Give it one that lies ahead');
  }
  if (deadlineMs <= delayMs) {
    throw badGoal(
      `it is due in ${delayMs} ms, and its deadline is in ${deadlineMs} ms`,
      'Let the deadline come after the delay',
    );
  }
}

function checkPriority(priority: number): void {
  if (Number.isInteger(priority) && priority >= 0 && priority <= 9) return;
  throw badGoal(`its priority is ${priority}`, 'Use one from 0, which comes first, to 9');
}

function isDuration(durationMs: number): boolean {
  return Number.isSafeInteger(durationMs) && durationMs >= 0;
}

/** Throws `operation.bad-goal` when the owner of a goal has too many open for one more. */
export async function checkRoom(sql: Sql, owner: string): Promise<void> {
  if ((await countOpenOf(sql, owner, mostOpen)) < mostOpen) return;
  throw badGoal(
    `${quote(owner)} has ${mostOpen} open already, and may have no more`,
    'Wait until some are done, or cancel some: aos cancel ID',
  );
}

function badGoal(why: string, fix: string): AosError {
  return new AosError('operation.bad-goal', {
    message: `The goal cannot be submitted: ${why}`,
    fix,
  });
}

export interface Placement {
  readonly agent: string;
  /** A sentence: why this one. */
  readonly because: string;
}

export interface QueueEntry extends Placement {
  /** Of no other operation. */
  readonly id: string;
  readonly goal: Goal;
  readonly at: Instant;
}

/** Q1. The goal was checked. */
export async function enqueue(tx: Transaction, entry: QueueEntry): Promise<void> {
  const { id, goal, agent, because, at } = entry;
  await checkRoom(tx, goal.owner);
  await checkTaker(tx, agent, goal.parent);
  const priority = goal.priority ?? 5;
  await insertOperation(tx, {
    id,
    agent,
    owner: goal.owner,
    parent: goal.parent ?? null,
    goal: goal.text,
    because,
    priority,
    due_at: later(at, goal.delayMs ?? 0),
    deadline_at: goal.deadlineMs === undefined ? null : later(at, goal.deadlineMs),
    created_at: at,
    of_mail: goal.isOfMail === true ? 1 : 0,
    submit_key: goal.key,
    submit_digest: goal.keyDigest,
    grant_id: goal.grant,
    is_sealed: goal.isSealed,
  });
  const budget = `operation:${id}`;
  const limits = goal.budget ?? {};
  if (goal.paidBy === undefined) await insertBudget(tx, budget, limits);
  else await takeAllowance(tx, { from: goal.paidBy, to: budget, limits });
  await tx.record({
    actor: goal.owner,
    kind: 'operation.submitted',
    subject: budget,
    data: { agent, priority, parent: goal.parent, of_mail: goal.isOfMail === true },
  });
}

/** Both may have ended since the goal was placed. */
async function checkTaker(tx: Transaction, agent: string, parent?: string): Promise<void> {
  if ((await findAgent(tx, agent))?.state === 'terminated') {
    throw new AosError('agent.wrong-state', {
      message: `Agent ${quote(agent)} was terminated`,
      fix: `aos spawn ${agent} makes it anew`,
    });
  }
  if (parent === undefined) return;
  const above = await mustFindOperation(tx, parent);
  if (above.ended_at !== null) throw isOver(above);
}

function later(at: Instant, durationMs: number): Instant {
  return Math.min(at + durationMs, lastInstant);
}

export async function mustFindOperation(sql: Sql, id: string): Promise<OperationRow> {
  const row = await findOperation(sql, id);
  if (row !== undefined) return row;
  throw new AosError('operation.unknown', {
    message: `There is no operation ${quote(id)}`,
    fix: 'aos queue --all lists those that there are',
  });
}

export async function prioritizeIn(
  tx: Transaction,
  id: string,
  { priority, by }: { readonly priority: number; readonly by: string },
): Promise<void> {
  checkPriority(priority);
  const row = await mustFindOperation(tx, id);
  if (!(await setPriority(tx, id, priority))) throw isOver(row);
  await tx.record({
    actor: by,
    kind: 'operation.prioritized',
    subject: `operation:${id}`,
    data: { from: row.priority, to: priority },
  });
}

export function isOver({ id, state }: OperationRow): AosError {
  return new AosError('operation.over', {
    message: `Operation ${quote(id)} is ${state} already`,
    fix: 'Submit the goal again, or fork it: aos retry ID --from STEP',
    details: { state },
  });
}

/** To be caught with, where being over already is as good. */
export function ignoreOver(failure: unknown): void {
  if (failure instanceof AosError && failure.code === 'operation.over') return;
  throw failure;
}

/** What ends an operation before it is done. */
export interface EarlyEnd {
  readonly state: 'failed' | 'cancelled';
  readonly error: AosError;
  readonly actor: string;
  readonly at: Instant;
}

/** One that runs, and is to be told to stop once that it was asked to is on disk. */
export interface AskedToStop {
  readonly id: string;
  readonly error: AosError;
}

/**
 * Ends an operation with all that was submitted for it and is open; what runs is asked to.
 * Undefined when it was over before.
 */
export async function endTree(
  tx: Transaction,
  id: string,
  stop: EarlyEnd,
): Promise<readonly AskedToStop[] | undefined> {
  const row = await mustFindOperation(tx, id);
  if (row.ended_at !== null) return undefined;
  const asked: AskedToStop[] = [];
  if (await endOrAsk(tx, row, stop)) asked.push({ id, error: stop.error });
  asked.push(...(await endBelow(tx, id, stop)));
  return asked;
}

/** All that was submitted for an operation and is open, with what was for that; the rest as above. */
export async function endBelow(
  tx: Transaction,
  id: string,
  { actor, at }: Pick<EarlyEnd, 'actor' | 'at'>,
): Promise<readonly AskedToStop[]> {
  const error = new AosError('operation.cancelled', {
    message: `Operation ${quote(id)}, for which it was submitted, was ended`,
  });
  const asked: AskedToStop[] = [];
  for (const child of await openChildrenOf(tx, id)) {
    asked.push(...((await endTree(tx, child.id, { state: 'cancelled', error, actor, at })) ?? []));
  }
  return asked;
}

/** Q2. True when it runs, and so was only asked. */
async function endOrAsk(tx: Transaction, row: OperationRow, stop: EarlyEnd): Promise<boolean> {
  const { state, error, actor, at } = stop;
  if (row.state !== 'running') {
    await concludeIn(tx, { operation: row, ending: { state, error }, actor, at });
    return false;
  }
  const result: StoredResult = { error: toReport(error) };
  if (await askToEnd(tx, row.id, JSON.stringify(result))) {
    const subject = `operation:${row.id}`;
    const data = { code: error.code };
    await tx.record({ actor, kind: 'operation.asked-to-end', subject, data });
  }
  return true;
}

/** Q2. False when its end was not asked for, or it is over. */
export async function endAsAsked(
  tx: Transaction,
  row: OperationRow,
  { actor, at }: { readonly actor: string; readonly at: Instant },
): Promise<boolean> {
  if (row.result === null || row.ended_at !== null) return false;
  // Only askToEnd() leaves a result in an operation that is open.
  const { error: report } = JSON.parse(row.result) as { readonly error: ErrorReport };
  const error = new AosError(report.code, report);
  const state = report.code === 'operation.cancelled' ? 'cancelled' : 'failed';
  await concludeIn(tx, { operation: row, ending: { state, error }, actor, at });
  return true;
}

export interface PutBack {
  readonly from: readonly OpenState[];
  readonly actor: string;
  readonly at: Instant;
}

/**
 * Back into the queue. One whose runner died before it ended it, as it was asked to, ends
 * instead. False when it is in none of the states that it is to leave.
 */
export async function putBack(
  tx: Transaction,
  id: string,
  { from, actor, at }: PutBack,
): Promise<boolean> {
  const row = await findOperation(tx, id);
  if (row === undefined || !from.some((state) => state === row.state)) return false;
  if (await endAsAsked(tx, row, { actor, at })) return true;
  if (!(await changeOperation(tx, id, { from, to: 'queued', at }))) return false;
  await tx.record({ actor, kind: 'operation.queued', subject: `operation:${id}` });
  return true;
}
