/** How much lies unread in each mailbox, kept with every change so that nobody has to count. */
import type { Sql, Transaction } from '../ledger.ts';

export interface MailboxSize {
  readonly pending: number;
  readonly pending_bytes: number;
}

export async function mailboxSize(sql: Sql, recipient: string): Promise<MailboxSize> {
  const row = await sql.get<MailboxSize>(
    'select pending, pending_bytes from mailboxes where recipient = $1',
    [recipient],
  );
  return row ?? { pending: 0, pending_bytes: 0 };
}

export async function growMailbox(
  tx: Transaction,
  recipient: string,
  { messages, bytes }: { readonly messages: number; readonly bytes: number },
): Promise<void> {
  await tx.run(
    `insert into mailboxes (recipient, pending, pending_bytes) values ($1, $2, $3)
     on conflict (recipient) do update set pending = mailboxes.pending + $2,
       pending_bytes = mailboxes.pending_bytes + $3`,
    [recipient, messages, bytes],
  );
}

/** What lies unread in all mailboxes together. */
export async function totalPending(sql: Sql): Promise<number> {
  const row = await sql.get<{ pending: number }>(
    'select coalesce(sum(pending), 0) as pending from mailboxes',
  );
  return row?.pending ?? 0;
}

/** Those for whom something lies there, or is on its way. */
export async function recipientsWithPending(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ recipient: string }>(
    'select recipient from mailboxes where pending > 0 order by recipient',
  );
  return rows.map(({ recipient }) => recipient);
}
