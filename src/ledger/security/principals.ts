/** Who may act here, and by which handles each is known. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface PrincipalRow {
  /** `owner`, `agent:NAME`, or what a grantee is known by. */
  readonly id: string;
  readonly kind: 'agent' | 'human' | 'grantee';
  readonly address: string;
  /** Compressed, as 0x hex; empty while only the address of a grantee is known. */
  readonly public_key: string;
  readonly created_at: Instant;
}

const columns = 'id, kind, address, public_key, created_at';

/** An id or an address that is taken is a failure: each has one key, made once. */
export async function insertPrincipal(tx: Transaction, principal: PrincipalRow): Promise<void> {
  const { id, kind, address, public_key, created_at } = principal;
  await tx.run(`insert into principals (${columns}) values ($1, $2, $3, $4, $5)`, [
    id,
    kind,
    address,
    public_key,
    created_at,
  ]);
}

/** False when it was known before. */
export async function learnPublicKey(
  tx: Transaction,
  id: string,
  publicKey: string,
): Promise<boolean> {
  const changed = await tx.run(
    `update principals set public_key = $2 where id = $1 and public_key = ''`,
    [id, publicKey],
  );
  return changed === 1;
}

export function findPrincipal(sql: Sql, id: string): Promise<PrincipalRow | undefined> {
  return sql.get(`select ${columns} from principals where id = $1`, [id]);
}

/** The address with its checksum, as recovered from a signature. */
export function findPrincipalByAddress(
  sql: Sql,
  address: string,
): Promise<PrincipalRow | undefined> {
  return sql.get(`select ${columns} from principals where address = $1`, [address]);
}

// Which hash of a handle stands for whom. The handles themselves are nowhere.

export interface NewHandle {
  readonly hash: string;
  readonly principal: string;
  readonly created_at: Instant;
  /** From then on it is worth nothing; null for never. */
  readonly expires_at: Instant | null;
}

export async function insertHandle(tx: Transaction, handle: NewHandle): Promise<void> {
  await tx.run(
    'insert into handles (hash, principal, created_at, expires_at) values ($1, $2, $3, $4)',
    [handle.hash, handle.principal, handle.created_at, handle.expires_at],
  );
}

export interface KnownHandle {
  readonly principal: string;
  /** Null for never. */
  readonly expires_at: Instant | null;
}

/** Undefined for a handle that is unknown, expired or revoked. */
export function findHandle(sql: Sql, hash: string, now: Instant): Promise<KnownHandle | undefined> {
  return sql.get(
    `select principal, expires_at from handles
     where hash = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [hash, now],
  );
}

/** Finds the principal of a handle alone, without the rest of its row. */
export async function findPrincipalOfHandle(
  sql: Sql,
  hash: string,
  now: Instant,
): Promise<string | undefined> {
  return (await findHandle(sql, hash, now))?.principal;
}

/** False when it is unknown, or was revoked before. */
export async function revokeHandle(tx: Transaction, hash: string, now: Instant): Promise<boolean> {
  const revoked = await tx.run(
    'update handles set revoked_at = $2 where hash = $1 and revoked_at is null',
    [hash, now],
  );
  return revoked === 1;
}

/** Whether it was ever given one, good or not. */
export async function hasHadHandle(sql: Sql, principal: string): Promise<boolean> {
  const row = await sql.get('select 1 from handles where principal = $1 limit 1', [principal]);
  return row !== undefined;
}

/** Those that ended before then by themselves; tells how many. */
export function deleteEndedHandles(
  tx: Transaction,
  before: Instant,
  limit: number,
): Promise<number> {
  return tx.run(
    `delete from handles where hash in (
       select hash from handles where expires_at < $1 and principal like 'grantee:%' limit $2)`,
    [before, limit],
  );
}

/** How many of this principal's handles were good until now. */
export function revokeHandlesOf(tx: Transaction, principal: string, now: Instant): Promise<number> {
  return tx.run('update handles set revoked_at = $2 where principal = $1 and revoked_at is null', [
    principal,
    now,
  ]);
}

/** The agents that can call at all, by name. */
export async function agentsWithHandles(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    `select name from agents where status <> 'terminated' and exists (
       select 1 from handles where principal = 'agent:' || name and revoked_at is null)
     order by name`,
  );
  return rows.map(({ name }) => name);
}
