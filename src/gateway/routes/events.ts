import { readEvents, type SignedHead } from '../../ledger/events.ts';
import { signHead } from '../../security/audit/head.ts';
import { verifyChain } from '../../security/audit/verify.ts';
import type { Answer, WireSignedHead } from '../contract/contract.ts';
import { badRequest } from '../server/problem.ts';
import { eventFilter, eventPage } from '../streams/event-query.ts';
import { answerWithEvents } from '../streams/event-stream-answer.ts';
import { oldestSeq, startPosition } from '../streams/feed.ts';
import { openingPosition } from '../streams/feed-connection.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { wireEvent, wireSignedHead } from './views/event-wire.ts';
import { nextPlace } from './views/rows.ts';

export function eventRoutes(deps: RouteDeps): Handles<'events'> {
  return {
    events: (call) =>
      wantsPage(call.request.headers.accept) ? page(deps, call) : follow(deps, call),
  };
}

function wantsPage(accept = ''): boolean {
  return accept.includes('application/json') && !accept.includes('text/event-stream');
}

/**
 * A page goes over a bounded stretch of the ledger: a caller that asks for what is rare,
 * again and again, must not keep the others waiting. It may so have few items, or none,
 * and still a next page.
 */
async function page(
  { feeds }: RouteDeps,
  { caller, query }: Call<'events'>,
): Promise<Answer<'events'>> {
  const { sql, scanEvents } = feeds.feed;
  const filter = eventFilter(caller, query);
  const { limit, order } = eventPage(query);
  const head = await startPosition(sql, undefined);
  if (filter.after !== undefined) await startPosition(sql, filter.after);
  const low = Math.max(filter.after ?? 0, (await oldestSeq(sql, head + 1)) - 1);
  const high = Math.min(filter.before ?? head + 1, head + 1);
  const stretch =
    order === 'oldest-first'
      ? { after: low, before: Math.min(high, low + scanEvents + 1) }
      : { after: Math.max(low, high - scanEvents - 1), before: high };
  // One more than asked for tells whether there is a next page.
  const rows = await readEvents(sql, { ...filter, ...stretch }, { limit: limit + 1, order });
  const items = rows.slice(0, limit).map(wireEvent);
  if (rows.length > limit) {
    return { items, next: nextPlace(items, { hasMore: true }, ({ seq }) => seq) };
  }
  if (order === 'oldest-first') {
    return { items, next: stretch.before < high ? stretch.before - 1 : null };
  }
  return { items, next: stretch.after > low ? stretch.after + 1 : null };
}

async function follow(deps: RouteDeps, call: Call<'events'>): Promise<Call<'events'>['reply']> {
  const reader = deps.readerOf(call);
  const from = await openingPosition(deps.feeds, reader);
  deps.streams.take(call.caller, call.reply);
  call.reply.hijack();
  const { raw: response } = call.reply;
  const headers = { ...deps.commonHeaders, 'x-request-id': call.request.id };
  deps.track(answerWithEvents(deps.feeds, reader, { response, from, headers }));
  return call.reply;
}

// Long enough for other requests to get a turn.
const pauseMs = 1;

export function auditRoutes(deps: RouteDeps): Handles<'auditHead' | 'auditVerify'> {
  const pause = () => deps.clock.sleep(pauseMs);
  return {
    auditHead: async () => {
      const head = await signHead(deps);
      return { head: head === undefined ? null : wireSignedHead(head) };
    },
    auditVerify: async ({ body: { head } }) => {
      const keptHead = head === undefined ? undefined : keptHeadOf(head);
      return wireVerification(await verifyChain({ ledger: deps.ledger, pause }, { keptHead }));
    },
  };
}

function keptHeadOf({ at, ...head }: WireSignedHead): SignedHead {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) throw badRequest('"head.at" in the body is no date that there is');
  return { ...head, at: instant };
}

type Verification = Awaited<ReturnType<typeof verifyChain>>;

function wireVerification(verification: Verification): Answer<'auditVerify'> {
  if (verification.kind === 'broken') return verification;
  const { keptHead, signedHeads, ...rest } = verification;
  return { ...rest, signed_heads: signedHeads, kept_head: keptHead };
}
