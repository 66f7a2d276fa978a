/**
 * Follows a stream of server-sent events from outside, over restarts of the daemon. The last
 * place is kept here and told with every connection; only what comes behind it is handed out. A
 * daemon that is away for longer than the patience is not waited for.
 */

import type { OperationStatus } from '../../kernel/agent/operation.ts';
import type { Clock } from '../../kernel/ports.ts';
import { EventStreamParser } from '../../kernel/text/event-stream.ts';
import type { GoalEvent, GoalState } from '../contract/stream-events.ts';
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
interface EventReading<Event> {
  /** Undefined for an event that is not known here. */
  of(event: string, content: unknown, id: string): Event | undefined;
  /** Of an event that has one. */
  placeOf(event: Event): number | undefined;
  /** Whether it says once more what was said before: told anew with each connection. */
  isRepeated(event: Event): boolean;
  isEnd(event: Event): boolean;
}

const pauseMs = { first: 100, longest: 2000 };
const patienceMs = 30_000;

async function* followStream<Event>(
  deps: FollowDeps,
  path: string,
  reading: EventReading<Event>,
  { after = 0, signal }: FollowOptions = {},
): AsyncGenerator<Event, void, void> {
  const { clock } = deps;
  let place = after;
  let awaySince: number | undefined;
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
    try {
      for await (const event of readEvents(deps, path, reading, { after: place, signal })) {
        awaySince = undefined;
        pause = pauseMs.first;
        const reached = reading.placeOf(event);
        if (reached !== undefined && reached <= place) continue;
        place = reached ?? place;
        if (reading.isRepeated(event)) continue;
        yield event;
        if (reading.isEnd(event)) return;
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

async function* readEvents<Event>(
  deps: FollowDeps,
  path: string,
  reading: EventReading<Event>,
  from: FollowOptions,
): AsyncGenerator<Event, void, void> {
  const { body } = await deps.openStream(path, from);
  const parser = new EventStreamParser();
  for await (const bytes of body) {
    for (const { event: name, data, id } of parser.push(bytes)) {
      const event = reading.of(name, deps.parseJson(data), String(id));
      if (event !== undefined) yield event;
    }
  }
}

// Follows a goal from outside, over restarts of the daemon.

export function followGoal(
  deps: FollowDeps,
  path: string,
  options?: FollowOptions,
): AsyncGenerator<GoalEvent, void, void> {
  return followStream(deps, path, goalReading(), options);
}

function goalReading(): EventReading<GoalEvent> {
  let state: GoalState | undefined;
  return {
    of: goalEventOf,
    placeOf: (event) => (event.kind === 'step' ? event.step.seq : undefined),
    isRepeated: (event) => {
      if (event.kind !== 'state') return false;
      const isRepeated = isSame(event, state);
      state = event;
      return isRepeated;
    },
    isEnd: ({ kind }) => kind === 'end',
  };
}

function isSame(one: GoalState, other: GoalState | undefined): boolean {
  return one.state === other?.state && one.waits_for === other.waits_for;
}

// The versions were compared, as for every answer: the content is what its name says.
function goalEventOf(event: string, content: unknown): GoalEvent | undefined {
  type Of<Kind> = Extract<GoalEvent, { kind: Kind }>;
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

export type OperationEvent =
  | { readonly kind: 'log'; readonly line: string; readonly number: number }
  | { readonly kind: 'state'; readonly status: OperationStatus }
  | { readonly kind: 'end'; readonly status: OperationStatus };

export function followOperation(
  deps: FollowDeps,
  path: string,
  options?: FollowOptions,
): AsyncGenerator<OperationEvent, void, void> {
  return followStream(deps, path, operationReading(), options);
}

function operationReading(): EventReading<OperationEvent> {
  let status: OperationStatus | undefined;
  return {
    of: operationEventOf,
    placeOf: (event) => (event.kind === 'log' ? event.number : undefined),
    isRepeated: (event) => {
      if (event.kind !== 'state') return false;
      const isSame = event.status === status;
      status = event.status;
      return isSame;
    },
    isEnd: ({ kind }) => kind === 'end',
  };
}

// The versions were compared, as for every answer: the content is what its name says.
function operationEventOf(event: string, content: unknown, id: string): OperationEvent | undefined {
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
