/** Timers as rows: they go off after a restart too, and each firing counts once. */
import type { Instant } from '../kernel/ports.ts';
import type { Sql, Transaction } from './ledger.ts';

export interface Timer {
  readonly id: string;
  /** Which code it is for. */
  readonly kind: string;
  readonly subject: string;
  /** JSON. */
  readonly payload: string;
  readonly due_at: Instant;
  /** How often it comes again; null for once. */
  readonly every_ms: number | null;
}

/** Sets a timer, or sets it anew when there is one of that id. */
export async function setTimer(tx: Transaction, timer: Timer, now: Instant): Promise<void> {
  await tx.run(
    `insert into timers (id, kind, subject, payload, due_at, every_ms, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do update set kind = excluded.kind, subject = excluded.subject,
       payload = excluded.payload, due_at = excluded.due_at, every_ms = excluded.every_ms`,
    [timer.id, timer.kind, timer.subject, timer.payload, timer.due_at, timer.every_ms, now],
  );
}

/** Sets a timer unless there is one of that id. */
export async function setTimerOnce(tx: Transaction, timer: Timer, now: Instant): Promise<void> {
  await tx.run(
    `insert into timers (id, kind, subject, payload, due_at, every_ms, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing`,
    [timer.id, timer.kind, timer.subject, timer.payload, timer.due_at, timer.every_ms, now],
  );
}

export async function removeTimer(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.run('delete from timers where id = $1', [id])) === 1;
}

export interface DuePage {
  readonly now: Instant;
  readonly limit: number;
  /** Only those behind this one in their order. */
  readonly after?: Pick<Timer, 'due_at' | 'id'> | undefined;
}

/**
 * The timers that have come due, the longest overdue first. One that comes again and is
 * further ahead than its own pace was set by a clock that has been put back since.
 */
export function dueTimers(sql: Sql, { now, limit, after }: DuePage): Promise<Timer[]> {
  const { due_at, id } = after ?? { due_at: Number.MIN_SAFE_INTEGER, id: '' };
  return sql.all(
    `select id, kind, subject, payload, due_at, every_ms from timers
     where (due_at <= $1 or due_at > $1 + every_ms)
       and (due_at > $3 or (due_at = $3 and id > $4))
     order by due_at, id limit $2`,
    [now, limit, due_at, id],
  );
}

/** When the next timer is due; undefined when there is none. */
export async function nextDue(sql: Sql): Promise<Instant | undefined> {
  const row = await sql.get<{ due_at: Instant }>(
    'select due_at from timers order by due_at limit 1',
  );
  return row?.due_at;
}

/**
 * Takes one firing of a timer, in the transaction that does what it is for. False when it has been
 * taken, moved or removed meanwhile. One that comes again is set to the next moment that lies
 * ahead: what was missed while no daemon ran is one firing, not many.
 */
export async function takeFiring(tx: Transaction, timer: Timer, now: Instant): Promise<boolean> {
  if (timer.every_ms === null) {
    const removed = await tx.run('delete from timers where id = $1 and due_at = $2', [
      timer.id,
      timer.due_at,
    ]);
    return removed === 1;
  }
  const since = Math.min(timer.due_at, now);
  const missed = Math.floor((now - since) / timer.every_ms);
  const next = since + (missed + 1) * timer.every_ms;
  const moved = await tx.run('update timers set due_at = $3 where id = $1 and due_at = $2', [
    timer.id,
    timer.due_at,
    next,
  ]);
  return moved === 1;
}
