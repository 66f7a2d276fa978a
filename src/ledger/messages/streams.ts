/** Streams of chunks: which chunk comes next, and how many lie unread. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface StreamId {
  readonly sender: string;
  readonly recipient: string;
  readonly thread: string;
}

export interface StreamRow {
  readonly next_chunk: number;
  readonly unread: number;
  readonly ended_at: Instant | null;
}

export function findStream(sql: Sql, id: StreamId): Promise<StreamRow | undefined> {
  return sql.get(
    `select next_chunk, unread, ended_at from streams
     where sender = $1 and recipient = $2 and thread = $3`,
    [id.sender, id.recipient, id.thread],
  );
}

/** Goes on by one chunk; false when that chunk is not the next one. */
export async function advanceStream(
  tx: Transaction,
  id: StreamId,
  { chunk, end, at }: { readonly chunk: number; readonly end: boolean; readonly at: Instant },
): Promise<boolean> {
  const endedAt = end ? at : null;
  const changed =
    chunk === 0
      ? await tx.run(
          `insert into streams (sender, recipient, thread, next_chunk, unread, ended_at, updated_at)
           values ($1, $2, $3, 1, 1, $4, $5) on conflict do nothing`,
          [id.sender, id.recipient, id.thread, endedAt, at],
        )
      : await tx.run(
          `update streams set next_chunk = next_chunk + 1, unread = unread + 1, ended_at = $5,
             updated_at = $6
           where sender = $1 and recipient = $2 and thread = $3 and next_chunk = $4
             and ended_at is null`,
          [id.sender, id.recipient, id.thread, chunk, endedAt, at],
        );
  return changed === 1;
}

/** One chunk fewer is unread. */
export async function drainStream(tx: Transaction, id: StreamId): Promise<void> {
  await tx.run(
    `update streams set unread = unread - 1
     where sender = $1 and recipient = $2 and thread = $3 and unread > 0`,
    [id.sender, id.recipient, id.thread],
  );
}

export function pruneStreams(tx: Transaction, before: Instant): Promise<number> {
  return tx.run('delete from streams where updated_at < $1 and unread = 0', [before]);
}
