/** A transfer as it is answered, what requests about one have in common, and examples. */
import * as z from 'zod';
import { transferAcks, transferStatuses } from '../kernel/transfer/transfer.ts';
import { at, hashes, ids } from './sample.ts';
import { count, time } from './verb.ts';

export const word = z.string().max(300);

export const as = z.optional(word.describe('For the owner: the agent to act for'));

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const status = z.enum(transferStatuses);

export const ack = z.enum(transferAcks);

export const kind = z.enum(['file', 'folder', 'stream']);

export const metadata = z.record(z.string().max(200), z.unknown());

export const recipients = z.array(word).min(1).max(100);

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

export const sent = z
  .object({
    transfers: z.array(transferItem),
    saved_bytes: count,
  })
  .meta({ id: 'SentTransfers' });

/** Where its bytes can be had without asking again: a path, for the owner alone. */
export const local = z.nullable(z.string());

export const dek = z.nullable(z.string().describe('64 hex digits; null where nothing is sealed'));

export const ttl = z
  .int()
  .min(1000)
  .max(366 * 24 * 3_600_000);

export const actAs = z.strictObject({ as });

export const withReason = z.strictObject({ as, reason: z.string().max(2000) });

export const transferExample = {
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

export const fetchedExample = {
  ...transferExample,
  status: 'downloaded',
  downloaded_at: at('12:05:00'),
  ack: 'verified',
  ack_at: at('12:05:00'),
} as const;

export const failedExample = { ...transferExample, status: 'failed', ack: 'failed' } as const;

export const dekExample = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
