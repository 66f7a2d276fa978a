/** One message from a call to the relay, as fast as its sender may send. */

import { AosError } from '../kernel/errors.ts';
import type { Message } from '../kernel/message/message.ts';
import { checkMessage } from '../kernel/message/text.ts';
import type { Clock } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { early } from '../kernel/turns.ts';
import { type Acceptance, type PrincipalName, relayName } from './envelope.ts';
import type { Mailboxes, MailboxItem, RateLimit, Relay } from './relay.ts';

export interface SendDeps {
  readonly relay: Pick<Relay, 'accept' | 'rate'>;
  readonly clock: Clock;
}

/** No caller would wait much longer. */
const longestSlowingMs = 30_000;

export type Accepted = Exclude<Acceptance, { kind: 'refused' }>;

interface SendOptions {
  readonly signal: AbortSignal;
  /** The caller has asked whether it may be sent, and counted that. */
  readonly isPermitted?: true | undefined;
}

/** For a message that was checked. Throws what the relay says against it. */
export async function send(
  deps: SendDeps,
  sender: PrincipalName,
  message: Message,
  { signal, isPermitted }: SendOptions,
): Promise<Accepted> {
  await passInTime(deps, sender, signal);
  const [acceptance] = await deps.relay.accept([{ sender, message, isPermitted }]);
  if (acceptance === undefined) throw new Error('the relay has not said what became of a message');
  if (acceptance.kind === 'refused') throw acceptance.error;
  return acceptance;
}

async function passInTime(
  { relay: { rate }, clock }: SendDeps,
  sender: PrincipalName,
  signal: AbortSignal,
): Promise<void> {
  if (rate.take(sender, 1) === 1) return;
  const passed = new AbortController();
  const late = new AbortController();
  const watch = clock.sleep(longestSlowingMs, AbortSignal.any([passed.signal, signal])).then(
    () => late.abort(slowedTooLong(rate, sender)),
    // It passed, or the caller waits no more.
    () => {},
  );
  try {
    await rate.pass(sender, 1, AbortSignal.any([late.signal, signal]));
  } catch (failure) {
    throw late.signal.aborted ? late.signal.reason : failure;
  } finally {
    passed.abort(early);
    await watch;
  }
}

function slowedTooLong(rate: RateLimit, sender: PrincipalName): AosError {
  const waitMs = Math.max(1, rate.waitMs(sender));
  return new AosError('gateway.too-many', {
    message: `Too many messages; the next one may go in ${waitMs} ms`,
    details: { retry_after_ms: waitMs },
  });
}

// A message of the kind `request`, and the wait for its answer.

interface RequestDeps {
  readonly relay: Pick<Relay, 'accept' | 'rate' | 'mailboxes'>;
  readonly clock: Clock;
}

interface AnswerPatience extends SendOptions {
  readonly timeoutMs: number;
}

// The least that a message may have.
const shortestTtlMs = 1000;

/** Throws `message.no-answer` when no answer comes in time, and `message.refused` for a nack. */
export async function request(
  deps: RequestDeps,
  sender: PrincipalName,
  asked: Message,
  { timeoutMs, ...options }: AnswerPatience,
): Promise<{ readonly id: string; readonly response: MailboxItem }> {
  const deadline = deps.clock.monotonicMs() + timeoutMs;
  const ttlMs = Math.max(shortestTtlMs, timeoutMs);
  const message: Message = { ...asked, kind: 'request', ttlMs };
  checkMessage(message);
  const { signal } = options;
  const { id } = await send(deps, sender, message, options);
  const { mailboxes } = deps.relay;
  const waitMs = Math.max(0, deadline - deps.clock.monotonicMs());
  const take = () => mailboxes.take(sender, { limit: 1, re: id, kinds: answers });
  const [item] = await awaitMail({ ...deps, mailboxes }, sender, take, { waitMs, signal });
  signal.throwIfAborted();
  if (item === undefined) throw noAnswer(id, asked.to, `in ${timeoutMs} ms`);
  if (item.kind === 'nack') throw refused(id, item);
  return { id, response: item };
}

// An ack ends a request too: no other answer can come. Whatever else refers to the request
// is for its sender to read.
const answers = ['response', 'ack', 'nack'] as const;

function noAnswer(id: string, to: string, why: string): AosError {
  return new AosError('message.no-answer', {
    message: `Nobody has answered the request to ${quote(to)} ${why}`,
    fix: `aos why ${id}`,
    details: { id },
  });
}

function refused(id: string, { from, to, body }: MailboxItem): AosError {
  const words = body.length > 500 ? `${body.slice(0, 500)}…` : body;
  if (from === relayName) return noAnswer(id, to, `: ${words}`);
  return new AosError('message.refused', {
    message: `${quote(from)} refuses the request: ${words}`,
    fix: `aos why ${id}`,
    details: { id, from, reason: body },
  });
}

// Reading a mailbox, and waiting for something to be there.

interface AwaitMailDeps {
  readonly mailboxes: Pick<Mailboxes, 'wait'>;
  readonly clock: Clock;
}

// The net under the bell.
const lookAgainMs = 1000;

interface Patience {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** What is there now, or comes within that time; nothing when the caller waits no more. */
export async function awaitMail(
  { mailboxes, clock }: AwaitMailDeps,
  recipient: PrincipalName,
  look: () => Promise<readonly MailboxItem[]>,
  { waitMs, signal }: Patience,
): Promise<readonly MailboxItem[]> {
  const deadline = clock.monotonicMs() + waitMs;
  while (!signal.aborted) {
    const leftMs = Math.max(0, deadline - clock.monotonicMs());
    const found = new AbortController();
    // It listens before the look, or what comes in between would be missed.
    const news = mailboxes
      .wait(recipient, Math.min(leftMs, lookAgainMs), AbortSignal.any([found.signal, signal]))
      // Found at once, or the caller waits no more.
      .catch(() => {});
    try {
      const items = await look();
      if (items.length > 0 || leftMs === 0) return items;
      await news;
    } finally {
      found.abort(early);
    }
  }
  return [];
}
