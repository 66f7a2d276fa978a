/**
 * Operations as rows: goals that were submitted, and what became of them.
 *
 * Every change of state names the states that it may leave, so that of two who decide at once
 * only one succeeds. A goal and a result may be long, so rows that come by the many have the
 * beginning of the goal only.
 */

import type { QueuedGoal } from '../../kernel/agent/operation.ts';
import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { places, type Sql, type SqlValue, type Transaction } from '../ledger.ts';

export type OpenState = 'queued' | 'running' | 'waiting' | 'paused';
export type OverState = 'completed' | 'failed' | 'cancelled';
export type OperationState = OpenState | OverState;

export const openStates: readonly OpenState[] = ['queued', 'running', 'waiting', 'paused'];
export const overStates: readonly OverState[] = ['completed', 'failed', 'cancelled'];

export interface OperationRow extends QueuedGoal {
  /** The operation whose agent submitted it. */
  readonly parent: string | null;
  readonly goal: string;
  /** Which agent takes it, and why. */
  readonly because: string;
  readonly state: OperationState;
  readonly waits_for: string | null;
  /** JSON: the text of the answer, or the error. While it runs: why it is asked to end. */
  readonly result: string | null;
  readonly created_at: Instant;
  readonly started_at: Instant | null;
  readonly ended_at: Instant | null;
  readonly steps: number;
  readonly of_mail: 0 | 1;
  /** The grant under which an outsider submitted it. */
  readonly grant_id: string | null;
  /** 1 where its journal is sealed with a key of its own. */
  readonly is_sealed: 0 | 1;
  /** What is left to be done after its end. */
  readonly finish: FinishStep | null;
}

/**
 * `due`: all of it; `stored`: its files are there; `erased`: its journal is gone. `again`: it was
 * finished, and its files are to be written anew.
 */
export type FinishStep = 'due' | 'stored' | 'erased' | 'again';

export type NewOperation = Omit<
  OperationRow,
  | 'state'
  | 'waits_for'
  | 'result'
  | 'started_at'
  | 'ended_at'
  | 'steps'
  | 'queued_at'
  | 'finish'
  | 'grant_id'
  | 'is_sealed'
> & {
  readonly grant_id?: string | undefined;
  readonly is_sealed?: boolean | undefined;
  /** Chosen by the submitter: the same key is the same goal. */
  readonly submit_key?: string | undefined;
  readonly submit_digest?: string | undefined;
};

export const operationColumns = `id, agent, owner, parent, goal, because, state, waits_for, priority, due_at,
  deadline_at, result, created_at, queued_at, started_at, ended_at, steps, of_mail,
  grant_id, is_sealed, finish`;

const summaryColumns = operationColumns
  .replace(
    ' goal,',
    ` case when is_sealed = 1 then '(sealed)' else substr(goal, 1, 500) end as goal,`,
  )
  .replace(' result,', ` case when state = 'completed' then null else result end as result,`);

const queuedColumns = 'id, agent, owner, priority, queued_at, due_at, deadline_at';

// Word for word what the indexes are over, or they are not used.
const isOpen = `state in ('queued', 'running', 'waiting', 'paused')`;

export async function insertOperation(tx: Transaction, operation: NewOperation): Promise<void> {
  await tx.run(
    `insert into operations (id, agent, owner, parent, goal, because, state, priority, due_at,
       deadline_at, created_at, queued_at, of_mail, submit_key, grant_id, is_sealed, submit_digest)
     values ($1, $2, $3, $4, $5, $6, 'queued', $7, $8, $9, $10, $10, $11, $12, $13, $14, $15)`,
    [
      operation.id,
      operation.agent,
      operation.owner,
      operation.parent,
      operation.is_sealed === true
        ? (tx.bodies?.close(operation.id, operation.goal) ?? operation.goal)
        : operation.goal,
      operation.because,
      operation.priority,
      operation.due_at,
      operation.deadline_at,
      operation.created_at,
      operation.of_mail,
      operation.submit_key ?? null,
      operation.grant_id ?? null,
      operation.is_sealed === true ? 1 : 0,
      operation.submit_digest ?? null,
    ],
  );
}

export async function findOperation(sql: Sql, id: string): Promise<OperationRow | undefined> {
  return opened(
    sql,
    await sql.get<OperationRow>(`select ${operationColumns} from operations where id = $1`, [id]),
  );
}

/** Its goal, where that is sealed and can be opened still. */
function opened({ bodies }: Sql, row: OperationRow | undefined): OperationRow | undefined {
  if (row === undefined || row.is_sealed === 0) return row;
  return { ...row, goal: bodies?.has(row.id) === true ? bodies.open(row.goal) : '(erased)' };
}

export async function findOperationByKey(
  sql: Sql,
  owner: string,
  key: string,
): Promise<OperationRow | undefined> {
  const row = await sql.get<OperationRow>(
    `select ${operationColumns} from operations where owner = $1 and submit_key = $2`,
    [owner, key],
  );
  return opened(sql, row);
}

