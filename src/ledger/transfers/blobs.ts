/**
 * The bytes of transfers and artifacts as rows. They go in two phases.
 *
 * G1. A row is there before any reference to it, and as long as there is one: `needBlob` and the
 *     reference are written in one transaction.
 * G2. A row without a reference is condemned, and deleted later; both look at the references in the
 *     same statement. A caller that needs it in between takes that back: `needBlob`, `reviveBlob`.
 * G3. The file goes after its row. A caller that needs the same bytes after that finds no row, and
 *     stores them again.
 */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';
import { releaseBodiesOf } from './bodies.ts';

export interface BlobRow {
  readonly hash: string;
  readonly size_bytes: number;
  readonly created_at: Instant;
  readonly condemned_at: Instant | null;
}

export interface NeededBlob {
  readonly hash: string;
  readonly sizeBytes: number;
  readonly at: Instant;
}

/** For bytes that were just stored: writes the row, or takes back that it was condemned (G2). */
export async function needBlob(
  tx: Transaction,
  { hash, sizeBytes, at }: NeededBlob,
): Promise<void> {
  await tx.run(
    `insert into blobs (hash, size_bytes, created_at) values ($1, $2, $3)
     on conflict (hash) do update set condemned_at = null`,
    [hash, sizeBytes, at],
  );
}

/**
 * For bytes that were stored some time ago: takes back that they were condemned. False when they
 * are not there any more, and have to be stored again (G3).
 */
export async function reviveBlob(tx: Transaction, hash: string): Promise<boolean> {
  return (await tx.run('update blobs set condemned_at = null where hash = $1', [hash])) > 0;
}

export function blobRow(sql: Sql, hash: string): Promise<BlobRow | undefined> {
  return sql.get<BlobRow>('select * from blobs where hash = $1', [hash]);
}

/** In the order of the hashes, those behind this one; at most so many. */
export function blobRowsAfter(sql: Sql, after: string, limit: number): Promise<BlobRow[]> {
  return sql.all<BlobRow>('select * from blobs where hash > $1 order by hash limit $2', [
    after,
    limit,
  ]);
}

// Of the row `blobs` at the moment `$1`.
const isNeeded = `exists (select 1 from blob_references r where r.hash = blobs.hash
  and (r.expires_at is null or r.expires_at > $1))`;

/** The first phase, for at most so many; how many there were. */
export function condemnBlobs(tx: Transaction, now: Instant, limit: number): Promise<number> {
  return tx.run(
    `update blobs set condemned_at = $1 where hash in (
       select hash from blobs where condemned_at is null and not ${isNeeded} limit $2)`,
    [now, limit],
  );
}

/** A clock that was ahead has condemned what is still needed. */
export function pardonBlobs(tx: Transaction, now: Instant): Promise<number> {
  return tx.run(
    `update blobs set condemned_at = null
     where condemned_at is not null and (condemned_at > $1 or ${isNeeded})`,
    [now],
  );
}

/** Those that were condemned then or earlier, behind this hash; at most so many. */
export async function condemnedBlobs(
  sql: Sql,
  { before, after, limit }: { before: Instant; after: string; limit: number },
): Promise<string[]> {
  const rows = await sql.all<{ hash: string }>(
    `select hash from blobs where condemned_at <= $1 and hash > $2 order by hash limit $3`,
    [before, after, limit],
  );
  return rows.map(({ hash }) => hash);
}

/** The second phase; false when the blob is needed again. */
export async function deleteCondemnedBlob(
  tx: Transaction,
  hash: string,
  { now, before }: { readonly now: Instant; readonly before: Instant },
): Promise<boolean> {
  const deleted = await tx.run(
    `delete from blobs where hash = $2 and condemned_at <= $3 and not ${isNeeded}`,
    [now, hash, before],
  );
  if (deleted === 0) return false;
  // Only references that are over can be left, and nothing else would ever look at them.
  await tx.run('delete from blob_references where hash = $1 and expires_at <= $2', [hash, now]);
  await releaseBodiesOf(tx, hash);
  return true;
}

