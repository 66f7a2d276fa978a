/** Plans of the file agent, as rows. */
import type { Instant } from '../kernel/ports.ts';
import type { Sql, Transaction } from './ledger.ts';

export type FilePlanState = 'planned' | 'applying' | 'done' | 'stopped' | 'undoing' | 'undone';

export interface FilePlanRow {
  readonly id: string;
  readonly principal: string;
  readonly call_key: string | null;
  readonly action: string;
  readonly request: string;
  readonly hash: string;
  readonly state: FilePlanState;
  readonly prompt: string;
  readonly files: number;
  readonly bytes: number;
  readonly token_hash: string | null;
  readonly token_expires_at: Instant | null;
  readonly token_used_at: Instant | null;
  readonly yeses: number;
  readonly undoes: string | null;
  readonly outcome: string | null;
  readonly created_at: Instant;
  readonly started_at: Instant | null;
  readonly ended_at: Instant | null;
}

export type NewFilePlan = Omit<FilePlanRow, 'token_used_at' | 'outcome' | 'ended_at'>;

const columns = `id, principal, call_key, action, request, hash, state, prompt, files, bytes,
  token_hash, token_expires_at, token_used_at, yeses, undoes, outcome, created_at, started_at,
  ended_at`;

export async function insertFilePlan(tx: Transaction, row: NewFilePlan): Promise<void> {
  await tx.run(
    `insert into file_plans (id, principal, call_key, action, request, hash, state, prompt, files,
       bytes, token_hash, token_expires_at, yeses, undoes, created_at, started_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      ...[row.id, row.principal, row.call_key, row.action, row.request, row.hash, row.state],
      ...[row.prompt, row.files, row.bytes, row.token_hash, row.token_expires_at, row.yeses],
      ...[row.undoes, row.created_at, row.started_at],
    ],
  );
}

export function findFilePlan(sql: Sql, id: string): Promise<FilePlanRow | undefined> {
  return sql.get(`select ${columns} from file_plans where id = $1`, [id]);
}

export function findFilePlanByToken(sql: Sql, tokenHash: string): Promise<FilePlanRow | undefined> {
  return sql.get(`select ${columns} from file_plans where token_hash = $1`, [tokenHash]);
}

/** What was begun for this call before. */
export function findFilePlanOfCall(
  sql: Sql,
  principal: string,
  callKey: string,
): Promise<FilePlanRow | undefined> {
  return sql.get(
    `select ${columns} from file_plans
     where principal = $1 and call_key = $2 and state <> 'planned'`,
    [principal, callKey],
  );
}

/** Whether it was still unused. */
export async function useFilePlanToken(
  tx: Transaction,
  tokenHash: string,
  at: Instant,
): Promise<boolean> {
  const changes = await tx.run(
    'update file_plans set token_used_at = $2 where token_hash = $1 and token_used_at is null',
    [tokenHash, at],
  );
  return changes === 1;
}

/** Whether it was in the state `from`. */
export async function moveFilePlan(
  tx: Transaction,
  id: string,
  {
    from,
    to,
    at,
    outcome,
  }: {
    readonly from: FilePlanState;
    readonly to: FilePlanState;
    readonly at: Instant;
    /** JSON; what was there stays where nothing is said. */
    readonly outcome?: string | undefined;
  },
): Promise<boolean> {
  const changes = await tx.run(
    `update file_plans set state = $3, ended_at = $4, outcome = coalesce($5, outcome)
     where id = $1 and state = $2`,
    [id, from, to, at, outcome ?? null],
  );
  return changes === 1;
}

/** Those that a process which died has left, the oldest first. */
export function unfinishedFilePlans(sql: Sql): Promise<FilePlanRow[]> {
  return sql.all(
    `select ${columns} from file_plans where state in ('applying', 'undoing') order by id`,
    [],
  );
}

export interface FilePlansQuery {
  /** Plans of every principal where none is named. */
  readonly principal?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** What was begun, the newest first; what was only looked at is not in it. */
export function listFilePlans(
  sql: Sql,
  { principal, before, limit }: FilePlansQuery,
): Promise<FilePlanRow[]> {
  return sql.all(
    `select ${columns} from file_plans
     where state <> 'planned' and ($1 is null or principal = $1) and ($2 is null or id < $2)
     order by id desc limit $3`,
    [principal ?? null, before ?? null, limit],
  );
}

export async function filePlanIdsFrom(sql: Sql, start: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `select id from file_plans
     where state <> 'planned' and id >= $1 and id < $2 order by id limit $3`,
    [start, `${start}g`, limit],
  );
  return rows.map(({ id }) => id);
}

/** Questions that were not answered in time. */
export function dropUnanswered(tx: Transaction, before: Instant): Promise<number> {
  return tx.run(`delete from file_plans where state = 'planned' and created_at < $1`, [before]);
}

/** Those that were over before, the oldest first. */
export async function filePlansBefore(sql: Sql, before: Instant, limit: number): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    `select id from file_plans
     where state in ('done', 'stopped', 'undone') and ended_at < $1 order by id limit $2`,
    [before, limit],
  );
  return rows.map(({ id }) => id);
}

/** What undoes it goes with it. */
export async function deleteFilePlan(tx: Transaction, id: string): Promise<void> {
  await tx.run('delete from file_plans where undoes = $1', [id]);
  await tx.run('delete from file_plans where id = $1', [id]);
}
