/**
 * Mail: deliveries together with what they deliver, as the relay and the readers of a mailbox find
 * it.
 */
import type { MessageKind } from '../../kernel/message/message.ts';
import type { Instant } from '../../kernel/ports.ts';
import { places, type Sql, type SqlValue } from '../ledger.ts';
import type { DeliveryRow, DeliveryVia, Queue } from './deliveries.ts';

/** A delivery together with what it delivers, but for the headers of the message. */
export interface MailFacts
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
  readonly body: string;
  readonly sent_at: Instant;
  readonly expires_at: Instant;
}

export interface MailRow extends MailFacts {
  /** As relay/mail.ts writes them. */
  readonly headers: string;
}

const mailColumns = `
  d.id as delivery, d.message, d.recipient, d.state, d.priority, d.stamp_ns, d.size_bytes,
  d.subscription, d.attempts, d.via, d.due_at, d.accepted_at, d.expires_at, m.message_id,
  m.agent_name as sender, m.target, m.message_type as kind, m.thread, m.re, m.event_type,
  m.receipt, m.checksum, m.headers, m.body, m.discovered_at as sent_at`;

const mail = `select ${mailColumns} from deliveries d join messages m on m.id = d.message`;

/** What waits, is still good and is not being delivered yet, in its order, due for a try or not. */
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
 * What a recipient has not read: what was delivered, and what waits and is not being delivered. Two
 * looks, because each can follow an index to its first rows.
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

/** Open ones whose time is up; those that are being delivered just now a little later. */
export function expiredMail(sql: Sql, now: Instant, limit: number): Promise<MailRow[]> {
  return sql.all(
    `${mail} where d.ended_at is null and d.expires_at <= $1
       and (d.owner is null or d.expires_at <= $2)
     order by d.expires_at limit $3`,
    [now, now - heldGraceMs, limit],
  );
}

/** Whether something of these kinds was not read yet, also while it is on its way. */
export async function hasUnread(
  sql: Sql,
  recipient: string,
  kinds: readonly string[],
): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from deliveries d join messages m on m.id = d.message
     where d.recipient = $1 and d.state in ('accepted', 'delivered')
       and m.message_type in (${places(kinds.length, 2)}) limit 1`,
    [recipient, ...kinds],
  );
  return row !== undefined;
}
