/**
 * The two ends of a transfer: whoever has the bytes, and whoever gets them. They hash, seal and
 * open in their own process; what lies between them, a home or its daemon, sees sealed bytes.
 */
import type { TransferAck, TransferKind, TransferStatus } from '../../kernel/transfer/transfer.ts';

/** A transfer as it is told (the wire's form). */
export interface Transfer {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly filename: string;
  readonly file_size_bytes: number;
  readonly mime_type: string | null;
  readonly s3_key: string;
  readonly s3_bucket: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: TransferStatus;
  readonly created_at: string;
  readonly downloaded_at: string | null;
  readonly expires_at: string | null;
  readonly batch: string;
  readonly kind: TransferKind;
  readonly entries: number | null;
  readonly sha256: string | null;
  readonly sealed: boolean;
  readonly ack: TransferAck;
  readonly ack_at: string;
  readonly reason: string | null;
  readonly attempts: number;
  readonly saved_bytes: number;
}

export interface SendOptions {
  readonly to: string | readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** A week where nothing is said. */
  readonly expiresMs?: number | undefined;
  /** Not sealed: whoever can read the store can read it. */
  readonly plain?: boolean | undefined;
  /** The name under which it arrives; its own where nothing is said. */
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  /** What becomes of symlinks in a folder: kept where they stay inside it, or left out. */
  readonly links?: 'keep' | 'skip' | undefined;
  readonly limitBytesPerSecond?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReceiveOptions {
  /** A folder, which is made where there is none; where the program runs if nothing is said. */
  readonly dest?: string | undefined;
  readonly name?: string | undefined;
  /** Replace what stands there. */
  readonly force?: boolean | undefined;
  /** Take a folder in which two names differ in nothing but large and small letters. */
  readonly allowCaseClash?: boolean | undefined;
  readonly limitBytesPerSecond?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Progress {
  readonly phase: 'reading' | 'sending' | 'receiving' | 'waiting';
  readonly doneBytes: number;
  /** Null where nobody knows. */
  readonly totalBytes: number | null;
}

export interface Sent {
  /** Of the first recipient. */
  readonly id: string;
  readonly transfers: readonly Transfer[];
  /** Not stored again, because this sender had stored the same before. */
  readonly savedBytes: number;
  /** Stored by a try before this one, which was cut off. */
  readonly resumedBytes: number;
}

export interface Received {
  readonly transfer: Transfer;
  /** Where it is now; absent where it went to a stream. */
  readonly path: string;
  /** Received by a try before this one, which was cut off. */
  readonly resumedBytes: number;
}

/** What `listPending` and the like take. */
export interface TransferFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly status?: TransferStatus | undefined;
  /** May have `*` in it. */
  readonly filename?: string | undefined;
  /** What has to be in the metadata, with these very values. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}
