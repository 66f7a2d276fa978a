/**
 * The end of an operation, in one transaction: its last step, its row, what its agent is now,
 * what is left of its budgets, and who has to hear of it.
 */
import { readSpec } from '../kernel/agent/agent.ts';
import { type AosError, type ErrorReport, toReport } from '../kernel/errors.ts';
import type { Step } from '../kernel/journal/step.ts';
import type { Instant } from '../kernel/ports.ts';
import { agentInnards } from '../ledger/agents.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { isToBePurged } from '../ledger/memory/uses.ts';
import { operationNoteKey } from '../ledger/operations/finish.ts';
import { freeLease } from '../ledger/operations/leases.ts';
import {
  endOperation,
  findOperation,
  type OperationRow,
  openOperationsOf,
} from '../ledger/operations/operations.ts';
import { appendSteps, openQuestion } from '../ledger/operations/steps.ts';
import { outcomeTag } from '../memory/pack.ts';
import { storeIn } from '../memory/store.ts';
import { tellLater } from '../relay/tell.ts';
import { withdrawCalls } from '../tools/recover.ts';
import { giveBack, settleAll } from './budgets.ts';
import { turnTo } from './life.ts';
import type { ModelRun } from './model/deps.ts';

export type Ending =
  | { readonly state: 'completed'; readonly text: string }
  | { readonly state: 'failed' | 'cancelled'; readonly error: AosError };

/** The column `result`. */
export type StoredResult = { readonly text: string } | { readonly error: ErrorReport };

export interface Conclusion {
  readonly operation: Pick<OperationRow, 'id' | 'agent' | 'owner' | 'parent'>;
  readonly ending: Ending;
  /** Who ended it. */
  readonly actor: string;
  readonly at: Instant;
}

/** Throws `operation.over` when it was over already. */
export async function concludeIn(tx: Transaction, conclusion: Conclusion): Promise<void> {
  const { operation, ending, actor, at } = conclusion;
  const step: Step = { kind: 'ended', state: ending.state, text: textOf(ending) };
  const stored: StoredResult =
    ending.state === 'completed' ? { text: ending.text } : { error: toReport(ending.error) };
  await appendSteps(tx, operation.id, [step], at);
  const result = JSON.stringify(stored);
  if (!(await endOperation(tx, operation.id, { to: ending.state, result, at }))) {
    throw new Error('an operation that took its last step was over');
  }
  await settleQuestion(tx, operation);
  await giveBack(tx, `operation:${operation.id}`);
  const principal = `agent:${operation.agent}`;
  await withdrawCalls(tx, { principal, keyPrefix: `run:${operation.id}/`, at });
  await keepOutcome(tx, conclusion);
  await turnAgent(tx, conclusion);
  await tx.record({
    actor,
    kind: `operation.${ending.state}`,
    subject: `operation:${operation.id}`,
    data: {
      agent: operation.agent,
      ...(ending.state === 'completed' ? {} : { code: ending.error.code }),
    },
  });
  if (operation.parent !== null) await tellLater(tx, noteFor(conclusion), { at });
}

/** One that was asked, and whose answer is not waited for any more, counts as spent. */
async function settleQuestion(
  tx: Transaction,
  { id, agent }: Conclusion['operation'],
): Promise<void> {
  const question = await openQuestion(tx, id);
  if (question === undefined) return;
  const { tokens, cost } = question.hold;
  const amounts = { tokens, cost };
  await settleAll(tx, [`operation:${id}`, `agent:${agent}`], { held: amounts, used: amounts });
}

function textOf(ending: Ending): string {
  return ending.state === 'completed'
    ? ending.text
    : `${ending.error.code}: ${ending.error.message}`;
}

/**
 * One that is there for others, or has more to do, is pending, and one whose goal a caller
 * took back; else it is as its operation is. One that works on another goal goes on with that.
 */
