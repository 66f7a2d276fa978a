/** The part of the client that is about transfers. */

import type { Answer, Body, Query } from '../contract/contract.ts';
import { allPages } from './all-pages.ts';
import type { CallOptions, TransportAnswer } from './transport.ts';

/** One function a route; a transfer is known by its id, or the beginning of it. */
export interface TransferCalls {
  beginUpload(request: Body<'beginUpload'>, options?: CallOptions): Promise<Answer<'beginUpload'>>;
  /** `from` is what is stored already. */
  uploadBytes(
    id: string,
    bytes: AsyncIterable<Uint8Array>,
    query: { readonly from: number; readonly as?: string | undefined },
    options?: CallOptions,
  ): Promise<Answer<'uploadBytes'>>;
  finishUpload(
    id: string,
    body: Body<'finishUpload'>,
    options?: CallOptions,
  ): Promise<Answer<'finishUpload'>>;
  failUpload(
    id: string,
    body: Body<'failUpload'>,
    options?: CallOptions,
  ): Promise<Answer<'failUpload'>>;
  /** A page; `next` of it goes into `before`. */
  transfers(query: TransfersQuery, options?: CallOptions): Promise<Answer<'transfers'>>;
  transfer(id: string, query?: TransferQuery, options?: CallOptions): Promise<WireTransfer>;
  openTransfer(id: string, body: As, options?: CallOptions): Promise<Answer<'openTransfer'>>;
  /** The bytes as they are stored. */
  transferBytes(id: string, query: BytesQuery, options?: CallOptions): Promise<TransferBytes>;
  verifyTransfer(id: string, body: As, options?: CallOptions): Promise<WireTransfer>;
  acceptTransfer(id: string, body: As, options?: CallOptions): Promise<WireTransfer>;
  rejectTransfer(id: string, body: WithReason, options?: CallOptions): Promise<WireTransfer>;
  failTransfer(id: string, body: WithReason, options?: CallOptions): Promise<WireTransfer>;
  shareTransfer(
    id: string,
    body: Body<'shareTransfer'>,
    options?: CallOptions,
  ): Promise<Answer<'shareTransfer'>>;
  revokeTransfer(id: string, body: As, options?: CallOptions): Promise<WireTransfer>;
  cleanupTransfers(
    body: Body<'cleanupTransfers'>,
    options?: CallOptions,
  ): Promise<Answer<'cleanupTransfers'>>;
  transferMetrics(
    query: { readonly as?: string | undefined; readonly days?: number | undefined },
    options?: CallOptions,
  ): Promise<Answer<'transferMetrics'>>;
  linkTransfer(
    id: string,
    body: Body<'linkTransfer'>,
    options?: CallOptions,
  ): Promise<Answer<'linkTransfer'>>;
  uploadLink(body: Body<'uploadLink'>, options?: CallOptions): Promise<Answer<'uploadLink'>>;
  transferLinks(query: As, options?: CallOptions): Promise<Answer<'transferLinks'>>;
  revokeLink(id: string, body: As, options?: CallOptions): Promise<Answer<'revokeLink'>>;
}

export type WireTransfer = Answer<'transfer'>;

export interface As {
  readonly as?: string | undefined;
}

export interface WithReason extends As {
  readonly reason: string;
}

export type TransfersQuery = Omit<Query<'transfers'>, 'limit' | 'wait_ms'> & {
  readonly limit?: number | undefined;
  readonly wait_ms?: number | undefined;
};

export type TransferQuery = Omit<Query<'transfer'>, 'wait_ms'> & {
  readonly wait_ms?: number | undefined;
};

/** A part of the bytes: from the first one to the one before `to`. */
export interface BytesQuery extends As {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface TransferBytes {
  /** How many of them come. */
  readonly sizeBytes: number;
  /** To be read to its end, or left with `break`. */
  readonly stream: AsyncIterable<Uint8Array>;
}

export interface TransferCallsDeps {
  get<T>(path: string, query?: object, options?: CallOptions): Promise<T>;
  post<T>(path: string, body: unknown, options?: CallOptions): Promise<T>;
  upload<T>(path: string, bytes: AsyncIterable<Uint8Array>, options?: CallOptions): Promise<T>;
  openBytes(
    path: string,
    headers: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<TransportAnswer>;
  /** As the part of an address behind `?`. */
  search(query: object): string;
}

// Flushing and hashing many bytes takes its time; so does a disk that is busy.
const slowTimeoutMs = 10 * 60_000;
const marginMs = 10_000;

export function transferCalls(deps: TransferCallsDeps): TransferCalls {
  const { get, post } = deps;
  const all = '/api/v1/transfers';
  const at = (id: string, what = '') => `${all}/${encodeURIComponent(id)}${what}`;
  const upload = (id: string, what: string) => `${all}/uploads/${encodeURIComponent(id)}/${what}`;
  const slow = (options?: CallOptions): CallOptions => ({ timeoutMs: slowTimeoutMs, ...options });
  const patient = (waitMs = 0, options?: CallOptions): CallOptions => ({
    timeoutMs: waitMs + marginMs,
    ...options,
  });
  return {
    beginUpload: (request, options) => post(`${all}/uploads`, request, slow(options)),
    uploadBytes: (id, bytes, query, options) =>
      deps.upload(`${upload(id, 'bytes')}${deps.search(query)}`, bytes, slow(options)),
    finishUpload: (id, body, options) => post(upload(id, 'finish'), body, slow(options)),
    failUpload: (id, body, options) => post(upload(id, 'fail'), body, slow(options)),
    transfers: (query, options) => get(all, query, patient(query.wait_ms, options)),
    transfer: (id, query = {}, options) => get(at(id), query, patient(query.wait_ms, options)),
    openTransfer: (id, body, options) => post(at(id, '/open'), body, options),
    transferBytes: (id, query, options) => bytesOf(deps, at(id, '/bytes'), query, options),
    verifyTransfer: (id, body, options) => post(at(id, '/verified'), body, options),
    acceptTransfer: (id, body, options) => post(at(id, '/accept'), body, options),
    rejectTransfer: (id, body, options) => post(at(id, '/reject'), body, options),
    failTransfer: (id, body, options) => post(at(id, '/fail'), body, options),
    shareTransfer: (id, body, options) => post(at(id, '/share'), body, options),
    revokeTransfer: (id, body, options) => post(at(id, '/revoke'), body, options),
    cleanupTransfers: (body, options) => post(`${all}/cleanup`, body, slow(options)),
    transferMetrics: (query, options) => get(`${all}/metrics`, query, options),
    linkTransfer: (id, body, options) => post(at(id, '/links'), body, options),
    uploadLink: (body, options) => post(`${all}/upload-links`, body, options),
    transferLinks: (query, options) =>
      allPages({ get }, { path: `${all}/links`, cursor: 'before', query }, options),
    revokeLink: (id, body, options) =>
      post(`${all}/links/${encodeURIComponent(id)}/revoke`, body, options),
  };
}

async function bytesOf(
  deps: TransferCallsDeps,
  path: string,
  { as, from = 0, to }: BytesQuery,
  options: CallOptions | undefined,
): Promise<TransferBytes> {
  const isWhole = from === 0 && to === undefined;
  const range = `bytes=${from}-${to === undefined ? '' : to - 1}`;
  const headers: Readonly<Record<string, string>> = isWhole ? {} : { range };
  const answer = await deps.openBytes(`${path}${deps.search({ as })}`, headers, options);
  return { sizeBytes: Number(answer.head.headers.get('content-length')), stream: answer.body };
}
