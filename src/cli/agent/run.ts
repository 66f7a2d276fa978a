/** `aos run`: submits a goal, and follows it. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import { problemError } from '../../gateway/client/exchange.ts';
import type { Answer, Body, WireGoal } from '../../gateway/contract/contract.ts';
import { parseLimits, printAmount } from '../../kernel/agent/budget.ts';
import type { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, printable } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { durationOf, numberOf, textOf } from '../core/input.ts';
import { modelOf, withAgent } from '../core/names.ts';
import { patiently } from '../core/patience.ts';
import { counted, repeated } from '../core/words.ts';
import { GoalTeller, type GoalUpdate } from './goal-teller.ts';
import { spentWords } from './goal-words.ts';

interface RunOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly priority?: string;
  readonly budget?: readonly string[];
  readonly delay?: string;
  readonly deadline?: string;
  readonly detach?: true;
}

export function defineRun(command: Command, context: Context): void {
  command
    .argument('<goal>', 'what is to be done, in words; "-" reads what is piped in')
    .option('--agent <name>', 'an agent, or a template to make one from')
    .option('--model <model>', 'as anthropic:NAME, openai:NAME, ollama:NAME or scripted:FILE')
    .option('--priority <n>', 'from 0, which comes first, to 9 (5)')
    .option('--budget <what=much>', 'as tokens=50000, cost=0.50 or wall=10m; repeatable', repeated)
    .option('--delay <time>', 'not before so long from now, as 90s, 15m or 2h')
    .option('--deadline <time>', 'to be done within so long from now')
    .option('-d, --detach', 'do not follow it: print its id')
    .addHelpText(
      'after',
      '\nFollows what the agent does and prints its answer, which alone goes to stdout. With --json\neverything that happens is a line, and the last one is the goal. Ctrl-C ends the following\nand not the goal. Exit code 0 when the goal is reached, 5 when it was cancelled, else that\nof the error.\n\nExamples:\n  aos run "Say hello" --model scripted:hello\n  aos run "Summarise notes.txt" --agent jean --budget cost=0.50\n  id=$(aos run "Tidy up" --detach) && aos wait $id',
    )
    .action((goal: string, options: RunOptions) =>
      run(context, { goal, options, json: command.optsWithGlobals()['json'] === true }),
    );
}

interface GoalRun {
  readonly goal: string;
  readonly options: RunOptions;
  readonly json: boolean;
}

async function run(context: Context, { goal, options, json }: GoalRun): Promise<void> {
  const body = await bodyOf(context, goal, options);
  const { signal } = context;
  await withHome(context, { holder: 'aos run' }, async (client) => {
    const submit = () => client.submitGoal(body, { signal });
    const name = body.agent;
    const submitted = await (name === undefined
      ? submit()
      : withAgent(client, { name, signal }, submit));
    if (options.detach === true) {
      if (!json) tellTaker(context, submitted);
      context.print({ data: submitted, text: submitted.operation });
      return;
    }
    await follow(context, client, { submitted, json });
  });
}

const mostBytes = 256 * 1024;

async function bodyOf(
  { terminal }: Context,
  goal: string,
  { agent, model, priority, budget, delay, deadline }: RunOptions,
): Promise<Body<'submitGoal'>> {
  // What is written wrongly is told before a daemon is asked.
  parseLimits(budget ?? []);
  const text =
    goal === '-'
      ? await textOf(terminal.input.read(), { what: 'What was piped in', mostBytes })
      : goal;
  return {
    goal: text,
    agent,
    model: model === undefined ? undefined : modelOf(model),
    priority:
      priority === undefined ? undefined : numberOf('--priority', priority, { least: 0, most: 9 }),
    delay_ms: delay === undefined ? undefined : durationOf('--delay', delay),
    deadline_ms: deadline === undefined ? undefined : durationOf('--deadline', deadline),
    budget: budget === undefined ? undefined : [...budget],
  };
}

type Submitted = Answer<'submitGoal'>;

function tellTaker({ terminal }: Context, { agent, operation, because }: Submitted): void {
  terminal.err(oneLine(`goal ${operation}: ${agent} takes it, because ${because}`).concat('\n'));
}

async function follow(
  context: Context,
  client: Client,
  { submitted, json }: { readonly submitted: Submitted; readonly json: boolean },
): Promise<void> {
  const { operation: id, agent } = submitted;
  if (!json) tellTaker(context, submitted);
  const goal = json
    ? await streamGoal(context, client, id)
    : await followGoal(context, client, { id, agent });
  if (!json) context.terminal.err(`${endWords(goal, composeEngines().clock.now())}\n`);
  if (goal.state !== 'completed') throw goalError(goal);
  context.print({ data: goal, text: printable((goal.result ?? '').replace(/\n$/, '')) });
}

function endWords(goal: WireGoal, now: Instant): string {
  const end = goal.ended_at === null ? now : Date.parse(goal.ended_at);
  const took = printAmount('wall', Math.max(0, end - Date.parse(goal.created_at)));
  const spent = goal.budget === null ? '' : `, ${spentWords(goal.budget)}`;
  const script = goal.scripted ? ' (scripted model: follows a script)' : '';
  return `${goal.state} after ${took}: ${counted(goal.steps, 'step')}${spent}${script}`;
}

interface Followed {
  readonly id: string;
  readonly agent: string;
}

/**
 * Shows a person at the terminal a goal as it is worked on, until it is over, also over a restart of
 * the daemon. Only its result is data for stdout.
 */
async function followGoal(
  context: Context,
  client: Client,
  { id, agent }: Followed,
): Promise<WireGoal> {
  const teller = new GoalTeller({ terminal: context.terminal, client, agent });
  const end = await watchGoal(context, client, id, (update) => teller.take(update, context.signal));
  teller.endLine();
  return end;
}

/** Follows a goal for a program that reads: a line of JSON for everything that comes. */
function streamGoal(context: Context, client: Client, id: string): Promise<WireGoal> {
  return watchGoal(context, client, id, async (update) =>
    context.stream({ data: update, text: '' }),
  );
}

async function watchGoal(
  { terminal, signal }: Context,
  client: Client,
  id: string,
  take: (update: GoalUpdate) => Promise<void>,
): Promise<WireGoal> {
  try {
    for await (const update of client.followGoal(id, { signal })) await take(update);
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

/** Why a goal was not reached, as the agent's runtime said it. */
function goalError(goal: WireGoal): AosError {
  const { code, message, fix } = goal.error ?? {
    code: goal.state === 'cancelled' ? 'operation.cancelled' : '',
    message: `Goal ${goal.id} is ${goal.state}, and does not say why`,
  };
  return problemError(0, {
    code,
    detail: message,
    fix: fix ?? `aos inspect ${goal.id}`,
    details: { goal },
  });
}
