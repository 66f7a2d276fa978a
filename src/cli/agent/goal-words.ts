/** Goals as a person reads them. */
import type { WireBudget, WireGoalSummary } from '../../gateway/contract/contract.ts';
import { printAmount, resources } from '../../kernel/agent/budget.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import type { IdKind } from '../core/id-word.ts';
import { table } from '../core/table.ts';
import { durationWords } from '../core/words.ts';

export const goalIds: IdKind = { what: 'goal', shownBy: 'aos queue --all' };

/** The beginning of a text, on one line. */
export function shortened(text: string, most: number): string {
  // A goal may be long, and only its beginning is looked at.
  const flat = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (flat.length <= most && text.length <= most * 4) return oneLine(flat);
  // Not through the middle of a character.
  return `${oneLine(flat.slice(0, most - 1).replace(/[\ud800-\udbff]$/, ''))}…`;
}

export function agoWords(at: string, now: Instant): string {
  return `${durationWords(Math.max(0, now - Date.parse(at)))} ago`;
}

/** `1234 tokens, $0.05`. */
export function spentWords({ tokens, cost }: WireBudget): string {
  const noun = tokens.used === 1 ? 'token' : 'tokens';
  return `${printAmount('tokens', tokens.used)} ${noun}, ${printAmount('cost', cost.used)}`;
}

export function budgetText(budget: WireBudget): string {
  const rows = resources.map((resource) => {
    const { used, held, limit } = budget[resource];
    const words = [used, held].map((amount) => printAmount(resource, amount));
    return [
      `  ${resource.replaceAll('_', ' ')}`,
      ...words,
      limit === null ? 'none' : printAmount(resource, limit),
    ];
  });
  return table([['  budget', 'used', 'held', 'limit'], ...rows]);
}

/** `waiting for mail`, `queued, due in 5 min`. */
export function stateWords(
  { state, waits_for, due_at }: Pick<WireGoalSummary, 'state' | 'waits_for' | 'due_at'>,
  now: Instant,
): string {
  if (state === 'waiting' && waits_for !== null)
    return `waiting for ${oneLine(waits_for.replace(/^call:(.{0,16}).*$/s, 'call $1'))}`;
  const dueInMs = Date.parse(due_at) - now;
  return state === 'queued' && dueInMs >= 1000 ? `queued, due in ${durationWords(dueInMs)}` : state;
}

export function isOver({ state }: Pick<WireGoalSummary, 'state'>): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

const longestGoal = 60;

/** A line each, for a table. */
export function goalRow(goal: WireGoalSummary, shortOf: (id: string) => string, now: Instant) {
  return [
    shortOf(goal.id),
    goal.agent,
    stateWords(goal, now),
    `priority ${goal.priority}`,
    agoWords(goal.created_at, now),
    shortened(goal.error?.message ?? goal.goal, longestGoal),
  ];
}
