/** What is written down of a try to deliver. See deliver.ts. */

import { maxAttempts, retryDelayMs } from '../../kernel/message/message.ts';
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
import { inboxFileOf, type OutgoingMail } from '../mail.ts';
import { type Handover, Posting } from '../posting.ts';
import { type DeliverDeps, removeFiles } from './egress.ts';
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

/** D4. Not to be repeated with what was noted, which the same guard would tell apart no more. */
export async function takeAway(
  { core }: DeliverDeps,
  { recipient }: Queue,
  over: readonly OutgoingMail[],
): Promise<void> {
  if (over.length === 0) return;
  const names = over.map(({ mail, message }) => inboxFileOf(mail, message).name);
  await removeFiles(core, recipient, names);
}

/** D3. Tells when the next try is due. */
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
