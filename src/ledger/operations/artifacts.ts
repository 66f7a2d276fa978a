/**
 * Artifacts as rows: what operations have made, for whom its key is wrapped, and until when it
 * is there. A row stays when its bytes are gone, so that it can be told what became of them.
 */

import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface ArtifactRow {
  readonly id: string;
  readonly operation: string;
  readonly name: string;
  readonly size_bytes: number;
  readonly content_type: string;
  /** Of the plain bytes. */
  readonly sha256: string;
  /** Of the bytes as they are stored. */
  readonly hash: string;
  readonly stored_bytes: number;
  readonly wrapped_key: string;
  /** The key of the server that it is wrapped with; null where it is wrapped to its owner. */
  readonly server_key: string | null;
  readonly e2e: 0 | 1;
  readonly created_at: Instant;
  readonly expires_at: Instant;
  readonly gone_at: Instant | null;
  readonly gone_why: GoneWhy | null;
}

export type GoneWhy = 'expired' | 'deleted' | 'replaced';
export type NewArtifact = Omit<ArtifactRow, 'gone_at' | 'gone_why'>;

const columns = `id, operation, name, size_bytes, content_type, sha256, hash, stored_bytes,
  wrapped_key, server_key, e2e, created_at, expires_at, gone_at, gone_why`;

export async function insertArtifact(tx: Transaction, artifact: NewArtifact): Promise<void> {
  await tx.run(
    `insert into artifacts (id, operation, name, size_bytes, content_type, sha256, hash,
       stored_bytes, wrapped_key, server_key, e2e, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      artifact.id,
      artifact.operation,
      artifact.name,
      artifact.size_bytes,
      artifact.content_type,
      artifact.sha256,
      artifact.hash,
      artifact.stored_bytes,
      artifact.wrapped_key,
      artifact.server_key,
      artifact.e2e,
      artifact.created_at,
      artifact.expires_at,
    ],
  );
}

/** Those that are there, in the order in which they were made. */
export function artifactsOf(sql: Sql, operation: string): Promise<ArtifactRow[]> {
  return sql.all(
    `select ${columns} from artifacts where operation = $1 and gone_at is null
     order by created_at, id`,
    [operation],
  );
}

/** The one that is there; else the latest that was. */
export function findArtifact(
  sql: Sql,
  operation: string,
  name: string,
): Promise<ArtifactRow | undefined> {
  return sql.get(
    `select ${columns} from artifacts where operation = $1 and name = $2
     order by gone_at is null desc, created_at desc, id desc limit 1`,
    [operation, name],
  );
}

export async function countArtifacts(sql: Sql, operation: string): Promise<number> {
  const row = await sql.get<{ count: number }>(
    'select count(*) as count from artifacts where operation = $1 and gone_at is null',
    [operation],
  );
  return must(row, 'the count').count;
}

/** False when it is gone already. */
export async function markGone(
  tx: Transaction,
  id: string,
  { why, at }: { readonly why: GoneWhy; readonly at: Instant },
): Promise<boolean> {
  const changed = await tx.run(
    `update artifacts set gone_at = $2, gone_why = $3, wrapped_key = '', server_key = null
     where id = $1 and gone_at is null`,
    [id, at, why],
  );
  return changed === 1;
}

/** Those whose time is over; at most so many. */
export function expiredArtifacts(sql: Sql, now: Instant, limit: number): Promise<ArtifactRow[]> {
  return sql.all(
    `select ${columns} from artifacts where expires_at <= $1 and gone_at is null
     order by expires_at limit $2`,
    [now, limit],
  );
}

/** Those that are gone, and whose bytes may not be; at most so many. */
export function unsweptArtifacts(sql: Sql, limit: number): Promise<ArtifactRow[]> {
  return sql.all(
    `select ${columns} from artifacts where gone_at is not null and is_swept = 0 limit $1`,
    [limit],
  );
}

export async function markSwept(tx: Transaction, id: string): Promise<void> {
  await tx.run('update artifacts set is_swept = 1 where id = $1 and gone_at is not null', [id]);
}

/** Those of an owner whose keys are wrapped with a key of the server. */
export function artifactsToRewrap(
  sql: Sql,
  owner: string,
  { after, limit }: ArtifactPage,
): Promise<ArtifactRow[]> {
  return sql.all(
    `select ${columns} from artifacts where server_key is not null and gone_at is null
       and operation in (select id from operations where owner = $1) and id > $2
     order by id limit $3`,
    [owner, after, limit],
  );
}

/** Those behind this one, by the id. */
export interface ArtifactPage {
  readonly after: string;
  readonly limit: number;
}

/** Outsiders whose public key is known, and of whom something is still wrapped to the server. */
export async function granteesToRewrap(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ owner: string }>(
    `select distinct o.owner from artifacts a join operations o on o.id = a.operation
       join principals p on p.id = o.owner
     where a.server_key is not null and a.gone_at is null and p.public_key <> ''`,
  );
  return rows.map(({ owner }) => owner);
}

/** Those that are wrapped with any other key of the server than this one. */
export function artifactsUnderOtherKeys(
  sql: Sql,
  current: string,
  { after, limit }: ArtifactPage,
): Promise<ArtifactRow[]> {
  return sql.all(
    `select ${columns} from artifacts where server_key is not null and server_key <> $1
       and gone_at is null and id > $2 order by id limit $3`,
    [current, after, limit],
  );
}

export interface Wrap {
  readonly wrapped_key: string;
  readonly server_key: string | null;
  readonly e2e: 0 | 1;
}

/** In the place of the wrap that was read; false when it is another one by now. */
export async function rewrap(
  tx: Transaction,
  { id, wrapped_key: before }: Pick<ArtifactRow, 'id' | 'wrapped_key'>,
  { wrapped_key, server_key, e2e }: Wrap,
): Promise<boolean> {
  const changed = await tx.run(
    `update artifacts set wrapped_key = $3, server_key = $4, e2e = $5
     where id = $1 and wrapped_key = $2 and gone_at is null`,
    [id, before, wrapped_key, server_key, e2e],
  );
  return changed === 1;
}

/** Operations with an artifact that is there or was, behind this one; at most so many. */
export async function operationsWithArtifacts(
  sql: Sql,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await sql.all<{ operation: string }>(
    'select distinct operation from artifacts where operation > $1 order by operation limit $2',
    [after, limit],
  );
  return rows.map(({ operation }) => operation);
}
