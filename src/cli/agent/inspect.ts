/** `aos inspect`: all about an agent, a goal or a call. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireAgentDetails, WireGoal, WireStep } from '../../gateway/contract/contract.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, printable, quote, shellWord } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { findTarget, modelWords, shortIds } from '../core/names.ts';
import type { CommandOutcome } from '../core/report.ts';
import { counted, durationWords, indented, table } from '../core/words.ts';
import { callText } from '../tool/journal.ts';
import {
  agoWords,
  awaitedCall,
  budgetText,
  goalRow,
  howToGoOn,
  stateWords,
  stepsTable,
  wholeStep,
} from './goal-words.ts';

interface InspectOptions {
  readonly steps?: true;
}

export function defineInspect(command: Command, context: Context): void {
  command
    .argument('<id>', 'an agent by its name, a goal or a call by its id or the beginning of it')
    .option('--steps', 'of a goal: all of its steps, in full')
    .addHelpText(
      'after',
      '\nTells all that is known: the state and why, the budget, goals, steps and results. What a\nmodel, a tool or a program said is data, whatever it says.\n\nExamples:\n  aos inspect worker\n  aos inspect 018d3e4b7a10 --steps\n  aos inspect 018d3e4b7a10 --json',
    )
    .action((typed: string, options: InspectOptions) => inspect(context, typed, options));
}

async function inspect(
  context: Context,
  typed: string,
  { steps: wantsAll }: InspectOptions,
): Promise<void> {
  const { signal } = context;
  const outcome = await withHome(context, { holder: 'aos inspect' }, async (client) => {
    const target = await findTarget(client, typed, signal);
    const now = composeEngines().clock.now();
    switch (target.kind) {
      case 'agent':
        return { data: target.agent, text: agentText(target.agent, now) };
      case 'call':
        return { data: target.call, text: callText(target.call, now) };
      case 'goal':
        return goalOutcome(client, target.goal, { isWhole: wantsAll === true, signal });
    }
  });
  context.print(outcome);
}

const fewSteps = 20;

async function goalOutcome(
  client: Client,
  goal: WireGoal,
  { isWhole, signal }: { readonly isWhole: boolean; readonly signal: AbortSignal },
): Promise<CommandOutcome> {
  const after = isWhole ? 0 : Math.max(0, goal.steps - fewSteps);
  const steps = await stepsAfter(client, goal.id, { after, signal });
  const callId = awaitedCall(goal);
  const howOn = callId === undefined ? undefined : await howToGoOn(client, callId, signal);
  const now = composeEngines().clock.now();
  return {
    data: { ...goal, journal: steps },
    text: goalText(goal, { steps, isWhole, now, howOn }),
  };
}

const pageSteps = 100;

async function stepsAfter(
  client: Client,
  id: string,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): Promise<WireStep[]> {
  const steps: WireStep[] = [];
  let place: number | null = after;
  while (place !== null) {
    const page: Awaited<ReturnType<Client['steps']>> = await client.steps(
      id,
      { after: place, limit: pageSteps },
      { signal },
    );
    steps.push(...page.items);
    place = page.items.length === 0 ? null : page.next;
  }
  return steps;
}

interface GoalView {
  readonly steps: readonly WireStep[];
  /** All steps, in full. */
  readonly isWhole: boolean;
  readonly now: Instant;
  /** What a human is to do for it. */
  readonly howOn?: { readonly what: string; readonly command: string } | undefined;
}

function goalText(goal: WireGoal, view: GoalView): string {
  const parts = [
    table(goalFacts(goal, view).map((row) => row.map(oneLine))),
    `what is to be done:\n${indented(printable(goal.goal))}`,
    ...(goal.budget === null ? [] : [budgetText(goal.budget)]),
    ...(view.steps.length === 0 ? [] : [stepsText(goal, view)]),
    ...(goal.result === null ? [] : [`result:\n${indented(printable(goal.result))}`]),
  ];
  return parts.join('\n\n');
}

function goalFacts(goal: WireGoal, { now, howOn }: GoalView): string[][] {
  const { parent, model, deadline_at, started_at, ended_at, children, error } = goal;
  return [
    ['goal', goal.id],
    ['state', stateWords(goal, now)],
    ...(error === null ? [] : [['error', `${error.code}: ${error.message}`]]),
    ...(error?.fix === undefined ? [] : [['try', error.fix]]),
    ...(howOn === undefined
      ? []
      : [
          ['waits', howOn.what],
          ['try', howOn.command],
        ]),
    ...(goal.state === 'paused' ? [['try', `aos resume ${goal.agent}`]] : []),
    ['agent', `${goal.agent}, because ${goal.because}`],
    ['owner', goal.owner],
    ...(model === null ? [] : [['model', goal.scripted ? scriptedWords(model) : model]]),
    ['priority', String(goal.priority)],
    ['submitted', `${goal.created_at}, ${agoWords(goal.created_at, now)}`],
    ...(deadline_at === null ? [] : [['deadline', deadline_at]]),
    ...(started_at === null ? [] : [['started', started_at]]),
    ...(ended_at === null ? [] : [['ended', ended_at]]),
    ...(parent === null ? [] : [['part of', parent]]),
    ...children.map(({ id, agent, state }) => ['has part', `${id}, ${agent}, ${state}`]),
  ];
}

