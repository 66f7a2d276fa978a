/** What is written down of a try to deliver. See deliver.ts. */

import { AosError, toReport } from '../../kernel/errors.ts';
import { fileNameOf, maxAttempts, retryDelayMs } from '../../kernel/message/message.ts';
import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { batchRows } from '../../ledger/ledger.ts';
import {
  type DeliveryVia,
  deliveriesSucceeded,
  deliveryFailed,
  type Queue,
  releaseDelivery,
} from '../../ledger/messages/deliveries.ts';
import type { MailFacts } from '../../ledger/messages/find-mail.ts';
import type { RelayCore } from '../deps.ts';
import { ownerName, type PrincipalName } from '../envelope.ts';
import { inboxFileOf, itemOf, type OutgoingMail, type WrittenBatch } from '../mail.ts';
import { type Handover, type Posted, Posting } from '../posting.ts';
import type { PushSink } from '../relay.ts';
import { endBadly } from './settle.ts';

export interface Success {
  readonly there: readonly OutgoingMail[];
  readonly via: DeliveryVia;
  readonly at: Instant;
}

/** Resolves to those that were ended meanwhile. */
export async function noteSuccess(
  { core, delivered }: DeliverDeps,
  queue: Queue,
  { there, via, at }: Success,
): Promise<readonly OutgoingMail[]> {
  const counted = await core.ledger.transact(async (tx) => {
    const ids = there.map(({ mail }) => mail.delivery);
    const held = await deliveriesSucceeded(tx, ids, { owner: core.holder, via, at });
    const done = there.filter(({ mail }) => held.has(mail.delivery));
    for (const { mail } of done) {
      const { message_id, recipient: to } = mail;
      const subject = `message:${message_id}`;
      await tx.record({ actor: 'system', kind: 'message.delivered', subject, data: { to, via } });
    }
    return done;
  });
  for (const { mail } of counted) core.metrics.delivered(1, at - mail.accepted_at);
  delivered(queue, via, counted);
  if (counted.length === there.length) return [];
  return there.filter((outgoing) => !counted.includes(outgoing));
}

/** deliver.ts, D4. Not to be repeated with what was noted, which the same guard would tell apart no more. */
export async function takeAway(
  { core }: DeliverDeps,
  { recipient }: Queue,
  over: readonly OutgoingMail[],
): Promise<void> {
  if (over.length === 0) return;
  const names = over.map(({ mail, message }) => inboxFileOf(mail, message).name);
  await removeFiles(core, recipient, names);
}

/** deliver.ts, D3. Tells when the next try is due. */
export async function noteFailure(
  { core, posted }: DeliverDeps,
  { recipient }: Queue,
  { held, reason }: { readonly held: readonly OutgoingMail[]; readonly reason: string },
): Promise<number> {
  const [first, ...behind] = held;
  if (first === undefined) return 0;
  const attempt = first.mail.attempts + 1;
  const jitter = must(core.random.bytes(1)[0], 'a random byte') / 256;
  const dueAt = core.clock.now() + retryDelayMs(attempt, jitter);
  const after = await core.ledger.transact(async (tx) => {
    const posting = new Posting(core, tx, nobodyElse);
    for (const { mail } of behind) await releaseDelivery(tx, mail.delivery, core.holder);
    const failure = { owner: core.holder, error: reason, dueAt };
    if (await deliveryFailed(tx, first.mail.delivery, failure)) {
      await recordTry(posting, first.mail, { attempt, reason, dueAt });
    }
    return posting.finish();
  });
  core.metrics.retried();
  core.log.warn({ recipient, attempt, reason }, 'a delivery failed');
  posted(after);
  return dueAt;
}

interface FailedTry {
  readonly attempt: number;
  readonly reason: string;
  readonly dueAt: number;
}

async function recordTry(
  posting: Posting,
  mail: MailFacts,
  { attempt, reason, dueAt }: FailedTry,
): Promise<void> {
  if (attempt >= maxAttempts) {
    await endBadly(posting, mail, { state: 'dead', reason: `${attempt} tries failed. ${reason}` });
    return;
  }
  await posting.tx.record({
    actor: 'system',
    kind: 'message.retried',
    subject: `message:${mail.message_id}`,
    data: { to: mail.recipient, attempt, reason, due_at: dueAt },
  });
}

/** They wait in the ledger again. */
export async function release(core: RelayCore, held: readonly OutgoingMail[]): Promise<void> {
  if (held.length === 0) return;
  await core.ledger.transact(async (tx) => {
    for (const { mail } of held) await releaseDelivery(tx, mail.delivery, core.holder);
  });
}

