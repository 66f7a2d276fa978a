/**
 * The bytes of transfers and artifacts as rows. They go in two phases.
 *
 * G1. A row is there before anybody refers to it, and as long as anybody does: `needBlob` and the
 *     reference are written in one transaction.
 * G2. A row that nobody needs is condemned, and deleted later; both look at the references in
 *     the same statement. Whoever needs it in between takes that back: `needBlob`, `reviveBlob`.
 * G3. The file goes after its row. Whoever needs the same bytes after that finds no row, and
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

/** The second phase; false when somebody needs it again. */
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
  // Only what is over can be left, and nobody else would ever look at it.
  await tx.run('delete from blob_references where hash = $1 and expires_at <= $2', [hash, now]);
  await releaseBodiesOf(tx, hash);
  return true;
}

/** At once, of bytes that nobody else can have stored. False when somebody needs them. */
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
