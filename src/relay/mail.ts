/** A message on its way: between the row in the ledger, the message itself and what a mailbox shows. */

import {
  fileNameOf,
  type Header,
  type Message,
  type StreamChunk,
} from '../kernel/message/message.ts';
import { printMessage } from '../kernel/message/text.ts';
import type { MailRow } from '../ledger/messages/find-mail.ts';
import type { InboxFile } from './delivery/inboxes.ts';
import type { MailboxItem } from './relay.ts';

/** A delivery together with its message. */
export interface Outgoing {
  readonly mail: MailRow;
  readonly message: Message;
}

/** The column `headers`: what has no column of its own. */
interface StoredHeaders {
  readonly attachments?: readonly string[];
  readonly chunk?: StreamChunk;
  readonly others?: readonly Header[];
}

export function headersOf({ attachments, chunk, headers }: Message): string {
  if (attachments.length === 0 && chunk === undefined && headers.length === 0) return '{}';
  const stored: StoredHeaders = {
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(chunk === undefined ? {} : { chunk }),
    ...(headers.length === 0 ? {} : { others: headers }),
  };
  return JSON.stringify(stored);
}

export function messageOf(mail: MailRow): Message {
  // Written by headersOf().
  const { attachments, chunk, others } = JSON.parse(mail.headers) as StoredHeaders;
  return {
    to: mail.target,
    kind: mail.kind,
    priority: mail.priority,
    thread: mail.thread ?? undefined,
    re: mail.re ?? undefined,
    eventType: mail.event_type ?? undefined,
    checksum: mail.checksum ?? undefined,
    attachments: attachments ?? [],
    chunk,
    headers: others ?? [],
    body: mail.body,
  };
}

/** How it lies in an inbox: from whom is what the relay knows, not what the sender wrote. */
export function inboxFileOf(mail: MailRow, message: Message): InboxFile {
  const { sender: from, message_id: id } = mail;
  const sent = new Date(mail.sent_at).toISOString();
  const text = printMessage({
    ...message,
    dedupKey: undefined,
    ttlMs: undefined,
    receipt: undefined,
    origin: { from, id, sent },
  });
  return { name: fileNameOf(mail.stamp_ns, id), text };
}

/** The stamp in the name of an inbox file; undefined when it is none of ours. */
export function stampIn(fileName: string): string | undefined {
  return /^(\d{19,})-[0-9a-f]{8}\.msg$/.exec(fileName)?.[1];
}

export function itemOf(mail: MailRow, message: Message): MailboxItem {
  return {
    id: mail.message_id,
    from: mail.sender,
    to: mail.target,
    recipient: mail.recipient,
    kind: mail.kind,
    state: mail.state,
    priority: mail.priority,
    thread: message.thread,
    re: message.re,
    eventType: message.eventType,
    chunk: message.chunk,
    attachments: message.attachments,
    headers: message.headers,
    body: mail.body,
    sentAt: mail.sent_at,
    expiresAt: mail.expires_at,
    attempts: mail.attempts,
  };
}
