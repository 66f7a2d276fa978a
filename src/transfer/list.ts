/** Which transfers there are for a principal, now or as soon as there is one. */

import {
  hasMetadata,
  hasReached,
  type Metadata,
  matchesGlob,
  type TransferAck,
  type TransferStatus,
} from '../kernel/transfer/transfer.ts';
import { early } from '../kernel/turns.ts';
import { findTransfer, listTransfers, type TransferRow } from '../ledger/transfers/transfers.ts';
import { metadataOf, statusOf, transferView } from './announce.ts';
import type { TransferView } from './calls.ts';
import type { TransferDeps } from './deps.ts';
import { unknownTransfer, wrongState } from './refusals.ts';

export interface TransferListQuery {
  /** Undefined where everything of the home is meant. */
  readonly principal: string | undefined;
  readonly box: 'received' | 'sent' | 'all';
  readonly status?: TransferStatus | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly filename?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface ListedPage {
  readonly items: TransferView[];
  readonly next: string | null;
}

export interface WaitPatience {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

type ListDeps = Pick<TransferDeps, 'ledger' | 'clock'>;

export async function awaitList(
  deps: ListDeps,
  query: TransferListQuery,
  patience: WaitPatience,
): Promise<ListedPage> {
  return until(deps, patience, async (isLast) => {
    const page = await listPage(deps, query);
    return page.items.length > 0 || isLast ? page : undefined;
  });
}

const scanRows = 500;
// Of more than these that do not fit, the caller asks on.
const mostScans = 20;

async function listPage(deps: ListDeps, query: TransferListQuery): Promise<ListedPage> {
  const now = deps.clock.now();
  if (isElsewhere(query)) return pageOf([], now, undefined);
  const fits = fitting(query);
  const found: TransferRow[] = [];
  let before = query.before === undefined ? undefined : placeOf(query.before);
  for (let scan = 0; scan < mostScans; scan++) {
    const limit = Math.max(scanRows, query.limit);
    const rows = await listTransfers(deps.ledger.committed, {
      ...{ ...whoseOf(query), status: query.status, now, before, limit },
    });
    for (const row of rows) {
      before = { at: row.created_at, id: row.id };
      if (!fits(row)) continue;
      found.push(row);
      if (found.length === query.limit) return pageOf(found, now, before);
    }
    if (rows.length < limit) return pageOf(found, now, undefined);
  }
  return pageOf(found, now, before);
}

interface Place {
  readonly at: number;
  readonly id: string;
}

function pageOf(rows: readonly TransferRow[], now: number, place: Place | undefined): ListedPage {
  const items = rows.map((row) => transferView(row, now));
  return { items, next: place === undefined ? null : `${place.at}.${place.id}` };
}

function placeOf(text: string): Place {
  const [at = '', id = ''] = text.split('.', 2);
  return { at: Number(at), id };
}

/** Of another principal's transfers, nothing is seen. */
function isElsewhere({ principal, box, from, to }: TransferListQuery): boolean {
  if (principal === undefined) return false;
  if (box === 'received') return to !== undefined && to !== principal;
  return box === 'sent' && from !== undefined && from !== principal;
}

function whoseOf({ principal, box, from, to }: TransferListQuery) {
  const all = { sentBy: from, sentTo: to };
  if (principal === undefined) return all;
  if (box === 'received') return { ...all, sentTo: principal };
  return box === 'sent' ? { ...all, sentBy: principal } : { ...all, principal };
}

function fitting({ filename, metadata }: TransferListQuery): (row: TransferRow) => boolean {
  return (row) =>
    (filename === undefined || matchesGlob(filename, row.filename)) &&
    (metadata === undefined || hasMetadata(metadataOf(row), metadata));
}

/** Once it has come so far, or the time is up; throws where it never will. */
export async function awaitAck(
  deps: ListDeps,
  { id, waitFor }: { readonly id: string; readonly waitFor: TransferAck | undefined },
  patience: WaitPatience,
): Promise<TransferView> {
  return until(deps, patience, async (isLast) => {
    const row = await findTransfer(deps.ledger.committed, id);
    if (row === undefined) throw unknownTransfer(id);
    const now = deps.clock.now();
    const told = transferView(row, now);
    const reached = waitFor === undefined || hasReached(row.ack, waitFor);
    if (reached === true) return told;
    const status = statusOf(row, now);
    if (reached === undefined || status === 'expired' || status === 'failed') {
      const end = row.ack === 'revoked' || row.ack === 'rejected' ? row.ack : status;
      throw wrongState(id, `ended as ${end}, and never becomes ${waitFor}`);
    }
    return isLast ? told : undefined;
  });
}

// The net under the bell.
const lookAgainMs = 1000;

/** Looks with every event, until there is something or the time is up. */
async function until<T>(
  { ledger, clock }: ListDeps,
  { waitMs, signal }: WaitPatience,
  look: (isLast: boolean) => Promise<T | undefined>,
): Promise<T> {
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    const leftMs = deadline - clock.monotonicMs();
    const news = new AbortController();
    // It listens before the look, or what comes in between would be missed.
    using _listening = ledger.onEvents(() => news.abort(early));
    const found = await look(leftMs <= 0 || signal.aborted);
    if (found !== undefined) return found;
    const either = AbortSignal.any([news.signal, signal]);
    // Woken, or the caller waits no more: either way it is looked at once more.
    await clock.sleep(Math.min(leftMs, lookAgainMs), either).catch(() => {});
  }
}
