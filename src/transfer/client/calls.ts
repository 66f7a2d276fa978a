/** What the ends ask of the home between them. The gateway's client fills it. */

import type { StretchResult } from '../../blobs/seal/stretch.ts';
import { AosError } from '../../kernel/errors.ts';
import type { TransferAck, TransferKind, TransferStatus } from '../../kernel/transfer/transfer.ts';

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
}

interface ActAs {
  readonly as?: string | undefined;
}

/** What is to be sent, to whom, under which name. */
export interface UploadWish extends ActAs {
  readonly filename: string;
  readonly kind: Transfer['kind'];
  readonly to: string[];
  readonly size_bytes: number | null;
  readonly sha256: string | null;
  readonly sealed: boolean;
  readonly entries?: number | undefined;
  readonly mime_type?: string | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
  readonly expires_ms?: number | undefined;
  readonly writer?: { readonly pid: number; readonly started: string } | undefined;
}

export interface OpenUpload {
  readonly state: 'open';
  readonly upload: string;
  /** 64 hex digits; null where nothing is sealed. */
  readonly dek: string | null;
  readonly stored_bytes: number;
  /** The file to which the bytes are to be added; null where they are to be sent. */
  readonly local: string | null;
}

export interface SentAnswer {
  readonly transfers: readonly Transfer[];
  readonly saved_bytes: number;
}

export type BegunUpload =
  | ({ readonly state: 'stored' } & SentAnswer)
  | { readonly state: 'busy' }
  | OpenUpload;

export interface OpenedTransfer {
  readonly transfer: Transfer;
  readonly dek: string | null;
  readonly hash: string;
  readonly stored_bytes: number;
  readonly local: string | null;
}

export interface UploadEnd extends ActAs {
  readonly stored_bytes: number;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly hash?: string | undefined;
}

export interface SendCalls {
  beginUpload(wish: UploadWish, options?: AskOptions): Promise<BegunUpload>;
  uploadBytes(
    id: string,
    bytes: AsyncIterable<Uint8Array>,
    query: ActAs & { readonly from: number },
    options?: AskOptions,
  ): Promise<{ readonly stored_bytes: number }>;
  finishUpload(id: string, end: UploadEnd, options?: AskOptions): Promise<SentAnswer>;
  failUpload(
    id: string,
    why: ActAs & { readonly reason: string; readonly attempts?: number | undefined },
    options?: AskOptions,
  ): Promise<SentAnswer>;
}

export interface ReceiveCalls {
  openTransfer(id: string, who: ActAs, options?: AskOptions): Promise<OpenedTransfer>;
  transferBytes(
    id: string,
    part: ActAs & { readonly from?: number; readonly to?: number },
    options?: AskOptions,
  ): Promise<{ readonly stream: AsyncIterable<Uint8Array> }>;
  verifyTransfer(id: string, who: ActAs, options?: AskOptions): Promise<Transfer>;
  failTransfer(
    id: string,
    why: ActAs & { readonly reason: string },
    options?: AskOptions,
  ): Promise<Transfer>;
}

/** The home, for as long as the work takes: its daemon, or opened for that long. */
export type UseHome<Calls> = <T>(work: (calls: Calls) => Promise<T>) => Promise<T>;

// The two ends of a transfer: whoever has the bytes, and whoever gets them. They hash, seal and
// open in their own process; what lies between them, a home or its daemon, sees sealed bytes.

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

// Bytes that are to be sent, and that can be read again.

export interface Source extends AsyncDisposable {
  readonly kind: TransferKind;
  readonly filename: string;
  readonly sizeBytes: number;
  /** Of a folder. */
  readonly entries?: number;
  /** Fills `into` from `offset`; fewer bytes at the end, or where the source became shorter. */
  read(offset: number, into: Uint8Array): Promise<number>;
}

export function memorySource(filename: string, bytes: Uint8Array): Source {
  return {
    kind: 'file',
    filename,
    sizeBytes: bytes.length,
    read: async (offset, into) => {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** What went wrong in the other thread, to be thrown in this one. */
export function resultError(result: StretchResult): Error {
  if (result.kind !== 'failed') return new Error(`a stretch came back as ${result.kind}`);
  const { code, ...words } = result.error;
  return new AosError(code, words);
}