/** What came with the key of an operation; null where nothing is known of that. */
export async function submitDigestOf(sql: Sql, id: string): Promise<string | null> {
  const row = await sql.get<{ submit_digest: string | null }>(
    'select submit_digest from operations where id = $1',
    [id],
  );
  return row?.submit_digest ?? null;
}

/** The ids that begin so. */
export async function operationIdsFrom(sql: Sql, start: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    'select id from operations where id >= $1 and id < $2 order by id limit $3',
    [start, `${start}g`, limit],
  );
  return rows.map(({ id }) => id);
}

export interface QueuePage {
  readonly now: Instant;
  /** As in kernel/agent/operation.ts, whose levels this repeats. */
  readonly ageingMs: number;
  readonly limit: number;
}

// The casts make the division one of whole numbers.
const level = 'max(0, priority - max(0, cast($1 as bigint) - queued_at) / cast($2 as bigint))';

// An agent does one thing at a time, and ends what it has begun before it begins another: what
// comes for it meanwhile, as from its children, is for that. Word for word as the indexes.
const isFree = `agent not in (select agent from operations where state = 'running')
  and agent not in (select agent from operations where state = 'waiting')
  and (started_at is not null or agent not in
    (select agent from operations where state = 'queued' and started_at is not null))
  and agent not in (select name from agents where state = 'paused')`;

/**
 * The goals that may be next: of each owner at each agent the first, and of each owner not
 * more than so many, so that no owner's many hide another's one. Those that are not due, and those of agents which are paused, or work on
 * something or wait in the middle of it, are left out.
 */
export function queuedOperations(
  sql: Sql,
  { now, ageingMs, limit, ofEach = limit }: QueuePage & { readonly ofEach?: number },
): Promise<QueuedGoal[]> {
  return sql.all(
    `select ${queuedColumns} from (
       select ${queuedColumns}, level,
         row_number() over (partition by owner order by level, queued_at, id) as turn
       from (
         select ${queuedColumns}, ${level} as level,
           row_number() over (partition by agent, owner order by ${level}, queued_at, id) as place
         from operations
         where state = 'queued' and (due_at <= max($1, queued_at)
             or due_at - $1 > 2 * (due_at - queued_at) + 60000)
           and ${isFree})
       where place = 1)
     where turn <= $4 order by level, queued_at, id limit $3`,
    [now, ageingMs, limit, ofEach],
  );
}

/** Everything that is queued, in the order of level and age. */
export function queueInOrder(
  sql: Sql,
  { now, ageingMs, limit }: QueuePage,
): Promise<OperationRow[]> {
  return sql.all(
    `select ${summaryColumns} from operations where state = 'queued'
     order by ${level}, queued_at, id limit $3`,
    [now, ageingMs, limit],
  );
}

/** Those past their deadline, but for those that run and were told so. */
export function lateOperations(sql: Sql, now: Instant, limit: number): Promise<OperationRow[]> {
  return sql.all(
    `select ${summaryColumns} from operations
     where deadline_at <= $1 and ${isOpen} and not (state = 'running' and result is not null)
     order by deadline_at, id limit $2`,
    [now, limit],
  );
}