// What the daemon says counts, whatever the name of the model looks like.
function scriptedWords(model: string): string {
  const words = modelWords(model);
  return words === model ? `${model} (scripted model: follows a script)` : words;
}

function stepsText({ agent, steps: count }: WireGoal, { steps, isWhole }: GoalView): string {
  if (isWhole) return steps.map((step) => wholeStep(step, agent)).join('\n\n');
  const left = count - steps.length;
  const head =
    left > 0 ? `the last ${steps.length} of ${count} steps (--steps for all):` : 'steps:';
  return `${head}\n${stepsTable(steps, agent)}`;
}

function agentText(agent: WireAgentDetails, now: Instant): string {
  const { budget, operations, log_tail, log_path } = agent;
  const parts = [
    table(agentFacts(agent, now).map((row) => row.map(oneLine))),
    ...(budget === null ? [] : [budgetText(budget)]),
    ...(operations.length === 0 ? [] : [goalsText(agent, now)]),
    ...(log_tail === null || log_tail === ''
      ? []
      : [`its last words, from ${quote(log_path ?? '')}:\n${indented(printable(log_tail))}`]),
  ];
  return parts.join('\n\n');
}

function agentFacts(agent: WireAgentDetails, now: Instant): string[][] {
  const { reason, parent, children, last_seen_at } = agent;
  return [
    ['agent', agent.name],
    ['state', stateOf(agent, now)],
    ...(reason === null ? [] : [['why', reason]]),
    ...(agent.health === null ? [] : [['health', 'frozen: its program is stopped by a signal']]),
    ['body', agent.body],
    ...bodyFacts(agent),
    ...leaseFacts(agent),
    ['presence', agent.status],
    ['address', agent.address],
    ['made', `${agent.registered_at}, ${agoWords(agent.registered_at, now)}`],
    ...(agent.spawned_by === null ? [] : [['spawned by', agent.spawned_by]]),
    ...(last_seen_at === null ? [] : [['last seen', agoWords(last_seen_at, now)]]),
    ...(parent === null ? [] : [['parent', parent]]),
    ...(children.length === 0 ? [] : [['children', children.join(', ')]]),
  ];
}

function stateOf({ state, state_at }: WireAgentDetails, now: Instant): string {
  if (state_at === null) return state;
  return `${state} for ${durationWords(Math.max(0, now - Date.parse(state_at)))}`;
}

function bodyFacts(agent: WireAgentDetails): string[][] {
  const { model, scripted, argv, cwd, pid, restart, restarts, log_path } = agent;
  const label = model === null ? '' : modelWords(model);
  const again = restarts.length === 0 ? '' : `, was restarted ${counted(restarts.length, 'time')}`;
  return [
    ...(model === null
      ? []
      : [
          [
            'model',
            scripted && label === model ? `${model} (scripted model: follows a script)` : label,
          ],
        ]),
    ...(argv === null ? [] : [['program', argv.map(shellWord).join(' ')]]),
    ...(cwd === null ? [] : [['folder', agent.writable ? `${cwd}, which it may write to` : cwd]]),
    ...wallFacts(agent),
    ...(pid === null ? [] : [['pid', String(pid)]]),
    ...(restart === null ? [] : [['restart', `${restart}${again}`]]),
    ...(log_path === null ? [] : [['log', log_path]]),
  ];
}

function wallFacts(agent: WireAgentDetails): string[][] {
  const { sandbox, sandbox_rung, sees, uid, network } = agent;
  const works = sandbox_rung === null ? 'on' : `on (${sandbox_rung})`;
  return [
    ...(sandbox === null
      ? []
      : [['sandbox', sandbox === 'on' ? works : "off: the owner's choice"]]),
    ...(sees.length === 0 ? [] : [['sees', sees.map(shellWord).join(' ')]]),
    ...(uid === null ? [] : [['uid', String(uid)]]),
    ...(sandbox === 'on' ? [['network', network ? 'by its http grants' : 'none']] : []),
  ];
}

function leaseFacts({ lease, state }: WireAgentDetails): string[][] {
  if (lease !== null) {
    const { owner, token, renewals } = lease;
    return [['lease', `held by ${owner}, token ${token}, renewed ${counted(renewals, 'time')}`]];
  }
  return state === 'running' ? [['lease', 'none']] : [];
}

function goalsText({ operations }: WireAgentDetails, now: Instant): string {
  const shortOf = shortIds(operations.map(({ id }) => id));
  const rows = operations.map((goal) => goalRow(goal, shortOf, now));
  return `goals:\n${indented(table(rows))}`;
}
