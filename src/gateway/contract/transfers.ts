/** The part of the contract that is about transfers. */
import * as z from 'zod';
import { transferAcks, transferStatuses } from '../../kernel/transfer/transfer.ts';
import { count, get, listLimit, listNext, post, type Route, time, wholeNumber } from './route.ts';

const word = z.string().max(300);
const as = z.optional(word.describe('For the owner: the agent to act for'));
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const status = z.enum(transferStatuses);
const ack = z.enum(transferAcks);
const kind = z.enum(['file', 'folder', 'stream']);
const idParams = z.strictObject({
  id: z.string().max(100).describe('The id, or at least four digits with which only it begins'),
});
const uploadParams = z.strictObject({ id: z.string().max(100) });
const tokenParams = z.strictObject({ token: z.string().max(100) });
const metadata = z.record(z.string().max(200), z.unknown());
const recipients = z.array(word).min(1).max(100);

export const transferItem = z
  .object({
    id: z.string(),
    sender: z.string(),
    recipient: z.string(),
    filename: z.string(),
    file_size_bytes: count,
    mime_type: z.nullable(z.string()),
    s3_key: z.string(),
    s3_bucket: z.string(),
    metadata,
    status,
    created_at: time,
    downloaded_at: z.nullable(time),
    expires_at: z.nullable(time),
    batch: z.string().describe('What was sent together'),
    kind,
    entries: z.nullable(count).describe('How many files and folders a folder has'),
    sha256: z.nullable(z.string()).describe('Of the plain bytes'),
    sealed: z.boolean(),
    ack: ack.describe('How far it has come'),
    ack_at: time,
    reason: z.nullable(z.string()),
    attempts: count,
    saved_bytes: count.describe('What need not be stored, because the sender had stored it before'),
  })
  .meta({ id: 'Transfer' });

const sent = z
  .object({
    transfers: z.array(transferItem),
    saved_bytes: count,
  })
  .meta({ id: 'SentTransfers' });

/** Where its bytes can be had without asking again: a path, for the owner alone. */
const local = z.nullable(z.string());
const dek = z.nullable(z.string().describe('64 hex digits; null where nothing is sealed'));

const link = z
  .object({
    id: z.string(),
    kind: z.enum(['download', 'upload']),
    transfer: z.nullable(z.string()),
    recipient: z.nullable(z.string()),
    most_uses: count,
    uses: count,
    created_at: time,
    expires_at: time,
    revoked: z.boolean(),
  })
  .meta({ id: 'Link' });
const madeLink = z
  .object({
    ...link.shape,
    path: z.string().describe('With the key behind the "#": shown this once'),
    url: z.nullable(z.string()).describe('The same with where the daemon listens'),
  })
  .meta({ id: 'MadeLink' });
const ttl = z
  .int()
  .min(1000)
  .max(366 * 24 * 3_600_000);

const actAs = z.strictObject({ as });
const withReason = z.strictObject({ as, reason: z.string().max(2000) });