/** Deletes at once bytes that no other caller can have stored. False when they are needed. */
export async function deleteUnneededBlob(tx: Transaction, hash: string): Promise<boolean> {
  const deleted = await tx.run(
    `delete from blobs where hash = $1
       and not exists (select 1 from blob_references r where r.hash = blobs.hash)`,
    [hash],
  );
  return deleted === 1;
}

export async function hasUploadRow(sql: Sql, id: string): Promise<boolean> {
  return (await sql.get('select 1 from transfer_uploads where id = $1', [id])) !== undefined;
}

// Which reference needs which stored bytes, and until when. What no reference needs may be swept.

interface NewBlobReference {
  readonly hash: string;
  /** `message:ID`, `transfer:ID`, or the principal who has put the bytes. */
  readonly referrer: string;
  readonly at: Instant;
  /** When it needs them no longer; null or left out where it needs them until it is dropped. */
  readonly expiresAt?: Instant | null | undefined;
}

/** One that is there already has the later of both ends. */
export async function addBlobReference(
  tx: Transaction,
  { hash, referrer, at, expiresAt = null }: NewBlobReference,
): Promise<void> {
  await tx.run(
    `insert into blob_references (hash, referrer, created_at, expires_at) values ($1, $2, $3, $4)
     on conflict (hash, referrer) do update set expires_at = case
       when blob_references.expires_at is null or excluded.expires_at is null then null
       when excluded.expires_at > blob_references.expires_at then excluded.expires_at
       else blob_references.expires_at end`,
    [hash, referrer, at, expiresAt],
  );
}

/** Drops all that this one needs. */
export function dropReferencesOf(tx: Transaction, referrer: string): Promise<number> {
  return tx.run('delete from blob_references where referrer = $1', [referrer]);
}

/** Also by one whose time is over. */
export async function isReferredTo(sql: Sql, hash: string): Promise<boolean> {
  const row = await sql.get('select 1 from blob_references where hash = $1 limit 1', [hash]);
  return row !== undefined;
}

/** Who needs these bytes now; at most so many. */
export async function referrersOf(
  sql: Sql,
  hash: string,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<string[]> {
  const rows = await sql.all<{ referrer: string }>(
    `select referrer from blob_references
     where hash = $1 and (expires_at is null or expires_at > $2) order by referrer limit $3`,
    [hash, now, limit],
  );
  return rows.map(({ referrer }) => referrer);
}

/** The hashes that messages refer to, behind this one; at most so many. */
export async function hashesInMessages(sql: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ hash: string }>(
    `select distinct hash from blob_references
     where hash > $1 and referrer like 'message:%' order by hash limit $2`,
    [after, limit],
  );
  return rows.map(({ hash }) => hash);
}

/** Drops what was only put, and has not been sent since. */
export function dropPuttersBefore(tx: Transaction, before: Instant): Promise<number> {
  return tx.run(
    `delete from blob_references where created_at < $1 and expires_at is null
       and referrer not like 'message:%' and referrer not like 'transfer:%'`,
    [before],
  );
}

export async function refersTo(sql: Sql, referrer: string, hash: string): Promise<boolean> {
  const row = await sql.get('select 1 from blob_references where hash = $1 and referrer = $2', [
    hash,
    referrer,
  ]);
  return row !== undefined;
}

/** Drops what messages that are no longer kept refer to. */
export function dropReferencesOfGoneMessages(tx: Transaction): Promise<number> {
  return tx.run(
    `delete from blob_references where referrer like 'message:%' and not exists (
       select 1 from messages where message_id = substr(referrer, 9))`,
  );
}

/** Whether a message from or to that principal refers to the bytes. */
export async function principalRefersTo(
  sql: Sql,
  principal: string,
  hash: string,
): Promise<boolean> {
  const row = await sql.get(
    `select 1 from blob_references r join messages m on m.message_id = substr(r.referrer, 9)
     where r.hash = $1 and r.referrer like 'message:%' and (m.agent_name = $2 or exists (
       select 1 from deliveries where message = m.id and recipient = $2)) limit 1`,
    [hash, principal],
  );
  return row !== undefined;
}
