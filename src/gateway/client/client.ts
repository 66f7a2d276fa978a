/** The daemon's interface as functions. It loads neither the schemas nor the server. */
import { EventStreamParser } from '../../kernel/text/event-stream.ts';
import type { Answer, EventQuery, WireAgent, WireEvent } from '../contract/contract.ts';
import {
  type ClientDeps,
  callRoute,
  isPassing,
  openStream,
  parseJson,
  search,
  strangeAnswer,
} from './exchange.ts';
import { type OwnCalls, ownCalls } from './own-calls.ts';
import type { RouteCalls } from './route-calls.ts';
import { routeTable } from './route-table.ts';
import { type CallOptions, socketTransport } from './transport.ts';

export type FollowFilter = Omit<EventQuery, 'after' | 'before' | 'limit' | 'order'>;

export type FollowedItem =
  | { readonly kind: 'event'; readonly event: WireEvent }
  /** Events that are no longer kept. */
  | { readonly kind: 'pruned'; readonly from: number; readonly to: number };

export interface EventFollowOptions {
  /** The number of the event behind which to begin; now when it is not given. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One function a route, and those that are more than that. */
export interface Client
  extends Omit<RouteCalls, keyof OwnCalls | keyof EventCalls>,
    OwnCalls,
    EventCalls {}

interface EventCalls {
  /** All agents, a page at a time behind the scenes. */
  agents(options?: CallOptions): AsyncGenerator<WireAgent, void, void>;
  /** Events that have happened, a page at a time behind the scenes; `limit` bounds them all. */
  events(query: EventsQuery, options?: CallOptions): AsyncGenerator<WireEvent, void, void>;
  /** Events as they happen, over restarts of the daemon: none is left out, none comes twice. */
  follow(
    filter: FollowFilter,
    options?: EventFollowOptions,
  ): AsyncGenerator<FollowedItem, void, void>;
}

export type EventsQuery = Omit<EventQuery, 'limit'> & { readonly limit?: number | undefined };

const pageSize = 1000;

/** A client of the daemon behind that socket file. */
export function connectTo(
  { clock, version }: Pick<ClientDeps, 'clock' | 'version'>,
  socketPath: string,
): Client {
  return createClient({ clock, version, transport: socketTransport(clock, socketPath) });
}

export function createClient(deps: ClientDeps): Client {
  const calls = routeCalls(deps);
  return {
    ...calls,
    ...ownCalls(deps, calls),
    agents: (options) => allAgents(calls, options),
    events: (query, options) => allEvents(calls, query, options),
    follow: (filter, options) => follow(deps, filter, options),
  };
}

/** The types and the table are made of the same verbs: each function is what its name says. */
function routeCalls(deps: ClientDeps): RouteCalls {
  const calls = Object.entries(routeTable).map(([name, route]) => [
    name,
    (...given: readonly unknown[]) => callRoute(deps, route, given),
  ]);
  return Object.fromEntries(calls);
}

async function* allAgents(
  calls: RouteCalls,
  options: CallOptions | undefined,
): AsyncGenerator<WireAgent, void, void> {
  let after: string | null | undefined;
  do {
    const query = { after: after ?? undefined, limit: pageSize };
    const page: Answer<'agents'> = await calls.agents(query, options);
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

async function* allEvents(
  calls: RouteCalls,
  { limit = Number.POSITIVE_INFINITY, ...query }: EventsQuery,
  options: CallOptions | undefined,
): AsyncGenerator<WireEvent, void, void> {
  const cursor = query.order === 'newest-first' ? 'before' : 'after';
  let next: string | undefined = query[cursor];
  for (let left = limit; left > 0; ) {
    const asked = { ...query, [cursor]: next, limit: Math.min(left, pageSize) };
    const page: Answer<'events'> = await calls.events(asked, options);
    yield* page.items;
    left -= page.items.length;
    if (page.next === null) return;
    next = String(page.next);
  }
}

const firstPauseMs = 100;
const longestPauseMs = 5000;

/**
 * The place in the stream is kept here and told with every connection. Only what comes
 * behind it is handed out, so that neither a restart nor a repeated page shows twice.
 */
async function* follow(
  deps: ClientDeps,
  filter: FollowFilter,
  { after, signal }: EventFollowOptions = {},
): AsyncGenerator<FollowedItem, void, void> {
  let place = after;
  let pauseMs = firstPauseMs;
  for (;;) {
    try {
      for await (const { item, position } of readStream(deps, filter, { after: place, signal })) {
        pauseMs = firstPauseMs;
        const isNew = place === undefined || position > place;
        place = isNew ? position : place;
        if (isNew && item !== undefined) yield item;
      }
    } catch (failure) {
      signal?.throwIfAborted();
      if (!isPassing(failure)) throw failure;
    }
    await deps.clock.sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

interface StreamPlace {
  readonly position: number;
  /** Undefined when only the place has moved. */
  readonly item: FollowedItem | undefined;
}

async function* readStream(
  deps: ClientDeps,
  filter: FollowFilter,
  from: EventFollowOptions,
): AsyncGenerator<StreamPlace, void, void> {
  const answer = await openStream(deps, `${routeTable.events.path}${search(filter)}`, from);
  const parser = new EventStreamParser();
  for await (const bytes of answer.body) {
    for (const { event, data, id } of parser.push(bytes)) {
      yield { position: placeOf(id), item: itemOf(event, data) };
    }
    if (parser.lastId !== undefined) yield { position: placeOf(parser.lastId), item: undefined };
  }
}

function placeOf(id: string | undefined): number {
  const position = Number(id);
  if (Number.isSafeInteger(position)) return position;
  throw strangeAnswer('an event has no number');
}

function itemOf(event: string, data: string): FollowedItem {
  // The versions were compared, as for every answer.
  if (event !== 'pruned') return { kind: 'event', event: parseJson(data) as WireEvent };
  const { from, to } = parseJson(data) as { readonly from: number; readonly to: number };
  return { kind: 'pruned', from, to };
}
