/** What senders have stored or are storing: the bodies of their transfers, and uploads. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface BodyRow {
  readonly id: string;
  readonly sender: string;
  /** What it is made of; null where it cannot be asked for again. */
  readonly content: string | null;
  readonly hash: string;
  readonly stored_bytes: number;
  readonly file_size_bytes: number;
  readonly sha256: string;
  readonly sealed: 0 | 1;
  readonly sender_key: string | null;
  readonly created_at: Instant;
}

const columns = `id, sender, content, hash, stored_bytes, file_size_bytes, sha256, sealed,
  sender_key, created_at`;

export interface ContentOf {
  readonly sender: string;
  readonly content: string;
  readonly sealed: 0 | 1;
}

export function findBodyOfContent(
  sql: Sql,
  { sender, content, sealed }: ContentOf,
): Promise<BodyRow | undefined> {
  return sql.get(
    `select ${columns} from transfer_bodies where sender = $1 and content = $2 and sealed = $3`,
    [sender, content, sealed],
  );
}

export function findBody(sql: Sql, id: string): Promise<BodyRow | undefined> {
  return sql.get(`select ${columns} from transfer_bodies where id = $1`, [id]);
}

export async function insertBody(tx: Transaction, body: BodyRow): Promise<void> {
  await tx.run(
    `insert into transfer_bodies (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[body.id, body.sender, body.content, body.hash, body.stored_bytes, body.file_size_bytes],
      ...[body.sha256, body.sealed, body.sender_key, body.created_at],
    ],
  );
}

/** From now on the body is not found by what it is made of. */
export async function forgetContent(tx: Transaction, id: string): Promise<void> {
  await tx.run('update transfer_bodies set content = null where id = $1', [id]);
}

/** Like forgetContent(), for all bodies that are stored under a hash. */
export async function forgetContentOf(tx: Transaction, hash: string): Promise<void> {
  await tx.run('update transfer_bodies set content = null where hash = $1', [hash]);
}

/** One more transfer needs it. A body counts once, however many do. */
export async function holdBody(tx: Transaction, id: string): Promise<void> {
  await tx.run('update transfer_bodies set holders = holders + 1 where id = $1', [id]);
  await tx.run(
    `insert into transfer_usage (sender, held_bytes)
       select sender, stored_bytes from transfer_bodies where id = $1 and holders = 1
     on conflict (sender) do update set held_bytes = held_bytes + excluded.held_bytes`,
    [id],
  );
}

/** One less does; whether it was the last. */
export async function releaseBody(tx: Transaction, id: string): Promise<boolean> {
  const released = await tx.run(
    'update transfer_bodies set holders = holders - 1 where id = $1 and holders > 0',
    [id],
  );
  if (released === 0) return false;
  const freed = await tx.run(
    `update transfer_usage set held_bytes = held_bytes - (
       select stored_bytes from transfer_bodies where id = $1)
     where sender = (select sender from transfer_bodies where id = $1 and holders = 0)`,
    [id],
  );
  return freed === 1;
}

/** The bytes are gone, and all that needed them is over: no row holds a body of them any more. */
export async function releaseBodiesOf(tx: Transaction, hash: string): Promise<void> {
  await tx.run(
    `update transfer_usage set held_bytes = held_bytes - (
       select sum(b.stored_bytes) from transfer_bodies b
       where b.hash = $1 and b.holders > 0 and b.sender = transfer_usage.sender)
     where sender in (select sender from transfer_bodies where hash = $1 and holders > 0)`,
    [hash],
  );
  await tx.run('update transfer_bodies set holders = 0 where hash = $1', [hash]);
}

/** The stored bytes of one sender that are still needed. */
export async function heldBytes(sql: Sql, sender: string): Promise<number> {
  const row = await sql.get<{ held_bytes: number }>(
    'select held_bytes from transfer_usage where sender = $1',
    [sender],
  );
  return row?.held_bytes ?? 0;
}

/** Like heldBytes(), over all senders. */
export async function allHeldBytes(sql: Sql): Promise<number> {
  const row = await sql.get<{ bytes: number | null }>(
    'select sum(held_bytes) as bytes from transfer_usage',
  );
  return row?.bytes ?? 0;
}

/** The transfers that need a body now. */
export async function holdersOf(sql: Sql, body: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `select t.id from agent_transfers t join transfer_bodies b on b.id = t.body
       join blob_references r on r.referrer = 'transfer:' || t.id and r.hash = b.hash
     where t.body = $1`,
    [body],
  );
  return rows.map(({ id }) => id);
}

/** Those of which no transfer speaks any more, and whose bytes are gone. */
export function deleteUnusedBodies(tx: Transaction): Promise<number> {
  return tx.run(
    `delete from transfer_bodies
     where not exists (select 1 from agent_transfers t where t.body = transfer_bodies.id)
       and not exists (select 1 from blobs where blobs.hash = transfer_bodies.hash)`,
  );
}

// Bytes that are on their way in, as rows.

interface NewUpload {
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
  /** The id that it had before another caller went on with it. */
  readonly former: string | null;
}

const uploadColumns = `id, sender, content, sealed, wish, sender_key, reserved_bytes, writer, boot,
  created_at, touched_at`;

export async function insertUpload(tx: Transaction, row: NewUpload): Promise<void> {
  await tx.run(
    `insert into transfer_uploads (${uploadColumns})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[row.id, row.sender, row.content, row.sealed, row.wish, row.sender_key],
      ...[row.reserved_bytes, row.writer, row.boot, row.created_at, row.touched_at],
    ],
  );
}

export function findUpload(sql: Sql, id: string): Promise<UploadRow | undefined> {
  return sql.get(`select ${uploadColumns}, former from transfer_uploads where id = $1`, [id]);
}

export function findUploadOfContent(
  sql: Sql,
  { sender, content, sealed }: ContentOf,
): Promise<UploadRow | undefined> {
  return sql.get(
    `select ${uploadColumns}, former from transfer_uploads
     where sender = $1 and content = $2 and sealed = $3 order by created_at limit 1`,
    [sender, content, sealed],
  );
}

type UploadTaker = Pick<UploadRow, 'id' | 'sender_key' | 'wish' | 'writer' | 'boot' | 'touched_at'>;

/**
 * Another caller goes on with it, under another id: the old id is no longer good. False when it is
 * gone, or was touched since it was seen.
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
  return sql.all(
    `select ${uploadColumns}, former from transfer_uploads where sender = $1 limit $2`,
    [sender, limit],
  );
}

/** Streams, and what has not been touched since then; the oldest first. */
export function uploadsPerhapsLeft(sql: Sql, before: Instant, limit: number): Promise<UploadRow[]> {
  return sql.all(
    `select ${uploadColumns}, former from transfer_uploads
     where content is null or touched_at < $1 order by touched_at limit $2`,
    [before, limit],
  );
}
