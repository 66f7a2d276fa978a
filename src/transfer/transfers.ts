/** Everything that can be done with transfers, each in a file of its own. */
import type { ByteRange } from '../blobs/blobs.ts';
import type { Instant } from '../kernel/ports.ts';
import type { TransferAck } from '../kernel/transfer/transfer.ts';
import { allHeldBytes, heldBytes } from '../ledger/transfers/bodies.ts';
import { findLink, type LinkRange, type LinkRow, linkIdsFrom } from '../ledger/transfers/links.ts';
import {
  findTransfer,
  type IdsPage,
  type TransferDay,
  type TransferRow,
  transferDays,
  transferIdsFrom,
} from '../ledger/transfers/transfers.ts';
import { tellAll } from '../relay/tell.ts';
import { announceLeft, type SentBatch } from './announce.ts';
import { type Begun, beginUpload, type UploadRequest } from './begin.ts';
import type { ReceiveCalls, SendCalls, Transfer, UploadWish } from './client/calls.ts';
import type { Actor, TransferDeps } from './deps.ts';
import { transferNotes } from './deps.ts';
import { type CleanedUp, type Cleanup, cleanUp, pruneTransfers } from './expire.ts';
import { type Finish, failUpload, finishUpload, type GivenUp } from './finish.ts';
import { type CameByLink, type LinkUpload, takeByLink } from './link-upload.ts';
import {
  type DownloadLink,
  type LinkBytes,
  type LinkFacts,
  linkBytes,
  linkFacts,
  linkTransfer,
  type MadeLink,
  revokeLink,
  type ToldLink,
  toldLinks,
  type UploadLink,
  uploadLink,
} from './links.ts';
import { awaitAck, awaitList, type ListedPage, type ListQuery, type Patience } from './list.ts';
import { sweepManifests } from './manifest.ts';
import {
  type OpenBytes,
  type Opened,
  openTransfer,
  type Share,
  shareTransfer,
  transferBytes,
} from './open.ts';
import { type Settled, type StepName, settle } from './settle.ts';
import { addBytes, type ComingBytes, type ServingDeps, UploadTraffic } from './upload.ts';

export class Transfers {
  readonly #deps: ServingDeps;

  constructor(deps: TransferDeps) {
    this.#deps = { ...deps, traffic: new UploadTraffic(deps) };
  }

