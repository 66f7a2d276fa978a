/** `aos ps`: the agents, as a table or as a tree. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireAgent } from '../../gateway/contract/contract.ts';
import { printAmount } from '../../kernel/agent/budget.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { shortModel } from '../core/names.ts';
import { counted, durationWords, table, trimLines } from '../core/words.ts';
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

interface Placed {
  readonly agent: WireAgent;
  /** 0 for one without a parent in the list. */
  readonly depth: number;
}

/** Children below their parents, each kind in the order of the list; none is left out. */
export function agentTree(agents: readonly WireAgent[]): readonly Placed[] {
  const known = new Set(agents.map(({ name }) => name));
  const children = new Map<string | null, WireAgent[]>();
  for (const agent of agents) {
    const parent = agent.parent !== null && known.has(agent.parent) ? agent.parent : null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [agent]);
    else siblings.push(agent);
  }
  const placed: Placed[] = [];
  // A stack of its own, because a chain of children may be longer than the program's.
  const left = (children.get(null) ?? []).toReversed().map((agent) => ({ agent, depth: 0 }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    placed.push(next);
    const { depth } = next;
    const below = children.get(next.agent.name) ?? [];
    for (const agent of below.toReversed()) left.push({ agent, depth: depth + 1 });
  }
  // Parents in a ring, which only a damaged ledger has, are reached from no root.
  const shown = new Set(placed.map(({ agent }) => agent.name));
  const lost = agents.filter(({ name }) => !shown.has(name));
  return [...placed, ...lost.map((agent) => ({ agent, depth: 0 }))];
}
