/** Messages as they go over the wire, both ways. */

import { AosError } from '../../../kernel/errors.ts';
import { type Message, priorities } from '../../../kernel/message/message.ts';
import { checkMessage } from '../../../kernel/message/text.ts';
import { timeText } from '../../../kernel/text/time-text.ts';
import type { PrincipalName } from '../../../relay/envelope.ts';
import type { MailboxItem, MessageHistory } from '../../../relay/relay.ts';
import { type Accepted, type SendDeps as RelaySendDeps, send } from '../../../relay/send.ts';
import type { WireHistory, WireItem, WireOutgoing } from '../../contract/contract.ts';
import type { HomeCaller } from '../../server/authenticate.ts';
import type { Attachments } from '../../server/deps.ts';

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

// One message from a request to the relay.

interface SendDeps extends RelaySendDeps {
  readonly attachments: Pick<Attachments, 'mayRead'>;
}

/** Throws what the relay says against it. */
export async function sendMessage(
  deps: SendDeps,
  { caller, sender }: { readonly caller: HomeCaller; readonly sender: PrincipalName },
  message: Message,
  signal: AbortSignal,
): Promise<Accepted> {
  checkMessage(message);
  await checkAttachments(deps, caller, message);
  return send(deps, sender, message, { signal });
}

/**
 * An agent may send what it has put, or may read. That it knows a hash does not make bytes
 * its own: else it could mail itself what others have sent.
 */
export async function checkAttachments(
  { attachments }: Pick<SendDeps, 'attachments'>,
  caller: HomeCaller,
  message: Message,
): Promise<void> {
  if (caller.kind === 'owner') return;
  for (const hash of message.attachments) {
    if (!(await attachments.mayRead(caller.id, hash))) throw noAttachment(hash);
  }
}

/** Also for a hash that the caller may not know of. */
export function noAttachment(hash: string): AosError {
  return new AosError('message.no-attachment', {
    message: `There is no attachment ${hash} of yours`,
    fix: 'Put it first: POST /api/v1/attachments',
  });
}
