import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireGoal } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { isOver } from '../agent/goal-words.ts';
import { openGoals } from '../agent/queue.ts';
import { reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { quitKey } from './quit-key.ts';
import { frameText, type TopFrame } from './top-frame.ts';

export function defineTop(command: Command, context: Context): void {
  command
    .option('--once', 'show it once')
    .addHelpText(
      'after',
      '\nShows what is going on, every second, until "q" or Ctrl-C: agents by state, the goals\nthat are worked on with what they have used, how many are queued, and how many approvals\nwait. Where nobody looks on it shows it once.\n\nExamples:\n  aos top\n  aos top --once --json',
    )
    .action(({ once }: { readonly once?: true }) => {
      const json = command.optsWithGlobals()['json'] === true;
      const isLive = once !== true && !json && process.stdout.isTTY === true;
      return isLive ? showOn(context) : showOnce(context);
    });
}

async function showOnce(context: Context): Promise<void> {
  const frame = await withHome(context, { holder: 'aos top' }, (client) =>
    frameOf(client, context.signal),
  );
  const now = composeEngines().clock.now();
  context.print({ data: frame, text: frameText(frame, viewOf(context, now)) });
}

const everyMs = 1000;
// Of many agents a look takes its time; the daemon has other things to do.
const restFactor = 4;

async function showOn(context: Context): Promise<void> {
  const { client, engines } = await reach(context);
  const { terminal } = context;
  const { clock } = engines;
  await using quit = quitKey();
  const signal = AbortSignal.any([context.signal, quit.signal]);
  terminal.out('\u001b[2J');
  while (!signal.aborted) {
    const began = clock.monotonicMs();
    const text = await frameOrWords(context, client, clock.now());
    const lines = text.split('\n').slice(0, rowsOf() - 1);
    // From the top, each line cleared behind its end, and what is below too.
    terminal.out(`\u001b[H${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`);
    const tookMs = clock.monotonicMs() - began;
    // Being stopped is the way this ends.
    await clock.sleep(Math.max(everyMs, tookMs * restFactor), signal).catch(() => {});
  }
}

async function frameOrWords(context: Context, client: Client, now: Instant): Promise<string> {
  try {
    return frameText(await frameOf(client, context.signal), viewOf(context, now));
  } catch (failure) {
    // A daemon that is away may come back while somebody looks.
    if (failure instanceof AosError)
      return `${oneLine(failure.message)}\n${oneLine(failure.fix ?? '')}`;
    throw failure;
  }
}

function viewOf({ terminal }: Context, now: Instant) {
  return { columns: Math.max(40, terminal.columns), now };
}

function rowsOf(): number {
  return Math.max(10, process.stdout.rows ?? 40);
}

const mostGoals = 20;

async function frameOf(client: Client, signal: AbortSignal): Promise<TopFrame> {
  const agents: Record<string, number> = {};
  let frozen = 0;
  for await (const { state, health } of client.agents({ signal })) {
    agents[state] = (agents[state] ?? 0) + 1;
    if (health === 'frozen') frozen++;
  }
  const [open, approvals] = await Promise.all([
    openGoals(client, 1000, signal),
    client.approvals({ limit: '1000' }, { signal }),
  ]);
  const begun = open.items.filter(({ state }) => state !== 'queued');
  const goals = await Promise.all(
    begun.slice(0, mostGoals).map(({ id }) => client.goal(id, { signal })),
  );
  return {
    agents,
    frozen,
    queued: open.items.length - begun.length,
    working: begun.length,
    approvals: approvals.items.length,
    // Some are over by the time they are looked at.
    goals: goals.filter((goal): goal is WireGoal => !isOver(goal)),
  };
}
