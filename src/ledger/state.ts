/** `orchestrator_state`: single values that the daemon must find again. */
import type { Instant } from '../kernel/ports.ts';
import type { Sql } from './ledger.ts';

export async function readState(sql: Sql, key: string): Promise<string | undefined> {
  const row = await sql.get<{ value: string | null }>(
    'select value from orchestrator_state where key = $1',
    [key],
  );
  return row?.value ?? undefined;
}

export async function writeState(
  sql: Sql,
  key: string,
  value: string,
  now: Instant,
): Promise<void> {
  await sql.run(
    `insert into orchestrator_state (key, value, updated_at) values ($1, $2, $3)
     on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [key, value, now],
  );
}

/** Changes a value only from what it was seen to be; tells whether it did. */
export async function replaceState(
  sql: Sql,
  key: string,
  change: { readonly from: string; readonly to: string; readonly at: Instant },
): Promise<boolean> {
  const changed = await sql.run(
    'update orchestrator_state set value = $3, updated_at = $4 where key = $1 and value = $2',
    [key, change.from, change.to, change.at],
  );
  return changed === 1;
}

/** Under keys that begin so, in their order. */
export function statesBelow(
  sql: Sql,
  prefix: string,
  limit: number,
): Promise<{ key: string; value: string | null }[]> {
  return sql.all(
    `select key, value from orchestrator_state
     where substr(key, 1, length($1)) = $1 and key > $1 order by key limit $2`,
    [prefix, limit],
  );
}

export async function removeState(sql: Sql, key: string): Promise<void> {
  await sql.run('delete from orchestrator_state where key = $1', [key]);
}
