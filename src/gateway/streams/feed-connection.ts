/** What both ways of reading the feed share: who reads, until when, and how slowly they may. */

import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import type { EventQuery } from '../contract/contract.ts';
import type { Caller } from '../server/authenticate.ts';
import type { GatewayLimits } from '../server/deps.ts';
import type { Metrics } from '../server/metrics.ts';
import { badRequest, knownFailure } from '../server/problem.ts';
import { eventFilter } from './event-query.ts';
import {
  type Feed,
  type FeedFilter,
  type FeedPage,
  nextPage,
  readFeed,
  startPosition,
} from './feed.ts';

export interface FeedDeps {
  readonly feed: Feed;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly limits: GatewayLimits;
  /** Aborts when the gateway closes. */
  readonly closing: AbortSignal;
}

export interface Reader {
  readonly caller: Caller;
  readonly query: EventQuery;
  readonly after: number | undefined;
  /** Throws when the caller's handle is good no more. */
  stillAdmitted(): Caller | Promise<Caller>;
}

/** How pages reach the reader. */
export interface FeedSink {
  begin(position: number): void;
  /** Undefined when there was room for it, else it resolves once the reader has taken it. */
  write(page: FeedPage): Promise<void> | undefined;
  heartbeat(position: number): void;
  end(): void;
  /** At once, whatever is still to be written. */
  destroy(): void;
}

/** Refuses what cannot be followed; to be called before anything is answered. */
export async function openingPosition({ feed }: FeedDeps, reader: Reader): Promise<number> {
  const { before, limit, order } = reader.query;
  if (before !== undefined || limit !== undefined || order !== undefined) {
    throw badRequest('"before", "limit" and "order" are for a page, not for a feed');
  }
  // A wrong date in the query is found here, while it can still be answered, and so are
  // events that cannot be read.
  const filter = feedFilter(reader);
  const position = await startPosition(feed.sql, reader.after);
  await nextPage(feed, filter, position);
  return position;
}

function feedFilter({ caller, query }: Reader): FeedFilter {
  const { after: _after, before: _before, ...filter } = eventFilter(caller, query);
  return filter;
}

/** Serves one reader until it leaves, is cut off, or the gateway closes. */
export async function serveFeed(
  deps: FeedDeps,
  reader: Reader,
  { sink, from, gone }: { sink: FeedSink; from: number; gone: AbortSignal },
): Promise<void> {
  const signal = AbortSignal.any([gone, deps.closing]);
  deps.metrics.feedClients++;
  try {
    sink.begin(from);
    const pages = readFeed(deps.feed, feedFilter(reader), { from, signal });
    if (await writePages(deps, reader, { sink, pages, signal })) sink.end();
    else sink.destroy();
  } catch (failure) {
    sink.destroy();
    // A handle that was revoked, a ledger that was closed or damaged: the reader hears of
    // it when it comes again.
    if (knownFailure(failure) === undefined) throw failure;
  } finally {
    deps.metrics.feedClients--;
  }
}

interface Delivery {
  readonly sink: FeedSink;
  readonly pages: AsyncIterable<FeedPage>;
  readonly signal: AbortSignal;
}

/** False when the reader is too slow. */
async function writePages(
  deps: FeedDeps,
  reader: Reader,
  { sink, pages, signal }: Delivery,
): Promise<boolean> {
  const { clock, limits, metrics } = deps;
  let heardAt = clock.monotonicMs();
  for await (const page of pages) {
    await reader.stillAdmitted();
    if (page.events.length > 0 || page.pruned !== undefined) {
      const written = sink.write(page);
      if (written !== undefined && (await isTooSlow(deps, written, signal))) {
        metrics.cutOff.inc();
        return false;
      }
    } else if (clock.monotonicMs() - heardAt >= limits.heartbeatMs) {
      sink.heartbeat(page.position);
    } else {
      continue;
    }
    heardAt = clock.monotonicMs();
  }
  return true;
}

/** Waits until the reader has taken it, but not for ever. */
export async function isTooSlow(
  { clock, limits }: Pick<FeedDeps, 'clock' | 'limits'>,
  written: Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const patience = new AbortController();
  const waiting = AbortSignal.any([patience.signal, signal]);
  const tooSlow = clock.sleep(limits.slowReaderMs, waiting).then(
    () => true,
    // Taken in time, or the feed ends and is no longer waited for.
    () => false,
  );
  const outcome = await Promise.race([written.then(() => false), tooSlow]);
  patience.abort(early);
  return outcome;
}
