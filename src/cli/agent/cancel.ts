/** `aos cancel`: ends a goal. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireGoalSummary } from '../../gateway/contract/contract.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { idOf } from '../core/names.ts';
import { goalIds, isOver } from './goal-words.ts';

export function defineCancel(command: Command, context: Context): void {
  command
    .argument('<id>', 'a goal, by its id or the beginning of it')
    .option('--reason <text>', 'why, for whoever looks')
    .addHelpText(
      'after',
      '\nTakes a goal back, with all that was submitted for it. What was done is kept, and is not\nundone.\n\nExamples:\n  aos cancel 018d3e4b7a10\n  aos cancel 018d3e4b7a10 --reason "somebody did it by hand"',
    )
    .action((typed: string, { reason }: { readonly reason?: string }) =>
      cancel(context, typed, reason),
    );
}

async function cancel(context: Context, typed: string, reason: string | undefined): Promise<void> {
  const id = idOf(goalIds, typed);
  const { signal } = context;
  const goal = await withHome(context, { holder: 'aos cancel' }, async (client) =>
    ended(client, await client.cancelGoal(id, { reason, signal }), signal),
  );
  const text = isOver(goal)
    ? `Goal ${goal.id} is ${goal.state}.`
    : `Goal ${goal.id} is told to end, and is still ${goal.state}: aos wait ${goal.id} --for cancelled`;
  context.print({ data: goal, text });
}

const aMomentMs = 3000;
const lookAgainMs = 50;

/** What is worked on is ended by the daemon or agent that works on it, which takes a moment. */
async function ended(
  client: Client,
  asked: WireGoalSummary,
  signal: AbortSignal,
): Promise<WireGoalSummary> {
  const { clock } = composeEngines();
  const deadline = clock.monotonicMs() + aMomentMs;
  let goal = asked;
  while (!isOver(goal) && clock.monotonicMs() < deadline) {
    await clock.sleep(lookAgainMs, signal);
    goal = await client.goal(asked.id, { signal });
  }
  return goal;
}
