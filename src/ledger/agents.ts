import type { Instant } from '../kernel/ports.ts';
import type { Sql, Transaction } from './ledger.ts';

/** Whether it is here. */
export type AgentStatus = 'active' | 'inactive' | 'terminated';
/** How its life goes. */
export type AgentState = 'pending' | 'running' | 'paused' | 'completed' | 'failed' | 'terminated';
export type AgentBody = 'model' | 'command' | 'guest';

export interface AgentRow {
  readonly name: string;
  readonly registered_at: Instant;
  readonly last_seen_at: Instant | null;
  readonly pid: number | null;
  readonly status: AgentStatus;
  readonly state: AgentState;
  readonly body: AgentBody;
  /** Of its key; null when the agent has no principal, which only a damaged ledger has. */
  readonly address: string | null;
}

export type NewAgent = Pick<AgentRow, 'name' | 'registered_at' | 'status' | 'state' | 'body'>;

const withAddress = `
  select name, registered_at, last_seen_at, pid, status, state, body, address
  from agents left join principals on id = 'agent:' || name`;

/** False when the name, or one that differs in case only, is taken. */
export async function insertAgent(tx: Transaction, agent: NewAgent): Promise<boolean> {
  const inserted = await tx.run(
    `insert into agents (name, registered_at, status, state, body)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [agent.name, agent.registered_at, agent.status, agent.state, agent.body],
  );
  return inserted === 1;
}

export function findAgent(sql: Sql, name: string): Promise<AgentRow | undefined> {
  return sql.get(`${withAddress} where name = $1`, [name]);
}

/** The agent of that name, however its large and small letters are spelt. */
export function findAgentInAnyCase(sql: Sql, name: string): Promise<AgentRow | undefined> {
  return sql.get(`${withAddress} where lower(name) = lower($1)`, [name]);
}

export interface AgentPage {
  /** Only names that come later; the last one of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export function listAgents(sql: Sql, { after = '', limit }: AgentPage): Promise<AgentRow[]> {
  return sql.all(`${withAddress} where name > $1 order by name limit $2`, [after, limit]);
}

const pageAgents = 500;

/** All of them by name, a page at a time. */
export async function* everyAgent(sql: Sql): AsyncGenerator<AgentRow, void, void> {
  let after = '';
  for (;;) {
    const page = await listAgents(sql, { after, limit: pageAgents });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.name;
  }
}

/** Only whether it is here, for who asks often; undefined when there is none of that name. */
export async function presenceOf(sql: Sql, name: string): Promise<AgentStatus | undefined> {
  const row = await sql.get<{ status: AgentStatus }>('select status from agents where name = $1', [
    name,
  ]);
  return row?.status;
}

/** The names of those that are here. */
export async function activeAgentNames(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    `select name from agents where status = 'active' order by name`,
  );
  return rows.map(({ name }) => name);
}

export interface AgentCounts {
  readonly active: number;
  readonly total: number;
}

export async function countAgents(sql: Sql): Promise<AgentCounts> {
  const row = await sql.get<AgentCounts>(
    `select count(*) as total, count(case when status = 'active' then 1 end) as active from agents`,
  );
  return row ?? { active: 0, total: 0 };
}

/** False when the agent is not, or no longer, in the status that it is to leave. */
export async function changeStatus(
  tx: Transaction,
  name: string,
  { from, to }: { readonly from: AgentStatus; readonly to: AgentStatus },
): Promise<boolean> {
  const changed = await tx.run('update agents set status = $3 where name = $1 and status = $2', [
    name,
    from,
    to,
  ]);
  return changed === 1;
}

/** Whatever it was; false when there is no such agent. */
export async function setPresence(
  tx: Transaction,
  name: string,
  status: AgentStatus,
): Promise<boolean> {
  return (await tx.run('update agents set status = $2 where name = $1', [name, status])) === 1;
}

/**
 * It was seen to do something. Tells its status, when that is news: the moment is later than
 * the last one, or it was taken for inactive. The moment never moves back, so that a late
 * report does not make an agent look silent.
 */
export async function seeAgent(
  tx: Transaction,
  name: string,
  at: Instant,
): Promise<AgentStatus | undefined> {
  const row = await tx.get<{ status: AgentStatus }>(
    `update agents set last_seen_at = max(coalesce(last_seen_at, 0), $2)
     where name = $1 and (last_seen_at is null or last_seen_at < $2 or status = 'inactive')
     returning status`,
    [name, at],
  );
  return row?.status;
}

export type GuestRow = Pick<AgentRow, 'name' | 'status' | 'last_seen_at' | 'registered_at' | 'pid'>;

/** The guests that were not terminated. */
export function guestsHere(sql: Sql): Promise<GuestRow[]> {
  return sql.all(
    `select name, status, last_seen_at, registered_at, pid from agents
     where body = 'guest' and status <> 'terminated' order by name`,
  );
}

export async function lastSeenAt(sql: Sql, name: string): Promise<Instant | null | undefined> {
  const row = await sql.get<{ last_seen_at: Instant | null }>(
    'select last_seen_at from agents where name = $1',
    [name],
  );
  return row?.last_seen_at;
}

/** Null when it no longer runs as a process of this machine. */
export async function setPid(tx: Transaction, name: string, pid: number | null): Promise<boolean> {
  return (await tx.run('update agents set pid = $2 where name = $1', [name, pid])) === 1;
}
