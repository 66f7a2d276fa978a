/** The message service, as the gateway and the file adapter see it. */
import type { MessageKind } from '../kernel/message/message.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Transaction } from '../ledger/ledger.ts';
import type { DeliveryRowState } from '../ledger/messages/deliveries.ts';
import type { Acceptance, Incoming, PrincipalName } from './envelope.ts';

/** By the ids of their messages. */
export interface FilesDone {
  /** They lie in the archive now. */
  readonly archived: readonly string[];
  /** They were taken back, or others were put in their place. */
  readonly gone: readonly string[];
}

export interface Relay {
  /** Answers once everything is on disk, in the order of the batch. */
  accept(batch: readonly Incoming[]): Promise<readonly Acceptance[]>;
  /** Of files of accepted messages, which are not looked for any more. */
  filesDone(files: FilesDone): Promise<void>;
  readonly rate: RateLimit;
  readonly mailboxes: Mailboxes;
  readonly groups: Groups;
  /** They called, so they are there; it is written down with the next look at who is. */
  heardFrom(principal: PrincipalName): void;
  /** The whole path of a message; undefined when there is none of that id. */
  history(id: string): Promise<MessageHistory | undefined>;
  /** The ids that begin so, at most `limit` of them. */
  idsFrom(prefix: string, limit: number): Promise<readonly string[]>;
}

/** Slows a sender down, and drops nothing. */
export interface RateLimit {
  /** Takes as many as may go now, at most `wanted`; 0 when none may. */
  take(sender: PrincipalName, wanted: number): number;
  /** How long until one more may go; 0 when it may now. */
  waitMs(sender: PrincipalName): number;
  /** Resolves when that many have been let through. */
  pass(sender: PrincipalName, count: number, signal?: AbortSignal): Promise<void>;
}

/** A message in a mailbox. */
export interface MailboxItem {
  readonly id: string;
  readonly from: PrincipalName;
  readonly to: string;
  readonly recipient: PrincipalName;
  readonly kind: MessageKind;
  readonly state: DeliveryRowState;
  readonly priority: number;
  readonly thread: string | undefined;
  readonly re: string | undefined;
  readonly eventType: string | undefined;
  readonly chunk: { readonly index: number; readonly end: boolean } | undefined;
  readonly attachments: readonly string[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
  readonly sentAt: Instant;
  readonly expiresAt: Instant;
  readonly attempts: number;
}

export interface MailboxQuery {
  readonly limit: number;
  /** Only messages of these kinds. */
  readonly kinds?: readonly MessageKind[] | undefined;
  /** Only answers to this message. */
  readonly re?: string | undefined;
  readonly from?: PrincipalName | undefined;
  /** Only events of this subscription. */
  readonly eventType?: string | undefined;
}

export interface TakeQuery extends MailboxQuery {
  /** How many of those that were found there is room for; the rest stays unread. */
  readonly roomFor?: ((found: readonly MailboxItem[]) => number) | undefined;
  /** What is written down together with that they were read. It awaits ledger calls only. */
  readonly also?: ((tx: Transaction, taken: readonly MailboxItem[]) => Promise<void>) | undefined;
}

export interface Mailboxes {
  /** What was not read yet, as it would be taken; nothing changes. */
  list(recipient: PrincipalName, query: MailboxQuery): Promise<readonly MailboxItem[]>;
  /** Like list(), but they are read with that: each is handed out once. */
  take(recipient: PrincipalName, query: TakeQuery): Promise<readonly MailboxItem[]>;
  /** Those of the ids that were unread until now. */
  markRead(recipient: PrincipalName, ids: readonly string[]): Promise<readonly string[]>;
  /** The recipient has done what a message asked for, or refuses to; its sender is told. */
  settle(recipient: PrincipalName, id: string, settlement: MailSettlement): Promise<SettledMail>;
  /** From now on messages go to the sink instead of the inbox folder. */
  attach(recipient: PrincipalName, sink: PushSink): AsyncDisposable;
  /** Resolves when something new may be there for the recipient, or the time is up. */
  wait(recipient: PrincipalName, timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

export interface MailSettlement {
  readonly kind: 'ack' | 'nack';
  /** For the sender; of a nack the reason. */
  readonly body: string;
}

export interface SettledMail {
  readonly id: string;
  readonly state: DeliveryRowState;
  /** The ack or nack that went to the sender. */
  readonly answer: string;
}

export interface PushSink {
  /** Resolves when they have left this process; rejects when they could not. */
  push(items: readonly MailboxItem[]): Promise<void>;
  /** Whether this message is for this sink; others go elsewhere. */
  wants(item: { readonly subscription: number | null }): boolean;
}

/** Names that stand for several, or for one who changes. */
export interface Groups {
  join(channel: string, agent: string, actor: string): Promise<boolean>;
  leave(channel: string, agent: string, actor: string): Promise<boolean>;
  channels(): Promise<readonly { readonly channel: string; readonly agents: readonly string[] }[]>;
  lead(): Promise<string | undefined>;
  setLead(name: string, actor: string): Promise<{ readonly released: number }>;
  subscribe(agent: string, eventType: string, actor: string): Promise<Subscription>;
  unsubscribe(agent: string, eventType: string, actor: string): Promise<boolean>;
  subscriptions(agent: string): Promise<readonly Subscription[]>;
}

export interface Subscription {
  readonly id: number;
  readonly agent: string;
  readonly eventType: string;
  readonly cursor: number;
}

export interface MessageHistory {
  readonly id: string;
  readonly from: PrincipalName;
  readonly to: string;
  readonly kind: MessageKind;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'archived';
  readonly error: string | undefined;
  readonly sizeBytes: number;
  readonly sourceName: string | undefined;
  readonly thread: string | undefined;
  readonly re: string | undefined;
  readonly deliveries: readonly DeliveryHistory[];
  /** In the order in which they happened. */
  readonly steps: readonly HistoryStep[];
}

export interface DeliveryHistory {
  readonly recipient: PrincipalName;
  readonly state: DeliveryRowState;
  readonly attempts: number;
  readonly via: string | undefined;
  readonly error: string | undefined;
}

export interface HistoryStep {
  readonly at: Instant;
  /** One plain sentence part, such as `delivered to jean as an inbox file`. */
  readonly what: string;
}
