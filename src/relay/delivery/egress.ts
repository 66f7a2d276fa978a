/** The way from here to a recipient: whoever is attached now, else the inbox folder. */
import { AosError, toReport } from '../../kernel/errors.ts';
import { fileNameOf } from '../../kernel/message/message.ts';
import type { DeliveryVia, Queue } from '../../ledger/messages/deliveries.ts';
import type { Mail } from '../../ledger/messages/find-mail.ts';
import type { RelayCore } from '../deps.ts';
import { ownerParty } from '../envelope.ts';
import { inboxFileOf, itemOf, type Outgoing, type WrittenBatch } from '../mail.ts';
import type { Posted } from '../posting.ts';
import type { PushSink } from '../relay.ts';
import type { Sinks } from './sinks.ts';

export interface Egress {
  readonly via: DeliveryVia;
  send(batch: readonly Outgoing[]): Promise<WrittenBatch>;
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
  batch: readonly Outgoing[],
): Promise<WrittenBatch> {
  const { inboxes } = deps.core;
  const files = batch.map(({ mail, message }) => inboxFileOf(mail, message));
  const names = files.map(({ name }) => name);
  // Before, so that nobody can read a file and take it away unseen.
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
  batch: readonly Outgoing[],
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
  delivered(queue: Queue, via: DeliveryVia, batch: readonly Outgoing[]): void;
  /** What a transaction of ours has placed besides: what senders are told. */
  posted(posted: Posted): void;
}

/**
 * Takes the files of messages away that are over, or read elsewhere: nobody should find, and
 * act on, what its sender was told is over. One inbox that cannot be touched keeps no other
 * from being cleared.
 */
export async function clearFiles(core: RelayCore, mails: readonly Mail[]): Promise<void> {
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