/** What is posted while a queue is in trouble goes by the ledger. */
const nobodyElse: Handover = { takes: () => false };

// What a queue holds in memory until its turn comes, and how much that may be.

const batchBytes = 1024 * 1024;
// What may wait in memory for its turn.
const mostWaiting = 4096;
const mostWaitingBytes = 2 * 1024 * 1024;

export class HeldMail {
  #waiting: OutgoingMail[] = [];
  #bytes = 0;

  get count(): number {
    return this.#waiting.length;
  }

  get hasRoom(): boolean {
    return this.#waiting.length < mostWaiting && this.#bytes < mostWaitingBytes;
  }

  all(): readonly OutgoingMail[] {
    return this.#waiting;
  }

  add(outgoing: OutgoingMail): void {
    this.#waiting.push(outgoing);
    this.#bytes += outgoing.mail.size_bytes;
  }

  /** Takes out what goes next. */
  nextBatch(): readonly OutgoingMail[] {
    const waiting = this.#waiting;
    if (waiting.length > 1) waiting.sort(byTurn);
    let bytes = 0;
    let count = 0;
    for (const { mail } of waiting) {
      bytes += mail.size_bytes;
      if (count === batchRows || (count > 0 && bytes > batchBytes)) break;
      count++;
    }
    const batch = waiting.splice(0, count);
    for (const { mail } of batch) this.#bytes -= mail.size_bytes;
    return batch;
  }

  drop(gone: readonly OutgoingMail[]): void {
    const dropped = new Set(gone);
    this.#waiting = this.#waiting.filter((outgoing) => !dropped.has(outgoing));
    this.#bytes = this.#waiting.reduce((sum, { mail }) => sum + mail.size_bytes, 0);
  }
}

function byTurn(one: OutgoingMail, other: OutgoingMail): number {
  return one.mail.priority - other.mail.priority || one.mail.delivery - other.mail.delivery;
}

// The way from here to a recipient: a sink that is attached now, else the inbox folder.

interface Egress {
  readonly via: DeliveryVia;
  send(batch: readonly OutgoingMail[]): Promise<WrittenBatch>;
}

/** Undefined when the recipient has to come and take it. */
export function egressOf(deps: DeliverDeps, queue: Queue): Egress | undefined {
  const sink = isPaused(deps, queue) ? undefined : deps.sinks.of(queue);
  if (sink !== undefined) return { via: 'push', send: (batch) => push(deps.sinks, sink, batch) };
  const { recipient, subscription } = queue;
  if (subscription !== 0 || recipient === ownerName) return undefined;
  if (isPaused(deps, queue) || deps.core.takesInTurns(recipient)) return undefined;
  return { via: 'inbox', send: (batch) => write(deps, recipient, batch) };
}

/** Its mail is held until it is resumed. */
function isPaused({ core }: DeliverDeps, { recipient }: Queue): boolean {
  return core.grants.isPaused(`agent:${recipient}`);
}

async function write(
  deps: DeliverDeps,
  recipient: string,
  batch: readonly OutgoingMail[],
): Promise<WrittenBatch> {
  const { inboxes } = deps.core;
  const files = batch.map(({ mail, message }) => inboxFileOf(mail, message));
  const names = files.map(({ name }) => name);
  // Before, so that a file cannot be read and taken away unseen.
  deps.expecting(recipient, names);
  const written = await inboxes.write(recipient, files);
  if (written.isInboxGone !== true) return written;
  await inboxes.make(recipient);
  // What lay in it comes first, and these behind it.
  if ((await deps.inboxGone(recipient)) > 0) return written;
  await written.noted();
  deps.expecting(recipient, names);
  return inboxes.write(recipient, files);
}

async function push(
  sinks: Sinks,
  sink: PushSink,
  batch: readonly OutgoingMail[],
): Promise<WrittenBatch> {
  sinks.pushed(sink, batch);
  try {
    await sink.push(batch.map(({ mail, message }) => itemOf(mail, message)));
    return { count: batch.length, failure: undefined, noted };
  } catch (failure) {
    if (!(failure instanceof AosError)) throw failure;
    sinks.notPushed(sink, batch);
    return { count: 0, failure, noted };
  }
}

// What was pushed and is not known to be read when the daemon starts again is pushed again.
async function noted(): Promise<void> {}

