/** The table `agents`: who there is, in which state, and how each is made. */
import type { AgentState } from '../kernel/agent/agent.ts';
import { must } from '../kernel/must.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Sql, Transaction } from './ledger.ts';

/** Whether it is here. */
export type AgentStatus = 'active' | 'inactive' | 'terminated';
export type AgentBody = 'model' | 'command' | 'guest';

export interface AgentRow {
  readonly name: string;
  readonly registered_at: Instant;
  readonly last_seen_at: Instant | null;
  readonly pid: number | null;
  readonly status: AgentStatus;
  readonly state: AgentState;
  readonly body: AgentBody;
  readonly parent: string | null;
  /** The principal that spawned it. */
  readonly spawned_by: string | null;
  readonly state_at: Instant | null;
  /** Why it is in its state. */
  readonly reason: string | null;
  readonly health: 'frozen' | null;
  /** Of its key; null when the agent has no principal, which only a damaged ledger has. */
  readonly address: string | null;
}

export type NewAgent = Pick<AgentRow, 'name' | 'registered_at' | 'status' | 'state' | 'body'>;

const withAddress = `
  select name, registered_at, last_seen_at, pid, status, state, body, parent, spawned_by, state_at,
    reason, health, address
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

/** An agent with what a list shows besides. */
export interface ListedAgent extends AgentRow {
  /** Of an agent that runs on one. */
  readonly model: string | null;
  /** Whether the wall is around its program; null for one that has none. */
  readonly sandbox: 'on' | 'off' | null;
  /** What it has used so far; the cost in millionths of a dollar. */
  readonly tokens: number;
  readonly cost: number;
}

const withUse = `
  select a.name, registered_at, last_seen_at, pid, status, state, body, parent, spawned_by,
    state_at, reason, health, address,
    case when json_valid(spec) then json_extract(spec, '$.model') end as model,
    case when body = 'command' and json_valid(spec)
      then case when json_extract(spec, '$.unsandboxed') = 1 then 'off' else 'on' end
    end as sandbox,
    coalesce(tokens_used, 0) as tokens, coalesce(cost_used, 0) as cost
  from agents a
    left join principals p on p.id = 'agent:' || a.name
    left join budgets b on b.id = 'agent:' || a.name`;

export function listAgents(sql: Sql, { after = '', limit }: AgentPage): Promise<ListedAgent[]> {
  return sql.all(`${withUse} where a.name > $1 order by a.name limit $2`, [after, limit]);
}

export function findListedAgent(sql: Sql, name: string): Promise<ListedAgent | undefined> {
  return sql.get(`${withUse} where a.name = $1`, [name]);
}

const pageAgents = 500;

/** All of them by name, a page at a time. */
export async function* everyAgent(sql: Sql): AsyncGenerator<AgentRow, void, void> {
  let after = '';
  for (;;) {
    const page: AgentRow[] = await sql.all(
      `${withAddress} where name > $1 order by name limit $2`,
      [after, pageAgents],
    );
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

export type GuestRow = Pick<
  AgentRow,
  'name' | 'status' | 'last_seen_at' | 'registered_at' | 'pid'
> & {
  /** 1 where it tells by heartbeats that it is there. */
  readonly beats: 0 | 1;
};

/** The guests that were not terminated. */
export function guestsHere(sql: Sql): Promise<GuestRow[]> {
  return sql.all(
    `select name, status, last_seen_at, registered_at, pid, beats from agents
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

/** Of an agent that was spawned: what it is made of, and what it runs as. JSON or null. */
export interface AgentInnards {
  /** kernel/agent/agent.ts */
  readonly spec: string | null;
  /** kernel/programs.ts, ProgramRecord */
  readonly program: string | null;
  /** The moments of its latest restarts. */
  readonly restarts: string | null;
}

export function agentInnards(sql: Sql, name: string): Promise<AgentInnards | undefined> {
  return sql.get('select spec, program, restarts from agents where name = $1', [name]);
}

export interface StateChange {
  readonly from: readonly AgentState[];
  readonly to: AgentState;
  readonly reason: string | null;
  readonly at: Instant;
}

/** False when the agent is in none of the states that it is to leave. */
export async function changeState(
  tx: Transaction,
  name: string,
  { from, to, reason, at }: StateChange,
): Promise<boolean> {
  const places = from.map((_, place) => `$${place + 5}`).join(', ');
  const changed = await tx.run(
    `update agents set state = $2, reason = $3, state_at = $4, health = null
     where name = $1 and state in (${places})`,
    [name, to, reason, at, ...from],
  );
  return changed === 1;
}

