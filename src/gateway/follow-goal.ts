/** Follows a goal from outside, over restarts of the daemon. */
import { EventStreamParser } from '../kernel/event-stream.ts';
import type { Clock } from '../kernel/ports.ts';
import type { GoalSight, GoalState } from './goal-sight.ts';
import type { TransportAnswer } from './transport.ts';

export interface FollowGoalOptions {
  /** The step behind which to begin; all are seen when it is not given. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FollowGoalDeps {
  readonly clock: Clock;
  /** An answer that is a stream of events, from a place on; anything else is thrown. */
  openStream(path: string, from: FollowGoalOptions): Promise<TransportAnswer>;
  /** Whether trying again is right. */
  isPassing(failure: unknown): boolean;
  /** What arrived is none of ours. */
  parseJson(text: string): unknown;
}

const pauseMs = { first: 100, longest: 2000 };
const patienceMs = 30_000;

/**
 * The last step is kept here and told with every connection; only what comes behind it is
 * handed out. A daemon that is away for longer than the patience is not waited for.
 */
export async function* followGoal(
  deps: FollowGoalDeps,
  path: string,
  { after = 0, signal }: FollowGoalOptions = {},
): AsyncGenerator<GoalSight, void, void> {
  const { clock } = deps;
  let place = after;
  let state: GoalState | undefined;
  let awaySince: number | undefined;
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
    try {
      for await (const sight of readSights(deps, path, { after: place, signal })) {
        awaySince = undefined;
        pause = pauseMs.first;
        if (sight.kind === 'step' && sight.step.seq <= place) continue;
        if (sight.kind === 'step') place = sight.step.seq;
        // Told anew with each connection.
        if (sight.kind === 'state' && isSame(sight, state)) continue;
        if (sight.kind === 'state') state = sight;
        yield sight;
        if (sight.kind === 'end') return;
      }
    } catch (failure) {
      signal?.throwIfAborted();
      awaySince ??= clock.monotonicMs();
      const isLate = clock.monotonicMs() - awaySince > patienceMs;
      if (!deps.isPassing(failure) || isLate) throw failure;
    }
    await clock.sleep(pause, signal);
  }
}

function isSame(one: GoalState, other: GoalState | undefined): boolean {
  return one.state === other?.state && one.waits_for === other.waits_for;
}

async function* readSights(
  deps: FollowGoalDeps,
  path: string,
  from: FollowGoalOptions,
): AsyncGenerator<GoalSight, void, void> {
  const { body } = await deps.openStream(path, from);
  const parser = new EventStreamParser();
  for await (const bytes of body) {
    for (const { event, data } of parser.push(bytes)) {
      const content = deps.parseJson(data);
      const sight = sightOf(event, content);
      if (sight !== undefined) yield sight;
    }
  }
}

// The versions were compared, as for every answer: the content is what its name says.
function sightOf(event: string, content: unknown): GoalSight | undefined {
  type Of<Kind> = Extract<GoalSight, { kind: Kind }>;
  switch (event) {
    case 'step':
      return { kind: 'step', step: content as Of<'step'>['step'] };
    case 'delta':
      return { kind: 'delta', delta: content as Of<'delta'>['delta'] };
    case 'output':
      return { kind: 'output', ...(content as Omit<Of<'output'>, 'kind'>) };
    case 'dropped':
      return { kind: 'dropped', ...(content as Omit<Of<'dropped'>, 'kind'>) };
    case 'state':
      return { kind: 'state', ...(content as GoalState) };
    case 'end':
      return { kind: 'end', state: (content as Of<'end'>).state };
    default:
      return undefined;
  }
}
