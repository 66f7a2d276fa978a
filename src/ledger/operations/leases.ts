/**
 * Leases as rows. No clock is in them: a lease is alive while `renewals` goes up, and a watcher
 * that sees it stand still for its whole time (kernel/agent/agent.ts) may steal it.
 *
 * L1. The token of a subject only ever goes up, also over a release: work that was begun
 *     under an older token can be told from work under the present one.
 * L2. Every change names what it was decided on (owner and token, or token and renewals), so
 *     that of two who decide at once only one succeeds.
 */
import type { Sql, Transaction } from '../ledger.ts';

export interface Lease {
  readonly subject: string;
  readonly owner: string;
  readonly token: number;
  readonly renewals: number;
  readonly ttl_ms: number;
}

/** All leases that are held. */
export function readLeases(sql: Sql): Promise<Lease[]> {
  return sql.all(
    `select subject, owner, token, renewals, ttl_ms from leases
     where owner <> '' order by subject`,
  );
}

/** The token when the subject was free, 1 when it never had an owner; else undefined. */
export async function takeLease(
  tx: Transaction,
  subject: string,
  owner: string,
  ttlMs: number,
): Promise<number | undefined> {
  // L1: a released row stays, without an owner.
  const taken = await tx.run(
    `insert into leases (subject, owner, token, renewals, ttl_ms) values ($1, $2, 1, 0, $3)
     on conflict (subject) do update set owner = excluded.owner, token = leases.token + 1,
       renewals = 0, ttl_ms = excluded.ttl_ms
     where leases.owner = ''`,
    [subject, owner, ttlMs],
  );
  if (taken === 0) return undefined;
  const row = await tx.get<Pick<Lease, 'token'>>('select token from leases where subject = $1', [
    subject,
  ]);
  return row?.token;
}

/** False when it is not held any more: whatever was done under it must stop. */
export async function renewLease(
  tx: Transaction,
  subject: string,
  owner: string,
  token: number,
): Promise<boolean> {
  const renewed = await tx.run(
    `update leases set renewals = renewals + 1
     where subject = $1 and owner = $2 and token = $3`,
    [subject, owner, token],
  );
  return renewed === 1;
}

/** Takes a lease that stood still; undefined when it has moved since it was seen. */
export async function stealLease(
  tx: Transaction,
  subject: string,
  owner: string,
  seen: Pick<Lease, 'token' | 'renewals'>,
): Promise<number | undefined> {
  const stolen = await tx.run(
    `update leases set owner = $2, token = token + 1, renewals = 0
     where subject = $1 and token = $3 and renewals = $4 and owner <> ''`,
    [subject, owner, seen.token, seen.renewals],
  );
  return stolen === 1 ? seen.token + 1 : undefined;
}

/** Gives it back; false when it was held by another already. */
export async function releaseLease(
  tx: Transaction,
  subject: string,
  owner: string,
  token: number,
): Promise<boolean> {
  const released = await tx.run(
    `update leases set owner = '', renewals = 0
     where subject = $1 and owner = $2 and token = $3`,
    [subject, owner, token],
  );
  return released === 1;
}

/** The lease of a subject, where it is held. */
export function findLease(sql: Sql, subject: string): Promise<Lease | undefined> {
  return sql.get(
    `select subject, owner, token, renewals, ttl_ms from leases
     where subject = $1 and owner <> ''`,
    [subject],
  );
}

/** Whether work under this token may still be written down. */
export async function holdsLease(
  sql: Sql,
  subject: string,
  owner: string,
  token: number,
): Promise<boolean> {
  const row = await sql.get(
    'select 1 as held from leases where subject = $1 and owner = $2 and token = $3',
    [subject, owner, token],
  );
  return row !== undefined;
}

/** Frees a lease, whichever process held it. */
export async function freeLease(tx: Transaction, subject: string): Promise<void> {
  await tx.run(`update leases set owner = '', renewals = 0 where subject = $1`, [subject]);
}
