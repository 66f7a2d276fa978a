/** The way from here to a recipient: whoever is attached now, else the inbox folder. */
import { AosError } from '../../kernel/errors.ts';
import type { DeliveryVia, Queue } from '../../ledger/messages/deliveries.ts';
import { ownerParty } from '../envelope.ts';
import type { Outgoing } from '../mail.ts';
import { inboxFileOf, itemOf } from '../mail.ts';
import type { PushSink } from '../relay.ts';
import type { DeliverDeps } from './deps.ts';
import type { WrittenBatch } from './inboxes.ts';
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
