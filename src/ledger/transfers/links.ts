/** Links for humans, as rows. Only the hash of what stands in one is kept. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface LinkRow {
  readonly id: string;
  readonly token_hash: string;
  readonly kind: 'download' | 'upload';
  readonly created_by: string;
  readonly transfer: string | null;
  readonly recipient: string | null;
  readonly recipient_key: string | null;
  readonly most_bytes: number | null;
  readonly most_uses: number;
  readonly uses: number;
  readonly created_at: Instant;
  readonly expires_at: Instant;
  readonly revoked_at: Instant | null;
}

const columns = `id, token_hash, kind, created_by, transfer, recipient, recipient_key, most_bytes,
  most_uses, uses, created_at, expires_at, revoked_at`;

export async function insertLink(tx: Transaction, link: LinkRow): Promise<void> {
  await tx.run(
    `insert into transfer_links (${columns})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      ...[link.id, link.token_hash, link.kind, link.created_by, link.transfer, link.recipient],
      ...[link.recipient_key, link.most_bytes, link.most_uses, link.uses, link.created_at],
      ...[link.expires_at, link.revoked_at],
    ],
  );
}

export function findLink(sql: Sql, id: string): Promise<LinkRow | undefined> {
  return sql.get(`select ${columns} from transfer_links where id = $1`, [id]);
}

/** The ids that begin so. */
export async function linkIdsFrom(sql: Sql, start: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    'select id from transfer_links where id >= $1 and id < $2 order by id limit $3',
    [start, `${start}g`, limit],
  );
  return rows.map(({ id }) => id);
}

const isGood = 'revoked_at is null and uses < most_uses and expires_at > $2';

/** Undefined when it is unknown, revoked, over or used up. */
export function findGoodLink(
  sql: Sql,
  tokenHash: string,
  now: Instant,
): Promise<LinkRow | undefined> {
  return sql.get(`select ${columns} from transfer_links where token_hash = $1 and ${isGood}`, [
    tokenHash,
    now,
  ]);
}

/** Counts one use; false when there was none left. */
export async function useLink(
  tx: Transaction,
  id: string,
  { now, transfer }: { readonly now: Instant; readonly transfer?: string | undefined },
): Promise<boolean> {
  const changed = await tx.run(
    `update transfer_links set uses = uses + 1, transfer = coalesce($3, transfer)
     where id = $1 and ${isGood}`,
    [id, now, transfer ?? null],
  );
  return changed === 1;
}

/** False when it was revoked before. */
export async function revokeLinkRow(tx: Transaction, id: string, at: Instant): Promise<boolean> {
  const changed = await tx.run(
    'update transfer_links set revoked_at = $2 where id = $1 and revoked_at is null',
    [id, at],
  );
  return changed === 1;
}

export async function revokeLinksOf(tx: Transaction, transfer: string, at: Instant): Promise<void> {
  await tx.run(
    `update transfer_links set revoked_at = $2
     where transfer = $1 and kind = 'download' and revoked_at is null`,
    [transfer, at],
  );
}

const mostLinks = 1000;

export interface LinkRange {
  /** Only links that were made before this one. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Links that a principal made, or that lead to it; all where none is named. The newest first. */
export function listLinks(
  sql: Sql,
  principal: string | undefined,
  { before, limit }: LinkRange = { limit: mostLinks },
): Promise<LinkRow[]> {
  return sql.all(
    `select ${columns} from transfer_links
     where ($1 is null or created_by = $1 or recipient = $1)
       and ($2 is null or (created_at, id) < (
         select last.created_at, last.id from transfer_links last where last.id = $2
           and ($1 is null or last.created_by = $1 or last.recipient = $1)))
     order by created_at desc, id desc limit $3`,
    [principal ?? null, before ?? null, limit],
  );
}

export function deleteLinksBefore(tx: Transaction, before: Instant): Promise<number> {
  return tx.run('delete from transfer_links where expires_at < $1', [before]);
}
