/** A transfer as it is told. */
import type { Instant } from '../kernel/ports.ts';
import { timeText } from '../kernel/text/time-text.ts';
import type { TransferStatus } from '../kernel/transfer/transfer.ts';
import type { TransferRow } from '../ledger/transfers/transfers.ts';
import type { Transfer } from './ends/ends.ts';

export function toldTransfer(row: TransferRow, now: Instant): Transfer {
  return {
    id: row.id,
    sender: row.sender,
    recipient: row.recipient,
    filename: row.filename,
    file_size_bytes: row.file_size_bytes,
    mime_type: row.mime_type,
    s3_key: row.s3_key,
    s3_bucket: row.s3_bucket,
    metadata: metadataOf(row),
    status: statusOf(row, now),
    created_at: timeText(row.created_at),
    downloaded_at: row.downloaded_at === null ? null : timeText(row.downloaded_at),
    expires_at: row.expires_at === null ? null : timeText(row.expires_at),
    batch: row.batch,
    kind: row.kind,
    entries: row.entries,
    sha256: row.sha256,
    sealed: row.recipient_key !== null,
    ack: row.ack,
    ack_at: timeText(row.ack_at),
    reason: row.reason,
    attempts: row.attempts,
    saved_bytes: row.saved_bytes,
  };
}

/** What should have expired has, whether anybody has looked or not. */
export function statusOf(
  { status, expires_at }: Pick<TransferRow, 'status' | 'expires_at'>,
  now: Instant,
): TransferStatus {
  return status === 'pending' && expires_at !== null && expires_at <= now ? 'expired' : status;
}

export function metadataOf({ metadata }: Pick<TransferRow, 'metadata'>): Record<string, unknown> {
  const parsed: unknown = JSON.parse(metadata);
  // Only checked objects are ever written there.
  return parsed as Record<string, unknown>;
}
