/** Who has seen which memory, so that a purge can erase it there too; and which have changed. */

import type { MemoryScope } from '../../kernel/memory/memory.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

/** Notes that a user has seen these memories, once each however often it sees them. */
export async function noteMemoryUses(
  tx: Transaction,
  ids: readonly number[],
  user: string,
): Promise<void> {
  await tx.run(
    `insert into memory_uses (memory, user) select value, $2 from json_each($1)
     where true on conflict do nothing`,
    [JSON.stringify(ids), user],
  );
}

/** What is copied from one has been seen by the other. */
export async function copyMemoryUses(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.run(
    `insert into memory_uses (memory, user) select memory, $2 from memory_uses where user = $1
     on conflict do nothing`,
    [from, to],
  );
}

export async function dropMemoryUses(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.run('delete from memory_uses where memory in (select value from json_each($1))', [
    JSON.stringify(ids),
  ]);
}

/** Who has seen them, with where they came from. */
export async function usersOfMemories(sql: Sql, ids: readonly number[]): Promise<string[]> {
  const rows = await sql.all<{ user: string }>(
    `select user from memory_uses where memory in (select value from json_each($1))
     union select source from memories where id in (select value from json_each($1))
     order by 1`,
    [JSON.stringify(ids)],
  );
  return rows.map(({ user }) => user);
}

/** In place of a memory: what a purge has yet to erase. */
const debts = 0;

/** A user that has seen what was purged, and could not be dealt with yet. */
export async function keepPurgeDebt(tx: Transaction, user: string): Promise<void> {
  await noteMemoryUses(tx, [debts], user);
}

export async function isToBePurged(sql: Sql, operation: string): Promise<boolean> {
  const user = `operation:${operation}`;
  const found = await sql.get('select 1 from memory_uses where memory = $1 and user = $2', [
    debts,
    user,
  ]);
  return found !== undefined;
}

export function purgeDebts(sql: Sql): Promise<string[]> {
  return usersOfMemories(sql, [debts]);
}

export async function settlePurgeDebt(tx: Transaction, user: string): Promise<void> {
  await tx.run('delete from memory_uses where memory = $1 and user = $2', [debts, user]);
}

// What the search index of memories has yet to hear of: the changes of memories, numbered.

/** Only the last change of each is kept. */
export async function noteMemoryChange(tx: Transaction, id: number): Promise<void> {
  await tx.run('delete from memory_changes where memory = $1', [id]);
  await noteNewMemory(tx, id);
}

/** Of a memory that the index has not heard of before. */
export async function noteNewMemory(tx: Transaction, id: number): Promise<void> {
  await tx.run('insert into memory_changes (memory) values ($1)', [id]);
}

/** What the search index wants to know of one. */
export interface ChangedMemory {
  readonly id: number;
  readonly owner: string;
  readonly scope: MemoryScope;
  readonly key: string;
  readonly value: string;
  readonly is_json: 0 | 1;
  /** JSON. */
  readonly tags: string;
  readonly thread: string | null;
  readonly valid_from: Instant;
  readonly valid_to: Instant | null;
  readonly expires_at: Instant | null;
  readonly forgotten_at: Instant | null;
}

export interface MemoryChange {
  readonly seq: number;
  readonly id: number;
  /** Undefined where it is gone. */
  readonly row: ChangedMemory | undefined;
}

/** What the search index has yet to hear of, in order. */
export async function memoryChanges(
  sql: Sql,
  after: number,
  limit: number,
): Promise<MemoryChange[]> {
  const rows = await sql.all<{ seq: number; memory: number; id: number | null } & ChangedMemory>(
    `select c.seq, c.memory, m.id, m.owner, m.scope, m.key, m.value, m.is_json, m.tags, m.thread,
       m.valid_from, m.valid_to, m.expires_at, m.forgotten_at
     from memory_changes c left join memories m on m.id = c.memory
     where c.seq > $1 order by c.seq limit $2`,
    [after, limit],
  );
  return rows.map((row) => ({
    ...{ seq: row.seq, id: row.memory },
    row: row.id === null ? undefined : row,
  }));
}

/** The number of the last one; 0 without any. */
export async function lastMemoryChange(sql: Sql): Promise<number> {
  const row = await sql.get<{ seq: number | null }>('select max(seq) as seq from memory_changes');
  return row?.seq ?? 0;
}
