/** `aos inbox`: reads the messages of an agent. */
import type { Command } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireItem } from '../../gateway/contract/contract.ts';
import { checkAgentName } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, printable } from '../../kernel/text/quote.ts';
import { reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import type { CommandOutcome } from '../core/report.ts';
import { counted, durationWords } from '../core/words.ts';

interface InboxOptions {
  readonly follow?: true;
  readonly peek?: true;
  readonly limit: string;
}

export function defineInbox(command: Command, context: Context): void {
  command
    .argument('[agent]', 'whose messages (AOS_AGENT, else yours: owner)')
    .option('-f, --follow', 'go on with what comes from now on, as long as the daemon runs')
    .option('--peek', 'only look: nothing is read by that')
    .option('--limit <n>', 'at most so many at a time, oldest first', '100')
    .addHelpText(
      'after',
      '\nShows what has not been read yet. With that it is read, and its sender can see so.\n\nExamples:\n  aos inbox\n  aos inbox jean --peek\n  aos inbox -f --json',
    )
    .action((agent: string | undefined, options: InboxOptions) => inbox(context, agent, options));
}

async function inbox(
  context: Context,
  given: string | undefined,
  { follow, peek, limit: text }: InboxOptions,
): Promise<void> {
  const name = given ?? agentOf(context.environment) ?? 'owner';
  // Here and not by the daemon: an empty name would be another path.
  if (name !== 'owner') checkAgentName(name);
  const limit = numberOf('--limit', text, { least: 1, most: 1000 });
  if (follow === true) {
    if (peek === true) throw cannotFollowPeeking();
    await followInbox(context, name, limit);
    return;
  }
  const { signal } = context;
  await withHome(context, { holder: 'aos inbox' }, async (client) => {
    const items = await client.inbox(name, { limit }, { signal });
    context.print({ data: { items }, text: pageText(name, items, limit) });
    if (peek !== true) await markRead(client, name, items, signal);
  });
}

function cannotFollowPeeking(): AosError {
  return new AosError('usage.bad-value', {
    message: '--follow goes on behind what was read, and with --peek nothing is',
    fix: 'aos inbox --follow',
  });
}

const waitMs = 25_000;

/** Only with a daemon: without one, no message could be sent meanwhile. */
async function followInbox(context: Context, name: string, limit: number): Promise<void> {
  const { client } = await reach(context);
  const { signal } = context;
  for (;;) {
    const items = await client.inbox(name, { limit, wait_ms: waitMs }, { signal });
    for (const item of items) context.stream(itemOutcome(item, composeEngines().clock.now()));
    await markRead(client, name, items, signal);
  }
}

// After it was shown: who is interrupted before that sees it again, and misses nothing.
async function markRead(
  client: Client,
  name: string,
  items: readonly WireItem[],
  signal: AbortSignal,
): Promise<void> {
  if (items.length === 0) return;
  const ids = items.map(({ id }) => id);
  await client.readInbox(name, ids, { signal });
}

function pageText(name: string, items: readonly WireItem[], limit: number): string {
  if (items.length === 0) return `There are no new messages for ${name}.`;
  const now = composeEngines().clock.now();
  const shown = items.map((item) => itemOutcome(item, now).text);
  if (items.length === limit) shown.push(`${counted(limit, 'message')}; there may be more.`);
  return shown.join('\n\n');
}

function itemOutcome(item: WireItem, now: Instant): CommandOutcome {
  const { id, from, to, recipient, kind, thread, re, event_type, attachments, body } = item;
  const age = durationWords(Math.max(0, now - Date.parse(item.sent_at)));
  const head = [
    `FROM ${from}`,
    to === recipient ? kind : `${kind} to ${to}`,
    event_type === null ? '' : `event ${event_type}`,
    thread === null ? '' : `thread ${thread}`,
    re === null ? '' : `re ${re}`,
    id,
    `${age} ago`,
  ];
  const files = attachments.map((hash) => `  attachment ${hash}`);
  const lines = body === '' ? [] : printable(body.replace(/\r?\n$/, '')).split('\n');
  return {
    data: item,
    text: [
      oneLine(head.filter((part) => part !== '').join('  ')),
      ...files,
      // What is written in a message stands apart from what is said about it.
      ...lines.map((line) => `  ${line}`),
    ].join('\n'),
  };
}
