/**
 * One transaction's worth of posting: rows and events go in at once, counts of mailboxes
 * at its end, and what was placed is handed on after the commit.
 *
 * P1. Nothing outside the ledger changes in here, because a transaction may run twice.
 */

import type { Message } from '../kernel/message/message.ts';
import { newId } from '../kernel/new-id.ts';
import type { Instant } from '../kernel/ports.ts';
import { type AgentStatus, changeStatus, presenceOf, seeAgent } from '../ledger/agents.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { insertDelivery } from '../ledger/messages/deliveries.ts';
import type { MailFacts } from '../ledger/messages/find-mail.ts';
import {
  growMailbox,
  insertMessage,
  type MailboxSize,
  type MessageStatus,
  mailboxSize,
} from '../ledger/messages/messages.ts';
import { addBlobReference } from '../ledger/transfers/blobs.ts';
import type { RelayCore } from './deps.ts';
import {
  type FileSource,
  ownerName,
  type PrincipalName,
  type Recipient,
  relayName,
} from './envelope.ts';
import { headersOf, type MessageRoute } from './mail.ts';

/** Whether a delivery may go straight from here to the recipient. */
export interface Handover {
  takes(recipient: string, subscription: number): boolean;
}

export interface PlacedMail {
  readonly mail: MailFacts;
  readonly message: Message;
  /** It is held by this process already, for its next delivery. */
  readonly held: boolean;
}

export interface Ended {
  readonly state: 'read' | 'acked' | 'expired' | 'dead';
  readonly reason?: string | undefined;
}

export interface Letter {
  readonly id: string;
  readonly sender: PrincipalName;
  readonly message: Message;
  readonly sizeBytes: number;
  readonly status: MessageStatus;
  readonly source?: FileSource | undefined;
  readonly sourceName?: string | undefined;
  readonly error?: string | undefined;
}

/** What is to follow once the transaction is on disk. */
export interface Posted {
  readonly placed: readonly PlacedMail[];
  readonly ended: readonly Ended[];
  /** Whether the runtime was asked for something. */
  readonly hasRequests: boolean;
}

export class Posting {
  readonly tx: Transaction;
  readonly core: RelayCore;
  readonly now: Instant;
  readonly placed: PlacedMail[] = [];
  /** Deliveries that came to their end. */
  readonly ended: Ended[] = [];
  /** Whether there is something to be done that is not the relay's. */
  hasRequests = false;
  /** Who has read something. */
  readonly #readers = new Set<PrincipalName>();
  /** Where messages to these names go. */
  readonly ways = new Map<string, MessageRoute>();
  readonly #handover: Handover;
  readonly #presences = new Map<PrincipalName, AgentStatus | undefined>();
  readonly #sizes = new Map<string, MailboxSize>();
  readonly #growth = new Map<string, { messages: number; bytes: number }>();

  constructor(core: RelayCore, tx: Transaction, handover: Handover) {
    this.core = core;
    this.tx = tx;
    this.#handover = handover;
    this.now = core.clock.now();
  }

