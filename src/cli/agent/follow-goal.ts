/** A goal as it is worked on, told to whoever watches. Only its result is data for stdout. */
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireGoal } from '../../gateway/contract/contract.ts';
import type { Context } from '../core/context.ts';
import { patiently } from '../core/patience.ts';
import { type GoalSight, GoalTeller } from './goal-teller.ts';

export interface Followed {
  readonly id: string;
  readonly agent: string;
}

/** Until it is over, also over a restart of the daemon. */
export async function followGoal(
  context: Context,
  client: Client,
  { id, agent }: Followed,
): Promise<WireGoal> {
  const teller = new GoalTeller({ terminal: context.terminal, client, agent });
  const end = await watchGoal(context, client, id, (sight) => teller.take(sight, context.signal));
  teller.endLine();
  return end;
}

/** The same for a program that reads: a line of JSON for everything that comes. */
export function streamGoal(context: Context, client: Client, id: string): Promise<WireGoal> {
  return watchGoal(context, client, id, async (sight) => context.stream({ data: sight, text: '' }));
}

async function watchGoal(
  { terminal, signal }: Context,
  client: Client,
  id: string,
  take: (sight: GoalSight) => Promise<void>,
): Promise<WireGoal> {
  try {
    for await (const sight of client.followGoal(id, { signal })) await take(sight);
    return await patiently(composeEngines(), { signal }, () => client.goal(id, { signal }));
  } catch (failure) {
    if (signal.aborted) {
      terminal.err(
        `\nThe goal goes on. What becomes of it: aos inspect ${id}\nTo end it: aos cancel ${id}\n`,
      );
    }
    throw failure;
  }
}
