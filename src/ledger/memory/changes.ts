/** What the search index of memories has yet to hear of: the changes of memories, numbered. */
import type { MemoryScope } from '../../kernel/memory/memory.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

/** Only the last change of each is kept. */
export async function noteMemoryChange(tx: Transaction, id: number): Promise<void> {
  await tx.run('delete from memory_changes where memory = $1', [id]);
  await noteNewMemory(tx, id);
}

/** Of one that nobody has heard of before. */
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
