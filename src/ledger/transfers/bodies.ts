/** What senders have stored: the bodies of their transfers, and for how long each is needed. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface BodyRow {
  readonly id: string;
  readonly sender: string;
  /** What it is made of; null where nobody can ask for it again. */
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

/** From now on nobody finds it by what it is made of. */
export async function forgetContent(tx: Transaction, id: string): Promise<void> {
  await tx.run('update transfer_bodies set content = null where id = $1', [id]);
}

/** The same for all that are stored under a hash. */
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

/** The bytes are gone, and all that needed them is over: nobody holds a body of them any more. */
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

/** The same of all senders. */
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
