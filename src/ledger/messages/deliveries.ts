/**
 * The table `deliveries`: one row a recipient. Every change names the state that it was
 * decided on and looks at the count, so that of two who decide at once only one succeeds.
 *
 * L1. The one that delivers holds the row (`owner`): no other takes, delivers or ends it meanwhile.
 *     What the holder does stands below.
 * L2. `acked`, `expired` and `dead` are for ever, and so is `read` with an `ended_at`.
 *
 * A delivery together with its message is looked up in find-mail.ts.
 */

import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { batchRows, changeBatch, forSizes, places, type Sql, type Transaction } from '../ledger.ts';

export type DeliveryRowState = 'accepted' | 'delivered' | 'read' | 'acked' | 'expired' | 'dead';
export type DeliveryVia = 'inbox' | 'push' | 'pull' | 'relay' | 'injected';

export interface DeliveryRow {
  readonly id: number;
  readonly message: number;
  readonly recipient: string;
  readonly state: DeliveryRowState;
  readonly priority: number;
  readonly stamp_ns: string;
  readonly size_bytes: number;
  readonly subscription: number;
  readonly attempts: number;
  readonly due_at: Instant;
  readonly expires_at: Instant;
  readonly owner: string | null;
  readonly via: DeliveryVia | null;
  readonly error: string | null;
  readonly accepted_at: Instant;
  readonly delivered_at: Instant | null;
  readonly read_at: Instant | null;
  readonly ended_at: Instant | null;
}

/** Deliveries that come one after another. */
export interface Queue {
  readonly recipient: string;
  /** 0 for the inbox. */
  readonly subscription: number;
}

export type NewDelivery = Pick<
  DeliveryRow,
  | 'message'
  | 'recipient'
  | 'state'
  | 'priority'
  | 'stamp_ns'
  | 'size_bytes'
  | 'subscription'
  | 'expires_at'
  | 'owner'
  | 'via'
  | 'error'
  | 'accepted_at'
  | 'read_at'
  | 'ended_at'
>;

export async function insertDelivery(tx: Transaction, row: NewDelivery): Promise<number> {
  const inserted = await tx.get<{ id: number }>(
    `insert into deliveries (message, recipient, state, priority, stamp_ns, size_bytes,
       subscription, due_at, expires_at, owner, via, error, accepted_at, read_at, ended_at)
     values ($1, $2, $3, $4, $5, $6, $7, $12, $8, $9, $10, $11, $12, $13, $14) returning id`,
    [
      row.message,
      row.recipient,
      row.state,
      row.priority,
      row.stamp_ns,
      row.size_bytes,
      row.subscription,
      row.expires_at,
      row.owner,
      row.via,
      row.error,
      row.accepted_at,
      row.read_at,
      row.ended_at,
    ],
  );
  if (inserted === undefined) throw new Error('the new delivery was not given an id');
  return inserted.id;
}

const readTexts = forSizes(
  (size) => `
  update deliveries set state = 'read', read_at = $1, ended_at = $1, owner = null
  where id in (${places(size, 2)}) and state = 'delivered' and ended_at is null returning id`,
);

/** Ends deliveries of a batch with their being read; those that were delivered and not read. */
export function deliveriesRead(
  tx: Transaction,
  ids: readonly number[],
  at: Instant,
): Promise<ReadonlySet<number>> {
  return changeBatch(tx, readTexts, { ids, first: [at] });
}

export interface End {
  readonly from: DeliveryRowState;
  readonly to: DeliveryRowState;
  readonly at: Instant;
  /** Undefined when it goes on, as a request does that was read. */
  readonly endedAt: Instant | undefined;
  readonly via?: DeliveryVia | undefined;
  readonly error?: string | undefined;
  /** Also while it is being delivered: its recipient says that it is there. */
  readonly evenHeld?: boolean | undefined;
}

