/**
 * Ends of deliveries. Each way a delivery moves on is here, together with what follows
 * from it: the mailbox gets emptier, a stream goes on, the sender is told, an event says so.
 *
 * S1. A move is guarded by the state it was decided on. When it fails, nothing follows.
 * S2. The sender of what expired or died is told in the same transaction.
 */
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import {
  type DeliveryRowState,
  type DeliveryVia,
  deliveriesRead,
  moveDelivery,
  settleDelivery,
} from '../../ledger/messages/deliveries.ts';
import { findMail, type MailFacts } from '../../ledger/messages/find-mail.ts';
import { advanceCursor, drainStream } from '../../ledger/messages/subscriptions.ts';
import type { PrincipalName } from '../envelope.ts';
import { type Posting, principalIdOf } from '../posting.ts';
import { nackBody, tell } from '../tell.ts';

/** Those that end only when they are answered. */
function wantsAnswer({ kind }: MailFacts): boolean {
  return kind === 'request';
}

/** How it was read: taken out here, or said to be read by its recipient. */
export interface ReadVia {
  readonly via?: DeliveryVia | undefined;
  readonly evenHeld?: boolean | undefined;
}

/** False when it was moved on meanwhile. */
export async function markRead(
  posting: Posting,
  mail: MailFacts,
  { via, evenHeld }: ReadVia = {},
): Promise<boolean> {
  const ends = !wantsAnswer(mail);
  const moved = await moveDelivery(posting.tx, mail.delivery, {
    from: mail.state,
    to: 'read',
    at: posting.now,
    endedAt: ends ? posting.now : undefined,
    via,
    evenHeld,
  });
  if (!moved) return false;
  posting.hasRead(mail.recipient);
  await leaveMailbox(posting, mail);
  await record(posting, 'message.read', mail, { actor: principalIdOf(mail.recipient) });
  if (mail.subscription !== 0) await advanceCursor(posting.tx, mail.subscription, mail.message);
  if (ends) posting.ended.push({ state: 'read' });
  if (ends && mail.receipt === 'read') await tell(posting, receiptOf(mail));
  return true;
}

/**
 * The same for many that were pushed, in one statement. Those that it tells of; the others
 * have moved, or have to be looked at by themselves.
 */
export async function markPushedRead(
  posting: Posting,
  pushed: readonly MailFacts[],
): Promise<readonly MailFacts[]> {
  const plain = pushed.filter(endsPlainly);
  if (plain.length === 0) return plain;
  const ids = plain.map(({ delivery }) => delivery);
  // S1
  const moved = await deliveriesRead(posting.tx, ids, posting.now);
  const read = plain.filter(({ delivery }) => moved.has(delivery));
  for (const mail of read) {
    posting.grow(mail.recipient, -1, -mail.size_bytes);
    await record(posting, 'message.read', mail, { actor: principalIdOf(mail.recipient) });
    posting.ended.push({ state: 'read' });
  }
  return read;
}

/** Nothing follows from its being read but that it is over. */
function endsPlainly(mail: MailFacts): boolean {
  const { kind, receipt, subscription } = mail;
  return kind !== 'stream' && !wantsAnswer(mail) && receipt === null && subscription === 0;
}

function receiptOf(mail: MailFacts) {
  return {
    to: mail.sender,
    kind: 'status' as const,
    re: mail.message_id,
    thread: mail.thread,
    body: `${mail.recipient} has read it.\n`,
  };
}

/** S2. False when it has ended, or is being delivered just now. */
export async function endBadly(
  posting: Posting,
  mail: MailFacts,
  end: { readonly state: 'expired' | 'dead'; readonly reason: string },
): Promise<boolean> {
  const moved = await moveDelivery(posting.tx, mail.delivery, {
    from: mail.state,
    to: end.state,
    at: posting.now,
    endedAt: posting.now,
    error: end.reason,
    evenHeld: end.state === 'expired',
  });
  if (!moved) return false;
  await leaveMailbox(posting, mail);
  await record(posting, `message.${end.state}`, mail, { reason: end.reason });
  posting.ended.push(end);
  await tellOfEnd(posting, mail, end);
  return true;
}

