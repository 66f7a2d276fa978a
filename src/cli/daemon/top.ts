/** `aos top`: what is going on, drawn anew every second. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireGoal } from '../../gateway/contract/contract.ts';
import { printAmount } from '../../kernel/agent/budget.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { isOver, shortened } from '../agent/goal-words.ts';
import { openGoals } from '../agent/queue.ts';
import { reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { shortIds, shortModel } from '../core/names.ts';
import { durationWords, table } from '../core/words.ts';

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
    // A daemon that is away may come back while the person looks.
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

/** The key "q", and Ctrl-C, while something is shown; disposing gives the keyboard back. */
function quitKey(): { readonly signal: AbortSignal } & AsyncDisposable {
  const controller = new AbortController();
  const { stdin } = process;
  const onKeys = (keys: Uint8Array): void => {
    // Keys come one at a time, and Ctrl-C is one of them.
    if (keys.includes(0x71) || keys.includes(0x03)) controller.abort();
  };
  if (stdin.isTTY === true) {
    stdin.setRawMode(true);
    stdin.on('data', onKeys);
  }
  return {
    signal: controller.signal,
    async [Symbol.asyncDispose]() {
      if (stdin.isTTY !== true) return;
      stdin.setRawMode(false);
      stdin.off('data', onKeys);
      stdin.pause();
    },
  };
}

/** What is going on at one moment. */
interface TopFrame {
  /** How many, by their state. */
  readonly agents: Readonly<Record<string, number>>;
  readonly frozen: number;
  readonly queued: number;
  readonly working: number;
  readonly approvals: number;
  /** Those that are worked on, or wait for something. */
  readonly goals: readonly WireGoal[];
}

interface FrameView {
  readonly columns: number;
  readonly now: Instant;
}

function frameText(frame: TopFrame, { columns, now }: FrameView): string {
  const states = Object.entries(frame.agents)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([state, count]) => `${count} ${state}`);
  const facts = [
    [
      'agents',
      [...states, ...(frame.frozen === 0 ? [] : [`${frame.frozen} frozen`])].join(', ') || 'none',
    ],
    ['goals', `${frame.working} begun, ${frame.queued} queued`],
    ['approvals', frame.approvals === 0 ? 'none wait' : `${frame.approvals} wait: aos approvals`],
  ];
  const lines = table(facts).split('\n');
  if (frame.goals.length > 0) lines.push('', ...table(goalRows(frame.goals, now)).split('\n'));
  return lines.map((line) => line.slice(0, columns).trimEnd()).join('\n');
}

const head = ['goal', 'agent', 'state', 'steps', 'tokens', 'cost', 'for', 'runs on', 'what'];

function goalRows(goals: readonly WireGoal[], now: Instant): string[][] {
  const shortOf = shortIds(goals.map(({ id }) => id));
  const rows = goals.map((goal) => [
    shortOf(goal.id),
    shortened(goal.agent, 24),
    goal.state,
    String(goal.steps),
    goal.budget === null ? '-' : printAmount('tokens', goal.budget.tokens.used),
    goal.budget === null ? '-' : printAmount('cost', goal.budget.cost.used),
    durationWords(Math.max(0, now - Date.parse(goal.started_at ?? goal.created_at))),
    goal.model === null ? '-' : shortened(shortModel(goal.model), 30),
    shortened(goal.goal, 60),
  ]);
  return [head, ...rows];
}
