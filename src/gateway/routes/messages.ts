import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Settlement } from '../../relay/relay.ts';
import { request as awaitAnswer } from '../../relay/send.ts';
import { usualRequestMs } from '../../verbs/limits.ts';
import type { Answer, Body } from '../contract/contract.ts';
import type { HomeCaller } from '../server/authenticate.ts';
import { untilHangUp } from '../server/hang-up.ts';
import { actingParty } from '../server/parties.ts';
import { badRequest } from '../server/problem.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { findMessage } from './views/find-message.ts';
import { messageOf, wireHistory, wireItem } from './views/message-wire.ts';
import { sendMessage } from './views/send-message.ts';

/** Sending, answering, and what became of it. */
export function messageRoutes(
  deps: RouteDeps,
): Handles<'send' | 'message' | 'ack' | 'nack' | 'request'> {
  const { relay } = deps;
  return {
    send: (call) => send(deps, call),
    message: async ({ caller, params }) => wireHistory(await findMessage(relay, caller, params.id)),
    ack: ({ caller, params, body: { as, body = '' } }) =>
      settle(deps, caller, { id: params.id, as, settlement: { kind: 'ack', body } }),
    nack: ({ caller, params, body: { as, reason } }) =>
      settle(deps, caller, { id: params.id, as, settlement: { kind: 'nack', body: reason } }),
    request: (call) => request(deps, call),
  };
}

async function send(
  deps: RouteDeps,
  { caller, body, request, reply }: Call<'send'>,
): Promise<Answer<'send'>> {
  const sender = await actingParty(deps.ledger, caller, body.from);
  const message = messageOf({ ...body, dedup_key: dedupKey(body, request.headers) });
  const signal = untilHangUp(reply, deps.feeds.closing);
  const accepted = await sendMessage(deps, { caller, sender }, message, signal);
  return {
    id: accepted.id,
    state: accepted.kind,
    recipients: accepted.kind === 'accepted' ? accepted.recipients : null,
  };
}

function dedupKey(
  { dedup_key }: Body<'send'>,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return dedup_key;
  if (dedup_key === undefined || dedup_key === header) return String(header);
  throw badRequest('"Idempotency-Key" and "dedup_key" in the body are not the same');
}

interface Settling {
  readonly id: string;
  readonly as: string | undefined;
  readonly settlement: Settlement;
}

async function settle(
  { relay, ledger }: RouteDeps,
  caller: HomeCaller,
  { id, as, settlement }: Settling,
): Promise<Answer<'ack'>> {
  const recipient = await actingParty(ledger, caller, as);
  const message = await findMessage(relay, caller, id);
  const isRecipient = message.deliveries.some((delivery) => delivery.recipient === recipient);
  if (!isRecipient) throw notRecipient(message.id, recipient);
  return relay.mailboxes.settle(recipient, message.id, settlement);
}

function notRecipient(id: string, party: string): AosError {
  return new AosError('message.not-recipient', {
    message: `Message ${id} was not sent to ${quote(party)}`,
    fix: 'Say with --as who got it',
  });
}

async function request(
  deps: RouteDeps,
  { caller, body, reply }: Call<'request'>,
): Promise<Answer<'request'>> {
  const { timeout_ms: timeoutMs = usualRequestMs, ...sent } = body;
  const sender = await actingParty(deps.ledger, caller, body.from);
  const signal = untilHangUp(reply, deps.feeds.closing);
  const patience = { timeoutMs, signal };
  const { id, response } = await awaitAnswer(deps, sender, messageOf(sent), patience);
  return { id, response: wireItem(response) };
}