  begin(actor: Actor, request: UploadRequest): Promise<Begun> {
    return beginUpload(this.#deps, actor, request);
  }

  /** How many bytes there are then. */
  addBytes(party: string, bytes: ComingBytes): Promise<number> {
    return addBytes(this.#deps, party, bytes);
  }

  finish(actor: Actor, finish: Finish): Promise<SentBatch> {
    return finishUpload(this.#deps, actor, finish);
  }

  giveUp(party: string, upload: GivenUp) {
    return failUpload(this.#deps, party, upload);
  }

  find(id: string): Promise<TransferRow | undefined> {
    return findTransfer(this.#deps.ledger.committed, id);
  }

  idsFrom(page: IdsPage): Promise<string[]> {
    return transferIdsFrom(this.#deps.ledger.committed, page);
  }

  list(query: ListQuery, patience: Patience): Promise<ListedPage> {
    return awaitList(this.#deps, query, patience);
  }

  awaitAck(
    which: { readonly id: string; readonly waitFor: TransferAck | undefined },
    patience: Patience,
  ): Promise<Transfer> {
    return awaitAck(this.#deps, which, patience);
  }

  open(actor: Actor, id: string): Promise<Opened> {
    return openTransfer(this.#deps, actor, id);
  }

  bytes(party: string, which: { readonly id: string; readonly range?: ByteRange | undefined }) {
    return transferBytes(this.#deps, party, which) satisfies Promise<OpenBytes>;
  }

  settle(party: string, step: Settled & { readonly step: StepName }): Promise<Transfer> {
    return settle(this.#deps, party, step);
  }

  share(party: string, share: Share): Promise<SentBatch> {
    return shareTransfer(this.#deps, party, share);
  }

  cleanUp(cleanup?: Cleanup): Promise<CleanedUp> {
    return cleanUp(this.#deps, cleanup);
  }

  metrics(of: { readonly party: string | undefined; readonly days: number }) {
    return transferMetrics(this.#deps, of) satisfies Promise<TransferMetrics>;
  }

  link(party: string, link: DownloadLink): Promise<MadeLink> {
    return linkTransfer(this.#deps, party, link);
  }

  uploadLink(party: string, link: UploadLink): Promise<MadeLink> {
    return uploadLink(this.#deps, party, link);
  }

  /** Of all where nobody is named. */
  links(party: string | undefined, page?: LinkRange): Promise<ToldLink[]> {
    return toldLinks(this.#deps.ledger.committed, party, page);
  }

  findLink(id: string): Promise<LinkRow | undefined> {
    return findLink(this.#deps.ledger.committed, id);
  }

  linkIdsFrom(start: string, limit: number): Promise<string[]> {
    return linkIdsFrom(this.#deps.ledger.committed, start, limit);
  }

  revokeLink(party: string, id: string): Promise<ToldLink> {
    return revokeLink(this.#deps, party, id);
  }

  linkFacts(token: string): Promise<LinkFacts> {
    return linkFacts(this.#deps, token);
  }

  linkBytes(token: string): Promise<LinkBytes> {
    return linkBytes(this.#deps, token);
  }

  takeByLink(upload: LinkUpload): Promise<CameByLink> {
    return takeByLink(this.#deps, upload);
  }

  /** What a crash has left undone; to be repeated from time to time. */
  async recover(): Promise<void> {
    await announceLeft(this.#deps);
    await tellAll(this.#deps, transferNotes);
  }

  /** Old rows, and what is left of manifests. */
  async prune(before: Instant): Promise<void> {
    await pruneTransfers(this.#deps, before);
    await sweepManifests(this.#deps);
  }
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
  { party, days: lastDays }: { readonly party: string | undefined; readonly days: number },
): Promise<TransferMetrics> {
  const sql = ledger.committed;
  const since = (Math.floor(clock.now() / dayMs) - lastDays + 1) * dayMs;
  const rows = await transferDays(sql, { sender: party, since });
  const sum = (what: (day: TransferDay) => number) =>
    rows.reduce((total, day) => total + what(day), 0);
  const [count, bytes] = [sum((day) => day.count), sum((day) => day.bytes)];
  return {
    days: rows.map(({ day, count, bytes, failed }) => ({
      ...{ day: dateText(day * dayMs), count, bytes, failed },
    })),
    ...{ count, bytes, failed: sum((day) => day.failed), saved_bytes: sum((day) => day.saved) },
    average_bytes: count === 0 ? 0 : Math.round(bytes / count),
    storage_bytes: party === undefined ? await allHeldBytes(sql) : await heldBytes(sql, party),
    quota_bytes: limits.quotaBytes,
  };
}

function dateText(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}

// The calls of the ends, where ends and home are in one process: for tools.

export function directCalls(transfers: Transfers, actor: Actor): SendCalls & ReceiveCalls {
  const { party } = actor;
  return {
    beginUpload: (wish) => transfers.begin(actor, requestOf(wish)),
    uploadBytes: async (id, source, { from }) => ({
      stored_bytes: await transfers.addBytes(party, { id, from, source }),
    }),
    finishUpload: (id, { stored_bytes, size_bytes, sha256, hash }) =>
      transfers.finish(actor, {
        ...{ id, storedBytes: stored_bytes, sizeBytes: size_bytes, sha256, hash },
      }),
    failUpload: (id, { reason, attempts }) => transfers.giveUp(party, { id, reason, attempts }),
    openTransfer: (id) => transfers.open(actor, id),
    transferBytes: (id, range) => transfers.bytes(party, { id, range }),
    verifyTransfer: (id) => transfers.settle(party, { id, step: 'verified' }),
    failTransfer: (id, { reason }) => transfers.settle(party, { id, step: 'failed', reason }),
  };
}

/** The wire's form of what somebody wants to send. */
export function requestOf(wish: UploadWish): UploadRequest {
  const { as: _, size_bytes, mime_type, expires_ms, entries, metadata, ...rest } = wish;
  return {
    ...rest,
    sizeBytes: size_bytes,
    entries: entries ?? null,
    mimeType: mime_type ?? null,
    metadata: metadata ?? {},
    expiresMs: expires_ms ?? null,
  };
}