export interface OperationPage {
  readonly states?: readonly OperationState[] | undefined;
  readonly agent?: string | undefined;
  readonly owner?: string | undefined;
  readonly parent?: string | undefined;
  /** Only ids before this one: the last one of the page before. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The newest first. */
export function listOperations(
  sql: Sql,
  { states, agent, owner, parent, before, limit }: OperationPage,
): Promise<OperationRow[]> {
  const parameters: SqlValue[] = [limit];
  const conditions = ['true'];
  const bind = (value: SqlValue) => `$${parameters.push(value)}`;
  if (states !== undefined) conditions.push(`state in (${states.map(bind).join(', ')})`);
  if (agent !== undefined) conditions.push(`agent = ${bind(agent)}`);
  if (owner !== undefined) conditions.push(`owner = ${bind(owner)}`);
  if (parent !== undefined) conditions.push(`parent = ${bind(parent)}`);
  if (before !== undefined) conditions.push(`id < ${bind(before)}`);
  return sql.all(
    `select ${summaryColumns} from operations where ${conditions.join(' and ')}
     order by id desc limit $1`,
    parameters,
  );
}

/** Those that are open and in this state, by the id. Over an index of the open ones alone. */
export function operationsIn(sql: Sql, state: OpenState): Promise<OperationRow[]> {
  return sql.all(
    `select ${summaryColumns} from operations where ${isOpen} and state = $1 order by id`,
    [state],
  );
}

/** Those of outsiders that are not over, the oldest first. */
export function openSealedOperations(sql: Sql): Promise<OperationRow[]> {
  return sql.all(
    `select ${summaryColumns} from operations where ${isOpen} and is_sealed = 1 order by id`,
  );
}

/** The oldest first. */
export function openOperationsOf(sql: Sql, agent: string): Promise<OperationRow[]> {
  return sql.all(
    `select ${summaryColumns} from operations where agent = $1 and ${isOpen} order by id`,
    [agent],
  );
}

export function openChildrenOf(sql: Sql, operation: string): Promise<OperationRow[]> {
  return sql.all(
    `select ${summaryColumns} from operations where parent = $1 and ${isOpen} order by id`,
    [operation],
  );
}

/** How many an owner has open; not counted further than `most`. */
export async function countOpenOf(sql: Sql, owner: string, most: number): Promise<number> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from
       (select 1 from operations where owner = $1 and ${isOpen} limit $2)`,
    [owner, most],
  );
  return must(row, 'the count').count;
}

export async function countByState(sql: Sql): Promise<Readonly<Record<OperationState, number>>> {
  const rows = await sql.all<{ state: OperationState; count: number }>(
    'select state, count(*) as count from operations group by state',
  );
  const counts = new Map(rows.map(({ state, count }) => [state, count]));
  const of = (state: OperationState) => counts.get(state) ?? 0;
  return {
    queued: of('queued'),
    running: of('running'),
    waiting: of('waiting'),
    paused: of('paused'),
    completed: of('completed'),
    failed: of('failed'),
    cancelled: of('cancelled'),
  };
}

/**
 * From the queue to work. Undefined when it is not queued any more, or its agent works on
 * something else or is paused.
 */
export async function claimOperation(
  tx: Transaction,
  id: string,
  at: Instant,
): Promise<OperationRow | undefined> {
  const row = await tx.get<OperationRow>(
    `update operations set state = 'running', started_at = coalesce(started_at, $2)
     where id = $1 and state = 'queued'
       and ${isFree}
     returning ${operationColumns}`,
    [id, at],
  );
  return opened(tx, row);
}

export interface OperationChange {
  readonly from: readonly OpenState[];
  readonly to: OpenState;
  readonly at: Instant;
  /** With `waiting`. */
  readonly waitsFor?: string | undefined;
}

/** False when it is in none of the states that it is to leave. Back in the queue its age is new, and it is due, whatever the clock says meanwhile. */
export async function changeOperation(
  tx: Transaction,
  id: string,
  { from, to, at, waitsFor }: OperationChange,
): Promise<boolean> {
  const changed = await tx.run(
    `update operations set state = $2, waits_for = $3,
       queued_at = case when $2 = 'queued' then $4 else queued_at end,
       due_at = case when $2 = 'queued' then min(due_at, $4) else due_at end
     where id = $1 and state in (${places(from.length, 5)})`,
    [id, to, waitsFor ?? null, at, ...from],
  );
  return changed === 1;
}

/** What runs is to be tried again, not before then; false when it does not run. */
export async function putOff(
  tx: Transaction,
  id: string,
  { at, dueAt }: { readonly at: Instant; readonly dueAt: Instant },
): Promise<boolean> {
  const changed = await tx.run(
    `update operations set state = 'queued', queued_at = $2, due_at = $3
     where id = $1 and state = 'running'`,
    [id, at, dueAt],
  );
  return changed === 1;
}

/** False when it is over. */
export async function setPriority(tx: Transaction, id: string, priority: number): Promise<boolean> {
  const changed = await tx.run(`update operations set priority = $2 where id = $1 and ${isOpen}`, [
    id,
    priority,
  ]);
  return changed === 1;
}

/**
 * Leaves word that one which runs is to end so; the process that runs it ends it, or puts it back
 * when its runner has died. False when it does not run, or was asked before.
 */
export async function askToEnd(tx: Transaction, id: string, result: string): Promise<boolean> {
  const changed = await tx.run(
    `update operations set result = $2 where id = $1 and state = 'running' and result is null`,
    [id, result],
  );
  return changed === 1;
}

export interface OperationEnd {
  /** Any that is open where nothing is said. */
  readonly from?: readonly OpenState[] | undefined;
  readonly to: OverState;
  /** JSON. */
  readonly result: string;
  readonly at: Instant;
}

/** False when it is in none of the states that it is to leave; then it may be over. */
export async function endOperation(
  tx: Transaction,
  id: string,
  { from = openStates, to, result, at }: OperationEnd,
): Promise<boolean> {
  const changed = await tx.run(
    `update operations set state = $2, result = $3, ended_at = $4, waits_for = null,
       finish = case when is_sealed = 1 or exists (
         select 1 from artifacts where operation = operations.id) then 'due' else finish end
     where id = $1 and state in (${places(from.length, 5)})`,
    [id, to, result, at, ...from],
  );
  return changed === 1;
}

/**
 * Those that ended before then and have neither children nor artifacts any more, with their steps
 * and budgets; tells how many.
 */
export async function deleteOperationsBefore(
  tx: Transaction,
  before: Instant,
  limit: number,
): Promise<number> {
  const rows = await tx.all<{ id: string }>(
    `delete from operations where id in (
       select id from operations o where ended_at < $1
         and finish is null
         and not exists (select 1 from operations c where c.parent = o.id)
         and not exists (select 1 from artifacts a
           where a.operation = o.id and (a.gone_at is null or a.is_swept = 0))
       limit $2)
     returning id`,
    [before, limit],
  );
  for (const { id } of rows) {
    await tx.run('delete from budgets where id = $1', [`operation:${id}`]);
  }
  return rows.length;
}

/** The ids of its children, whatever became of them. */
export async function operationsBelow(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>('select id from operations where parent = $1', [id]);
  return rows.map((row) => row.id);
}