async function tellOfEnd(
  posting: Posting,
  mail: MailFacts,
  { state, reason }: { readonly state: 'expired' | 'dead'; readonly reason: string },
): Promise<void> {
  // That an answer did not arrive is not told: acks about acks would have no end.
  if (mail.kind === 'ack' || mail.kind === 'nack') return;
  const fate = state === 'expired' ? 'has expired' : 'could not be delivered';
  await tell(posting, {
    to: mail.sender,
    kind: 'nack',
    re: mail.message_id,
    thread: mail.thread,
    body: nackBody(`Your message to ${mail.recipient} ${fate}: ${reason}.`),
  });
}

export type AnswerKind = 'ack' | 'nack' | 'response';

export interface GivenAnswer {
  readonly kind: AnswerKind;
  readonly re: string;
  readonly reason: string;
  /** Who gets it: the sender of what it answers must be among them, and so is told. */
  readonly reaches: readonly PrincipalName[];
}

/**
 * What an answer does to the message that it answers. The recipient that answers has it, also when
 * the row does not say so yet, so it does not matter who holds it just now.
 */
export async function settleAnswered(
  posting: Posting,
  by: PrincipalName,
  answer: GivenAnswer,
): Promise<{ readonly mail: MailFacts; readonly state: DeliveryRowState }> {
  const mail = await findMail(posting.tx, answer.re, by);
  if (mail === undefined) throw unknownMessage(answer.re);
  if (!answer.reaches.includes(mail.sender)) throw misdirected(mail);
  if (answer.kind === 'response' && mail.kind !== 'request') throw notARequest(mail);
  const to = answer.kind === 'nack' ? 'dead' : 'acked';
  const moved = await settleDelivery(posting.tx, mail.delivery, {
    to,
    at: posting.now,
    error: answer.kind === 'nack' ? `${by} refused it: ${answer.reason}` : undefined,
  });
  if (!moved) {
    // It stays as it ended. An ack is still passed on; an answer that comes too late is not.
    if (answer.kind === 'response') throw tooLate(mail);
    return { mail, state: mail.state };
  }
  if (mail.state === 'accepted' || mail.state === 'delivered') await leaveMailbox(posting, mail);
  await record(posting, 'message.settled', mail, {
    actor: principalIdOf(by),
    answer: answer.kind,
    state: to,
  });
  posting.ended.push({ state: to, reason: answer.kind === 'nack' ? 'refused' : undefined });
  return { mail, state: to };
}

async function leaveMailbox(posting: Posting, mail: MailFacts): Promise<void> {
  if (mail.state === 'accepted' || mail.state === 'delivered') {
    posting.grow(mail.recipient, -1, -mail.size_bytes);
    if (mail.kind === 'stream' && mail.thread !== null) {
      const { sender, recipient, thread } = mail;
      await drainStream(posting.tx, { sender, recipient, thread });
    }
  }
}

function record(
  posting: Posting,
  kind: string,
  mail: MailFacts,
  { actor = 'system', ...facts }: { readonly actor?: string; readonly [fact: string]: unknown },
): Promise<void> {
  return posting.tx.record({
    actor,
    kind,
    subject: `message:${mail.message_id}`,
    data: { to: mail.recipient, ...facts },
  });
}

export function unknownMessage(id: string): AosError {
  return new AosError('message.unknown', {
    message: `There is no message ${quote(id.slice(0, 64))} that was sent to you`,
    fix: 'Use the id in the ID header of the message',
  });
}

function misdirected({ message_id, sender }: MailFacts): AosError {
  return new AosError('message.malformed', {
    message: `Message ${message_id} came from ${sender}, and its answer goes to somebody else`,
    fix: `Write TO: ${sender}`,
  });
}

function notARequest(mail: MailFacts): AosError {
  return new AosError('message.ended', {
    message: `Message ${mail.message_id} is no request, but of the kind ${mail.kind}, and needs no response`,
    fix: 'Send an ordinary message',
  });
}

function tooLate(mail: MailFacts): AosError {
  return new AosError('message.ended', {
    message: `The request ${mail.message_id} is over (${mail.state}): nobody waits for a response`,
    fix: `aos why ${mail.message_id}`,
  });
}
