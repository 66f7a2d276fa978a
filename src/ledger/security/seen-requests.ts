/** What was signed and has come, so that it does not count a second time. */

import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { readState, type Sql, type Transaction, writeState } from '../ledger.ts';

/** In the state of the ledger: what was signed before that moment is not taken. */
export const signaturesSince = 'signatures.since';

export interface SeenSignature {
  readonly signer: string;
  /** Of what was signed. */
  readonly digest: string;
  readonly expiresAt: Instant;
}

/**
 * In the state of the ledger: the latest end of those that were forgotten. What ends by then may
 * be one of them, so it counts as seen: a clock that is set back makes none of them good again.
 */
const forgottenUpTo = 'signatures.forgotten';

/** False when it has come before, or may have: of two at once, one is the first. */
export async function seeSignature(
  tx: Transaction,
  { signer, digest, expiresAt }: SeenSignature,
): Promise<boolean> {
  if (expiresAt <= Number((await readState(tx, forgottenUpTo)) ?? 0)) return false;
  const inserted = await tx.run(
    `insert into seen_signatures (signer, digest, expires_at) values ($1, $2, $3)
     on conflict (signer, digest) do nothing`,
    [signer, digest, expiresAt],
  );
  return inserted === 1;
}

export interface Forgetting {
  /** Those that ended before. */
  readonly before: Instant;
  readonly limit: number;
  readonly now: Instant;
}

/** How many were forgotten: the oldest first, and more than the limit where they end at once. */
export async function forgetSignatures(
  tx: Transaction,
  { before, limit, now }: Forgetting,
): Promise<number> {
  const last = await tx.get<{ upTo: number | null }>(
    `select max(expires_at) as "upTo" from (
       select expires_at from seen_signatures where expires_at < $1
       order by expires_at limit $2)`,
    [before, limit],
  );
  const upTo = last?.upTo ?? null;
  if (upTo === null) return 0;
  const known = Number((await readState(tx, forgottenUpTo)) ?? 0);
  await writeState(tx, forgottenUpTo, String(Math.max(known, upTo)), now);
  return tx.run('delete from seen_signatures where expires_at <= $1', [upTo]);
}

// Writes that came with a key, and what was answered.

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

interface RequestEnd {
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

interface NewRequest extends RequestKey {
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
  return must(row, 'the count').count;
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
