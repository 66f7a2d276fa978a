/** Work of several steps that was begun: what is not completed is taken up after a crash. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface PendingOperation {
  readonly id: number;
  readonly operation_type: string;
  /** JSON. */
  readonly payload: string;
  readonly created_at: Instant;
  readonly completed_at: Instant | null;
}

export async function addPendingOperation(
  tx: Transaction,
  operation: { readonly type: string; readonly payload: unknown; readonly at: Instant },
): Promise<number> {
  const row = await tx.get<{ id: number }>(
    `insert into pending_operations (operation_type, payload, created_at)
     values ($1, $2, $3) returning id`,
    [operation.type, JSON.stringify(operation.payload), operation.at],
  );
  if (row === undefined) throw new Error('the new operation was not given an id');
  return row.id;
}

/** The oldest ones that are not completed, of one type where that is said. */
export function openPendingOperations(
  sql: Sql,
  limit: number,
  type?: string,
): Promise<PendingOperation[]> {
  return sql.all(
    `select id, operation_type, payload, created_at, completed_at from pending_operations
     where completed_at is null and ($2 is null or operation_type = $2) order by id limit $1`,
    [limit, type ?? null],
  );
}

/** As it is now: JSON. Undefined where it is completed. */
export async function payloadOf(sql: Sql, id: number): Promise<string | undefined> {
  const row = await sql.get<{ payload: string }>(
    'select payload from pending_operations where id = $1 and completed_at is null',
    [id],
  );
  return row?.payload;
}

/** The spawns and releases that are not done, the oldest first. */
export function openRequests(
  sql: Sql,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PendingOperation[]> {
  return sql.all(
    `select id, operation_type, payload, created_at, completed_at from pending_operations
     where completed_at is null and operation_type in ('spawn', 'release') and id > $1
     order by id limit $2`,
    [after, limit],
  );
}

/** False when it was completed already. What was to be done is not kept. */
export async function completePendingOperation(
  tx: Transaction,
  id: number,
  at: Instant,
): Promise<boolean> {
  const changed = await tx.run(
    `update pending_operations set completed_at = $2, payload = '{}'
     where id = $1 and completed_at is null`,
    [id, at],
  );
  return changed === 1;
}
