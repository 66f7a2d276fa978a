/** `aos wait`: until an agent or a goal is in a state. */
import { type Command, Option } from 'commander';
import type { Client } from '../../gateway/client/client.ts';
import type { WireAgentDetails, WireGoal } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { durationOf } from '../core/input.ts';
import { findTarget } from '../core/names.ts';
import { patiently } from '../core/patience.ts';

type State = WireAgentDetails['state'] | WireGoal['state'];

const agentStates: readonly State[] = [
  ...(['pending', 'running', 'paused', 'completed', 'failed', 'terminated'] as const),
];
const goalStates: readonly State[] = [
  ...(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'] as const),
];
const ends: ReadonlySet<State> = new Set(['completed', 'failed', 'terminated', 'cancelled']);

interface WaitOptions {
  readonly for: State;
  readonly timeout?: string;
}

export function defineWait(command: Command, context: Context): void {
  const states = [...new Set([...agentStates, ...goalStates])];
  command
    .argument('<id>', 'an agent by its name, or a goal by its id or the beginning of it')
    .addOption(new Option('--for <state>', 'which state').choices(states).default('completed'))
    .option('--timeout <time>', 'how long at most, as 90s, 15m or 2h (for ever)')
    .addHelpText(
      'after',
      '\nExit code 0 when it is so, 8 when it is not in time, 5 when it ended otherwise.\n\nExamples:\n  aos wait worker --for running --timeout 10s\n  aos wait 018d3e4b7a10 && aos inspect 018d3e4b7a10',
    )
    .action((typed: string, options: WaitOptions) => wait(context, typed, options));
}

const lookAgainMs = 200;
// A daemon that is started again is there in less.
const awayMs = 30_000;

async function wait(context: Context, typed: string, options: WaitOptions): Promise<void> {
  const wanted = options.for;
  const timeoutMs =
    options.timeout === undefined
      ? Number.POSITIVE_INFINITY
      : durationOf('--timeout', options.timeout);
  // Only with a daemon: without one nothing changes.
  const { client, engines } = await reach(context);
  const { signal } = context;
  const deadline = engines.clock.monotonicMs() + timeoutMs;
  const look = await lookAt(client, typed, { wanted, signal });
  for (;;) {
    const mostMs = Math.min(awayMs, deadline - engines.clock.monotonicMs());
    const seen = await patiently(engines, { signal, mostMs }, look);
    if (seen.state === wanted) {
      context.print({ data: seen, text: oneLine(`${seen.what} is ${seen.state}.`) });
      return;
    }
    if (ends.has(seen.state)) throw endedOtherwise(seen, wanted);
    const leftMs = deadline - engines.clock.monotonicMs();
    if (leftMs <= 0) throw notInTime(seen, wanted);
    await engines.clock.sleep(Math.min(lookAgainMs, leftMs), signal);
  }
}

interface SeenState {
  readonly id: string;
  /** `Agent "worker"`. */
  readonly what: string;
  readonly state: State;
  readonly reason: string | null;
}

interface StateWait {
  readonly wanted: State;
  readonly signal: AbortSignal;
}

/** Found once, so that what is waited for stays the same. */
async function lookAt(
  client: Client,
  typed: string,
  { wanted, signal }: StateWait,
): Promise<() => Promise<SeenState>> {
  const target = await findTarget(client, typed, signal);
  switch (target.kind) {
    case 'agent': {
      const { name } = target.agent;
      checkState(wanted, 'agent', agentStates);
      return async () => {
        const { state, reason } = await client.agentDetails(name, { signal });
        return { id: name, what: `Agent ${quote(name)}`, state, reason };
      };
    }
    case 'goal': {
      const { id } = target.goal;
      checkState(wanted, 'goal', goalStates);
      return async () => {
        const { state, error } = await client.goal(id, { signal });
        return { id, what: `Goal ${id}`, state, reason: error?.message ?? null };
      };
    }
    case 'call':
      throw new AosError('usage.bad-value', {
        message: `${quote(typed)} is a call, and agents and goals are waited for`,
        fix: `aos tool calls ${target.call.call_id}`,
      });
  }
}

function checkState(wanted: State, what: string, known: readonly State[]): void {
  if (known.includes(wanted)) return;
  throw new AosError('usage.bad-value', {
    message: `No ${what} is ever ${quote(wanted)}: it is ${known.join(', ')}`,
    fix: '--for completed',
  });
}

function endedOtherwise({ id, what, state, reason }: SeenState, wanted: State): AosError {
  const isGoal = what.startsWith('Goal');
  return new AosError(isGoal ? 'operation.over' : 'agent.wrong-state', {
    message: `${what} is ${state}, and not ${wanted}${reason === null ? '' : `: ${reason}`}`,
    fix: `aos inspect ${id}`,
    details: { id, state },
  });
}

function notInTime({ id, what, state }: SeenState, wanted: State): AosError {
  return new AosError('wait.timeout', {
    message: `${what} is still ${state}, and not ${wanted}`,
    fix: `aos inspect ${id}`,
    details: { id, state },
  });
}
