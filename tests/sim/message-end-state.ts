import type { Sql } from '../../src/ledger/ledger.ts';
import type { EndDelivery, EndEvent, EndMessage, EndState } from './message-history.ts';

/** Reads from any ledger what the history is held against. */
export async function readEndState(sql: Sql): Promise<EndState> {
  const events = await sql.all<{ kind: string; subject: string; data: string | null }>(
    `select kind, subject, data from events where kind like 'message.%' order by seq`,
  );
  return {
    // One whose file disappeared after it was accepted is not one that was refused.
    messages: await sql.all<EndMessage>(
      `select message_id, agent_name, message_type, target, priority, re, body,
         case when last_error = 'file_disappeared' then 'completed' else status end as status
       from messages order by id`,
    ),
    deliveries: await sql.all<EndDelivery>(
      `select d.id, m.message_id, d.recipient, d.state, d.priority, d.subscription, d.size_bytes,
         d.owner, d.via, d.error, d.ended_at
       from deliveries d join messages m on m.id = d.message order by d.id`,
    ),
    mailboxes: await sql.all('select recipient, pending, pending_bytes from mailboxes'),
    events: events.map(eventOf),
  };
}

function eventOf(row: {
  readonly kind: string;
  readonly subject: string;
  readonly data: string | null;
}): EndEvent {
  // Written by the relay, and the names are its own.
  const data = JSON.parse(row.data ?? '{}') as { readonly to?: string; readonly state?: string };
  const id = row.subject.slice('message:'.length);
  return { kind: row.kind, id, to: data.to, state: data.state };
}
