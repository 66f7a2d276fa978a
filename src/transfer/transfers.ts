/** Everything that can be done with transfers, each in a file of its own. */
import type { Instant } from '../kernel/ports.ts';
import { allHeldBytes, heldBytes } from '../ledger/transfers/bodies.ts';
import { findLink, type LinkRange, linkIdsFrom } from '../ledger/transfers/links.ts';
import {
  findTransfer,
  type IdsPage,
  type TransferDay,
  transferDays,
  transferIdsFrom,
} from '../ledger/transfers/transfers.ts';
import { tellAll } from '../relay/tell.ts';
import { announceLeft, sweepManifests } from './announce.ts';
import { type BeginRequest, beginUpload } from './begin.ts';
import type { ReceiveCalls, SendCalls, UploadRequest } from './calls.ts';
import { type TransferActor, type TransferDeps, transferNotes } from './deps.ts';
import { cleanUp, pruneTransfers } from './expire.ts';
import { failUpload, finishUpload } from './finish.ts';
import { takeByLink } from './link-upload.ts';
import { linkBytes, linkFacts, linkTransfer, linkViews, revokeLink, uploadLink } from './links.ts';
import { awaitAck, awaitList } from './list.ts';
import { openTransfer, shareTransfer, transferBytes } from './open.ts';
import { settle } from './settle.ts';
import { addBytes, type ServingDeps, UploadTraffic } from './upload.ts';

const calls = {
  begin: beginUpload,
  addBytes,
  finish: finishUpload,
  giveUp: failUpload,
  list: awaitList,
  awaitAck,
  open: openTransfer,
  bytes: transferBytes,
  settle,
  share: shareTransfer,
  cleanUp,
  metrics: transferMetrics,
  link: linkTransfer,
  uploadLink,
  revokeLink,
  linkFacts,
  linkBytes,
  takeByLink,
  find: ({ ledger }: ServingDeps, id: string) => findTransfer(ledger.committed, id),
  idsFrom: ({ ledger }: ServingDeps, page: IdsPage) => transferIdsFrom(ledger.committed, page),
  /** Of all where `principal` is undefined. */
  links: ({ ledger }: ServingDeps, principal: string | undefined, page?: LinkRange) =>
    linkViews(ledger.committed, principal, page),
  findLink: ({ ledger }: ServingDeps, id: string) => findLink(ledger.committed, id),
  linkIdsFrom: ({ ledger }: ServingDeps, start: string, limit: number) =>
    linkIdsFrom(ledger.committed, start, limit),
  /** What a crash has left undone; to be repeated from time to time. */
  recover: async (deps: ServingDeps) => {
    await announceLeft(deps);
    await tellAll(deps, transferNotes);
  },
  /** Old rows, and what is left of manifests. */
  prune: async (deps: ServingDeps, before: Instant) => {
    await pruneTransfers(deps, before);
    await sweepManifests(deps);
  },
};

type Calls = typeof calls;

/** The calls above, each without its first argument. */
export type Transfers = {
  readonly [Name in keyof Calls]: Calls[Name] extends (deps: never, ...rest: infer Rest) => infer To
    ? (...rest: Rest) => To
    : never;
};

export function openTransfers(deps: TransferDeps): Transfers {
  const serving: ServingDeps = { ...deps, traffic: new UploadTraffic(deps) };
  const bound = Object.entries<(deps: ServingDeps, ...rest: never[]) => unknown>(calls).map(
    ([name, call]) => [name, call.bind(null, serving)],
  );
  // By the type above: the same names, each bound to its first argument.
  return Object.fromEntries(bound) as Transfers;
}

// How much is sent: by the day, in all, and what it takes.

interface TransferMetrics {
  readonly days: { day: string; count: number; bytes: number; failed: number }[];
  readonly count: number;
  readonly bytes: number;
  readonly average_bytes: number;
  readonly failed: number;
  readonly saved_bytes: number;
  readonly storage_bytes: number;
  readonly quota_bytes: number;
}

const dayMs = 86_400_000;

/** Of one sender, or of all. */
async function transferMetrics(
  { ledger, clock, limits }: Pick<TransferDeps, 'ledger' | 'clock' | 'limits'>,
  { principal, days: lastDays }: { readonly principal: string | undefined; readonly days: number },
): Promise<TransferMetrics> {
  const sql = ledger.committed;
  const since = (Math.floor(clock.now() / dayMs) - lastDays + 1) * dayMs;
  const rows = await transferDays(sql, { sender: principal, since });
  const sum = (what: (day: TransferDay) => number) =>
    rows.reduce((total, day) => total + what(day), 0);
  const [count, bytes] = [sum((day) => day.count), sum((day) => day.bytes)];
  return {
    days: rows.map(({ day, count, bytes, failed }) => ({
      ...{ day: dateText(day * dayMs), count, bytes, failed },
    })),
    ...{ count, bytes, failed: sum((day) => day.failed), saved_bytes: sum((day) => day.saved) },
    average_bytes: count === 0 ? 0 : Math.round(bytes / count),
    storage_bytes:
      principal === undefined ? await allHeldBytes(sql) : await heldBytes(sql, principal),
    quota_bytes: limits.quotaBytes,
  };
}

function dateText(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}

// The calls of a client that is in the process of the home: for tools.

export function directCalls(transfers: Transfers, actor: TransferActor): SendCalls & ReceiveCalls {
  const { principal } = actor;
  return {
    beginUpload: (request) => transfers.begin(actor, requestOf(request)),
    uploadBytes: async (id, source, { from }) => ({
      stored_bytes: await transfers.addBytes(principal, { id, from, source }),
    }),
    finishUpload: (id, { stored_bytes, size_bytes, sha256, hash }) =>
      transfers.finish(actor, {
        ...{ id, storedBytes: stored_bytes, sizeBytes: size_bytes, sha256, hash },
      }),
    failUpload: (id, { reason, attempts }) => transfers.giveUp(principal, { id, reason, attempts }),
    openTransfer: (id) => transfers.open(actor, id),
    transferBytes: (id, range) => transfers.bytes(principal, { id, range }),
    verifyTransfer: (id) => transfers.settle(principal, { id, step: 'verified' }),
    failTransfer: (id, { reason }) => transfers.settle(principal, { id, step: 'failed', reason }),
  };
}

/** From the form of the wire. */
export function requestOf(request: UploadRequest): BeginRequest {
  const { as: _, size_bytes, mime_type, expires_ms, entries, metadata, ...rest } = request;
  return {
    ...rest,
    sizeBytes: size_bytes,
    entries: entries ?? null,
    mimeType: mime_type ?? null,
    metadata: metadata ?? {},
    expiresMs: expires_ms ?? null,
  };
}