export async function setProgram(
  tx: Transaction,
  name: string,
  { program, pid }: { readonly program: string | null; readonly pid: number | null },
): Promise<boolean> {
  const changed = await tx.run('update agents set program = $2, pid = $3 where name = $1', [
    name,
    program,
    pid,
  ]);
  return changed === 1;
}

export async function setRestarts(tx: Transaction, name: string, restarts: string): Promise<void> {
  await tx.run('update agents set restarts = $2 where name = $1', [name, restarts]);
}

/** False when it was so already. */
export async function setHealth(
  tx: Transaction,
  name: string,
  health: AgentRow['health'],
): Promise<boolean> {
  const changed = await tx.run(
    `update agents set health = $2 where name = $1 and coalesce(health, '') <> coalesce($2, '')`,
    [name, health],
  );
  return changed === 1;
}

export interface SpawnFacts {
  /** JSON: kernel/agent/agent.ts */
  readonly spec: string;
  readonly spawned_by: string;
  readonly parent: string | null;
  readonly spawn_key: string | null;
  readonly state_at: Instant;
}

export async function setSpawned(tx: Transaction, name: string, facts: SpawnFacts): Promise<void> {
  await tx.run(
    `update agents set spec = $2, spawned_by = $3, parent = $4, spawn_key = $5, state_at = $6,
       reason = null, restarts = null, program = null where name = $1`,
    [name, facts.spec, facts.spawned_by, facts.parent, facts.spawn_key, facts.state_at],
  );
}

/** The agent that this call has spawned. */
export async function agentOfSpawnKey(
  sql: Sql,
  { spawnKey, name, by }: { readonly spawnKey: string; readonly name: string; readonly by: string },
): Promise<string | undefined> {
  const row = await sql.get<{ name: string }>(
    'select name from agents where name = $1 and spawned_by = $2 and spawn_key = $3',
    [name, by, spawnKey],
  );
  return row?.name;
}

/** The names of those that run on a model. */
export async function modelAgentNames(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(`select name from agents where body = 'model'`);
  return rows.map(({ name }) => name);
}

/** The children of an agent, by name. */
export async function childrenOf(sql: Sql, parent: string): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    'select name from agents where parent = $1 order by name',
    [parent],
  );
  return rows.map(({ name }) => name);
}

export interface CommandAgent extends Pick<AgentRow, 'name' | 'state'> {
  readonly program: string | null;
}

/** The command agents that are not over, in the order in which they came into their states. */
export function commandAgents(sql: Sql): Promise<CommandAgent[]> {
  return sql.all(
    `select name, state, program from agents
     where body = 'command' and state in ('pending', 'running', 'paused')
     order by state_at, name`,
  );
}

/** How many work on something now. */
export async function countRunning(sql: Sql): Promise<number> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from agents where state = 'running'`,
  );
  return must(row, 'the count').count;
}

export async function agentsInState(
  sql: Sql,
  state: 'running' | 'paused',
  body: AgentBody,
): Promise<string[]> {
  // Written out, because a partial index is only used where its condition stands.
  const condition = state === 'running' ? `state = 'running'` : `state = 'paused'`;
  const rows = await sql.all<{ name: string }>(
    `select name from agents where ${condition} and body = $1 order by name`,
    [body],
  );
  return rows.map(({ name }) => name);
}

/** Whether it tells by heartbeats that it is there. */
export async function hasBeats(sql: Sql, name: string): Promise<boolean> {
  const row = await sql.get('select 1 as beats from agents where name = $1 and beats = 1', [name]);
  return row !== undefined;
}

/** From now on its silence means something. */
export async function setBeats(tx: Transaction, name: string): Promise<void> {
  await tx.run('update agents set beats = 1 where name = $1 and beats = 0', [name]);
}

/** The uid that owns its folders; null where it has none, undefined where there is no such agent. */
export async function uidOf(sql: Sql, name: string): Promise<number | null | undefined> {
  const row = await sql.get<{ uid: number | null }>('select uid from agents where name = $1', [
    name,
  ]);
  return row?.uid;
}

/** False when it has one, or another agent has this one. */
export async function setUid(tx: Transaction, name: string, uid: number): Promise<boolean> {
  const changed = await tx.run(
    `update agents set uid = $2 where name = $1 and uid is null
       and not exists (select 1 from agents where uid = $2)`,
    [name, uid],
  );
  return changed === 1;
}
