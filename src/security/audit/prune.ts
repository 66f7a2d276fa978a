/** Cutting off the oldest events, so that what is left can still be verified. */

import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import {
  chainHead,
  deleteEventsThrough,
  type EventFilter,
  eraseEventData,
  insertSignedHead,
  readEvents,
  type SealedEvent,
} from '../../ledger/events.ts';
import type { Ledger, Sql, Transaction } from '../../ledger/ledger.ts';
import { type HeadDeps, signedHead } from './head.ts';

export interface PruneChoices {
  readonly olderThan: Instant;
  /** How many are removed at most; a transaction holds up all other callers. */
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

interface Erasure {
  readonly seqs: readonly number[];
  readonly actor: string;
}

// They are listed in one event, and one transaction holds up all other callers.
const mostAtOnce = 1000;

/**
 * Takes the data of these events away, all or none, and records that it did. Resolves to
 * those that had any.
 */
export async function eraseEvents(
  ledger: Pick<Ledger, 'transact'>,
  { seqs, actor }: Erasure,
): Promise<readonly number[]> {
  const wanted = [...new Set(seqs)].sort((a, b) => a - b);
  if (wanted.length > mostAtOnce) throw tooMany(wanted.length);
  return ledger.transact(async (tx) => {
    for (const seq of wanted) refuseUnlessErasable(seq, await eventAt(tx, seq));
    const erased: number[] = [];
    for (const seq of wanted) if ((await eraseEventData(tx, seq)) === 1) erased.push(seq);
    if (erased.length > 0) {
      const data = { seqs: erased };
      await tx.record({ actor, kind: 'audit.erased', subject: 'ledger', data });
    }
    return erased;
  });
}

async function eventAt(tx: Transaction, seq: number): Promise<SealedEvent | undefined> {
  const filter = { after: seq - 1, before: seq + 1 };
  const [event] = await readEvents(tx, filter, { limit: 1, order: 'oldest-first' });
  // Between the two lies one number, unless it is no whole one that was asked for.
  return event?.seq === seq ? event : undefined;
}

function refuseUnlessErasable(seq: number, event: SealedEvent | undefined): void {
  if (event === undefined) {
    throw new AosError('audit.unknown-event', {
      message: `There is no event ${seq}, or it was pruned`,
      fix: 'aos audit',
    });
  }
  // Without it, erased data could not be told from data that was taken away.
  if (event.kind.startsWith('audit.')) {
    throw new AosError('audit.not-erasable', {
      message: `Event ${seq} is ${event.kind}, which proves that the trail is whole and is kept`,
      fix: 'Leave it out',
    });
  }
}

function tooMany(count: number): AosError {
  return new AosError('audit.too-many', {
    message: `${count} events are more than the ${mostAtOnce} that are erased at once`,
    fix: 'Erase them in several steps',
    details: { limit: mostAtOnce },
  });
}
