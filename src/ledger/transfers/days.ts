/** Transfers counted by the day. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql } from '../ledger.ts';

export interface TransferDay {
  /** Since 1970, in UTC. */
  readonly day: number;
  readonly count: number;
  readonly bytes: number;
  readonly failed: number;
  readonly saved: number;
}

/** The oldest first. What was saved counts once for all that was sent together. */
export function transferDays(
  sql: Sql,
  { sender, since }: { readonly sender: string | undefined; readonly since: Instant },
): Promise<TransferDay[]> {
  return sql.all(
    `select day, sum(count) as count, sum(bytes) as bytes, sum(failed) as failed,
       sum(saved) as saved
     from (
       select created_at / 86400000 as day, count(*) as count, sum(file_size_bytes) as bytes,
         sum(status = 'failed') as failed, max(saved_bytes) as saved
       from agent_transfers
       where created_at >= $1 and ($2 is null or sender = $2) group by batch)
     group by day order by day`,
    [since, sender ?? null],
  );
}
