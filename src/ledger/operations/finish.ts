/** What is left to be done of operations that are over, and what is kept of them. */

import type { Sql, Transaction } from '../ledger.ts';
import { type FinishStep, type OperationRow, operationColumns } from './operations.ts';

/** Those behind this one, by the id; at most so many. */
export function unfinishedOperations(
  sql: Sql,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<OperationRow[]> {
  return sql.all(
    `select ${operationColumns} from operations
     where finish is not null and id > $1 and ended_at is not null order by id limit $2`,
    [after, limit],
  );
}

/** False when it is not, or no longer, at the step that it is to leave. */
export async function moveFinish(
  tx: Transaction,
  id: string,
  { from, to }: { readonly from: FinishStep; readonly to: FinishStep | null },
): Promise<boolean> {
  const changed = await tx.run('update operations set finish = $3 where id = $1 and finish = $2', [
    id,
    from,
    to,
  ]);
  return changed === 1;
}

/** It is finished; but where its files could not be written, that is still to be done. */
export async function endFinish(tx: Transaction, id: string, from: FinishStep): Promise<boolean> {
  const changed = await tx.run(
    `update operations set finish = case when alerts like '% folder%' then 'again' else null end
     where id = $1 and finish = $2`,
    [id, from],
  );
  return changed === 1;
}

/** What its files say is not so any more: they are written again. */
export async function finishAgain(tx: Transaction, id: string): Promise<void> {
  await tx.run(
    `update operations set finish = case when finish is null then 'again' else 'due' end
     where id = $1 and ended_at is not null and finish is distinct from 'again'`,
    [id],
  );
}

/** JSON; null where the journal itself still tells. */
export async function readLog(sql: Sql, id: string): Promise<string | null> {
  const row = await sql.get<{ log: string | null }>('select log from operations where id = $1', [
    id,
  ]);
  return row?.log ?? null;
}

/** Once: what was kept when there was something to tell stays. */
export async function keepLog(tx: Transaction, id: string, log: string): Promise<void> {
  await tx.run('update operations set log = $2 where id = $1 and log is null', [id, log]);
}

/** Of an operation: up to which event its access log was written. */
export async function loggedSeq(sql: Sql, id: string): Promise<number> {
  const row = await sql.get<{ logged_seq: number }>(
    'select logged_seq from operations where id = $1',
    [id],
  );
  return row?.logged_seq ?? 0;
}

export async function setLoggedSeq(tx: Transaction, id: string, seq: number): Promise<void> {
  await tx.run('update operations set logged_seq = $2 where id = $1 and logged_seq < $2', [
    id,
    seq,
  ]);
}

/** What was to be done becomes a digest, as its journal does. */
export async function eraseGoal(
  tx: Transaction,
  id: string,
  digestOf: (text: string) => string,
): Promise<void> {
  const row = await tx.get<{ goal: string }>(
    `select goal from operations where id = $1 and is_sealed = 1 and goal not like 'erased:%'`,
    [id],
  );
  if (row === undefined) return;
  await tx.run('update operations set goal = $2 where id = $1', [
    id,
    `erased:${digestOf(row.goal)}`,
  ]);
}

/** Notes that an alert was sent; false when it was sent before. */
export async function noteAlert(tx: Transaction, id: string, alert: string): Promise<boolean> {
  const changed = await tx.run(
    `update operations set alerts = alerts || ' ' || $2
     where id = $1 and alerts || ' ' not like '% ' || $2 || ' %'`,
    [id, alert],
  );
  return changed === 1;
}

/** What was wanted of an operation that is over, and what came of it, is told no more. */
export async function purgeTexts(tx: Transaction, id: string): Promise<void> {
  await tx.run(
    `update operations set goal = 'erased:purged', log = null,
       result = case when state = 'completed' then $2 else $3 end
     where id = $1 and state in ('completed', 'failed', 'cancelled')`,
    [
      id,
      JSON.stringify({ text: '(purged)' }),
      JSON.stringify({ error: { code: 'operation.erased', message: '(purged)' } }),
    ],
  );
}

// What the system itself has told people and agents of an operation, or is about to.

/** Each is told once under its key. */
export function operationNoteKey(operation: string, what: string): string {
  return `operation-${operation}-${what}`;
}

/** To the owner: it was tried again and again. */
export function givenUpNoteKey(operation: string): string {
  return `given-up-${operation}`;
}

function isOfOperation(key: string): string {
  return `(${key} = 'given-up-' || $1
    or (${key} > 'operation-' || $1 || '-' and ${key} < 'operation-' || $1 || '.'))`;
}

/** The ids of the messages. */
export async function notesOfOperation(sql: Sql, operation: string): Promise<string[]> {
  const rows = await sql.all<{ message_id: string }>(
    `select message_id from messages
     where agent_name = '__orchestrator__' and ${isOfOperation('dedup_key')}`,
    [operation],
  );
  return rows.map(({ message_id }) => message_id);
}

/** The message that was sent under this key. */
export async function messageOfNote(sql: Sql, key: string): Promise<string | undefined> {
  const row = await sql.get<{ message_id: string }>(
    `select message_id from messages where agent_name = '__orchestrator__' and dedup_key = $1`,
    [key],
  );
  return row?.message_id;
}

/** Of what is yet to be told: that it is told stays, and what it says becomes one word. */
export async function eraseOpenNotes(
  tx: Transaction,
  operation: string,
  word: string,
): Promise<void> {
  await tx.run(
    `update pending_operations set payload = json_set(payload, '$.body', $2)
     where operation_type = 'tell' and instr(payload, $1) > 0
       and ${isOfOperation(`json_extract(payload, '$.key')`)}`,
    [operation, word],
  );
}

/** The operations into whose journals a message was taken. */
export async function operationsWithMail(sql: Sql, messageId: string): Promise<string[]> {
  // What is sealed is not found, and goes with its operation.
  const rows = await sql.all<{ operation: string }>(
    `select distinct steps.operation from messages
     join deliveries on deliveries.message = messages.id
     join operations on operations.agent = deliveries.recipient
     join steps on steps.operation = operations.id
     where message_id = $1 and steps.kind = 'mail' and instr(steps.body, $1) > 0`,
    [messageId],
  );
  return rows.map(({ operation }) => operation);
}