export const transferRoutes = {
  beginUpload: {
    ...post,
    path: '/api/v1/transfers/uploads',
    summary: 'Begin to send, or go on with what was begun; what is stored already is sent at once',
    who: 'any',
    secretAnswer: true,
    body: z.strictObject({
      as,
      filename: z.string().max(2000),
      kind,
      to: recipients,
      size_bytes: z.nullable(count).describe('null where nobody knows before the end'),
      sha256: z.nullable(sha256),
      sealed: z.boolean(),
      entries: z.optional(count),
      mime_type: z.optional(z.string().max(100)),
      metadata: z.optional(metadata),
      expires_ms: z.optional(ttl),
      writer: z.optional(
        z
          .strictObject({ pid: z.int(), started: z.string().max(100) })
          .describe('For the owner: the process that will write the bytes itself'),
      ),
    }),
    answer: z.discriminatedUnion('state', [
      z.object({ state: z.literal('stored'), ...sent.shape }),
      z.object({
        state: z.literal('busy').describe('Somebody is sending the same: ask again in a moment'),
      }),
      z.object({
        state: z.literal('open'),
        upload: z.string(),
        dek,
        stored_bytes: count.describe('What is there already, from the beginning'),
        local: local.describe('For the owner: the file to which the bytes are to be added'),
      }),
    ]),
  },
  uploadBytes: {
    ...post,
    path: '/api/v1/transfers/uploads/{id}/bytes',
    summary: 'Add bytes, sealed by the caller, at the end of an upload',
    who: 'any',
    params: uploadParams,
    query: z.strictObject({ from: wholeNumber, as }),
    streams: true,
    answer: z.object({ stored_bytes: count }),
  },
  finishUpload: {
    ...post,
    path: '/api/v1/transfers/uploads/{id}/finish',
    summary: 'All bytes are there: send them. Answered once they cannot be lost',
    who: 'any',
    params: uploadParams,
    body: z.strictObject({
      as,
      stored_bytes: count,
      size_bytes: count,
      sha256: sha256.describe('Of the plain bytes'),
      hash: z.optional(sha256.describe('For the owner, who has written them: of the stored bytes')),
    }),
    answer: sent,
  },
  failUpload: {
    ...post,
    path: '/api/v1/transfers/uploads/{id}/fail',
    summary: 'Give up sending: it is written down as failed, and the room is free again',
    who: 'any',
    params: uploadParams,
    body: z.strictObject({
      ...withReason.shape,
      attempts: z.optional(z.int().min(1).max(100).describe('How often it was tried')),
    }),
    answer: sent,
  },
  transfers: {
    ...get,
    path: '/api/v1/transfers',
    summary: 'What was sent to the caller, or by the caller; the newest first',
    who: 'any',
    query: z.strictObject({
      as,
      box: z.optional(z.enum(['received', 'sent', 'all'])),
      status: z.optional(status),
      from: z.optional(word),
      to: z.optional(word),
      filename: z.optional(z.string().max(300).describe('May have "*" in it')),
      metadata: z.optional(z.string().max(4000).describe('JSON: what has to be in it')),
      before: z.optional(z.string().max(100).describe('Where the last page ended')),
      limit: z.optional(wholeNumber.describe('At most 1000; 100 when not said')),
      wait_ms: z.optional(wholeNumber.describe('How long to wait for one; at most 30000')),
    }),
    answer: z.object({ items: z.array(transferItem), next: z.nullable(z.string()) }),
  },
  transfer: {
    ...get,
    path: '/api/v1/transfers/{id}',
    summary: 'How a transfer stands, for its sender and its recipient',
    who: 'any',
    params: idParams,
    query: z.strictObject({
      as,
      wait_for: z.optional(ack),
      wait_ms: z.optional(wholeNumber.describe('How long to wait for that; at most 30000')),
    }),
    answer: transferItem,
  },
  openTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/open',
    summary: 'What its recipient needs to fetch it: the key, and where the bytes are',
    who: 'any',
    secretAnswer: true,
    params: idParams,
    body: actAs,
    answer: z.object({
      transfer: transferItem,
      dek,
      hash: sha256.describe('Of the stored bytes'),
      stored_bytes: count,
      local,
    }),
  },
  transferBytes: {
    ...get,
    path: '/api/v1/transfers/{id}/bytes',
    summary: 'The bytes as they are stored; "Range" is understood',
    who: 'any',
    params: idParams,
    query: z.strictObject({ as }),
    answer: z.string(),
    contentType: 'application/octet-stream',
    head: true,
  },
  verifyTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/verified',
    summary: 'The recipient has it whole; the sender is told',
    who: 'any',
    params: idParams,
    body: actAs,
    answer: transferItem,
  },
  acceptTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/accept',
    summary: 'The recipient takes it; the sender is told',
    who: 'any',
    params: idParams,
    body: actAs,
    answer: transferItem,
  },
  rejectTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/reject',
    summary: 'The recipient does not take it; the sender is told why',
    who: 'any',
    params: idParams,
    body: withReason,
    answer: transferItem,
  },
  failTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/fail',
    summary: 'The recipient could not fetch it, however often it tried',
    who: 'any',
    params: idParams,
    body: withReason,
    answer: transferItem,
  },
  shareTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/share',
    summary: 'Send the same to others; nothing is stored again',
    who: 'any',
    params: idParams,
    body: z.strictObject({ as, to: recipients, expires_ms: z.optional(ttl) }),
    answer: sent,
  },
  revokeTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/revoke',
    summary: 'Take back what its recipient has not fetched, or shall not fetch again',
    who: 'any',
    params: idParams,
    body: actAs,
    answer: transferItem,
  },
  cleanupTransfers: {
    ...post,
    path: '/api/v1/transfers/cleanup',
    summary: 'Let go what has expired, and free its room',
    who: 'any',
    body: z.strictObject({ as, dry_run: z.optional(z.boolean()) }),
    answer: z.object({ expired: count, freed_bytes: count }),
  },
  transferMetrics: {
    ...get,
    path: '/api/v1/transfers/metrics',
    summary: 'Volume, count, average size, failures and storage; an agent sees its own',
    who: 'any',
    query: z.strictObject({ as, days: z.optional(wholeNumber.describe('30 when not said')) }),
    answer: z.object({
      days: z.array(z.object({ day: z.string(), count, bytes: count, failed: count })),
      count,
      bytes: count,
      average_bytes: count,
      failed: count,
      saved_bytes: count,
      storage_bytes: count,
      quota_bytes: count,
    }),
  },
  linkTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/links',
    summary: 'A link with which a human fetches it in a browser',
    who: 'any',
    secretAnswer: true,
    params: idParams,
    body: z.strictObject({
      as,
      ttl_ms: z.optional(ttl.describe('A day when not said')),
      most_uses: z.optional(z.int().min(1).max(10_000).describe('1 when not said')),
    }),
    answer: madeLink,
  },
  uploadLink: {
    ...post,
    path: '/api/v1/transfers/upload-links',
    summary: 'A link with which a human sends one file to an agent from a browser',
    who: 'any',
    secretAnswer: true,
    body: z.strictObject({
      as,
      ttl_ms: z.optional(ttl.describe('A day when not said')),
      most_bytes: z.optional(count.describe('100 MiB when not said')),
    }),
    answer: madeLink,
  },
  transferLinks: {
    ...get,
    path: '/api/v1/transfers/links',
    summary: 'The links that the caller has made, and those to its upload',
    who: 'any',
    query: z.strictObject({
      as,
      before: z.optional(z.string().max(100).describe('Only links that were made before this one')),
      limit: listLimit,
    }),
    answer: z.object({ items: z.array(link), next: listNext }),
  },
  revokeLink: {
    ...post,
    path: '/api/v1/transfers/links/{id}/revoke',
    summary: 'From now on nobody gets in by it',
    who: 'any',
    params: idParams,
    body: actAs,
    answer: link,
  },
  downloadPage: {
    ...get,
    path: '/l/{token}',
    summary: 'The page of a link: opens in the browser what it fetches',
    who: 'open',
    params: tokenParams,
    answer: z.string(),
    contentType: 'text/html; charset=utf-8',
  },
  linkFacts: {
    ...get,
    path: '/l/{token}/facts',
    summary: 'What is behind a link',
    who: 'open',
    params: tokenParams,
    answer: z.object({
      kind: z.enum(['download', 'upload']),
      header: z.nullable(z.string()).describe('The first 64 stored bytes, as base64url'),
      filename: z.nullable(z.string()),
      file_size_bytes: z.nullable(count),
      stored_bytes: z.nullable(count),
      sha256: z.nullable(z.string()),
      sealed: z.boolean(),
      recipient: z.nullable(z.string()),
      most_bytes: z.nullable(count),
      uses_left: count,
      expires_at: time,
    }),
  },
  linkBytes: {
    ...get,
    path: '/l/{token}/bytes',
    summary: 'The stored bytes behind a link; each asking is one use of it',
    who: 'open',
    params: tokenParams,
    answer: z.string(),
    contentType: 'application/octet-stream',
  },
  linkUpload: {
    ...post,
    path: '/l/{token}/bytes',
    summary: 'Send a file through an upload link, sealed by the browser',
    who: 'open',
    params: tokenParams,
    query: z.strictObject({ filename: z.string().max(300), sha256 }),
    streams: true,
    answer: z.object({ id: z.string(), recipient: z.string(), file_size_bytes: count }),
  },
} as const satisfies Record<string, Route>;
