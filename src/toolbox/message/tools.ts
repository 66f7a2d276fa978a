/** The tools `message.*`. */
import { hash } from 'node:crypto';
import { priorities } from '../../kernel/message/message.ts';
import { checkMessage } from '../../kernel/message/text.ts';
import type { Clock } from '../../kernel/ports.ts';
import { principalNameOf } from '../../relay/envelope.ts';
import type { MailboxItem, Relay } from '../../relay/relay.ts';
import { request, send } from '../../relay/send.ts';
import { type Tool, type ToolArgs, type ToolCall, toolOf } from '../../tools/tool.ts';
import { messageTools as verbs } from '../../verbs/agent-tools.ts';
import { checkSize } from '../call-bytes.ts';

export interface MessageToolDeps {
  readonly relay: Pick<Relay, 'accept' | 'rate' | 'mailboxes'>;
  readonly clock: Clock;
}

export function messageSend(deps: MessageToolDeps): Tool {
  return toolOf(verbs.send, deps, {
    repeatable: true,
    run: (args, call) => sendOnce(deps, args, call),
  });
}

async function sendOnce(
  deps: MessageToolDeps,
  { ttl_ms: ttlMs, ...args }: ToolArgs<typeof verbs.send>,
  call: ToolCall,
): Promise<unknown> {
  checkSize(call.permits[0], args.body, 'The message');
  const message = {
    ...args,
    kind: args.kind ?? 'message',
    priority: args.priority ?? priorities.usual,
    ttlMs,
    dedupKey: dedupKeyOf(call),
    attachments: [],
    headers: [],
  };
  checkMessage(message);
  // The door has asked, and counted it.
  const options = { signal: call.signal, isPermitted: true } as const;
  const accepted = await send(deps, principalNameOf(call.principal), message, options);
  return {
    id: accepted.id,
    state: accepted.kind,
    recipients: accepted.kind === 'accepted' ? accepted.recipients : null,
  };
}

/** Hashed, because a key may be any text, and equal to one that the sender uses elsewhere. */
function dedupKeyOf({ key }: ToolCall): string {
  return `tool-call:${hash('sha256', key)}`;
}

export function messageInbox(deps: MessageToolDeps): Tool {
  return toolOf(verbs.inbox, deps, { run: (args, call) => readInbox(deps, args, call) });
}

async function readInbox(
  { relay: { mailboxes } }: MessageToolDeps,
  { limit, take }: ToolArgs<typeof verbs.inbox>,
  call: ToolCall,
): Promise<unknown> {
  const recipient = principalNameOf(call.principal);
  const roomBytes = roomIn(call.outputBytes);
  // What is read and has no room in the result would be lost.
  const roomFor = (found: readonly MailboxItem[]) => howManyFit(found.map(mailOf), roomBytes);
  const found = take
    ? await mailboxes.take(recipient, { limit, roomFor })
    : await mailboxes.list(recipient, { limit });
  const items = found.slice(0, roomFor(found)).map((item) => cutToFit(mailOf(item), roomBytes));
  return { items };
}

/** The first one does in any case: it is cut where it has to be. */
function howManyFit(mails: readonly Mail[], roomBytes: number): number {
  let bytes = 0;
  const beyond = mails.findIndex((mail, index) => {
    bytes += bytesOf(mail);
    return index > 0 && bytes > roomBytes;
  });
  return beyond === -1 ? mails.length : beyond;
}

export function messageRequest(deps: MessageToolDeps): Tool {
  return toolOf(verbs.request, deps, { run: (args, call) => ask(deps, args, call) });
}

async function ask(
  deps: MessageToolDeps,
  { timeout_ms: timeoutMs, ...args }: ToolArgs<typeof verbs.request>,
  call: ToolCall,
): Promise<unknown> {
  checkSize(call.permits[0], args.body, 'The message');
  const message = {
    ...args,
    kind: 'request',
    priority: args.priority ?? priorities.usual,
    attachments: [],
    headers: [],
  } as const;
  // The door has asked, and counted it.
  const patience = { timeoutMs, signal: call.signal, isPermitted: true } as const;
  const { id, response } = await request(deps, principalNameOf(call.principal), message, patience);
  return { id, response: cutToFit(mailOf(response), roomIn(call.outputBytes)) };
}

type Mail = ReturnType<typeof mailOf>;

function mailOf(item: MailboxItem) {
  return {
    id: item.id,
    from: item.from,
    to: item.to,
    kind: item.kind,
    priority: item.priority,
    thread: item.thread ?? null,
    re: item.re ?? null,
    event_type: item.eventType ?? null,
    attachments: [...item.attachments],
    sent_at: new Date(item.sentAt).toISOString(),
    body: item.body,
    /** Whether the body goes on, and there was no room for it. */
    body_cut: false,
  };
}

/** What is left for messages: secrets that are taken out leave a longer text, and it is wrapped. */
function roomIn(outputBytes: number): number {
  return Math.floor((outputBytes * 3) / 4);
}

function bytesOf(mail: Mail): number {
  return Buffer.byteLength(JSON.stringify(mail));
}

/** As much of it as fits. A message that fits nowhere would never be read otherwise. */
function cutToFit(mail: Mail, roomBytes: number): Mail {
  let cut = mail;
  for (let bytes = bytesOf(cut); bytes > roomBytes && cut.body !== ''; bytes = bytesOf(cut)) {
    // How much a character takes varies, so it takes a few steps; each makes it shorter.
    const length = Math.floor((cut.body.length * roomBytes * 0.9) / bytes);
    cut = { ...cut, body: cut.body.slice(0, length).toWellFormed(), body_cut: true };
  }
  return cut;
}
