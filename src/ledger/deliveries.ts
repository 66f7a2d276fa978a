/**
 * The table `deliveries`: one row a recipient. Every change names the state that it was
 * decided on and looks at the count, so that of two who decide at once only one succeeds.
 *
 * L1. Who delivers holds the row (`owner`): nobody else takes, delivers or ends it meanwhile.
 * L2. `acked`, `expired` and `dead` are for ever, and so is `read` with an `ended_at`.
 */
import type { MessageKind } from '../kernel/message.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Sql, SqlValue, Transaction } from './ledger.ts';

export type DeliveryState = 'accepted' | 'delivered' | 'read' | 'acked' | 'expired' | 'dead';
export type DeliveryVia = 'inbox' | 'push' | 'pull' | 'relay' | 'injected';

export interface DeliveryRow {
  readonly id: number;
  readonly message: number;
  readonly recipient: string;
  readonly state: DeliveryState;
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

/** A delivery together with what it delivers. */
export interface MailRow
  extends Pick<
    DeliveryRow,
    'recipient' | 'state' | 'priority' | 'stamp_ns' | 'size_bytes' | 'subscription' | 'attempts'
  > {
  readonly delivery: number;
  readonly message: number;
  readonly via: DeliveryVia | null;
  readonly due_at: Instant;
  readonly accepted_at: Instant;
  readonly message_id: string;
  readonly sender: string;
  readonly target: string;
  readonly kind: MessageKind;
  readonly thread: string | null;
  readonly re: string | null;
  readonly event_type: string | null;
  readonly receipt: string | null;
  readonly checksum: string | null;
  readonly headers: string;
  readonly body: string;
  readonly sent_at: Instant;
  readonly expires_at: Instant;
}

const mailColumns = `
  d.id as delivery, d.message, d.recipient, d.state, d.priority, d.stamp_ns, d.size_bytes,
  d.subscription, d.attempts, d.via, d.due_at, d.accepted_at, d.expires_at, m.message_id,
  m.agent_name as sender, m.target, m.message_type as kind, m.thread, m.re, m.event_type,
  m.receipt, m.checksum, m.headers, m.body, m.discovered_at as sent_at`;

const mail = `select ${mailColumns} from deliveries d join messages m on m.id = d.message`;

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

/** The last stamp that was given out; undefined when none was. */
export async function lastStamp(sql: Sql): Promise<string | undefined> {
  const row = await sql.get<{ stamp_ns: string }>(
    'select stamp_ns from deliveries order by id desc limit 1',
  );
  return row?.stamp_ns;
}

export interface Queue {
  readonly recipient: string;
  /** 0 for the inbox. */
  readonly subscription: number;
}

/** What waits, is still good and nobody delivers yet, in its order, due for a try or not. */
export function waitingMail(
  sql: Sql,
  { recipient, subscription }: Queue,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<MailRow[]> {
  return sql.all(
    `${mail} where d.recipient = $1 and d.subscription = $2 and d.state = 'accepted'
       and d.owner is null and d.expires_at > $3
     order by d.priority, d.id limit $4`,
    [recipient, subscription, now, limit],
  );
}

/** How many deliveries one statement changes at most. */
export const batchDeliveries = 256;

export const claimText = `
  update deliveries set owner = $1
  where id in (${places(batchDeliveries, 2)}) and state = 'accepted' and owner is null returning id`;

/** L1. Of at most a batch, those that nobody else was faster to claim. */
export async function claimDeliveries(
  tx: Transaction,
  ids: readonly number[],
  owner: string,
): Promise<ReadonlySet<number>> {
  const rows = await tx.all<{ id: number }>(claimText, [owner, ...padded(ids, batchDeliveries)]);
  return new Set(rows.map(({ id }) => id));
}

function places(count: number, first: number): string {
  return Array.from({ length: count }, (_, place) => `$${first + place}`).join(', ');
}

// No delivery has this id.
function padded(ids: readonly number[], size: number): number[] {
  if (ids.length > size) throw new Error('a batch of deliveries is too large');
  return ids.length === size ? [...ids] : [...ids, ...Array<number>(size - ids.length).fill(0)];
}

interface SizedText {
  readonly size: number;
  readonly text: string;
}

// Few sizes, so that each is prepared once, and a single delivery is not looked for in a
// long list of ids that are none.
function forSizes(textOf: (size: number) => string): readonly SizedText[] {
  return [1, 16, batchDeliveries].map((size) => ({ size, text: textOf(size) }));
}

/** The ids of the rows that were changed; the statement's other parameters come first. */
async function changeBatch(
  tx: Transaction,
  texts: readonly SizedText[],
  { ids, first }: { readonly ids: readonly number[]; readonly first: readonly SqlValue[] },
): Promise<ReadonlySet<number>> {
  const fitting = texts.find(({ size }) => size >= ids.length);
  if (fitting === undefined) throw new Error('a batch of deliveries is too large');
  const parameters = [...first, ...padded(ids, fitting.size)];
  const rows = await tx.all<{ id: number }>(fitting.text, parameters);
  return new Set(rows.map(({ id }) => id));
}

/** Whoever held anything and is not `owner` is dead; what they held waits again. */
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

/** What was pushed to somebody who has left without reading it waits again. */
export async function returnDelivery(tx: Transaction, id: number): Promise<boolean> {
  const changed = await tx.run(
    `update deliveries set state = 'accepted', via = null, delivered_at = null
     where id = $1 and state = 'delivered' and via = 'push'`,
    [id],
  );
  return changed === 1;
}

export function pushedMail(sql: Sql, limit: number): Promise<{ readonly id: number }[]> {
  return sql.all(
    `select id from deliveries where state = 'delivered' and via = 'push' order by id limit $1`,
    [limit],
  );
}

export interface End {
  readonly from: DeliveryState;
  readonly to: DeliveryState;
  readonly at: Instant;
  /** Undefined when it goes on, as a request does that was read. */
  readonly endedAt: Instant | undefined;
  readonly via?: DeliveryVia | undefined;
  readonly error?: string | undefined;
  /** Also while somebody delivers it: its recipient says that it is there. */
  readonly evenHeld?: boolean | undefined;
}

/** Moves a delivery on that nobody is delivering; false when it has moved meanwhile. */
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

/** Ends a delivery that its recipient has answered, whoever holds it; false when it is over. */
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

/** The delivery of that message to that recipient. */
export function findMail(
  sql: Sql,
  messageId: string,
  recipient: string,
): Promise<MailRow | undefined> {
  return sql.get(`${mail} where m.message_id = $1 and d.recipient = $2`, [messageId, recipient]);
}

export function unreadByStamp(
  sql: Sql,
  recipient: string,
  stampNs: string,
): Promise<MailRow | undefined> {
  return sql.get(`${mail} where d.recipient = $1 and d.stamp_ns = $2 and d.state = 'delivered'`, [
    recipient,
    stampNs,
  ]);
}

/** One that somebody was delivering; few are, so no index leads here. */
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

export interface UnreadQuery {
  readonly limit: number;
  readonly kinds?: readonly MessageKind[] | undefined;
  readonly re?: string | undefined;
  readonly from?: string | undefined;
  readonly eventType?: string | undefined;
  /** Leaves out what waits, because something before it is on its way. */
  readonly deliveredOnly?: boolean | undefined;
}

/**
 * What a recipient has not read: what was delivered, and what waits and nobody delivers
 * now. Two looks, because each can follow an index to its first rows.
 */
export async function unreadMail(
  sql: Sql,
  recipient: string,
  query: UnreadQuery,
): Promise<MailRow[]> {
  const waiting =
    query.deliveredOnly === true
      ? []
      : await unreadIn(sql, recipient, query, {
          where: `d.state = 'accepted' and d.owner is null`,
          order: 'd.priority, d.id',
        });
  const delivered = await unreadIn(sql, recipient, query, {
    where: `d.state = 'delivered'`,
    order: 'd.stamp_ns',
  });
  const byTurn = (one: MailRow, other: MailRow): number =>
    one.priority - other.priority || one.delivery - other.delivery;
  return [...delivered, ...waiting].sort(byTurn).slice(0, query.limit);
}

function unreadIn(
  sql: Sql,
  recipient: string,
  query: UnreadQuery,
  { where, order }: { readonly where: string; readonly order: string },
): Promise<MailRow[]> {
  const parameters: SqlValue[] = [recipient];
  const bind = (value: SqlValue) => `$${parameters.push(value)}`;
  const conditions = [`d.recipient = $1 and ${where}`];
  if (query.kinds !== undefined) {
    conditions.push(`m.message_type in (${query.kinds.map(bind).join(', ')})`);
  }
  if (query.from !== undefined) conditions.push(`m.agent_name = ${bind(query.from)}`);
  conditions.push(
    query.eventType === undefined
      ? 'd.subscription = 0'
      : `d.subscription <> 0 and m.event_type = ${bind(query.eventType)}`,
  );
  // Answers to one message are few: they are found first, by its id.
  const from =
    query.re === undefined ? mail : `select ${mailColumns} from messages m cross join deliveries d`;
  if (query.re !== undefined) conditions.push(`m.re = ${bind(query.re)} and d.message = m.id`);
  return sql.all(
    `${from} where ${conditions.join(' and ')} order by ${order} limit ${bind(query.limit)}`,
    parameters,
  );
}

/** What names a file in an inbox. */
export interface UnreadFile {
  readonly stamp_ns: string;
  readonly message_id: string;
}

/** What lies in an inbox folder and was not read; names only, because it may be very much. */
export function unreadInInbox(sql: Sql, recipient: string): Promise<UnreadFile[]> {
  return sql.all(
    `select d.stamp_ns, m.message_id from deliveries d join messages m on m.id = d.message
     where d.recipient = $1 and d.state = 'delivered' and d.via = 'inbox' order by d.stamp_ns`,
    [recipient],
  );
}

/** Those whose inbox folder holds something unread. */
export async function recipientsWithUnread(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ recipient: string }>(
    `select distinct recipient from deliveries where state = 'delivered'`,
  );
  return rows.map(({ recipient }) => recipient);
}

export function queuesWithMail(sql: Sql): Promise<Queue[]> {
  return sql.all(
    `select distinct recipient, subscription from deliveries where state = 'accepted'`,
  );
}

/** What agents that were terminated will never read, but for those under one name. */
export async function mailOfTerminated(
  sql: Sql,
  { except, limit }: { readonly except: string; readonly limit: number },
): Promise<MailRow[]> {
  const found: MailRow[] = [];
  for (const state of ['accepted', 'delivered']) {
    // From the few agents to their mail, each by its index.
    const page = await sql.all<MailRow>(
      `select ${mailColumns} from agents a cross join deliveries d cross join messages m
       where a.status = 'terminated' and a.name <> $1 and d.recipient = a.name
         and d.state = '${state}' and d.owner is null and m.id = d.message limit $2`,
      [except, limit],
    );
    found.push(...page);
  }
  return found.slice(0, limit);
}

// What is being delivered gets there in less, unless its recipient does not take it.
const heldGraceMs = 5000;

/** Open ones whose time is up; those that somebody delivers just now a little later. */
export function expiredMail(sql: Sql, now: Instant, limit: number): Promise<MailRow[]> {
  return sql.all(
    `${mail} where d.ended_at is null and d.expires_at <= $1
       and (d.owner is null or d.expires_at <= $2)
     order by d.expires_at limit $3`,
    [now, now - heldGraceMs, limit],
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
  return row?.dead ?? 0;
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

/** What lies in an inbox folder waits again; tells how many. */
export function returnInbox(tx: Transaction, recipient: string): Promise<number> {
  return tx.run(
    `update deliveries set state = 'accepted', via = null, delivered_at = null
     where recipient = $1 and state = 'delivered' and via = 'inbox'`,
    [recipient],
  );
}
