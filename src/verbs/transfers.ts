/** Files from one agent to another. */
import * as z from 'zod';
import { transferAcks, transferStatuses } from '../kernel/transfer/transfer.ts';
import { at, hashes, ids } from './sample.ts';
import { count, get, idParams, longMs, post, time, type Verb, wholeNumber } from './verb.ts';

const word = z.string().max(300);

export const as = z.optional(word.describe('For the owner: the agent to act for'));

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const status = z.enum(transferStatuses);

const ack = z.enum(transferAcks);

const kind = z.enum(['file', 'folder', 'stream']);

const uploadParams = z.strictObject({ id: z.string().max(100) });

const metadata = z.record(z.string().max(200), z.unknown());

const recipients = z.array(word).min(1).max(100);

const transferItem = z
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

export const ttl = z
  .int()
  .min(1000)
  .max(366 * 24 * 3_600_000);

export const actAs = z.strictObject({ as });

const withReason = z.strictObject({ as, reason: z.string().max(2000) });

const transferExample = {
  id: ids.transfer,
  sender: 'jean',
  recipient: 'samantha',
  filename: 'july.md',
  file_size_bytes: 2048,
  mime_type: 'text/markdown',
  s3_key: 'jean/samantha/2030-01-31_12-00-00_9e1f7b/july.md',
  s3_bucket: 'os1-agent-transfers',
  metadata: { month: 7 },
  status: 'pending',
  created_at: at('12:00:00'),
  downloaded_at: null,
  expires_at: '2030-02-07T12:00:00.000Z',
  batch: ids.batch,
  kind: 'file',
  entries: null,
  sha256: hashes.plain,
  sealed: true,
  ack: 'announced',
  ack_at: at('12:00:01'),
  reason: null,
  attempts: 1,
  saved_bytes: 0,
} as const;

const fetchedExample = {
  ...transferExample,
  status: 'downloaded',
  downloaded_at: at('12:05:00'),
  ack: 'verified',
  ack_at: at('12:05:00'),
} as const;

const failedExample = { ...transferExample, status: 'failed', ack: 'failed' } as const;

const dekExample = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';

