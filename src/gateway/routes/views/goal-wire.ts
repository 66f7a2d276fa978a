/** Goals, steps and budgets as they go over the wire. */
import { type AgentSpec, readSpec } from '../../../kernel/agent/agent.ts';
import type { Account, Budget } from '../../../kernel/agent/budget.ts';
import { AosError } from '../../../kernel/errors.ts';
import type { JournalStep } from '../../../kernel/journal/step.ts';
import { quote } from '../../../kernel/text/quote.ts';
import { timeText } from '../../../kernel/text/time-text.ts';
import { agentInnards } from '../../../ledger/agents.ts';
import type { Sql } from '../../../ledger/ledger.ts';
import { readBudget } from '../../../ledger/operations/leases.ts';
import {
  findOperation,
  listOperations,
  type OperationRow,
  operationIdsFrom,
} from '../../../ledger/operations/operations.ts';
import { readSteps } from '../../../ledger/operations/steps.ts';
import type { StoredResult } from '../../../runtime/conclude.ts';
import type { WireBudget, WireGoal, WireGoalSummary, WireStep } from '../../contract/contract.ts';
import { timeOrNull } from './event-wire.ts';
import { findRow } from './rows.ts';

/** By its id, or the beginning of it. */
export function findGoal(sql: Sql, typed: string): Promise<OperationRow> {
  return findRow(
    {
      what: 'goals',
      find: (id) => findOperation(sql, id),
      idsFrom: (start, limit) => operationIdsFrom(sql, start, limit),
      idOf: ({ id }) => id,
      // Only the owner comes here.
      isVisible: () => true,
      unknown: unknownGoal,
    },
    typed,
  );
}

function unknownGoal(typed: string): AosError {
  return new AosError('operation.unknown', {
    message: `There is no goal ${quote(typed)}`,
    fix: 'aos queue --all lists those that there are',
  });
}

export function wireSummary(row: OperationRow): WireGoalSummary {
  const { id, agent, owner, parent, goal, because, state, waits_for, priority, steps } = row;
  const result = resultOf(row);
  return {
    ...{ id, agent, owner, parent, goal, because, state, waits_for, priority, steps },
    due_at: timeText(row.due_at),
    deadline_at: timeOrNull(row.deadline_at),
    created_at: timeText(row.created_at),
    started_at: timeOrNull(row.started_at),
    ended_at: timeOrNull(row.ended_at),
    error: result !== undefined && 'error' in result ? result.error : null,
  };
}

/** While it is open there may be one already: why it is to end. */
function resultOf({ result, ended_at }: OperationRow): StoredResult | undefined {
  if (result === null || ended_at === null) return undefined;
  // Only the runtime writes it.
  return JSON.parse(result) as StoredResult;
}

export async function wireGoal(sql: Sql, row: OperationRow): Promise<WireGoal> {
  const result = resultOf(row);
  const budget = await readBudget(sql, `operation:${row.id}`);
  const children = await listOperations(sql, { parent: row.id, limit: mostChildren });
  return {
    ...wireSummary(row),
    result: result !== undefined && 'text' in result ? result.text : null,
    trust: 'data',
    ...(await modelOf(sql, row)),
    budget: budget === undefined ? null : wireBudget(budget),
    children: children.map(({ id, agent, state }) => ({ id, agent, state })),
  };
}

const mostChildren = 1000;

/** The one that it began with; before that, the one that it will begin with. */
async function modelOf(sql: Sql, row: OperationRow): Promise<ModelShown> {
  const { id, agent } = row;
  if (row.is_sealed === 1 && row.ended_at !== null) {
    return modelShown(readSpec((await agentInnards(sql, agent))?.spec));
  }
  const [first] = await readSteps(sql, id, { upTo: 1 });
  if (first?.step.kind === 'begun') {
    return { model: first.step.model, scripted: first.step.is_scripted };
  }
  return modelShown(readSpec((await agentInnards(sql, agent))?.spec));
}

interface ModelShown {
  readonly model: string | null;
  readonly scripted: boolean;
}

export function modelShown(spec: AgentSpec | undefined): ModelShown {
  if (spec?.body !== 'model') return { model: null, scripted: false };
  return { model: spec.model, scripted: spec.model.startsWith('scripted:') };
}

export function wireBudget({ tokens, cost, wall, tool_calls, children }: Budget): WireBudget {
  return {
    tokens: wireAccount(tokens),
    cost: wireAccount(cost),
    wall: wireAccount(wall),
    tool_calls: wireAccount(tool_calls),
    children: wireAccount(children),
  };
}

function wireAccount({ limit, used, held }: Account): WireBudget['tokens'] {
  return { limit: limit ?? null, used, held };
}

export function wireStep({ seq, at, step }: JournalStep): WireStep {
  return { seq, at: timeText(at), kind: step.kind, step: { ...step } };
}
