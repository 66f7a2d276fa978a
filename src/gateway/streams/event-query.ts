/** What a query asks for, out of its text. Its shape has been checked by the contract. */
import type { EventFilter, EventPage } from '../../ledger/events.ts';
import type { EventQuery } from '../contract/contract.ts';
import type { Caller } from '../server/authenticate.ts';
import { badRequest } from '../server/problem.ts';

const defaultLimit = 100;
export const mostLimit = 1000;

/** Only the owner sees what does not concern it. */
export function eventFilter(caller: Caller, query: EventQuery): EventFilter {
  return {
    after: queryNumber(query.after),
    before: queryNumber(query.before),
    since: momentOf('since', query.since),
    until: momentOf('until', query.until),
    actor: query.actor,
    kind: query.kind,
    subject: query.subject,
    concerning: caller.kind === 'agent' ? caller.id : undefined,
    outside: caller.kind === 'grantee' ? caller.id : undefined,
  };
}

export function eventPage(query: EventQuery): EventPage {
  return { limit: pageLimit(query.limit), order: query.order ?? 'oldest-first' };
}

export function pageLimit(text: string | undefined): number {
  const limit = queryNumber(text) ?? defaultLimit;
  if (limit >= 1 && limit <= mostLimit) return limit;
  throw badRequest(`"limit" in the query must be from 1 to ${mostLimit}`);
}

/** The one place where text of a query becomes a number. */
export function queryNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function momentOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(at)) throw badRequest(`"${name}" in the query is no date that there is`);
  return at;
}

/** Where a feed goes on: the header of a reader that reconnects, else the query. */
export function feedPosition(
  lastEventId: string | readonly string[] | undefined,
  query: EventQuery,
): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return queryNumber(query.after);
  if (/^(?:0|[1-9]\d{0,14})$/.test(String(lastEventId))) return Number(lastEventId);
  throw badRequest('"Last-Event-ID" is not the number of an event');
}
