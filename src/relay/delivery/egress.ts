/** The way from here to a recipient: a sink that is attached now, else the inbox folder. */
import { AosError, toReport } from '../../kernel/errors.ts';
import { fileNameOf } from '../../kernel/message/message.ts';
import type { DeliveryVia, Queue } from '../../ledger/messages/deliveries.ts';
import type { MailFacts } from '../../ledger/messages/find-mail.ts';
import type { RelayCore } from '../deps.ts';
import { ownerParty, type Party } from '../envelope.ts';
import { inboxFileOf, itemOf, type OutgoingMail, type WrittenBatch } from '../mail.ts';
import type { Posted } from '../posting.ts';
import type { PushSink } from '../relay.ts';

export interface Egress {
  readonly via: DeliveryVia;
  send(batch: readonly OutgoingMail[]): Promise<WrittenBatch>;
}

/** Undefined when the recipient has to come and take it. */
export function egressOf(deps: DeliverDeps, queue: Queue): Egress | undefined {
  const sink = isPaused(deps, queue) ? undefined : deps.sinks.of(queue);
  if (sink !== undefined) return { via: 'push', send: (batch) => push(deps.sinks, sink, batch) };
  const { recipient, subscription } = queue;
  if (subscription !== 0 || recipient === ownerParty) return undefined;
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

export async function removeFiles(
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
  readonly #byRecipient = new Map<Party, PushSink[]>();
  /** By the id of the message. */
  readonly #unread = new Map<PushSink, Map<string, OutgoingMail>>();

  /** The one through which this queue goes now; undefined when there is none. */
  of({ recipient, subscription }: Queue): PushSink | undefined {
    const wanted = { subscription: subscription === 0 ? null : subscription };
    return this.#byRecipient.get(recipient)?.find((sink) => sink.wants(wanted));
  }

  /** Those that have a sink attached. */
  recipients(): readonly Party[] {
    return [...this.#byRecipient.keys()];
  }

  add(recipient: Party, sink: PushSink): void {
    this.#byRecipient.set(recipient, [...(this.#byRecipient.get(recipient) ?? []), sink]);
    this.#unread.set(sink, new Map());
  }

  /** What it was pushed and has not read. */
  remove(recipient: Party, sink: PushSink): readonly OutgoingMail[] {
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
  pushedMail(recipient: Party, messageId: string): MailFacts | undefined {
    for (const sink of this.#byRecipient.get(recipient) ?? []) {
      const pushed = this.#unread.get(sink)?.get(messageId);
      if (pushed !== undefined) return pushed.mail;
    }
    return undefined;
  }

  read(recipient: Party, messageId: string): void {
    for (const sink of this.#byRecipient.get(recipient) ?? []) {
      this.#unread.get(sink)?.delete(messageId);
    }
  }

  /** Those of the batch whose sink has left before it was noted that they were pushed. */
  leftBehind(recipient: Party, batch: readonly OutgoingMail[]): readonly OutgoingMail[] {
    const sinks = this.#byRecipient.get(recipient) ?? [];
    return batch.filter(
      ({ mail }) => !sinks.some((sink) => this.#unread.get(sink)?.has(mail.message_id) === true),
    );
  }
}
