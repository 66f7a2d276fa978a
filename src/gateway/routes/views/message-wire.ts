/** Messages as they go over the wire, both ways. */
import type { Message } from '../../../kernel/message/message.ts';
import { priorities } from '../../../kernel/message/message.ts';
import { timeText } from '../../../kernel/text/time-text.ts';
import type { MailboxItem, MessageHistory } from '../../../relay/relay.ts';
import type { WireHistory, WireItem, WireOutgoing } from '../../contract/contract.ts';

const noHeaders: Message['headers'] = [];
const noAttachments: readonly string[] = [];

export function messageOf(sent: WireOutgoing): Message {
  return {
    to: sent.to,
    kind: sent.kind ?? 'message',
    priority: sent.priority ?? priorities.usual,
    thread: sent.thread,
    re: sent.re,
    checksum: sent.checksum,
    attachments: sent.attachments ?? noAttachments,
    ttlMs: sent.ttl_ms,
    dedupKey: sent.dedup_key,
    eventType: sent.event_type,
    chunk: sent.chunk,
    receipt: sent.receipt,
    headers: sent.headers === undefined ? noHeaders : headersOf(sent.headers),
    body: sent.body ?? '',
  };
}

function headersOf(given: Readonly<Record<string, string>>): Message['headers'] {
  return Object.entries(given).map(([name, value]) => ({ name, value }));
}

export function wireItem(item: MailboxItem): WireItem {
  return {
    id: item.id,
    from: item.from,
    to: item.to,
    recipient: item.recipient,
    kind: item.kind,
    state: item.state,
    priority: item.priority,
    thread: item.thread ?? null,
    re: item.re ?? null,
    event_type: item.eventType ?? null,
    chunk: item.chunk ?? null,
    attachments: [...item.attachments],
    headers: [...item.headers],
    body: item.body,
    sent_at: timeText(item.sentAt),
    expires_at: timeText(item.expiresAt),
    attempts: item.attempts,
  };
}

export function wireHistory(history: MessageHistory): WireHistory {
  const { id, from, to, kind, status, error, sizeBytes, sourceName, thread, re } = history;
  return {
    ...{ id, from, to, kind, status },
    error: error ?? null,
    size_bytes: sizeBytes,
    source_name: sourceName ?? null,
    thread: thread ?? null,
    re: re ?? null,
    deliveries: history.deliveries.map(({ recipient, state, attempts, via, error: why }) => ({
      ...{ recipient, state, attempts },
      via: via ?? null,
      error: why ?? null,
    })),
    steps: history.steps.map(({ at, what }) => ({ at: timeText(at), what })),
  };
}
