/** Who needs which stored bytes. What nobody refers to may be swept. */
import type { Instant } from '../kernel/ports.ts';
import type { Sql, Transaction } from './ledger.ts';

export async function addBlobReference(
  tx: Transaction,
  {
    hash,
    referrer,
    at,
  }: { readonly hash: string; readonly referrer: string; readonly at: Instant },
): Promise<void> {
  await tx.run(
    `insert into blob_references (hash, referrer, created_at) values ($1, $2, $3)
     on conflict do nothing`,
    [hash, referrer, at],
  );
}

export async function isReferredTo(sql: Sql, hash: string): Promise<boolean> {
  const row = await sql.get('select 1 from blob_references where hash = $1 limit 1', [hash]);
  return row !== undefined;
}

/** Drops what was only put, and that nobody has sent since. */
export function dropPuttersBefore(tx: Transaction, before: Instant): Promise<number> {
  return tx.run(
    `delete from blob_references where referrer not like 'message:%' and created_at < $1`,
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