async function turnAgent(
  tx: Transaction,
  { operation, ending, actor, at }: Conclusion,
): Promise<void> {
  const { agent } = operation;
  const open = await openOperationsOf(tx, agent);
  if (open.some(({ state }) => state === 'running' || state === 'waiting')) return;
  const goesOn = open.length > 0 || (await isStanding(tx, agent));
  const to = goesOn || ending.state === 'cancelled' ? 'pending' : ending.state;
  const reason = ending.state === 'completed' ? undefined : ending.error.message;
  const data = { operation: operation.id };
  // From pending too: what fails before it has begun is a failure of its agent.
  const from = to === 'pending' ? (['running'] as const) : (['pending', 'running'] as const);
  await turnTo(tx, agent, { to, from, reason, actor, at, data });
  // Also of one that waited: there is nothing left to hold it for.
  await freeLease(tx, `agent:${agent}`);
  if (to !== 'pending') await giveBack(tx, `agent:${agent}`);
}

async function isStanding(tx: Transaction, agent: string): Promise<boolean> {
  const spec = readSpec((await agentInnards(tx, agent))?.spec);
  return spec?.body === 'model' && spec.is_standing;
}

/** To the agent whose operation this was a part of: by a message, which wakes it. */
function noteFor({ operation, ending }: Conclusion) {
  const { id, agent, owner } = operation;
  const head = `CHILD: ${agent}\nOPERATION: ${id}\nSTATE: ${ending.state}\nTRUST: data\n`;
  const body = `${head}\n${shortEnough(textOf(ending))}\n`;
  return { to: owner, key: operationNoteKey(id, 'ended'), body };
}

// What runs leave behind in the memory of their agent: what they came to, for a reviewer,
// and what was said before it was made shorter. Nothing of it is told to a model by itself, and
// nothing is kept of an operation that has a key of its own, because that is to be erased.

const dayMs = 86_400_000;
const outcomeMs = 90 * dayMs;
const summaryMs = 7 * dayMs;
const longestGoal = 2000;
const longestText = 4000;

interface Outcome {
  readonly operation: { readonly id: string; readonly agent: string };
  readonly ending:
    | { readonly state: 'completed'; readonly text: string }
    | { readonly state: 'failed' | 'cancelled'; readonly error: AosError };
  readonly at: Instant;
}

async function keepOutcome(
  tx: Transaction,
  { operation: { id, agent }, ending, at }: Outcome,
): Promise<void> {
  const row = await findOperation(tx, id);
  if (row === undefined || row.is_sealed === 1 || (await isToBePurged(tx, id))) return;
  const result =
    ending.state === 'completed'
      ? { result: cut(ending.text, longestText) }
      : { error: ending.error.code, why: cut(ending.error.message, longestText) };
  await storeIn(
    tx,
    {
      place: { owner: `agent:${agent}`, scope: 'long-term', key: `outcomes/${id}` },
      value: { goal: cut(row.goal, longestGoal), state: ending.state, ...result },
      tags: [outcomeTag, ending.state],
      ttlMs: outcomeMs,
      ...{ author: 'system', source: `operation:${id}` },
    },
    at,
  );
}

/** The originals stay in the journal. */
export async function keepSummary(
  tx: Transaction,
  { operation: { id, is_sealed }, agent }: ModelRun,
  { text, up_to }: Extract<Step, { kind: 'summary' }>,
  at: Instant,
): Promise<void> {
  if (is_sealed === 1) return;
  await storeIn(
    tx,
    {
      place: { owner: `agent:${agent}`, scope: 'context', key: `runs/${id}/summary` },
      ...{ value: text, tags: ['summary'], ttlMs: summaryMs },
      ...{ author: 'system', source: `operation:${id}/${up_to}`, operation: id },
    },
    at,
  );
}

function cut(text: string, longest: number): string {
  const whole = text.toWellFormed().replaceAll('\0', ' ');
  return whole.length <= longest ? whole : `${whole.slice(0, longest).toWellFormed()} […]`;
}

const longestBody = 64 * 1024;

/** What a model, a program or another agent said goes into a message; not all of it. */
function shortEnough(text: string): string {
  const left = text.length - longestBody;
  return left <= 0 ? text : `${text.slice(0, longestBody)}\n[${left} more characters]`;
}
