import { at, type Examples, hashes, ids } from './example.ts';

const transfer = {
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

const fetched = {
  ...transfer,
  status: 'downloaded',
  downloaded_at: at('12:05:00'),
  ack: 'verified',
  ack_at: at('12:05:00'),
} as const;

const failed = { ...transfer, status: 'failed', ack: 'failed' } as const;
const dek = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const path = '/l/q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA';

const link = {
  id: ids.link,
  kind: 'download',
  transfer: ids.transfer,
  recipient: null,
  most_uses: 1,
  uses: 0,
  created_at: at('12:00:00'),
  expires_at: '2030-02-01T12:00:00.000Z',
  revoked: false,
} as const;

const made = { path, url: `http://127.0.0.1:7717${path}` };

export const transferExamples = {
  beginUpload: {
    body: {
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
    answer: { state: 'open', upload: ids.upload, dek, stored_bytes: 0, local: null },
  },
  uploadBytes: { answer: { stored_bytes: 2144 } },
  finishUpload: {
    body: { as: 'jean', stored_bytes: 2144, size_bytes: 2048, sha256: hashes.plain },
    answer: { transfers: [transfer], saved_bytes: 0 },
  },
  failUpload: {
    body: { as: 'jean', reason: 'The file has gone', attempts: 4 },
    answer: { transfers: [{ ...failed, reason: 'The file has gone' }], saved_bytes: 0 },
  },
  transfers: { answer: { items: [transfer], next: null } },
  transfer: { answer: transfer },
  openTransfer: {
    body: { as: 'samantha' },
    answer: { transfer, dek, hash: hashes.stored, stored_bytes: 2144, local: null },
  },
  verifyTransfer: { body: { as: 'samantha' }, answer: fetched },
  acceptTransfer: { body: { as: 'samantha' }, answer: { ...fetched, ack: 'accepted' } },
  rejectTransfer: {
    body: { as: 'samantha', reason: 'It is that of June' },
    answer: { ...failed, ack: 'rejected', reason: 'It is that of June' },
  },
  failTransfer: {
    body: { as: 'samantha', reason: 'The disk is full' },
    answer: { ...failed, reason: 'The disk is full' },
  },
  shareTransfer: {
    body: { as: 'jean', to: ['jared'], expires_ms: 86_400_000 },
    answer: {
      transfers: [{ ...transfer, id: ids.part, recipient: 'jared', saved_bytes: 2144 }],
      saved_bytes: 2144,
    },
  },
  revokeTransfer: {
    body: { as: 'jean' },
    answer: { ...transfer, status: 'expired', ack: 'revoked' },
  },
  cleanupTransfers: { body: { dry_run: true }, answer: { expired: 2, freed_bytes: 4288 } },
  transferMetrics: {
    answer: {
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
  linkTransfer: {
    body: { as: 'jean', ttl_ms: 86_400_000, most_uses: 1 },
    answer: { ...link, ...made },
  },
  uploadLink: {
    body: { as: 'jean', ttl_ms: 86_400_000, most_bytes: 1_048_576 },
    answer: { ...link, kind: 'upload', transfer: null, recipient: 'jean', ...made },
  },
  transferLinks: { answer: { items: [link] } },
  revokeLink: { body: { as: 'jean' }, answer: { ...link, revoked: true } },
  linkFacts: {
    answer: {
      kind: 'download',
      header:
        'QU9TQjEAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      filename: 'july.md',
      file_size_bytes: 2048,
      stored_bytes: 2144,
      sha256: hashes.plain,
      sealed: true,
      recipient: null,
      most_bytes: null,
      uses_left: 1,
      expires_at: '2030-02-01T12:00:00.000Z',
    },
  },
  linkUpload: { answer: { id: ids.transfer, recipient: 'jean', file_size_bytes: 2048 } },
} satisfies Examples;
