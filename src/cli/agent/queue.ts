/** `aos queue`: the goals that are not over. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { shortIds } from '../core/names.ts';
import { table } from '../core/words.ts';
import { goalRow } from './goal-words.ts';

interface QueueOptions {
  readonly all?: true;
  readonly limit: string;
}

export function defineQueue(command: Command, context: Context): void {
  command
    .option('--all', 'those that are over too, the newest first')
    .option('--limit <n>', 'at most so many', '100')
    .addHelpText(
      'after',
      '\nLists the goals that are not over: first those that are worked on, then those that wait\nfor their turn, in their order.\n\nExamples:\n  aos queue\n  aos queue --all --limit 20',
    )
    .action((options: QueueOptions) => queue(context, options));
}

async function queue(context: Context, { all, limit: text }: QueueOptions): Promise<void> {
  const limit = numberOf('--limit', text, { least: 1, most: 1000 });
  const found = await withHome(context, { holder: 'aos queue' }, (client) =>
    all === true
      ? client.goals({ limit: String(limit) }, { signal: context.signal })
      : openGoals(client, limit, context.signal),
  );
  context.print({ data: found, text: queueText(found, all === true) });
}

/** What is worked on, and behind it what is queued in its order. */
export async function openGoals(
  client: Client,
  limit: number,
  signal: AbortSignal,
): Promise<Answer<'goals'>> {
  const query = { limit: String(limit) };
  const [open, queued] = await Promise.all([
    client.goals({ ...query, open: 'true' }, { signal }),
    client.goals({ ...query, state: 'queued' }, { signal }),
  ]);
  const begun = open.items.filter(({ state }) => state !== 'queued');
  const items = [...begun, ...queued.items];
  const isWhole = open.next === null && queued.next === null && items.length <= limit;
  return { items: items.slice(0, limit), next: isWhole ? null : (items.at(limit - 1)?.id ?? null) };
}

function queueText({ items, next }: Answer<'goals'>, isAll: boolean): string {
  if (items.length === 0) return isAll ? 'There are no goals.' : 'No goal is open.';
  const now = composeEngines().clock.now();
  const shortOf = shortIds(items.map(({ id }) => id));
  const rows = items.map((goal) => goalRow(goal, shortOf, now));
  const more = next === null ? [] : ['There are more: aos queue --limit 1000'];
  return [table(rows), ...more].join('\n');
}
