/** Bytes that are on their way in, as rows. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';
import type { ContentOf } from './bodies.ts';

export interface NewUpload {
  readonly id: string;
  readonly sender: string;
  readonly content: string | null;
  readonly sealed: 0 | 1;
  /** JSON: what is to be sent, to whom, under which name. */
  readonly wish: string;
  readonly sender_key: string | null;
  readonly reserved_bytes: number;
  /** JSON: the process that writes it. */
  readonly writer: string | null;
  readonly boot: string | null;
  readonly created_at: Instant;
  readonly touched_at: Instant;
}

export interface UploadRow extends NewUpload {
  /** The id that it had before somebody else went on with it. */
  readonly former: string | null;
}

const columns = `id, sender, content, sealed, wish, sender_key, reserved_bytes, writer, boot,
  created_at, touched_at`;

export async function insertUpload(tx: Transaction, row: NewUpload): Promise<void> {
  await tx.run(
    `insert into transfer_uploads (${columns})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[row.id, row.sender, row.content, row.sealed, row.wish, row.sender_key],
      ...[row.reserved_bytes, row.writer, row.boot, row.created_at, row.touched_at],
    ],
  );
}

export function findUpload(sql: Sql, id: string): Promise<UploadRow | undefined> {
  return sql.get(`select ${columns}, former from transfer_uploads where id = $1`, [id]);
}

export function findUploadOfContent(
  sql: Sql,
  { sender, content, sealed }: ContentOf,
): Promise<UploadRow | undefined> {
  return sql.get(
    `select ${columns}, former from transfer_uploads
     where sender = $1 and content = $2 and sealed = $3 order by created_at limit 1`,
    [sender, content, sealed],
  );
}

export type UploadTaker = Pick<
  UploadRow,
  'id' | 'sender_key' | 'wish' | 'writer' | 'boot' | 'touched_at'
>;

/**
 * Somebody else goes on with it, under another id: whoever comes with the old one is over. False
 * when it is gone, or was touched since it was seen.
 */
export async function takeUpload(
  tx: Transaction,
  { id, touched_at: seenAt }: Pick<UploadRow, 'id' | 'touched_at'>,
  taker: UploadTaker,
): Promise<boolean> {
  const { wish, writer, boot, touched_at } = taker;
  const changed = await tx.run(
    `update transfer_uploads set id = $2, former = id, sender_key = $3, wish = $4, writer = $5,
       boot = $6, touched_at = $7
     where id = $1 and touched_at = $8`,
    [id, taker.id, taker.sender_key, wish, writer, boot, touched_at, seenAt],
  );
  return changed === 1;
}

export async function touchUpload(tx: Transaction, id: string, at: Instant): Promise<void> {
  await tx.run('update transfer_uploads set touched_at = $2 where id = $1', [id, at]);
}

export async function setReserved(tx: Transaction, id: string, bytes: number): Promise<boolean> {
  const changed = await tx.run('update transfer_uploads set reserved_bytes = $2 where id = $1', [
    id,
    bytes,
  ]);
  return changed === 1;
}

/** False when it is gone already, or was touched since it was seen. */
export async function deleteUpload(
  tx: Transaction,
  id: string,
  seenAt?: Instant,
): Promise<boolean> {
  const deleted = await tx.run(
    'delete from transfer_uploads where id = $1 and ($2 is null or touched_at = $2)',
    [id, seenAt ?? null],
  );
  return deleted === 1;
}

/** What is held of the quota by uploads that are under way. */
export async function reservedBytes(sql: Sql, sender: string): Promise<number> {
  const row = await sql.get<{ bytes: number | null }>(
    'select sum(reserved_bytes) as bytes from transfer_uploads where sender = $1',
    [sender],
  );
  return row?.bytes ?? 0;
}

/** Those of a sender. */
export function uploadsOf(sql: Sql, sender: string, limit: number): Promise<UploadRow[]> {
  return sql.all(`select ${columns}, former from transfer_uploads where sender = $1 limit $2`, [
    sender,
    limit,
  ]);
}

/** Streams, and what nobody has touched since then; the oldest first. */
export function uploadsPerhapsLeft(sql: Sql, before: Instant, limit: number): Promise<UploadRow[]> {
  return sql.all(
    `select ${columns}, former from transfer_uploads
     where content is null or touched_at < $1 order by touched_at limit $2`,
    [before, limit],
  );
}