/** What delivering needs besides the relay's core. */
export interface DeliverDeps {
  readonly core: RelayCore;
  readonly sinks: Sinks;
  /** Called before files go into an inbox folder. */
  expecting(recipient: string, coming?: readonly string[]): void;
  /** An inbox was gone and is made again. Tells how many that lay in it wait to come again. */
  inboxGone(recipient: string): Promise<number>;
  /** Told after the commit. */
  delivered(queue: Queue, via: DeliveryVia, batch: readonly OutgoingMail[]): void;
  /** What a transaction of ours has placed besides: what senders are told. */
  posted(posted: Posted): void;
}

/**
 * Takes the files of messages away that are over, or read elsewhere: a recipient should not find, and
 * act on, what its sender was told is over. One inbox that cannot be touched keeps no other
 * from being cleared.
 */
export async function clearFiles(core: RelayCore, mails: readonly MailFacts[]): Promise<void> {
  const lying = mails.filter(({ state, via }) => state === 'delivered' && via === 'inbox');
  for (const [recipient, theirs] of Map.groupBy(lying, (mail) => mail.recipient)) {
    const names = theirs.map(({ stamp_ns, message_id }) => fileNameOf(stamp_ns, message_id));
    await removeFiles(core, recipient, names);
  }
}

async function removeFiles(
  { inboxes, log }: RelayCore,
  recipient: string,
  names: readonly string[],
): Promise<void> {
  try {
    await inboxes.remove(recipient, names);
  } catch (failure) {
    const words = 'files of messages that are over stay in an inbox';
    log.warn({ error: toReport(failure), recipient, files: names.length }, words);
  }
}

// Who is attached to which mailbox, and what was pushed to them and is not read yet.

export class Sinks {
  readonly #byRecipient = new Map<PrincipalName, PushSink[]>();
  /** By the id of the message. */
  readonly #unread = new Map<PushSink, Map<string, OutgoingMail>>();

  /** The one through which this queue goes now; undefined when there is none. */
  of({ recipient, subscription }: Queue): PushSink | undefined {
    const wanted = { subscription: subscription === 0 ? null : subscription };
    return this.#byRecipient.get(recipient)?.find((sink) => sink.wants(wanted));
  }

  /** Those that have a sink attached. */
  recipients(): readonly PrincipalName[] {
    return [...this.#byRecipient.keys()];
  }

  add(recipient: PrincipalName, sink: PushSink): void {
    this.#byRecipient.set(recipient, [...(this.#byRecipient.get(recipient) ?? []), sink]);
    this.#unread.set(sink, new Map());
  }

  /** What it was pushed and has not read. */
  remove(recipient: PrincipalName, sink: PushSink): readonly OutgoingMail[] {
    const others = (this.#byRecipient.get(recipient) ?? []).filter((other) => other !== sink);
    if (others.length === 0) this.#byRecipient.delete(recipient);
    else this.#byRecipient.set(recipient, others);
    const unread = [...(this.#unread.get(sink)?.values() ?? [])];
    this.#unread.delete(sink);
    return unread;
  }

  pushed(sink: PushSink, batch: readonly OutgoingMail[]): void {
    const unread = this.#unread.get(sink);
    for (const outgoing of batch) unread?.set(outgoing.mail.message_id, outgoing);
  }

  notPushed(sink: PushSink, batch: readonly OutgoingMail[]): void {
    const unread = this.#unread.get(sink);
    for (const { mail } of batch) unread?.delete(mail.message_id);
  }

  /** What was pushed to the recipient under this id, and not read. */
  pushedMail(recipient: PrincipalName, messageId: string): MailFacts | undefined {
    for (const sink of this.#byRecipient.get(recipient) ?? []) {
      const pushed = this.#unread.get(sink)?.get(messageId);
      if (pushed !== undefined) return pushed.mail;
    }
    return undefined;
  }

  read(recipient: PrincipalName, messageId: string): void {
    for (const sink of this.#byRecipient.get(recipient) ?? []) {
      this.#unread.get(sink)?.delete(messageId);
    }
  }

  /** Those of the batch whose sink has left before it was noted that they were pushed. */
  leftBehind(recipient: PrincipalName, batch: readonly OutgoingMail[]): readonly OutgoingMail[] {
    const sinks = this.#byRecipient.get(recipient) ?? [];
    return batch.filter(
      ({ mail }) => !sinks.some((sink) => this.#unread.get(sink)?.has(mail.message_id) === true),
    );
  }
}
