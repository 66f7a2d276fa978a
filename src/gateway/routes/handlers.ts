import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, Body, Params, Query, RouteName, Routes } from '../contract/contract.ts';
import type { Caller, HomeCaller } from '../server/authenticate.ts';
import type { GatewayDeps } from '../server/deps.ts';
import type { Metrics } from '../server/metrics.ts';
import type { FeedDeps, Reader } from '../streams/feed-connection.ts';
import type { StreamSlots } from '../streams/running-feeds.ts';

/** One request, checked by the contract and by who may call. */
export interface Call<Name extends RouteName> {
  /** Outsiders are let in to few routes. */
  readonly caller: Routes[Name]['who'] extends 'principal' ? Caller : HomeCaller;
  readonly params: Params<Name>;
  readonly query: Query<Name>;
  readonly body: Body<Name>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What is answered; or the reply itself, when the route has taken it over. */
export type Handle<Name extends RouteName> = (
  call: Call<Name>,
) => Answer<Name> | Promise<Answer<Name> | FastifyReply>;

export type Handles<Names extends RouteName> = { readonly [Name in Names]: Handle<Name> };

/** What routes need besides what `app` fills in. */
export interface RouteDeps extends GatewayDeps {
  readonly metrics: Metrics;
  readonly feeds: FeedDeps;
  /** Headers that every answer carries. */
  readonly commonHeaders: Readonly<Record<string, string>>;
  openAgentDoor(name: string, path: string): Promise<void>;
  /** Undefined where the gateway does not listen on TCP. */
  tcpPort(): number | undefined;
  readonly streams: StreamSlots;
  /** Keeps `close` waiting until a feed has ended. */
  track(feed: Promise<void>): void;
  readerOf(call: Pick<Call<'events'>, 'caller' | 'query' | 'request'>): Reader;
}
