/** A message on its way: between the row in the ledger, the message itself and what a mailbox shows. */

import { AosError } from '../kernel/errors.ts';
import {
  type Address,
  fileNameOf,
  type Header,
  type Message,
  parseAddress,
  type StreamChunk,
} from '../kernel/message/message.ts';
import { printMessage } from '../kernel/message/text.ts';
import { quote } from '../kernel/text/quote.ts';
import { didYouMean } from '../kernel/text/suggest.ts';
import { activeAgentNames, presenceOf } from '../ledger/agents.ts';
import { readState, type Sql } from '../ledger/ledger.ts';
import type { MailFacts, MailRow } from '../ledger/messages/find-mail.ts';
import { activeMembers, allSubscriptions } from '../ledger/messages/subscriptions.ts';
import { ownerName, type PrincipalName, type Recipient } from './envelope.ts';
import type { MailboxItem } from './relay.ts';

/** A delivery together with its message. */
export interface OutgoingMail {
  readonly mail: MailFacts;
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
export function inboxFileOf(mail: MailFacts, message: Message): InboxFile {
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

export function itemOf(mail: MailFacts, message: Message): MailboxItem {
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

// Where the relay puts messages as files, and hears that they were read. `files/` fills it.

export interface InboxFile {
  /** `{timestamp_ns}-{8 hex}.msg`. */
  readonly name: string;
  readonly text: string;
}

export interface Inboxes {
  /**
   * Puts the files into the recipient's inbox, in their order, each whole or not at all.
   * It may be repeated with the same files. Not flushed: the ledger has them. What keeps
   * one from getting there keeps those behind it too, and is told, not thrown. Where the
   * inbox is gone, nothing is written.
   */
  write(recipient: string, files: readonly InboxFile[]): Promise<WrittenBatch>;
  /** Makes the inbox where there is none. */
  make(recipient: string): Promise<void>;
  /** Batches that were begun by a process that died before it could note their end. */
  interrupted(): Promise<readonly InterruptedBatch[]>;
  /** Those that are there no more are no failure. */
  remove(recipient: string, names: readonly string[]): Promise<void>;
  /** The names of all messages that lie in the inbox; undefined when there is no inbox. */
  list(recipient: string): Promise<ReadonlySet<string> | undefined>;
}

export interface WrittenBatch {
  /** How many of the files, from the first on, reached the inbox. */
  readonly count: number;
  readonly failure: AosError | undefined;
  /** The failure is that there is no inbox. */
  readonly isInboxGone?: boolean;
  /** To be called once the ledger knows that they were delivered. */
  noted(): Promise<void>;
}

/** What a process that died has left of a batch. */
export interface InterruptedBatch extends Pick<WrittenBatch, 'noted'> {
  readonly recipient: string;
  /** The names of the files that reached the inbox, whether or not they still lie there. */
  readonly reached: readonly string[];
}

// Who gets a message.

export type MessageRoute =
  | { readonly kind: 'to'; readonly recipients: readonly Recipient[] }
  /** No agent is Lead: it waits under that name. */
  | { readonly kind: 'held' }
  | { readonly kind: 'orchestrator' };

/** Under which name messages wait for a Lead, and who carries it is one. */
export const leadName = 'Lead';
export const leadKey = 'lead';

/** Throws an AosError when the message could reach no recipient. */
export async function route(
  sql: Sql,
  sender: PrincipalName,
  message: Message,
): Promise<MessageRoute> {
  const address = parseAddress(message.to);
  switch (address.kind) {
    case 'orchestrator':
      return { kind: 'orchestrator' };
    case 'owner':
      return to([ownerName]);
    case 'agent':
      return to([await presentAgent(sql, address.name)]);
    case 'lead': {
      const lead = await currentLead(sql);
      return lead === undefined ? { kind: 'held' } : to([lead]);
    }
    case 'everybody':
    case 'channel':
      return { kind: 'to', recipients: await members(sql, sender, { address, message }) };
  }
}

/** Who is Lead now: the agent of that name, else the one who was set. */
export async function currentLead(sql: Sql): Promise<string | undefined> {
  const namesake = await presenceOf(sql, leadName);
  if (namesake !== undefined && namesake !== 'terminated') return leadName;
  const named = await readState(sql, leadKey);
  if (named === undefined || (await presenceOf(sql, named)) === 'terminated') return undefined;
  return named;
}

async function presentAgent(sql: Sql, name: string): Promise<string> {
  const presence = await presenceOf(sql, name);
  if (presence === undefined) {
    const near = didYouMean(name, await activeAgentNames(sql));
    throw noRecipient(`There is no agent ${quote(name)}.${near}`, `aos register ${name}`);
  }
  if (presence === 'terminated') {
    throw noRecipient(`Agent ${quote(name)} was terminated`, `aos register ${name}`);
  }
  return name;
}

async function members(
  sql: Sql,
  sender: PrincipalName,
  { address, message }: { readonly address: Address; readonly message: Message },
): Promise<readonly Recipient[]> {
  const named =
    address.kind === 'channel'
      ? await activeMembers(sql, address.channel)
      : await activeAgentNames(sql);
  const others = named.filter((name) => name !== sender);
  const recipients =
    message.kind === 'event' ? await subscribed(sql, others, message.eventType) : inboxOf(others);
  if (recipients.length > 0) return recipients;
  if (address.kind !== 'channel') throw noRecipient('There is nobody else who could get it');
  throw noRecipient(
    `Nobody else is in the channel ${address.channel}`,
    `aos channel join ${address.channel} NAME`,
  );
}

/**
 * An agent that has subscribed to types of events gets those, through the subscription, and no
 * others; other agents find events in the inbox.
 */
async function subscribed(
  sql: Sql,
  names: readonly string[],
  eventType: string | undefined,
): Promise<readonly Recipient[]> {
  const subscribers = new Set<string>();
  const recipients: Recipient[] = [];
  const among = new Set(names);
  for (const { agent, event_type, id } of await allSubscriptions(sql)) {
    if (!among.has(agent)) continue;
    const isFirst = !recipients.some(({ name }) => name === agent);
    subscribers.add(agent);
    if (isFirst && covers(event_type, eventType))
      recipients.push({ name: agent, subscription: id });
  }
  return [...inboxOf(names.filter((name) => !subscribers.has(name))), ...recipients];
}

/** `disk.*` covers `disk.full`, `*` everything. */
function covers(pattern: string, eventType: string | undefined): boolean {
  if (pattern === '*') return true;
  if (eventType === undefined) return false;
  return pattern.endsWith('.*')
    ? eventType.startsWith(pattern.slice(0, -1))
    : pattern === eventType;
}

function to(names: readonly string[]): MessageRoute {
  return { kind: 'to', recipients: inboxOf(names) };
}

function inboxOf(names: readonly string[]): readonly Recipient[] {
  return names.map((name) => ({ name, subscription: 0 }));
}

function noRecipient(message: string, fix?: string): AosError {
  return new AosError('message.no-recipient', { message, fix });
}
