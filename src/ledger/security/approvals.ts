/** Questions to a human that hold up a tool call. */

import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { Sql, Transaction } from '../ledger.ts';
import { operationOfCall } from './journal.ts';

export interface ApprovalRow {
  readonly id: string;
  readonly call_id: string;
  readonly principal: string;
  readonly tool: string;
  readonly reason: string;
  /** What the human is shown. */
  readonly shown: string;
  readonly hash: string;
  readonly state: 'waiting' | 'approved' | 'denied' | 'expired';
  readonly asked_at: Instant;
  readonly expires_at: Instant;
  readonly answered_at: Instant | null;
  readonly answered_by: string | null;
  readonly answer: string | null;
  readonly scope: 'once' | 'always' | null;
}

export type NewApproval = Omit<
  ApprovalRow,
  'state' | 'answered_at' | 'answered_by' | 'answer' | 'scope'
>;

const columns = `id, call_id, principal, tool, reason, shown, hash, state, asked_at, expires_at,
  answered_at, answered_by, answer, scope`;

export async function insertApproval(tx: Transaction, approval: NewApproval): Promise<void> {
  const { id, call_id, principal, tool, reason, shown, hash, asked_at, expires_at } = approval;
  await tx.run(
    `insert into approvals (id, call_id, principal, tool, reason, shown, hash, state, asked_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'waiting', $8, $9)`,
    [
      id,
      call_id,
      principal,
      tool,
      reason,
      await closed(tx, call_id, shown),
      hash,
      asked_at,
      expires_at,
    ],
  );
}

/** Sealed where it is about an operation with a key of its own. */
async function closed(sql: Sql, callId: string, text: string): Promise<string> {
  const operation = sql.bodies && (await operationOfCall(sql, callId));
  return operation === undefined ? text : (sql.bodies?.close(operation, text) ?? text);
}

function opened<Row extends Pick<ApprovalRow, 'shown'> | undefined>(
  { bodies }: Sql,
  row: Row,
): Row {
  return bodies === undefined || row === undefined
    ? row
    : { ...row, shown: bodies.open(row.shown) };
}

export async function findApproval(sql: Sql, id: string): Promise<ApprovalRow | undefined> {
  return opened(
    sql,
    await sql.get<ApprovalRow>(`select ${columns} from approvals where id = $1`, [id]),
  );
}

export async function findApprovalOfCall(
  sql: Sql,
  callId: string,
): Promise<ApprovalRow | undefined> {
  const row = await sql.get<ApprovalRow>(
    `select ${columns} from approvals where call_id = $1 order by id desc limit 1`,
    [callId],
  );
  return opened(sql, row);
}

/** The ids that begin so. */
export async function approvalIdsFrom(sql: Sql, start: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    'select id from approvals where id >= $1 and id < $2 order by id limit $3',
    [start, `${start}g`, limit],
  );
  return rows.map(({ id }) => id);
}

export interface ApprovalPage {
  readonly principal?: string | undefined;
  /** Those that were answered too. */
  readonly all?: boolean | undefined;
  /** Only those with a lower id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function listApprovals(
  sql: Sql,
  { principal, all = false, before, limit }: ApprovalPage,
): Promise<ApprovalRow[]> {
  const parameters: (string | number)[] = [limit];
  const conditions = [all ? 'true' : `state = 'waiting'`];
  const bind = (value: string) => `$${parameters.push(value)}`;
  if (principal !== undefined) conditions.push(`principal = ${bind(principal)}`);
  if (before !== undefined) conditions.push(`id < ${bind(before)}`);
  const rows = await sql.all<ApprovalRow>(
    `select ${columns} from approvals where ${conditions.join(' and ')} order by id desc limit $1`,
    parameters,
  );
  return rows.map((row) => opened(sql, row));
}

export interface ApprovalAnswer {
  readonly state: 'approved' | 'denied' | 'expired';
  readonly by: string;
  readonly answer: string | null;
  readonly scope: ApprovalRow['scope'];
  readonly at: Instant;
}

/** False when it was answered before. */
export async function answerApproval(
  tx: Transaction,
  id: string,
  { state, by, answer, scope, at }: ApprovalAnswer,
): Promise<boolean> {
  const changed = await tx.run(
    `update approvals set state = $2, answered_by = $3, answer = $4, scope = $5, answered_at = $6
     where id = $1 and state = 'waiting'`,
    [id, state, by, answer, scope, at],
  );
  return changed === 1;
}

/** How many approvals a principal has asked for that are not answered. */
export async function countWaiting(sql: Sql, principal: string): Promise<number> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from approvals where state = 'waiting' and principal = $1`,
    [principal],
  );
  return must(row, 'the count').count;
}
