import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { MailboxQuery, MailSettlement, MessageHistory, Relay } from '../../relay/relay.ts';
import { request as awaitAnswer, awaitMail } from '../../relay/send.ts';
import { longestWaitMs, usualRequestMs } from '../../verbs/limits.ts';
import type { Answer, Body, Query } from '../contract/contract.ts';
import { actingName, type HomeCaller, inboxName } from '../server/authenticate.ts';
import { untilHangUp } from '../server/connections.ts';
import { badRequest } from '../server/problem.ts';
import { pageLimit, queryNumber } from '../streams/event-query.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { messageOf, sendMessage, wireHistory, wireItem } from './views/message-wire.ts';
import { fewestDigits, findRow } from './views/rows.ts';

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
  const sender = await actingName(deps.ledger, caller, body.from);
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
  readonly settlement: MailSettlement;
}

async function settle(
  { relay, ledger }: RouteDeps,
  caller: HomeCaller,
  { id, as, settlement }: Settling,
): Promise<Answer<'ack'>> {
  const recipient = await actingName(ledger, caller, as);
  const message = await findMessage(relay, caller, id);
  const isRecipient = message.deliveries.some((delivery) => delivery.recipient === recipient);
  if (!isRecipient) throw notRecipient(message.id, recipient);
  return relay.mailboxes.settle(recipient, message.id, settlement);
}

function notRecipient(id: string, principal: string): AosError {
  return new AosError('message.not-recipient', {
    message: `Message ${id} was not sent to ${quote(principal)}`,
    fix: 'Say with --as who got it',
  });
}

async function request(
  deps: RouteDeps,
  { caller, body, reply }: Call<'request'>,
): Promise<Answer<'request'>> {
  const { timeout_ms: timeoutMs = usualRequestMs, ...sent } = body;
  const sender = await actingName(deps.ledger, caller, body.from);
  const signal = untilHangUp(reply, deps.feeds.closing);
  const patience = { timeoutMs, signal };
  const { id, response } = await awaitAnswer(deps, sender, messageOf(sent), patience);
  return { id, response: wireItem(response) };
}

const usualLimit = 100;

/** What has come for an agent or the owner. */
export function mailboxRoutes(deps: RouteDeps): Handles<'inbox' | 'takeInbox' | 'readInbox'> {
  const { relay, ledger, feeds } = deps;
  const { mailboxes } = relay;
  const sql = ledger.committed;
  return {
    inbox: async ({ caller, params, query, reply }) => {
      const recipient = await inboxName(sql, caller, params.name);
      const wanted = { ...mailboxFilter(query), limit: pageLimit(query.limit) };
      const waitMs = Math.min(queryNumber(query.wait_ms) ?? 0, longestWaitMs);
      const look = () => mailboxes.list(recipient, wanted);
      const signal = untilHangUp(reply, feeds.closing);
      const items = await awaitMail({ ...deps, mailboxes }, recipient, look, { waitMs, signal });
      return { items: items.map(wireItem) };
    },
    takeInbox: async ({ caller, params, body, reply }) => {
      const { limit = usualLimit, wait_ms: waitMs = 0, ...filter } = body;
      const recipient = await inboxName(sql, caller, params.name);
      const wanted = { ...mailboxFilter(filter), limit };
      const take = () => mailboxes.take(recipient, wanted);
      const signal = untilHangUp(reply, feeds.closing);
      const items = await awaitMail({ ...deps, mailboxes }, recipient, take, { waitMs, signal });
      return { items: items.map(wireItem) };
    },
    readInbox: async ({ caller, params, body }) => {
      const recipient = await inboxName(sql, caller, params.name);
      return { read: [...(await mailboxes.markRead(recipient, body.ids))] };
    },
  };
}

function mailboxFilter({
  kind,
  re,
  from,
  event_type: eventType,
}: Omit<Query<'inbox'>, 'limit' | 'wait_ms'>): Omit<MailboxQuery, 'limit'> {
  return { kinds: kind === undefined ? undefined : [kind], re, from, eventType };
}

// The message that an id, or the beginning of one, means to a caller.

type History = Pick<Relay, 'history' | 'idsFrom'>;

/** A caller does not learn of messages that it neither sent nor got, nor that there are any. */
function findMessage(relay: History, caller: HomeCaller, typed: string): Promise<MessageHistory> {
  return findRow(
    {
      what: 'messages',
      find: (id) => relay.history(id),
      idsFrom: (start, limit) => relay.idsFrom(start, limit),
      idOf: ({ id }) => id,
      isVisible: (history) => mayKnow(caller, history),
      unknown: unknownMessage,
    },
    typed,
  );
}

function mayKnow(caller: HomeCaller, { from, deliveries }: MessageHistory): boolean {
  if (caller.kind === 'owner') return true;
  const { name } = caller;
  return from === name || deliveries.some(({ recipient }) => recipient === name);
}

function unknownMessage(typed: string): AosError {
  const isShort = typed.length < fewestDigits;
  return new AosError('message.unknown', {
    message: `There is no message ${quote(typed.slice(0, 100))}`,
    fix: isShort ? `Type at least ${fewestDigits} digits of its id` : undefined,
  });
}
