/** Subscriptions to types of events, which outlive the connection that listens; channels; streams. */
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

// Who is in which channel.

/** False when the agent is in it already. */
export async function joinChannel(
  tx: Transaction,
  {
    channel,
    agent,
    at,
  }: { readonly channel: string; readonly agent: string; readonly at: Instant },
): Promise<boolean> {
  const joined = await tx.run(
    `insert into channel_members (channel, agent, joined_at) values ($1, $2, $3)
     on conflict do nothing`,
    [channel, agent, at],
  );
  return joined === 1;
}

/** False when the agent was not in it. */
export async function leaveChannel(
  tx: Transaction,
  channel: string,
  agent: string,
): Promise<boolean> {
  const left = await tx.run('delete from channel_members where channel = $1 and agent = $2', [
    channel,
    agent,
  ]);
  return left === 1;
}

/** Those of its members that are active. */
export async function activeMembers(sql: Sql, channel: string): Promise<string[]> {
  const rows = await sql.all<{ agent: string }>(
    `select agent from channel_members join agents on name = agent
     where channel = $1 and status = 'active' order by agent`,
    [channel],
  );
  return rows.map(({ agent }) => agent);
}

export function allMembers(sql: Sql): Promise<{ channel: string; agent: string }[]> {
  return sql.all('select channel, agent from channel_members order by channel, agent');
}

// Streams of chunks: which chunk comes next, and how many lie unread.

interface StreamId {
  readonly sender: string;
  readonly recipient: string;
  readonly thread: string;
}

interface StreamRow {
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