export const transferVerbs = {
  beginUpload: {
    ...post,
    path: '/api/v1/transfers/uploads',
    timeoutMs: longMs,
    summary: 'Begin to send, or go on with what was begun; what is stored already is sent at once',
    mayBeMissing: true,
    who: 'any',
    secretAnswer: true,
    input: z.strictObject({
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
    output: z.discriminatedUnion('state', [
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
    examples: {
      input: {
        as: 'jean',
        filename: 'july.md',
        kind: 'file',
        to: ['samantha'],
        size_bytes: 2048,
        sha256: hashes.plain,
        sealed: true,
        mime_type: 'text/markdown',
        metadata: { month: 7 },
        expires_ms: 604_800_000,
      },
      output: { state: 'open', upload: ids.upload, dek: dekExample, stored_bytes: 0, local: null },
    },
  },
  uploadBytes: {
    ...post,
    path: '/api/v1/transfers/uploads/{id}/bytes',
    timeoutMs: longMs,
    summary: 'Add bytes, sealed by the caller, at the end of an upload',
    who: 'any',
    params: uploadParams,
    query: z.strictObject({ from: wholeNumber, as }),
    streams: true,
    output: z.object({ stored_bytes: count }),
    examples: { output: { stored_bytes: 2144 } },
  },
  finishUpload: {
    ...post,
    path: '/api/v1/transfers/uploads/{id}/finish',
    timeoutMs: longMs,
    summary: 'All bytes are there: send them. Answered once they cannot be lost',
    who: 'any',
    params: uploadParams,
    input: z.strictObject({
      as,
      stored_bytes: count,
      size_bytes: count,
      sha256: sha256.describe('Of the plain bytes'),
      hash: z.optional(sha256.describe('For the owner, who has written them: of the stored bytes')),
    }),
    output: sent,
    examples: {
      input: { as: 'jean', stored_bytes: 2144, size_bytes: 2048, sha256: hashes.plain },
      output: { transfers: [transferExample], saved_bytes: 0 },
    },
  },
  failUpload: {
    ...post,
    path: '/api/v1/transfers/uploads/{id}/fail',
    timeoutMs: longMs,
    summary: 'Give up sending: it is written down as failed, and the room is free again',
    who: 'any',
    params: uploadParams,
    input: z.strictObject({
      ...withReason.shape,
      attempts: z.optional(z.int().min(1).max(100).describe('How often it was tried')),
    }),
    output: sent,
    examples: {
      input: { as: 'jean', reason: 'The file has gone', attempts: 4 },
      output: { transfers: [{ ...failedExample, reason: 'The file has gone' }], saved_bytes: 0 },
    },
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
    output: z.object({ items: z.array(transferItem), next: z.nullable(z.string()) }),
    examples: { output: { items: [transferExample], next: null } },
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
    output: transferItem,
    examples: { output: transferExample },
  },
  openTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/open',
    summary: 'What its recipient needs to fetch it: the key, and where the bytes are',
    mayBeGone: true,
    who: 'any',
    secretAnswer: true,
    params: idParams,
    input: actAs,
    output: z.object({
      transfer: transferItem,
      dek,
      hash: sha256.describe('Of the stored bytes'),
      stored_bytes: count,
      local,
    }),
    examples: {
      input: { as: 'samantha' },
      output: {
        transfer: transferExample,
        dek: dekExample,
        hash: hashes.stored,
        stored_bytes: 2144,
        local: null,
      },
    },
  },
  transferBytes: {
    ...get,
    path: '/api/v1/transfers/{id}/bytes',
    summary: 'The bytes as they are stored; "Range" is understood',
    mayBeGone: true,
    who: 'any',
    params: idParams,
    query: z.strictObject({ as }),
    output: z.string(),
    contentType: 'application/octet-stream',
    head: true,
  },
  verifyTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/verified',
    summary: 'The recipient has it whole; the sender is told',
    mayBeGone: true,
    who: 'any',
    params: idParams,
    input: actAs,
    output: transferItem,
    examples: { input: { as: 'samantha' }, output: fetchedExample },
  },
  acceptTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/accept',
    summary: 'The recipient takes it; the sender is told',
    mayBeGone: true,
    who: 'any',
    params: idParams,
    input: actAs,
    output: transferItem,
    examples: { input: { as: 'samantha' }, output: { ...fetchedExample, ack: 'accepted' } },
  },
  rejectTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/reject',
    summary: 'The recipient does not take it; the sender is told why',
    mayBeGone: true,
    who: 'any',
    params: idParams,
    input: withReason,
    output: transferItem,
    examples: {
      input: { as: 'samantha', reason: 'It is that of June' },
      output: { ...failedExample, ack: 'rejected', reason: 'It is that of June' },
    },
  },
  failTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/fail',
    summary: 'The recipient could not fetch it, however often it tried',
    mayBeGone: true,
    who: 'any',
    params: idParams,
    input: withReason,
    output: transferItem,
    examples: {
      input: { as: 'samantha', reason: 'The disk is full' },
      output: { ...failedExample, reason: 'The disk is full' },
    },
  },
  shareTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/share',
    summary: 'Send the same to others; nothing is stored again',
    mayBeGone: true,
    who: 'any',
    params: idParams,
    input: z.strictObject({ as, to: recipients, expires_ms: z.optional(ttl) }),
    output: sent,
    examples: {
      input: { as: 'jean', to: ['jared'], expires_ms: 86_400_000 },
      output: {
        transfers: [{ ...transferExample, id: ids.part, recipient: 'jared', saved_bytes: 2144 }],
        saved_bytes: 2144,
      },
    },
  },
  revokeTransfer: {
    ...post,
    path: '/api/v1/transfers/{id}/revoke',
    summary: 'Take back what its recipient has not fetched, or shall not fetch again',
    who: 'any',
    params: idParams,
    input: actAs,
    output: transferItem,
    examples: {
      input: { as: 'jean' },
      output: { ...transferExample, status: 'expired', ack: 'revoked' },
    },
  },
  cleanupTransfers: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/transfers/cleanup',
    timeoutMs: longMs,
    summary: 'Let go what has expired, and free its room',
    who: 'any',
    input: z.strictObject({ as, dry_run: z.optional(z.boolean()) }),
    output: z.object({ expired: count, freed_bytes: count }),
    examples: { input: { dry_run: true }, output: { expired: 2, freed_bytes: 4288 } },
  },
  transferMetrics: {
    ...get,
    path: '/api/v1/transfers/metrics',
    summary: 'Volume, count, average size, failures and storage; an agent sees its own',
    who: 'any',
    query: z.strictObject({ as, days: z.optional(wholeNumber.describe('30 when not said')) }),
    output: z.object({
      days: z.array(z.object({ day: z.string(), count, bytes: count, failed: count })),
      count,
      bytes: count,
      average_bytes: count,
      failed: count,
      saved_bytes: count,
      storage_bytes: count,
      quota_bytes: count,
    }),
    examples: {
      output: {
        days: [{ day: '2030-01-31', count: 1, bytes: 2048, failed: 0 }],
        count: 1,
        bytes: 2048,
        average_bytes: 2048,
        failed: 0,
        saved_bytes: 0,
        storage_bytes: 2144,
        quota_bytes: 10_737_418_240,
      },
    },
  },
} as const satisfies Record<string, Verb>;