/** Moves a delivery on that is not being delivered; false when it has moved meanwhile. */
export async function moveDelivery(tx: Transaction, id: number, end: End): Promise<boolean> {
  const changed = await tx.run(
    `update deliveries set state = $3, owner = null, ended_at = $5,
       read_at = case when $3 in ('read', 'acked') then coalesce(read_at, $4) else read_at end,
       delivered_at = case when $3 in ('read', 'acked') then coalesce(delivered_at, $4) else delivered_at end,
       via = coalesce(via, $6), error = coalesce($7, error)
     where id = $1 and state = $2 and ended_at is null and (owner is null or $8 = 1)`,
    [
      id,
      end.from,
      end.to,
      end.at,
      end.endedAt ?? null,
      end.via ?? null,
      end.error ?? null,
      end.evenHeld === true ? 1 : 0,
    ],
  );
  return changed === 1;
}

/** Ends a delivery that its recipient has answered, whatever holds it; false when it is over. */
export async function settleDelivery(
  tx: Transaction,
  id: number,
  end: { readonly to: 'acked' | 'dead'; readonly at: Instant; readonly error: string | undefined },
): Promise<boolean> {
  const changed = await tx.run(
    `update deliveries set state = $2, owner = null, ended_at = $3, error = coalesce($4, error),
       delivered_at = coalesce(delivered_at, $3), read_at = coalesce(read_at, $3)
     where id = $1 and ended_at is null`,
    [id, end.to, end.at, end.error ?? null],
  );
  return changed === 1;
}

/** What was pushed to a recipient that has left without reading it waits again. */
export async function returnDelivery(tx: Transaction, id: number): Promise<boolean> {
  const changed = await tx.run(
    `update deliveries set state = 'accepted', via = null, delivered_at = null
     where id = $1 and state = 'delivered' and via = 'push'`,
    [id],
  );
  return changed === 1;
}

/** What lies in an inbox folder waits again; tells how many. */
export function returnInbox(tx: Transaction, recipient: string): Promise<number> {
  return tx.run(
    `update deliveries set state = 'accepted', via = null, delivered_at = null
     where recipient = $1 and state = 'delivered' and via = 'inbox'`,
    [recipient],
  );
}

