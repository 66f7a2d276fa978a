/** Who was given which capability, by whom, and how often it was used. */

import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface GrantRow {
  readonly id: string;
  /** Who holds it. */
  readonly principal: string;
  readonly capability: string;
  /** The grant that it was delegated from. */
  readonly parent: string | null;
  readonly granted_by: string;
  readonly origin: 'default' | 'owner' | 'delegation' | 'approval';
  /** 1 where every use has to be approved. */
  readonly asks: 0 | 1;
  readonly created_at: Instant;
  readonly revoked_at: Instant | null;
  readonly uses: number;
  readonly recent: string | null;
}

export type NewGrant = Omit<GrantRow, 'revoked_at' | 'uses' | 'recent'>;

const columns =
  'id, principal, capability, parent, granted_by, origin, asks, created_at, revoked_at, uses, recent';

export async function insertGrant(tx: Transaction, grant: NewGrant): Promise<void> {
  await tx.run(
    `insert into grants (id, principal, capability, parent, granted_by, origin, asks, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      grant.id,
      grant.principal,
      grant.capability,
      grant.parent,
      grant.granted_by,
      grant.origin,
      grant.asks,
      grant.created_at,
    ],
  );
}

export function findGrant(sql: Sql, id: string): Promise<GrantRow | undefined> {
  return sql.get(`select ${columns} from grants where id = $1`, [id]);
}

/** The ids that begin so. */
export async function grantIdsFrom(sql: Sql, start: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    'select id from grants where id >= $1 and id < $2 order by id limit $3',
    [start, `${start}g`, limit],
  );
  return rows.map(({ id }) => id);
}

/** What a principal holds that was not revoked itself; what is above it may have been. */
export function grantsHeldBy(sql: Sql, principal: string): Promise<GrantRow[]> {
  return sql.all(
    `select ${columns} from grants where principal = $1 and revoked_at is null order by id`,
    [principal],
  );
}

/** Everything above what a principal holds, the nearest not first. */
export function grantsAbove(sql: Sql, principal: string): Promise<GrantRow[]> {
  return sql.all(
    `with recursive above (id) as (
       select parent from grants
         where principal = $1 and revoked_at is null and parent is not null
       union
       select g.parent from grants g join above a on g.id = a.id where g.parent is not null)
     select ${columns} from grants where id in (select id from above)`,
    [principal],
  );
}

/** A grant and what is above it, itself first. */
export async function grantChain(sql: Sql, id: string): Promise<GrantRow[]> {
  const chain: GrantRow[] = [];
  for (let next: string | null = id; next !== null; ) {
    const row: GrantRow | undefined = await findGrant(sql, next);
    if (row === undefined) throw new Error('a grant that was delegated has lost its parent');
    chain.push(row);
    next = row.parent;
  }
  return chain;
}

export interface GrantPage {
  readonly principal?: string | undefined;
  /** Only ids behind this one. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Those that were revoked too. */
  readonly all?: boolean | undefined;
}

export function listGrants(
  sql: Sql,
  { principal, after = '', limit, all = false }: GrantPage,
): Promise<GrantRow[]> {
  const whose = principal === undefined ? '' : 'and principal = $3';
  const which = all ? '' : 'and revoked_at is null';
  return sql.all(
    `select ${columns} from grants where id > $1 ${whose} ${which} order by id limit $2`,
    principal === undefined ? [after, limit] : [after, limit, principal],
  );
}

/** What a principal was given last, also what was revoked. */
export function newestGrants(sql: Sql, principal: string, limit: number): Promise<GrantRow[]> {
  return sql.all(`select ${columns} from grants where principal = $1 order by id desc limit $2`, [
    principal,
    limit,
  ]);
}

/** How many a principal has delegated that were not revoked, or only since then. */
export async function countDelegatedBy(
  sql: Sql,
  principal: string,
  since: Instant,
): Promise<number> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from grants g join grants p on g.parent = p.id
     where p.principal = $1 and (g.revoked_at is null or g.revoked_at > $2)`,
    [principal, since],
  );
  return must(row, 'the count').count;
}

/** Grants on memories that a principal has given on, or that any has; the newest first. */
export function memoryShares(
  sql: Sql,
  giver: string | undefined,
  limit: number,
): Promise<GrantRow[]> {
  return sql.all(
    `select ${columns} from grants
     where origin = 'delegation' and parent is null and capability like 'memory:%'
       and revoked_at is null and ($1 is null or granted_by = $1)
     order by id desc limit $2`,
    [giver ?? null, limit],
  );
}

/** False when it was revoked before. */
export async function markRevoked(tx: Transaction, id: string, now: Instant): Promise<boolean> {
  const changed = await tx.run(
    'update grants set revoked_at = $2 where id = $1 and revoked_at is null',
    [id, now],
  );
  return changed === 1;
}

/** Everything below a grant goes with it; resolves to their ids. */
export async function markRevokedBelow(
  tx: Transaction,
  id: string,
  now: Instant,
): Promise<readonly string[]> {
  const rows = await tx.all<{ id: string }>(
    `with recursive below (id) as (
       select id from grants where parent = $1
       union
       select g.id from grants g join below b on g.parent = b.id)
     update grants set revoked_at = $2
     where revoked_at is null and id in (select id from below) returning id`,
    [id, now],
  );
  return rows.map((row) => row.id);
}

/** Rows of grants that were revoked before then, and that nothing rests on; tells how many. */
export function deleteGrantsBefore(
  tx: Transaction,
  before: Instant,
  limit: number,
): Promise<number> {
  return tx.run(
    `delete from grants where id in (
       select id from grants g where revoked_at < $1
         and not exists (select 1 from grants c where c.parent = g.id)
       limit $2)`,
    [before, limit],
  );
}

export async function isRevoked(sql: Sql, id: string): Promise<boolean> {
  const row = await sql.get('select 1 from grants where id = $1 and revoked_at is null', [id]);
  return row === undefined;
}

export interface GrantUses {
  readonly uses: number;
  readonly recent: string | null;
}

export async function usesOf(sql: Sql, id: string): Promise<GrantUses> {
  const row = await sql.get<GrantUses>('select uses, recent from grants where id = $1', [id]);
  if (row === undefined) throw new Error('a grant that is counted is not there');
  return row;
}

/** So many more uses; `recent` is what is to be known of the latest ones. */
export async function addUses(
  tx: Transaction,
  id: string,
  { more, recent }: { readonly more: number; readonly recent: string | null },
): Promise<void> {
  await tx.run('update grants set uses = uses + $2, recent = $3 where id = $1', [id, more, recent]);
}

/** Whether a principal holds anything of a resource that was not revoked. */
export async function holdsAny(sql: Sql, principal: string, resource: string): Promise<boolean> {
  const row = await sql.get(
    `select 1 from grants where principal = $1 and revoked_at is null
       and substr(capability, 1, length($2)) = $2 limit 1`,
    [principal, `${resource}:`],
  );
  return row !== undefined;
}
