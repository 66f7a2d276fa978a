/** Who is in which channel. */
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';

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
