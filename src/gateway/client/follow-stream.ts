/**
 * Follows a stream of server-sent events from outside, over restarts of the daemon. The last
 * place is kept here and told with every connection; only what comes behind it is handed out. A
 * daemon that is away for longer than the patience is not waited for.
 */

import type { OperationStatus } from '../../kernel/agent/operation.ts';
import type { Clock } from '../../kernel/ports.ts';
import { EventStreamParser } from '../../kernel/text/event-stream.ts';
import type { GoalSight, GoalState } from '../contract/stream-events.ts';
import type { TransportAnswer } from './transport.ts';

export interface FollowOptions {
  /** The place behind which to begin; everything is seen when it is not given. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FollowDeps {
  readonly clock: Clock;
  /** An answer that is a stream of events, from a place on; anything else is thrown. */
  openStream(path: string, from: FollowOptions): Promise<TransportAnswer>;
  /** Whether trying again is right. */
  isPassing(failure: unknown): boolean;
  /** What arrived is none of ours. */
  parseJson(text: string): unknown;
}

/** What is seen of one kind of stream. */
interface Sights<Sight> {
  /** Undefined for an event that is not known here. */
  of(event: string, content: unknown, id: string): Sight | undefined;
  /** Of a sight that has one. */
  placeOf(sight: Sight): number | undefined;
  /** Whether it says once more what was said before: told anew with each connection. */
  isRepeated(sight: Sight): boolean;
  isEnd(sight: Sight): boolean;
}

const pauseMs = { first: 100, longest: 2000 };
const patienceMs = 30_000;

async function* followStream<Sight>(
  deps: FollowDeps,
  path: string,
  sights: Sights<Sight>,
  { after = 0, signal }: FollowOptions = {},
): AsyncGenerator<Sight, void, void> {
  const { clock } = deps;
  let place = after;
  let awaySince: number | undefined;
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
    try {
      for await (const sight of readSights(deps, path, sights, { after: place, signal })) {
        awaySince = undefined;
        pause = pauseMs.first;
        const reached = sights.placeOf(sight);
        if (reached !== undefined && reached <= place) continue;
        place = reached ?? place;
        if (sights.isRepeated(sight)) continue;
        yield sight;
        if (sights.isEnd(sight)) return;
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

async function* readSights<Sight>(
  deps: FollowDeps,
  path: string,
  sights: Sights<Sight>,
  from: FollowOptions,
): AsyncGenerator<Sight, void, void> {
  const { body } = await deps.openStream(path, from);
  const parser = new EventStreamParser();
  for await (const bytes of body) {
    for (const { event, data, id } of parser.push(bytes)) {
      const sight = sights.of(event, deps.parseJson(data), String(id));
      if (sight !== undefined) yield sight;
    }
  }
}

// Follows a goal from outside, over restarts of the daemon.

export function followGoal(
  deps: FollowDeps,
  path: string,
  options?: FollowOptions,
): AsyncGenerator<GoalSight, void, void> {
  return followStream(deps, path, goalSights(), options);
}

function goalSights(): Sights<GoalSight> {
  let state: GoalState | undefined;
  return {
    of: sightOf,
    placeOf: (sight) => (sight.kind === 'step' ? sight.step.seq : undefined),
    isRepeated: (sight) => {
      if (sight.kind !== 'state') return false;
      const isRepeated = isSame(sight, state);
      state = sight;
      return isRepeated;
    },
    isEnd: ({ kind }) => kind === 'end',
  };
}

function isSame(one: GoalState, other: GoalState | undefined): boolean {
  return one.state === other?.state && one.waits_for === other.waits_for;
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

// Follows the log of an operation from outside, over restarts of the daemon.

export type OperationSight =
  | { readonly kind: 'log'; readonly line: string; readonly number: number }
  | { readonly kind: 'state'; readonly status: OperationStatus }
  | { readonly kind: 'end'; readonly status: OperationStatus };

export function followOperation(
  deps: FollowDeps,
  path: string,
  options?: FollowOptions,
): AsyncGenerator<OperationSight, void, void> {
  return followStream(deps, path, operationSights(), options);
}

function operationSights(): Sights<OperationSight> {
  let status: OperationStatus | undefined;
  return {
    of: operationSightOf,
    placeOf: (sight) => (sight.kind === 'log' ? sight.number : undefined),
    isRepeated: (sight) => {
      if (sight.kind !== 'state') return false;
      const isSame = sight.status === status;
      status = sight.status;
      return isSame;
    },
    isEnd: ({ kind }) => kind === 'end',
  };
}

// The versions were compared, as for every answer: the content is what its name says.
function operationSightOf(event: string, content: unknown, id: string): OperationSight | undefined {
  switch (event) {
    case 'log':
      return { kind: 'log', line: content as string, number: Number(id) };
    case 'state':
    case 'end':
      return { kind: event, ...(content as { readonly status: OperationStatus }) };
    default:
      return undefined;
  }
}