  /** Looked up once a transaction for each. */
  async presenceOf(principal: PrincipalName): Promise<AgentStatus | undefined> {
    if (!this.#presences.has(principal))
      this.#presences.set(principal, await presenceOf(this.tx, principal));
    return this.#presences.get(principal);
  }

  newId(): string {
    return newId(this.now, this.core.random);
  }

  /** The row of the message; undefined when this sender has sent it before. */
  insert(letter: Letter): Promise<number | undefined> {
    const { message, source } = letter;
    return insertMessage(this.tx, {
      message_id: letter.id,
      agent_name: letter.sender,
      direction: letter.sender === relayName ? 'inbox' : 'outbox',
      source_name: letter.sourceName ?? source?.stem ?? null,
      file_path: source?.path ?? null,
      file_size: source?.sizeBytes ?? null,
      file_mtime_ns: source?.modifiedNs ?? null,
      file_inode: source?.inode ?? null,
      checksum: message.checksum ?? null,
      status: letter.status,
      message_type: message.kind,
      target: message.to,
      discovered_at: this.now,
      processed_at: letter.status === 'processing' ? null : this.now,
      last_error: letter.error ?? null,
      thread: message.thread ?? null,
      re: message.re ?? null,
      priority: message.priority,
      event_type: message.eventType ?? null,
      dedup_key: message.dedupKey ?? null,
      receipt: message.receipt ?? null,
      headers: headersOf(message),
      body: message.body,
      size_bytes: letter.sizeBytes,
      expires_at: this.expiryOf(message),
    });
  }

  async place(row: number, letter: Letter, recipients: readonly Recipient[]): Promise<void> {
    for (const recipient of recipients) await this.#placeOne(row, letter, recipient);
    for (const hash of letter.message.attachments) {
      await addBlobReference(this.tx, { hash, referrer: `message:${letter.id}`, at: this.now });
    }
  }

  async #placeOne(row: number, letter: Letter, recipient: Recipient): Promise<void> {
    const { message, id, sender, sizeBytes } = letter;
    const held = this.#handover.takes(recipient.name, recipient.subscription);
    const facts = {
      message: row,
      recipient: recipient.name,
      state: 'accepted',
      priority: message.priority,
      stamp_ns: this.core.stamps.next(this.now),
      size_bytes: sizeBytes,
      subscription: recipient.subscription,
      expires_at: this.expiryOf(message),
      via: null,
      accepted_at: this.now,
    } as const;
    const rest = { error: null, read_at: null, ended_at: null };
    const owner = held ? this.core.holder : null;
    const delivery = await insertDelivery(this.tx, { ...facts, ...rest, owner });
    this.grow(recipient.name, 1, sizeBytes);
    const mail: MailFacts = {
      ...facts,
      delivery,
      attempts: 0,
      due_at: this.now,
      message_id: id,
      sender,
      target: message.to,
      kind: message.kind,
      thread: message.thread ?? null,
      re: message.re ?? null,
      event_type: message.eventType ?? null,
      receipt: message.receipt ?? null,
      checksum: message.checksum ?? null,
      body: message.body,
      sent_at: this.now,
    };
    this.placed.push({ mail, message, held });
  }

  /** A delivery that is over as soon as it is there. */
  async placeEnded(
    row: number,
    letter: Letter,
    end: { readonly recipient: string; readonly state: 'read' | 'dead'; readonly error?: string },
  ): Promise<void> {
    await insertDelivery(this.tx, {
      message: row,
      recipient: end.recipient,
      state: end.state,
      priority: letter.message.priority,
      stamp_ns: this.core.stamps.next(this.now),
      size_bytes: letter.sizeBytes,
      subscription: 0,
      expires_at: this.expiryOf(letter.message),
      owner: null,
      via: end.state === 'read' ? 'relay' : null,
      error: end.error ?? null,
      accepted_at: this.now,
      read_at: end.state === 'read' ? this.now : null,
      ended_at: this.now,
    });
  }

  /** How full a mailbox is, with what this transaction has put there. */
  async sizeOf(recipient: string): Promise<MailboxSize> {
    const known = this.#sizes.get(recipient) ?? (await mailboxSize(this.tx, recipient));
    this.#sizes.set(recipient, known);
    const growth = this.#growth.get(recipient);
    return {
      pending: known.pending + (growth?.messages ?? 0),
      pending_bytes: known.pending_bytes + (growth?.bytes ?? 0),
    };
  }

  grow(recipient: string, messages: number, bytes: number): void {
    const growth = this.#growth.get(recipient);
    if (growth === undefined) this.#growth.set(recipient, { messages, bytes });
    else {
      growth.messages += messages;
      growth.bytes += bytes;
    }
  }

  hasRead(reader: PrincipalName): void {
    this.#readers.add(reader);
  }

  /** To be called last. */
  async finish(): Promise<Posted> {
    for (const reader of this.#readers) await noteSignOfLife(this.tx, reader, this.now);
    for (const [recipient, growth] of this.#growth) {
      if (growth.messages !== 0 || growth.bytes !== 0) {
        await growMailbox(this.tx, recipient, growth);
      }
    }
    return { placed: this.placed, ended: this.ended, hasRequests: this.hasRequests };
  }

  expiryOf({ ttlMs, kind }: Message): Instant {
    const { limits } = this.core;
    return this.now + (ttlMs ?? (kind === 'request' ? limits.requestTtlMs : limits.ttlMs));
  }
}

/** How events and grants name a principal, e.g. `agent:jean`. */
export function principalIdOf(name: PrincipalName): string {
  if (name === ownerName) return 'owner';
  return name === relayName ? 'system' : `agent:${name}`;
}

/** An agent that does something is there: an inactive agent is active again with that. */
export async function noteSignOfLife(tx: Transaction, name: string, at: Instant): Promise<void> {
  if ((await seeAgent(tx, name, at)) !== 'inactive') return;
  await changeStatus(tx, name, { from: 'inactive', to: 'active' });
  await tx.record({ actor: 'system', kind: 'agent.active', subject: `agent:${name}` });
}
