/** Who needs which stored bytes, and until when. What nobody refers to may be swept. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface NewBlobReference {
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

/** Drops what was only put, and that nobody has sent since. */
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

/** Whether a message from or to that party refers to the bytes. */
export async function partyRefersTo(sql: Sql, party: string, hash: string): Promise<boolean> {
  const row = await sql.get(
    `select 1 from blob_references r join messages m on m.message_id = substr(r.referrer, 9)
     where r.hash = $1 and r.referrer like 'message:%' and (m.agent_name = $2 or exists (
       select 1 from deliveries where message = m.id and recipient = $2)) limit 1`,
    [hash, party],
  );
  return row !== undefined;
}
