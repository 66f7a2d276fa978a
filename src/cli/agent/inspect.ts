import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireGoal, WireStep } from '../../gateway/contract/contract.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import type { Outcome } from '../core/report.ts';
import { findTarget } from '../core/target.ts';
import { callText } from '../tool/journal.ts';
import { agentText } from './inspect-agent.ts';
import { goalText } from './inspect-goal.ts';
import { awaitedCall, howToGoOn } from './wait-words.ts';

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
): Promise<Outcome> {
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
