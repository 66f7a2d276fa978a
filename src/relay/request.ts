/** A message of the kind `request`, and the wait for its answer. */
import { AosError } from '../kernel/errors.ts';
import { checkMessage } from '../kernel/message/check.ts';
import type { Message } from '../kernel/message/message.ts';
import type { Clock } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { awaitMail } from './await-mail.ts';
import { type Party, relayParty } from './envelope.ts';
import type { MailboxItem, Relay } from './relay.ts';
import { type SendOptions, send } from './send.ts';

interface RequestDeps {
  readonly relay: Pick<Relay, 'accept' | 'rate' | 'mailboxes'>;
  readonly clock: Clock;
}

interface AnswerPatience extends SendOptions {
  readonly timeoutMs: number;
}

// The least that a message may have.
const shortestTtlMs = 1000;

/** Throws `message.no-answer` when nobody answers in time, and `message.refused` for a nack. */
export async function request(
  deps: RequestDeps,
  sender: Party,
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
  if (from === relayParty) return noAnswer(id, to, `: ${words}`);
  return new AosError('message.refused', {
    message: `${quote(from)} refuses the request: ${words}`,
    fix: `aos why ${id}`,
    details: { id, from, reason: body },
  });
}
