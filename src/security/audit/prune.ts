/** Cutting off the oldest events, so that what is left can still be verified. */
import type { Instant } from '../../kernel/ports.ts';
import {
  chainHead,
  deleteEventsThrough,
  type EventFilter,
  insertSignedHead,
  readEvents,
  type SealedEvent,
} from '../../ledger/events.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { type HeadDeps, signedHead } from './head.ts';

export interface PruneChoices {
  readonly olderThan: Instant;
  /** How many are removed at most; a transaction holds up everybody else. */
  readonly limit?: number;
}

export interface Pruned {
  readonly events: number;
  /** Whether it is worth asking again at once. */
  readonly more: boolean;
}

/**
 * Removes the oldest events up to the first that is young enough, whatever the clock did
 * in between, but never the newest one. A signed checkpoint takes their place.
 */
export function pruneEvents(
  { ledger, owner, clock }: HeadDeps,
  { olderThan, limit = 10_000 }: PruneChoices,
): Promise<Pruned> {
  return ledger.transact(async (tx) => {
    const last = await lastToPrune(tx, olderThan, limit);
    if (last === undefined) return { events: 0, more: false };
    const { seq, hash } = last;
    const checkpoint = { seq, hash, at: clock.now(), reason: 'checkpoint' } as const;
    await insertSignedHead(tx, signedHead(owner, checkpoint));
    const events = await deleteEventsThrough(tx, seq);
    const data = { through: seq, events };
    await tx.record({ actor: 'system', kind: 'audit.pruned', subject: 'ledger', data });
    // The event that was just recorded is not old.
    const next = await oldest(tx, {});
    return { events, more: next !== undefined && next.at < olderThan && events === limit };
  });
}

async function lastToPrune(
  sql: Sql,
  olderThan: Instant,
  limit: number,
): Promise<SealedEvent | undefined> {
  const first = await oldest(sql, {});
  if (first === undefined) return undefined;
  const newest = await chainHead(sql);
  const end = Math.min(first.seq + limit, newest.seq);
  const young = await oldest(sql, { since: olderThan, before: end });
  const last = (young?.seq ?? end) - 1;
  return oldest(sql, { after: last - 1, before: last + 1 });
}

async function oldest(sql: Sql, filter: EventFilter): Promise<SealedEvent | undefined> {
  const [event] = await readEvents(sql, filter, { limit: 1, order: 'oldest-first' });
  return event;
}
