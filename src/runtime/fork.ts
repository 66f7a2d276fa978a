/**
 * A second try: a new operation with the beginning of another's journal.
 *
 * F1. The new one, its budget, its steps and its events are one transaction.
 * F2. What says nothing to the model is not kept at the end: a question without an answer, an
 *     answer that was lost, one whose calls no budget covered, and the end itself. With them
 *     it would count, fail or end at once as the other did.
 * F3. Calls have the keys of their operation. Where the last step that is kept calls tools,
 *     they are made anew, and the model is told before.
 */
import { type Budget, type Limits, resources } from '../kernel/agent/budget.ts';
import { AosError } from '../kernel/errors.ts';
import type { JournalStep, Step } from '../kernel/journal/step.ts';
import { newId } from '../kernel/new-id.ts';
import type { Clock, Instant, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { findAgent } from '../ledger/agents.ts';
import type { Ledger, Sql, Transaction } from '../ledger/ledger.ts';
import { copyMemoryUses } from '../ledger/memory/uses.ts';
import { readBudget } from '../ledger/operations/leases.ts';
import type { OperationRow } from '../ledger/operations/operations.ts';
import { appendSteps, copySteps, readSteps, setFirstStep } from '../ledger/operations/steps.ts';
import { enqueue, mustFindOperation } from './submit.ts';

export interface ForkDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

export interface ForkRequest {
  /** The last step that is kept, 0 for none; the last one before its end where nothing is said. */
  readonly from?: number | undefined;
  /** The principal that wants it. */
  readonly by: string;
}

export interface Forked {
  readonly agent: string;
  readonly operation: string;
  /** The last step that was kept. */
  readonly from: number;
}

/** It is queued when this resolves; the scheduler is to be woken. */
export async function forkOperation(
  { ledger, clock, random }: ForkDeps,
  id: string,
  request: ForkRequest,
): Promise<Forked> {
  const at = clock.now();
  const operation = newId(at, random);
  // F1
  return ledger.transact(async (tx) => {
    const old = await mustFindOperation(tx, id);
    await checkAgent(tx, old.agent);
    if (old.is_sealed === 1) throw isOutsiders(old.id);
    const last = await lastKept(tx, old, request.from);
    const from = last?.seq ?? 0;
    await enqueueAgain(tx, old, { operation, from, by: request.by, at });
    if (last !== undefined) await copyJournal(tx, { old: id, operation, last, at });
    await tx.record({
      actor: request.by,
      kind: 'operation.forked',
      subject: `operation:${operation}`,
      data: { from: id, step: from },
    });
    return { agent: old.agent, operation, from };
  });
}

/** Its journal is for that operation alone, and is erased with it. */
function isOutsiders(id: string): AosError {
  return new AosError('operation.erased', {
    message: `Operation ${quote(id)} is an outsider's, of which no second one can be made`,
    fix: 'Let whoever submitted it submit it again',
  });
}

async function checkAgent(tx: Transaction, name: string): Promise<void> {
  if ((await findAgent(tx, name))?.state !== 'terminated') return;
  throw new AosError('agent.wrong-state', {
    message: `Agent ${quote(name)}, which worked on it, was terminated`,
    fix: `aos spawn ${name} makes it anew; or submit the goal again: aos run "…"`,
    details: { state: 'terminated' },
  });
}

/** F2. Undefined when none is. */
async function lastKept(
  sql: Sql,
  { id, steps }: OperationRow,
  wanted: number | undefined,
): Promise<JournalStep | undefined> {
  if (wanted !== undefined && wanted > steps) throw noSuchStep(id, wanted, steps);
  for (let seq = wanted ?? steps; seq > 0; seq--) {
    const [found] = await readSteps(sql, id, { after: seq - 1, upTo: seq });
    if (found === undefined) throw noSuchStep(id, seq, steps);
    // Without a word from the caller, its last word is what is to be tried again.
    const isDropped = saysNothing(found.step) || (wanted === undefined && isLastWord(found.step));
    if (!isDropped) return found;
  }
  return undefined;
}

function saysNothing(step: Step): boolean {
  switch (step.kind) {
    case 'asked':
    case 'lost':
    case 'checkpoint':
    case 'ended':
      return true;
    case 'answered':
      return step.spent !== undefined;
    default:
      return false;
  }
}

function isLastWord(step: Step): boolean {
  return step.kind === 'answered' && !callsTools(step);
}

function callsTools(step: Step): boolean {
  return step.kind === 'answered' && step.parts.some(({ kind }) => kind === 'tool-call');
}

function noSuchStep(id: string, step: number, steps: number): AosError {
  return new AosError('operation.unknown', {
    message: `Operation ${quote(id)} has no step ${step}: it has ${steps}`,
    fix: `aos inspect ${id.slice(0, 16)} shows them`,
    details: { steps },
  });
}

interface Again {
  readonly operation: string;
  readonly from: number;
  readonly by: string;
  readonly at: Instant;
}

async function enqueueAgain(
  tx: Transaction,
  old: OperationRow,
  { operation, from, by, at }: Again,
): Promise<void> {
  const budget = await readBudget(tx, `operation:${old.id}`);
  await enqueue(tx, {
    id: operation,
    agent: old.agent,
    because: `it goes on from step ${from} of operation ${old.id}`,
    goal: {
      ...{ text: old.goal, owner: by, priority: old.priority, isOfMail: old.of_mail === 1 },
      budget: budget === undefined ? {} : limitsOf(budget),
    },
    at,
  });
}

function limitsOf(budget: Budget): Limits {
  const limited = resources.filter((one) => budget[one].limit !== undefined);
  return Object.fromEntries(limited.map((one) => [one, budget[one].limit]));
}

interface Copying {
  readonly old: string;
  readonly operation: string;
  readonly last: JournalStep;
  readonly at: Instant;
}

async function copyJournal(tx: Transaction, { old, operation, last, at }: Copying): Promise<void> {
  // F3: results have to come right behind the calls, so the note stands before them.
  const isAnew = callsTools(last.step);
  await copySteps(tx, old, operation, isAnew ? last.seq - 1 : last.seq);
  await copyMemoryUses(tx, `operation:${old}`, `operation:${operation}`);
  const [first] = await readSteps(tx, operation, { upTo: 1 });
  if (first?.step.kind === 'begun') {
    const forked_from = { operation: old, step: last.seq };
    await setFirstStep(tx, operation, { ...first.step, forked_from });
  }
  if (isAnew) await appendSteps(tx, operation, [madeAnew(old, last.seq), last.step], at);
}

function madeAnew(old: string, step: number): Step {
  const text = `This goes on from step ${step} of operation ${old}. The tools that are called next may have been called there already; they are called again.`;
  return { kind: 'note', code: 'operation.forked', text };
}
