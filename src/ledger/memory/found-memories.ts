/** What a search has to know of memories, without what they say, which may be long. */
import type { MemoryKey } from '../../kernel/memory/memory.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql } from '../ledger.ts';
import { newestCountingAt } from './memories.ts';

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

export interface FoundMemory extends MemoryKey {
  readonly id: number;
  readonly author: string;
}

/** Of these, those that count now. */
export function foundMemories(
  sql: Sql,
  ids: readonly number[],
  now: Instant,
): Promise<FoundMemory[]> {
  return sql.all(
    `select id, owner, scope, key, author from memories
     where id in (select value from json_each($1)) and ${newestCountingAt(2)}`,
    [JSON.stringify(ids), now, null],
  );
}