/** Hands everything that waits for one name to another; tells how many. */
export function readdress(
  tx: Transaction,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<number> {
  return tx.run(
    `update deliveries set recipient = $2
     where recipient = $1 and state = 'accepted' and owner is null`,
    [from, to],
  );
}

/** What waits for one name and would be readdressed. */
export async function waitingSize(
  sql: Sql,
  recipient: string,
): Promise<{ readonly messages: number; readonly bytes: number }> {
  const row = await sql.get<{ messages: number; bytes: number }>(
    `select count(*) as messages, coalesce(sum(size_bytes), 0) as bytes from deliveries
     where recipient = $1 and state = 'accepted' and owner is null`,
    [recipient],
  );
  return row ?? { messages: 0, bytes: 0 };
}

/**
 * Gives what waits for a subscription that has ended to the inbox; also what is on its way
 * or was pushed, because that may come back. Two statements, for an index each.
 */
export async function endSubscriptionQueue(
  tx: Transaction,
  recipient: string,
  subscription: number,
): Promise<number> {
  let changed = 0;
  for (const state of ['accepted', 'delivered']) {
    changed += await tx.run(
      `update deliveries set subscription = 0
       where recipient = $1 and subscription = $2 and state = '${state}'`,
      [recipient, subscription],
    );
  }
  return changed;
}

export function pushedMail(sql: Sql, limit: number): Promise<{ readonly id: number }[]> {
  return sql.all(
    `select id from deliveries where state = 'delivered' and via = 'push' order by id limit $1`,
    [limit],
  );
}

export function deliveriesOf(sql: Sql, message: number): Promise<DeliveryRow[]> {
  return sql.all('select * from deliveries where message = $1 order by id', [message]);
}

/** How many the relay gave up since then; those that a recipient refused are not among them. */
export async function deadSince(sql: Sql, since: Instant): Promise<number> {
  const row = await sql.get<{ dead: number }>(
    `select count(*) as dead from deliveries
     where state = 'dead' and read_at is null and ended_at > $1`,
    [since],
  );
  return must(row, 'the count').dead;
}

/** The last stamp that was given out; undefined when none was. */
export async function lastStamp(sql: Sql): Promise<string | undefined> {
  const row = await sql.get<{ stamp_ns: string }>(
    'select stamp_ns from deliveries order by id desc limit 1',
  );
  return row?.stamp_ns;
}

const pageStamps = 10_000;

/** Of every delivery there is, a page at a time. */
export async function* everyStamp(
  sql: Sql,
): AsyncGenerator<Pick<DeliveryRow, 'id' | 'recipient' | 'stamp_ns'>, void, void> {
  let after = 0;
  for (;;) {
    const page = await sql.all<Pick<DeliveryRow, 'id' | 'recipient' | 'stamp_ns'>>(
      'select id, recipient, stamp_ns from deliveries where id > $1 order by id limit $2',
      [after, pageStamps],
    );
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

// Deliveries that are being delivered: claimed, held, and given back or delivered. Each change
// names its holder (L1), so that a claim which was lost counts for nothing.

export const claimText = `
  update deliveries set owner = $1
  where id in (${places(batchRows, 2)}) and state = 'accepted' and owner is null returning id`;

const claimTexts = [{ size: batchRows, text: claimText }];

/** L1. Of at most a batch, those that no other owner was faster to claim. */
export function claimDeliveries(
  tx: Transaction,
  ids: readonly number[],
  owner: string,
): Promise<ReadonlySet<number>> {
  return changeBatch(tx, claimTexts, { ids, first: [owner] });
}

/** Every holder that is not `owner` is dead; what it held waits again. */
export function releaseAllBut(tx: Transaction, owner: string): Promise<number> {
  return tx.run(
    `update deliveries set owner = null where state = 'accepted' and owner is not null and owner <> $1`,
    [owner],
  );
}

export async function releaseDelivery(
  tx: Transaction,
  id: number,
  owner: string,
): Promise<boolean> {
  const changed = await tx.run(
    `update deliveries set owner = null where id = $1 and state = 'accepted' and owner = $2`,
    [id, owner],
  );
  return changed === 1;
}

const succeededTexts = forSizes(
  (size) => `
  update deliveries set state = 'delivered', via = $2, delivered_at = $3, owner = null,
    attempts = attempts + 1
  where id in (${places(size, 4)}) and state = 'accepted' and owner = $1 returning id`,
);

/** Of at most a batch, those that were still held. */
export function deliveriesSucceeded(
  tx: Transaction,
  ids: readonly number[],
  { owner, via, at }: { readonly owner: string; readonly via: DeliveryVia; readonly at: Instant },
): Promise<ReadonlySet<number>> {
  return changeBatch(tx, succeededTexts, { ids, first: [owner, via, at] });
}

export async function deliveryFailed(
  tx: Transaction,
  id: number,
  failure: { readonly owner: string; readonly error: string; readonly dueAt: Instant },
): Promise<boolean> {
  const changed = await tx.run(
    `update deliveries set owner = null, attempts = attempts + 1, error = $3, due_at = $4
     where id = $1 and state = 'accepted' and owner = $2`,
    [id, failure.owner, failure.error, failure.dueAt],
  );
  return changed === 1;
}

/** One that was being delivered; few are, so no index leads here. */
export function heldByStamp(
  sql: Sql,
  recipient: string,
  stampNs: string,
): Promise<{ id: number; owner: string; message_id: string } | undefined> {
  return sql.get(
    `select d.id, d.owner, m.message_id from deliveries d join messages m on m.id = d.message
     where d.recipient = $1 and d.stamp_ns = $2 and d.state = 'accepted' and d.owner is not null`,
    [recipient, stampNs],
  );
}
