/**
 * Transfers as rows: one for each recipient. A row holds its body while a reference says so,
 * and every change names what it may leave, so that of two who decide at once one succeeds.
 */

import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { TransferAck, TransferKind, TransferStatus } from '../../kernel/transfer/transfer.ts';
import type { Sql, SqlValue, Transaction } from '../ledger.ts';

export interface NewTransfer {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly filename: string;
  readonly file_size_bytes: number;
  readonly mime_type: string | null;
  readonly s3_key: string;
  readonly s3_bucket: string;
  /** JSON. */
  readonly metadata: string;
  readonly status: TransferStatus;
  readonly created_at: Instant;
  readonly expires_at: Instant | null;
  /** What was sent together. */
  readonly batch: string;
  readonly kind: TransferKind;
  readonly entries: number | null;
  readonly body: string | null;
  readonly recipient_key: string | null;
  readonly ack: TransferAck;
  readonly ack_at: Instant;
  readonly reason: string | null;
  readonly attempts: number;
  readonly saved_bytes: number;
}

export interface TransferRow extends NewTransfer {
  readonly downloaded_at: Instant | null;
  /** Of its body; null once that is gone, or where there never was one. */
  readonly hash: string | null;
  readonly stored_bytes: number | null;
  readonly sha256: string | null;
  /** 1 while its body is kept for it. */
  readonly held: 0 | 1;
}

const own = `id, sender, recipient, filename, file_size_bytes, mime_type, s3_key, s3_bucket,
  metadata, status, created_at, expires_at, batch, kind, entries, body, recipient_key, ack,
  ack_at, reason, attempts, saved_bytes`;

const isHeld = `exists (select 1 from blob_references r
  where r.hash = b.hash and r.referrer = 'transfer:' || t.id)`;

const whole = `select ${own.replace(/\b(\w+)\b/g, 't.$1')}, t.downloaded_at, b.hash,
  b.stored_bytes, b.sha256, ${isHeld} as held
  from agent_transfers t left join transfer_bodies b on b.id = t.body`;

