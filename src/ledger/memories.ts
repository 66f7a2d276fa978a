/** What agents remember: every version is kept, the newest counts. */
import type { Instant } from '../kernel/ports.ts';
import type { Sql, Transaction } from './ledger.ts';

export type MemoryScope = 'context' | 'working' | 'long-term' | 'shared';

export interface MemoryKey {
  readonly owner: string;
  readonly scope: MemoryScope;
  readonly key: string;
}

/** Tells which version this is, from 1. */
export async function storeMemory(
  tx: Transaction,
  { owner, scope, key }: MemoryKey,
  memory: { readonly value: string; readonly source: string; readonly at: Instant },
): Promise<number> {
  await tx.run(
    `update memories set superseded_at = $4
     where owner = $1 and scope = $2 and key = $3 and superseded_at is null`,
    [owner, scope, key, memory.at],
  );
  const row = await tx.get<{ version: number }>(
    `insert into memories (owner, scope, key, version, value, created_at, source)
     values ($1, $2, $3,
       (select coalesce(max(version), 0) + 1 from memories
        where owner = $1 and scope = $2 and key = $3), $4, $5, $6)
     returning version`,
    [owner, scope, key, memory.value, memory.at, memory.source],
  );
  if (row === undefined) throw new Error('the new memory was not given a version');
  return row.version;
}

export function findMemory(
  sql: Sql,
  { owner, scope, key }: MemoryKey,
): Promise<{ readonly value: string; readonly version: number } | undefined> {
  return sql.get(
    `select value, version from memories
     where owner = $1 and scope = $2 and key = $3 and superseded_at is null`,
    [owner, scope, key],
  );
}

/** The version that came from this source; undefined when none did. */
export async function findMemoryFrom(
  sql: Sql,
  { owner, scope, key }: MemoryKey,
  source: string,
): Promise<number | undefined> {
  const row = await sql.get<{ version: number }>(
    `select version from memories
     where owner = $1 and scope = $2 and key = $3 and source = $4`,
    [owner, scope, key, source],
  );
  return row?.version;
}
