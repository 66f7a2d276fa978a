/** What a search has to know of memories, without what they say, which may be long. */
import type { Instant } from '../kernel/ports.ts';
import type { Sql } from './ledger.ts';

/** When each was stored, by its id. */
export async function storingTimes(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Instant>> {
  const rows = await sql.all<{ id: number; created_at: Instant }>(
    'select id, created_at from memories where id in (select value from json_each($1))',
    [JSON.stringify(ids)],
  );
  return new Map(rows.map(({ id, created_at }) => [id, created_at]));
}
