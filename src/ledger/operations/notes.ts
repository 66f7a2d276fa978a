/** What the system itself has told people and agents of an operation, or is about to. */
import type { Sql, Transaction } from '../ledger.ts';

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
