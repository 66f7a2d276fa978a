/** `aos kill`: ends agents, with the goals and children that they have. */
import type { Command } from 'commander';
import type { Client } from '../../gateway/client/client.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { withAgent } from '../core/names.ts';
import { counted } from '../core/words.ts';
import { isOver, shortened } from './goal-words.ts';

export function defineKill(command: Command, context: Context): void {
  command
    .argument('<agent>', 'who')
    .option('--reason <text>', 'why, for whoever looks')
    .addHelpText(
      'after',
      '\nEnds an agent with all that it does: its goals are cancelled, its program and all that\nit has started end, and so do the agents that it has spawned. What it did is kept.\n\nExamples:\n  aos kill worker\n  aos kill worker --reason "no longer needed" --json',
    )
    .action((name: string, { reason }: { readonly reason?: string }) =>
      kill(context, name, reason),
    );
}

async function kill(context: Context, name: string, reason: string | undefined): Promise<void> {
  const { signal } = context;
  const outcome = await withHome(context, { holder: 'aos kill' }, (client) =>
    withAgent(client, { name, signal }, async () => {
      const before = await familyOf(client, name, signal);
      const answer = await client.killAgent(name, { reason, signal });
      return { ...answer, ...(await endedOf(client, before, signal)) };
    }),
  );
  context.print({ data: outcome, text: words(outcome) });
}

interface Member {
  readonly name: string;
  readonly wasOver: boolean;
  readonly openGoals: readonly string[];
}

// Of more than these the first are named.
const mostNamed = 200;

/** The agent first, then its children and theirs. */
async function familyOf(client: Client, name: string, signal: AbortSignal): Promise<Member[]> {
  const family: Member[] = [];
  const left = [name];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { state, operations, children } = await client.agentDetails(next, { signal });
    const openGoals = operations.filter((one) => !isOver(one)).map(({ id }) => id);
    family.push({ name: next, wasOver: state === 'terminated', openGoals });
    if (family.length + left.length < mostNamed) left.push(...children);
  }
  return family;
}

interface Ended {
  readonly children: readonly string[];
  readonly goals: readonly string[];
}

async function endedOf(
  client: Client,
  [agent, ...family]: readonly Member[],
  signal: AbortSignal,
): Promise<Ended> {
  const children: Member[] = [];
  for (const member of family) {
    const { state } = await client.agentDetails(member.name, { signal });
    if (!member.wasOver && state === 'terminated') children.push(member);
  }
  return {
    children: children.map(({ name }) => name),
    goals: [...(agent?.openGoals ?? []), ...children.flatMap(({ openGoals }) => openGoals)],
  };
}

const longestList = 300;

function words({
  name,
  state,
  children,
  goals,
}: Ended & { readonly name: string; readonly state: string }) {
  const also =
    children.length === 0
      ? ''
      : ` With it ended ${counted(children.length, 'agent')} that it had spawned: ${shortened(children.join(', '), longestList)}.`;
  const cancelled = goals.length === 0 ? '' : ` Cancelled: ${counted(goals.length, 'goal')}.`;
  return oneLine(`Agent ${name} is ${state}.${also}${cancelled}`);
}
