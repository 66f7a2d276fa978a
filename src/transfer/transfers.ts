/** Everything that can be done with transfers, each in a file of its own. */
import type { ByteRange } from '../blobs/blobs.ts';
import type { Instant } from '../kernel/ports.ts';
import type { TransferAck } from '../kernel/transfer/transfer.ts';
import { findLink, type LinkPage, type LinkRow, linkIdsFrom } from '../ledger/transfers/links.ts';
import {
  findTransfer,
  type IdsPage,
  type TransferRow,
  transferIdsFrom,
} from '../ledger/transfers/transfers.ts';
import { announceLeft, type SentBatch } from './announce.ts';
import { type Begun, beginUpload, type UploadRequest } from './begin.ts';
import type { Actor, TransferDeps } from './deps.ts';
import type { Transfer } from './ends/ends.ts';
import { type CleanedUp, type Cleanup, cleanUp, pruneTransfers } from './expire.ts';
import { failUpload, type GivenUp } from './fail-upload.ts';
import { type Finish, finishUpload } from './finish.ts';
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
import { type TransferMetrics, transferMetrics } from './metrics.ts';
import { tellAll } from './notes.ts';
import { type OpenBytes, type Opened, openTransfer, transferBytes } from './open.ts';
import { type Settled, type StepName, settle } from './settle.ts';
import { type Share, shareTransfer } from './share.ts';
import { addBytes, type ComingBytes } from './upload.ts';
import { type ServingDeps, UploadTraffic } from './upload-traffic.ts';

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
  links(party: string | undefined, page?: LinkPage): Promise<ToldLink[]> {
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
    await tellAll(this.#deps);
  }

  /** Old rows, and what is left of manifests. */
  async prune(before: Instant): Promise<void> {
    await pruneTransfers(this.#deps, before);
    await sweepManifests(this.#deps);
  }
}
