import type { WireGoal } from '../../gateway/contract/contract.ts';
import { printAmount } from '../../kernel/agent/budget.ts';
import type { Instant } from '../../kernel/ports.ts';
import { shortened } from '../agent/goal-words.ts';
import { shortIds } from '../core/id-word.ts';
import { shortModel } from '../core/model-word.ts';
import { table } from '../core/table.ts';
import { durationWords } from '../core/words.ts';

/** What is going on at one moment. */
export interface TopFrame {
  /** How many, by their state. */
  readonly agents: Readonly<Record<string, number>>;
  readonly frozen: number;
  readonly queued: number;
  readonly working: number;
  readonly approvals: number;
  /** Those that are worked on, or wait for something. */
  readonly goals: readonly WireGoal[];
}

export interface FrameView {
  readonly columns: number;
  readonly now: Instant;
}

export function frameText(frame: TopFrame, { columns, now }: FrameView): string {
  const states = Object.entries(frame.agents)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([state, count]) => `${count} ${state}`);
  const facts = [
    [
      'agents',
      [...states, ...(frame.frozen === 0 ? [] : [`${frame.frozen} frozen`])].join(', ') || 'none',
    ],
    ['goals', `${frame.working} begun, ${frame.queued} queued`],
    ['approvals', frame.approvals === 0 ? 'none wait' : `${frame.approvals} wait: aos approvals`],
  ];
  const lines = table(facts).split('\n');
  if (frame.goals.length > 0) lines.push('', ...table(goalRows(frame.goals, now)).split('\n'));
  return lines.map((line) => line.slice(0, columns).trimEnd()).join('\n');
}

const head = ['goal', 'agent', 'state', 'steps', 'tokens', 'cost', 'for', 'runs on', 'what'];

function goalRows(goals: readonly WireGoal[], now: Instant): string[][] {
  const shortOf = shortIds(goals.map(({ id }) => id));
  const rows = goals.map((goal) => [
    shortOf(goal.id),
    shortened(goal.agent, 24),
    goal.state,
    String(goal.steps),
    goal.budget === null ? '-' : printAmount('tokens', goal.budget.tokens.used),
    goal.budget === null ? '-' : printAmount('cost', goal.budget.cost.used),
    durationWords(Math.max(0, now - Date.parse(goal.started_at ?? goal.created_at))),
    goal.model === null ? '-' : shortened(shortModel(goal.model), 30),
    shortened(goal.goal, 60),
  ]);
  return [head, ...rows];
}
