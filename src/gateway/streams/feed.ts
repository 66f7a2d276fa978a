/**
 * The events as they happen, for one reader, from its own place in the ledger. Server-
 * sent events and the WebSocket both write what comes out of here.
 *
 * R1. The reader's place is a number, and everything it may see behind that number is
 *     read from the ledger, in order: no gap and no event twice, whatever the filter.
 * R2. Nothing is read before the page before it was taken, so that a reader who does
 *     not read holds one page and no more.
 * R3. A bell only says when to look. One that was missed costs a poll and nothing else.
 * R4. Events that were pruned are named, never passed over in silence.
 * R5. One look goes over a bounded stretch of the ledger, and others get a turn between
 *     two looks, however little of what is there fits the filter.
 */

import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { chainHead, type EventFilter, readEvents, type SealedEvent } from '../../ledger/events.ts';
import type { Sql } from '../../ledger/ledger.ts';

export interface Feed {
  readonly sql: Sql;
  readonly bell: Doorbell;
  readonly pageEvents: number;
  /** How many events one look goes over. */
  readonly scanEvents: number;
  /** Lets others have a turn. */
  pause(): Promise<void>;
}

export interface FeedPage {
  /** Events before these that are no longer kept. */
  readonly pruned: { readonly from: number; readonly to: number } | undefined;
  readonly events: readonly SealedEvent[];
  /** Everything up to this number has been handed out, or may not be seen. */
  readonly position: number;
  /** There is more to be looked at, at once. */
  readonly hasMore: boolean;
}

export type FeedFilter = Omit<EventFilter, 'after' | 'before'>;

/** Where a reader begins: behind `after`, or now. A place that is not there yet is refused. */
export async function startPosition(sql: Sql, after: number | undefined): Promise<number> {
  const { seq } = await chainHead(sql);
  if (after === undefined) return seq;
  if (after <= seq) return after;
  throw new AosError('events.unknown-position', {
    message: `There is no event ${after}; the last one is ${seq}. Perhaps the ledger was restored from a backup`,
    fix: 'Begin again without a position',
    details: { after, last: seq },
  });
}

/**
 * A page each time there is something new, and an empty one at every bell without: the
 * reader's moment for heartbeats. It ends when the signal aborts.
 */
export async function* readFeed(
  feed: Feed,
  filter: FeedFilter,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
): AsyncGenerator<FeedPage, void, void> {
  let position = from;
  while (!signal.aborted) {
    const { rings } = feed.bell;
    const page = await nextPage(feed, filter, position);
    position = page.position;
    yield page;
    if (page.hasMore) {
      // R5: writing a page gives others a turn, and an empty one is not written.
      if (page.events.length === 0) await feed.pause();
      // R3: not when it has rung since we looked.
    } else if (feed.bell.rings === rings) {
      await feed.bell.wait(signal);
    }
  }
}

/**
 * The order of these three looks is what makes R1 and R4 true. Rows up to the head that
 * was read first are all there when the rows are read; what is pruned while the rows
 * are read is seen by the look at the oldest one, which comes last.
 */
export async function nextPage(
  { sql, pageEvents, scanEvents }: Feed,
  filter: FeedFilter,
  position: number,
): Promise<FeedPage> {
  const { seq: head } = await chainHead(sql);
  if (head <= position) return { pruned: undefined, events: [], position, hasMore: false };
  const end = Math.min(head, position + scanEvents);
  const found = await readEvents(
    sql,
    { ...filter, after: position, before: end + 1 },
    { limit: pageEvents, order: 'oldest-first' },
  );
  const reached =
    found.length === pageEvents ? must(found.at(-1), 'The last event of a page').seq : end;
  const firstKept = await oldestSeq(sql, head + 1);
  const isPruned = firstKept > position + 1;
  const next = Math.max(reached, firstKept - 1);
  return {
    pruned: isPruned ? { from: position + 1, to: firstKept - 1 } : undefined,
    events: isPruned ? found.filter(({ seq }) => seq >= firstKept) : found,
    position: next,
    hasMore: next < head,
  };
}

/** The number of the oldest event that is kept. */
export async function oldestSeq(sql: Sql, otherwise: number): Promise<number> {
  const [oldest] = await readEvents(sql, {}, { limit: 1, order: 'oldest-first' });
  return oldest?.seq ?? otherwise;
}

/** Wakes every reader that waits for something new. */
export class Doorbell {
  readonly #waiting = new Set<() => void>();
  #rings = 0;

  /** Goes up with every ring: a reader that looked before waiting sees what it would miss. */
  get rings(): number {
    return this.#rings;
  }

  ring(): void {
    this.#rings++;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Until the next ring, or until the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
