/** Subscriptions to types of events. They outlive whoever listens. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

export interface SubscriptionRow {
  readonly id: number;
  readonly agent: string;
  readonly event_type: string;
  /** The last message that its subscriber has worked off. */
  readonly cursor: number;
}

/** The subscription, made when there is none yet. */
export async function subscribe(
  tx: Transaction,
  {
    agent,
    eventType,
    at,
  }: { readonly agent: string; readonly eventType: string; readonly at: Instant },
): Promise<SubscriptionRow & { readonly isNew: boolean }> {
  const made = await tx.run(
    `insert into subscriptions (agent, event_type, cursor, created_at)
     values ($1, $2, (select coalesce(max(id), 0) from messages), $3) on conflict do nothing`,
    [agent, eventType, at],
  );
  const row = await tx.get<SubscriptionRow>(
    'select id, agent, event_type, cursor from subscriptions where agent = $1 and event_type = $2',
    [agent, eventType],
  );
  if (row === undefined) throw new Error('the new subscription is not there');
  return { ...row, isNew: made === 1 };
}

/** The id of the subscription that is gone now; undefined when there was none. */
export async function unsubscribe(
  tx: Transaction,
  agent: string,
  eventType: string,
): Promise<number | undefined> {
  const row = await tx.get<{ id: number }>(
    'delete from subscriptions where agent = $1 and event_type = $2 returning id',
    [agent, eventType],
  );
  return row?.id;
}

export function subscriptionsOf(sql: Sql, agent: string): Promise<SubscriptionRow[]> {
  return sql.all(
    'select id, agent, event_type, cursor from subscriptions where agent = $1 order by event_type',
    [agent],
  );
}

/** All there are, by agent. */
export function allSubscriptions(sql: Sql): Promise<SubscriptionRow[]> {
  return sql.all('select id, agent, event_type, cursor from subscriptions order by agent, id');
}

/** Never back. */
export async function advanceCursor(tx: Transaction, id: number, cursor: number): Promise<void> {
  await tx.run('update subscriptions set cursor = $2 where id = $1 and cursor < $2', [id, cursor]);
}
