import type { MailboxQuery } from '../../relay/relay.ts';
import { awaitMail } from '../../relay/send.ts';
import { longestWaitMs } from '../../verbs/limits.ts';
import type { Query } from '../contract/contract.ts';
import { untilHangUp } from '../server/hang-up.ts';
import { inboxParty } from '../server/parties.ts';
import { pageLimit, queryNumber } from '../streams/event-query.ts';
import type { Handles, RouteDeps } from './handlers.ts';
import { wireItem } from './views/message-wire.ts';

const usualLimit = 100;

/** What has come for somebody. */
export function mailboxRoutes(deps: RouteDeps): Handles<'inbox' | 'takeInbox' | 'readInbox'> {
  const { relay, ledger, feeds } = deps;
  const { mailboxes } = relay;
  const sql = ledger.committed;
  return {
    inbox: async ({ caller, params, query, reply }) => {
      const recipient = await inboxParty(sql, caller, params.name);
      const wanted = { ...mailboxFilter(query), limit: pageLimit(query.limit) };
      const waitMs = Math.min(queryNumber(query.wait_ms) ?? 0, longestWaitMs);
      const look = () => mailboxes.list(recipient, wanted);
      const signal = untilHangUp(reply, feeds.closing);
      const items = await awaitMail({ ...deps, mailboxes }, recipient, look, { waitMs, signal });
      return { items: items.map(wireItem) };
    },
    takeInbox: async ({ caller, params, body, reply }) => {
      const { limit = usualLimit, wait_ms: waitMs = 0, ...filter } = body;
      const recipient = await inboxParty(sql, caller, params.name);
      const wanted = { ...mailboxFilter(filter), limit };
      const take = () => mailboxes.take(recipient, wanted);
      const signal = untilHangUp(reply, feeds.closing);
      const items = await awaitMail({ ...deps, mailboxes }, recipient, take, { waitMs, signal });
      return { items: items.map(wireItem) };
    },
    readInbox: async ({ caller, params, body }) => {
      const recipient = await inboxParty(sql, caller, params.name);
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