export async function insertTransfer(tx: Transaction, row: NewTransfer): Promise<void> {
  await tx.run(
    `insert into agent_transfers (${own}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
       $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
    [
      ...[row.id, row.sender, row.recipient, row.filename, row.file_size_bytes, row.mime_type],
      ...[row.s3_key, row.s3_bucket, row.metadata, row.status, row.created_at, row.expires_at],
      ...[row.batch, row.kind, row.entries, row.body, row.recipient_key, row.ack, row.ack_at],
      ...[row.reason, row.attempts, row.saved_bytes],
    ],
  );
}

export function findTransfer(sql: Sql, id: string): Promise<TransferRow | undefined> {
  return sql.get(`${whole} where t.id = $1`, [id]);
}

/** The ids that begin so. */
export async function transferIdsFrom(
  sql: Sql,
  { start, principal, limit }: IdsPage,
): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `select id from agent_transfers where id >= $1 and id < $2
       and ($3 is null or sender = $3 or recipient = $3) order by id limit $4`,
    [start, `${start}g`, principal ?? null, limit],
  );
  return rows.map(({ id }) => id);
}

export interface IdsPage {
  readonly start: string;
  /** Of whom; of all where nothing is said. */
  readonly principal: string | undefined;
  readonly limit: number;
}

/** In the order in which they were written. */
export function transfersOfBatch(sql: Sql, batch: string): Promise<TransferRow[]> {
  return sql.all(`${whole} where t.batch = $1 order by t.rowid`, [batch]);
}

export interface TransferPage {
  /** Whose: of the sender, of the recipient, or of either. All where nothing is said. */
  readonly sentBy?: string | undefined;
  readonly sentTo?: string | undefined;
  readonly principal?: string | undefined;
  readonly status?: TransferStatus | undefined;
  readonly now: Instant;
  /** Only those before this one, which was the last of the page before. */
  readonly before?: { readonly at: Instant; readonly id: string } | undefined;
  readonly limit: number;
}

/**
 * The newest first. What should have expired counts as expired, whether a row says so yet or not.
 */
export function listTransfers(
  sql: Sql,
  { sentBy, sentTo, principal, status, now, before, limit }: TransferPage,
): Promise<TransferRow[]> {
  const parameters: SqlValue[] = [limit];
  const conditions = ['true'];
  const bind = (value: SqlValue) => `$${parameters.push(value)}`;
  if (sentBy !== undefined) conditions.push(`t.sender = ${bind(sentBy)}`);
  if (sentTo !== undefined) conditions.push(`t.recipient = ${bind(sentTo)}`);
  if (principal !== undefined) {
    conditions.push(`(t.sender = ${bind(principal)} or t.recipient = ${bind(principal)})`);
  }
  if (status !== undefined) conditions.push(inStatus(status, () => bind(now), bind(status)));
  if (before !== undefined) {
    conditions.push(`(t.created_at, t.id) < (${bind(before.at)}, ${bind(before.id)})`);
  }
  return sql.all(
    `${whole} where ${conditions.join(' and ')}
     order by t.created_at desc, t.id desc limit $1`,
    parameters,
  );
}

function inStatus(status: TransferStatus, now: () => string, place: string): string {
  const isOver = () => `t.status = 'pending' and t.expires_at <= ${now()}`;
  if (status === 'pending') return `(t.status = ${place} and not (${isOver()}))`;
  if (status === 'expired') return `(t.status = ${place} or (${isOver()}))`;
  return `t.status = ${place}`;
}

export interface AckChange {
  readonly from: readonly TransferAck[];
  readonly to: TransferAck;
  readonly at: Instant;
  readonly status?: TransferStatus | undefined;
  readonly downloadedAt?: Instant | undefined;
  readonly reason?: string | undefined;
  readonly attempts?: number | undefined;
}

/** False when it is at none of those that it is to leave. */
export async function advanceTransfer(
  tx: Transaction,
  id: string,
  { from, to, at, status, downloadedAt, reason, attempts }: AckChange,
): Promise<boolean> {
  const places = from.map((_, place) => `$${place + 8}`).join(', ');
  const changed = await tx.run(
    `update agent_transfers set ack = $2, ack_at = $3, status = coalesce($4, status),
       downloaded_at = coalesce($5, downloaded_at), reason = coalesce($6, reason),
       attempts = coalesce($7, attempts)
     where id = $1 and ack in (${places})`,
    [id, to, at, status ?? null, downloadedAt ?? null, reason ?? null, attempts ?? null, ...from],
  );
  return changed === 1;
}

/** False when it is not pending any more. */
export async function markExpired(tx: Transaction, id: string): Promise<boolean> {
  const changed = await tx.run(
    `update agent_transfers set status = 'expired' where id = $1 and status = 'pending'`,
    [id],
  );
  return changed === 1;
}

/** Those that were stored and of which the recipient does not know yet, the oldest first. */
export function unannouncedTransfers(sql: Sql, limit: number): Promise<TransferRow[]> {
  return sql.all(
    `${whole} where t.ack = 'stored' and t.status = 'pending' order by t.created_at limit $1`,
    [limit],
  );
}

export interface EndingPage {
  readonly now: Instant;
  /** Of the sender or the recipient; all where nothing is said. */
  readonly principal?: string | undefined;
  readonly limit: number;
}

/** Those whose time is over and that still hold their body, the oldest first. */
export function endedTransfers(
  sql: Sql,
  { now, principal, limit }: EndingPage,
): Promise<TransferRow[]> {
  return sql.all(
    `${whole} where t.body is not null and t.expires_at <= $1
       and ($2 is null or t.sender = $2 or t.recipient = $2)
       and (t.status = 'pending' or ${isHeld})
     order by t.expires_at, t.id limit $3`,
    [now, principal ?? null, limit],
  );
}

/** Removes old rows that hold nothing; how many. */
export function deleteTransfersBefore(
  tx: Transaction,
  before: Instant,
  limit: number,
): Promise<number> {
  return tx.run(
    `delete from agent_transfers where id in (
       select t.id from agent_transfers t left join transfer_bodies b on b.id = t.body
       where t.created_at < $1 and t.status <> 'pending' and not ${isHeld}
       order by t.created_at limit $2)`,
    [before, limit],
  );
}

export interface SentWithin {
  readonly sender: string;
  readonly after: Instant;
  readonly until: Instant;
  /** The sending that is left out. */
  readonly but: string;
}

export interface SentInHour {
  readonly at: Instant;
  readonly last: Instant;
  readonly recipient: string;
  readonly count: number;
  readonly bytes: number;
}

/** What a sender has sent in that time, by the hour and the recipient. */
export function sentWithin(
  sql: Sql,
  { sender, after, until, but }: SentWithin,
): Promise<SentInHour[]> {
  return sql.all(
    `select min(created_at) as at, max(created_at) as last, recipient, count(*) as count,
       sum(file_size_bytes) as bytes
     from agent_transfers
     where sender = $1 and created_at > $2 and created_at <= $3 and batch <> $4
       and body is not null
     group by created_at / 3600000, recipient`,
    [sender, after, until, but],
  );
}

/** Whether a transfer whose key begins so, down to its moment, still holds its body. */
export async function isKeyHeld(sql: Sql, start: string): Promise<boolean> {
  const row = await sql.get(
    `select 1 as held from agent_transfers t join transfer_bodies b on b.id = t.body
     where t.sender = $1 and t.s3_key >= $2 and t.s3_key < $3 and ${isHeld} limit 1`,
    [must(start.split('/', 1)[0], 'the sender in a key'), `${start}/`, `${start}0`],
  );
  return row !== undefined;
}

export interface TransferDay {
  /** Since 1970, in UTC. */
  readonly day: number;
  readonly count: number;
  readonly bytes: number;
  readonly failed: number;
  readonly saved: number;
}

/** The oldest first. What was saved counts once for all that was sent together. */
export function transferDays(
  sql: Sql,
  { sender, since }: { readonly sender: string | undefined; readonly since: Instant },
): Promise<TransferDay[]> {
  return sql.all(
    `select day, sum(count) as count, sum(bytes) as bytes, sum(failed) as failed,
       sum(saved) as saved
     from (
       select created_at / 86400000 as day, count(*) as count, sum(file_size_bytes) as bytes,
         sum(status = 'failed') as failed, max(saved_bytes) as saved
       from agent_transfers
       where created_at >= $1 and ($2 is null or sender = $2) group by batch)
     group by day order by day`,
    [since, sender ?? null],
  );
}
