/** Operations and artifacts as outsiders see them. */
import type { OperationStatus } from '../../../kernel/agent/operation.ts';
import { timeText } from '../../../kernel/text/time-text.ts';
import type { Sql } from '../../../ledger/ledger.ts';
import type { ArtifactRow } from '../../../ledger/operations/artifacts.ts';
import { readBudget } from '../../../ledger/operations/leases.ts';
import type { OperationRow, OperationState } from '../../../ledger/operations/operations.ts';
import { collectionOf } from '../../../operations/store-artifact.ts';
import type { StoredResult } from '../../../runtime/conclude.ts';
import type { Answer } from '../../contract/contract.ts';

export type WireOperation = Answer<'operation'>;

/** Until it is finished it runs, to a caller from outside. */
export function statusOf({ state, started_at, finish }: OperationRow): OperationStatus {
  const isFinished = finish === null || finish === 'again';
  switch (state) {
    case 'queued':
      return started_at === null ? 'pending' : 'running';
    case 'running':
    case 'waiting':
    case 'paused':
      return 'running';
    case 'completed':
      return isFinished ? 'succeeded' : 'running';
    case 'failed':
    case 'cancelled':
      return isFinished ? state : 'running';
  }
}

/** Where those of a status are to be looked for; what they have is looked at afterwards. */
export const statesOf: Readonly<Record<OperationStatus, readonly OperationState[]>> = {
  pending: ['queued'],
  running: ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'],
  succeeded: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
};

export interface ToldOperation {
  readonly row: OperationRow;
  readonly logs: readonly string[];
  readonly artifacts: readonly ArtifactRow[];
  /** The principal to which it belongs gets the keys. */
  readonly isOwn: boolean;
}

export async function wireOperation(sql: Sql, told: ToldOperation): Promise<WireOperation> {
  const { row } = told;
  const status = statusOf(row);
  const isOver = status !== 'pending' && status !== 'running';
  return {
    id: row.id,
    status,
    ...(row.started_at === null ? {} : { started_at: timeText(row.started_at) }),
    ...(isOver && row.ended_at !== null ? { finished_at: timeText(row.ended_at) } : {}),
    ...(isOver ? { result: await wireResult(sql, row, told.logs) } : {}),
    artifacts: wireCollection(told),
  };
}

export async function wireResult(
  sql: Sql,
  row: OperationRow,
  logs: readonly string[],
): Promise<NonNullable<WireOperation['result']>> {
  // Only the runtime writes it.
  const result = JSON.parse(row.result ?? '{"text":""}') as StoredResult;
  const wall = (await readBudget(sql, `operation:${row.id}`))?.wall.used ?? 0;
  return {
    status: 'text' in result ? 'ok' : 'error',
    summary: 'text' in result ? result.text : `${result.error.code}: ${result.error.message}`,
    execution_time: wall / 1000,
    logs: [...logs],
  };
}

/** What is told is only ever read, and the contract's types may be written to. */
export function wireCollection({
  artifacts,
  isOwn,
}: Pick<ToldOperation, 'artifacts' | 'isOwn'>): WireOperation['artifacts'] {
  const { artifacts: told, ...sums } = collectionOf(artifacts, isOwn);
  return { ...sums, artifacts: [...told] };
}
