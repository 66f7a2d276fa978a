/** Writes that came with a key, and what was answered. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

/** Keys of one principal are nothing to another. */
export interface RequestKey {
  readonly principal: string;
  readonly key: string;
}

export interface IdempotentRequest {
  readonly digest: string;
  /** Null while it runs, and where it was not told how it ended. */
  readonly status: number | null;
  /** JSON; null where it is not kept. */
  readonly answer: string | null;
}

export interface RequestEnd {
  readonly status: number;
  readonly answer: string | null;
}

export function findRequest(
  sql: Sql,
  { principal, key }: RequestKey,
): Promise<IdempotentRequest | undefined> {
  return sql.get(
    'select digest, status, answer from idempotent_requests where principal = $1 and key = $2',
    [principal, key],
  );
}

export interface NewRequest extends RequestKey {
  readonly digest: string;
  readonly epoch: number;
  readonly at: Instant;
}

/** False when one has that key already. */
export async function beginRequest(
  tx: Transaction,
  { principal, key, digest, epoch, at }: NewRequest,
): Promise<boolean> {
  const begun = await tx.run(
    `insert into idempotent_requests (principal, key, digest, status, answer, epoch, created_at)
     values ($1, $2, $3, null, null, $4, $5) on conflict do nothing`,
    [principal, key, digest, epoch, at],
  );
  return begun === 1;
}

/** False when it has ended before, or is gone. */
export async function endRequest(
  tx: Transaction,
  { principal, key }: RequestKey,
  { status, answer }: RequestEnd,
): Promise<boolean> {
  const ended = await tx.run(
    `update idempotent_requests set status = $3, answer = $4
     where principal = $1 and key = $2 and status is null`,
    [principal, key, status, answer],
  );
  return ended === 1;
}

/** Nothing came of it, so the key is free. False when it has ended, or is gone. */
export async function freeRequest(
  tx: Transaction,
  { principal, key }: RequestKey,
): Promise<boolean> {
  const freed = await tx.run(
    'delete from idempotent_requests where principal = $1 and key = $2 and status is null',
    [principal, key],
  );
  return freed === 1;
}

export async function countRequestsOf(sql: Sql, principal: string): Promise<number> {
  const row = await sql.get<{ count: number }>(
    'select count(*) as count from idempotent_requests where principal = $1',
    [principal],
  );
  return row?.count ?? 0;
}

/** The oldest first, so many at a time. */
export function deleteRequestsBefore(
  tx: Transaction,
  before: Instant,
  limit: number,
): Promise<number> {
  return tx.run(
    `delete from idempotent_requests where (principal, key) in (
       select principal, key from idempotent_requests where created_at < $1
       order by created_at limit $2)`,
    [before, limit],
  );
}
