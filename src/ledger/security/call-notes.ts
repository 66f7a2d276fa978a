/** What the relay itself has told people of a call, by the key under which each is told once. */
import type { Sql } from '../ledger.ts';

/** To the owner: somebody waits for an approval. */
export function approvalNoteKey(approval: string): string {
  return `approval-${approval}`;
}

/** To whoever has called: how it ended. */
export function endNoteKey(callId: string, { runs, end }: { runs: number; end: string }): string {
  return `call-${callId}-${runs}-${end}`;
}

/** The ids of the messages. */
export async function notesOfCall(sql: Sql, callId: string): Promise<string[]> {
  const rows = await sql.all<{ message_id: string }>(
    `select message_id from messages where agent_name = '__orchestrator__'
       and dedup_key > 'call-' || $1 || '-' and dedup_key < 'call-' || $1 || '.'
     union select message_id from approvals a join messages m
       on m.agent_name = '__orchestrator__' and m.dedup_key = 'approval-' || a.id
       where a.call_id = $1`,
    [callId],
  );
  return rows.map(({ message_id }) => message_id);
}
