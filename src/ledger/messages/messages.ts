/** The table `messages`: what was sent, once, however many get it. */
import type { MessageKind } from '../../kernel/message/message.ts';
import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { changeBatch, forSizes, places, type Sql, type Transaction } from '../ledger.ts';

/** What became of the file that a message came in; the rest of its fate is in its deliveries. */
export type MessageStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'archived';

export interface MessageRow {
  readonly id: number;
  readonly message_id: string;
  readonly agent_name: string;
  readonly direction: 'outbox' | 'inbox';
  readonly source_name: string | null;
  readonly file_path: string | null;
  readonly file_size: number | null;
  readonly file_mtime_ns: string | null;
  readonly file_inode: string | null;
  readonly checksum: string | null;
  readonly status: MessageStatus;
  readonly message_type: MessageKind;
  readonly target: string;
  readonly discovered_at: Instant;
  readonly processed_at: Instant | null;
  readonly retry_count: number;
  readonly last_error: string | null;
  readonly thread: string | null;
  readonly re: string | null;
  readonly priority: number;
  readonly event_type: string | null;
  readonly dedup_key: string | null;
  readonly receipt: string | null;
  /** JSON: attachments, the chunk of a stream, and the headers that mean nothing to the relay. */
  readonly headers: string;
  readonly body: string;
  readonly size_bytes: number;
  readonly expires_at: Instant;
}

export type NewMessage = Omit<MessageRow, 'id' | 'retry_count'>;

const insertText = `
  insert into messages (message_id, agent_name, direction, source_name, file_path, file_size,
    file_mtime_ns, file_inode, checksum, status, message_type, target, discovered_at, processed_at,
    last_error, thread, re, priority, event_type, dedup_key, receipt, headers, body, size_bytes,
    expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
    $20, $21, $22, $23, $24, $25)
  on conflict do nothing returning id`;

/** Undefined when its sender has used the dedup key, or the name of the file, before. */
export async function insertMessage(
  tx: Transaction,
  message: NewMessage,
): Promise<number | undefined> {
  const row = await tx.get<{ id: number }>(insertText, [
    message.message_id,
    message.agent_name,
    message.direction,
    message.source_name,
    message.file_path,
    message.file_size,
    message.file_mtime_ns,
    message.file_inode,
    message.checksum,
    message.status,
    message.message_type,
    message.target,
    message.discovered_at,
    message.processed_at,
    message.last_error,
    message.thread,
    message.re,
    message.priority,
    message.event_type,
    message.dedup_key,
    message.receipt,
    message.headers,
    message.body,
    message.size_bytes,
    message.expires_at,
  ]);
  return row?.id;
}

export function findMessage(sql: Sql, messageId: string): Promise<MessageRow | undefined> {
  return sql.get('select * from messages where message_id = $1', [messageId]);
}

export function findByDedupKey(
  sql: Sql,
  sender: string,
  key: string,
): Promise<MessageRow | undefined> {
  return sql.get('select * from messages where agent_name = $1 and dedup_key = $2', [sender, key]);
}

/** What is known of a file that brought a message. */
export type KnownFile = Pick<
  MessageRow,
  | 'message_id'
  | 'agent_name'
  | 'source_name'
  | 'discovered_at'
  | 'file_size'
  | 'file_mtime_ns'
  | 'file_inode'
>;

const fileColumns = `message_id, agent_name, source_name, discovered_at, file_size,
  file_mtime_ns, file_inode`;

// Only what came last under a name can still lie in the outbox.
const latestFiles = 8;

/**
 * The latest that a sender's files of this name have brought. When a name is used again, a
 * stamp goes behind it, `x~1794756266812617436`, so that the order of names is that of time.
 */
export async function filesCalled(sql: Sql, sender: string, stem: string): Promise<KnownFile[]> {
  const first = await sql.get<KnownFile>(
    `select ${fileColumns} from messages
     where agent_name = $1 and direction = 'outbox' and source_name = $2`,
    [sender, stem],
  );
  if (first === undefined) return [];
  const later = await sql.all<KnownFile>(
    `select ${fileColumns} from messages
     where agent_name = $1 and direction = 'outbox' and source_name > $2 and source_name < $3
     order by source_name desc limit $4`,
    [sender, `${stem}~`, `${stem}~:`, latestFiles],
  );
  return [first, ...later];
}

/** The ids that begin so, in their order. */
export async function messageIdsFrom(sql: Sql, prefix: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ message_id: string }>(
    'select message_id from messages where message_id >= $1 and message_id < $2 order by message_id limit $3',
    // Behind every hex digit.
    [prefix, `${prefix}g`, limit],
  );
  return rows.map(({ message_id }) => message_id);
}

/** What answers a message: acks, nacks, responses. */
export function answersTo(
  sql: Sql,
  messageId: string,
): Promise<Pick<MessageRow, 'message_id' | 'agent_name' | 'message_type' | 'discovered_at'>[]> {
  return sql.all(
    `select message_id, agent_name, message_type, discovered_at from messages
     where re = $1 and (status <> 'failed' or last_error = 'file_disappeared') order by id`,
    [messageId],
  );
}

/** Files whose way into the archive was begun and not seen to end. */
export function unfinishedMessages(sql: Sql, limit: number): Promise<MessageRow[]> {
  return sql.all(
    `select * from messages where status in ('pending', 'processing') order by id limit $1`,
    [limit],
  );
}

/** False when it is not, or no longer, in the status that it is to leave. */
export async function changeMessageStatus(
  tx: Transaction,
  messageId: string,
  change: {
    readonly from: MessageStatus;
    readonly to: MessageStatus;
    readonly at: Instant;
    readonly error?: string;
  },
): Promise<boolean> {
  const changed = await tx.run(
    `update messages set status = $3, processed_at = $4, last_error = coalesce($5, last_error)
     where message_id = $1 and status = $2`,
    [messageId, change.from, change.to, change.at, change.error ?? null],
  );
  return changed === 1;
}

/** What it says becomes one word; that it was sent stays. */
export async function eraseMessage(
  tx: Transaction,
  messageId: string,
  word: string,
): Promise<void> {
  await tx.run('update messages set body = $2, checksum = null where message_id = $1', [
    messageId,
    word,
  ]);
}

const fileDoneTexts = forSizes(
  (size) => `
  update messages set status = $1, processed_at = $2
  where message_id in (${places(size, 3)}) and status = 'processing' returning message_id as id`,
);

/** Of at most a batch: their files lie in the archive, or are gone, and were not needed. */
export async function filesDone(
  tx: Transaction,
  ids: readonly string[],
  { status, at }: { readonly status: 'archived' | 'completed'; readonly at: Instant },
): Promise<void> {
  await changeBatch(tx, fileDoneTexts, { ids, first: [status, at] });
}

/**
 * Removes messages that came before that moment and are over; tells how many. Those whose
 * file is not in the archive yet stay, or that file would be taken for a new message.
 */
export function pruneMessages(tx: Transaction, before: Instant, limit: number): Promise<number> {
  return tx.run(
    `delete from messages where id in (
       select id from messages where discovered_at < $1 and status not in ('pending', 'processing')
         and not exists (select 1 from deliveries where message = messages.id and ended_at is null)
       order by discovered_at limit $2)`,
    [before, limit],
  );
}

/** How much lies unread in each mailbox, kept with every change so that no reader has to count. */
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
  return must(row, 'the sum').pending;
}

/** Those for whom something lies there, or is on its way. */
export async function recipientsWithPending(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ recipient: string }>(
    'select recipient from mailboxes where pending > 0 order by recipient',
  );
  return rows.map(({ recipient }) => recipient);
}
