import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireAgent } from '../../gateway/contract/contract.ts';
import { printAmount } from '../../kernel/agent/budget.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { shortModel } from '../core/model-word.ts';
import { table } from '../core/table.ts';
import { trimLines } from '../core/trim-lines.ts';
import { counted, durationWords } from '../core/words.ts';
import { agentTree } from './agent-tree.ts';
import { shortened } from './goal-words.ts';

interface PsOptions {
  readonly tree?: true;
  readonly all?: true;
}

export function definePs(command: Command, context: Context): void {
  command
    .option('--tree', 'each agent below the one that is its parent')
    .option('--all', 'those that were terminated too')
    .addHelpText(
      'after',
      '\nLists the agents: what they run on, how they are and why, and what they have used.\n\nExamples:\n  aos ps\n  aos ps --tree --all\n  aos ps --json',
    )
    .action((options: PsOptions) => ps(context, options));
}

async function ps(context: Context, { tree, all }: PsOptions): Promise<void> {
  const agents = await withHome(context, { holder: 'aos ps' }, (client) =>
    allAgents(client, context.signal),
  );
  const items = all === true ? agents : agents.filter(({ state }) => state !== 'terminated');
  const left_out = agents.length - items.length;
  const now = composeEngines().clock.now();
  const text = [
    ...(items.length === 0 ? ['There are no agents.'] : [listText(items, { tree, now })]),
    ...(left_out === 0 ? [] : [`${counted(left_out, 'terminated agent')} not shown: aos ps --all`]),
  ].join('\n');
  context.print({ data: { items, left_out }, text });
}

async function allAgents(client: Client, signal: AbortSignal): Promise<WireAgent[]> {
  const agents: WireAgent[] = [];
  for await (const agent of client.agents({ signal })) agents.push(agent);
  return agents;
}

const head = ['name', 'body', 'state', 'runs on', 'age', 'tokens', 'cost', 'why'];

function listText(
  agents: readonly WireAgent[],
  { tree, now }: { readonly tree: true | undefined; readonly now: Instant },
): string {
  const placed = tree === true ? agentTree(agents) : agents.map((agent) => ({ agent, depth: 0 }));
  const rows = placed.map(({ agent, depth }) => agentRow(agent, { depth, now }));
  return trimLines(table([head, ...rows]));
}

const deepestIndent = 20;
const longestModel = 40;
const longestReason = 60;

function agentRow(
  agent: WireAgent,
  { depth, now }: { readonly depth: number; readonly now: Instant },
): string[] {
  const { name, body, state, health, reason, sandbox, tokens, cost } = agent;
  return [
    `${'  '.repeat(Math.min(depth, deepestIndent))}${oneLine(name)}`,
    sandbox === 'off' ? `${body}, unsandboxed` : body,
    health === null ? state : `${state}, ${health}`,
    runsOn(agent),
    durationWords(Math.max(0, now - Date.parse(agent.registered_at))),
    printAmount('tokens', tokens),
    printAmount('cost', cost),
    shortened(reason ?? '', longestReason),
  ];
}

function runsOn({ body, model, pid, status }: WireAgent): string {
  if (model !== null) return shortened(shortModel(model), longestModel);
  if (pid !== null) return `process ${pid}`;
  return body === 'guest' ? `elsewhere, ${status}` : '-';
}
