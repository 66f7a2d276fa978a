/**
 * What a client of transfers takes and gives. Sender and recipient hash, seal and open in their
 * own process; what lies between them, a home or its daemon, sees sealed bytes.
 */
import type { StretchResult } from '../../blobs/seal/stretch.ts';
import { AosError } from '../../kernel/errors.ts';
import type { TransferKind, TransferStatus } from '../../kernel/transfer/transfer.ts';
import type { TransferView } from '../calls.ts';

export interface SendOptions {
  readonly to: string | readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** A week where nothing is said. */
  readonly expiresMs?: number | undefined;
  /** Not sealed: all who can read the store can read it. */
  readonly plain?: boolean | undefined;
  /** The name under which it arrives; its own where nothing is said. */
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  /** What becomes of symlinks in a folder: kept where they stay inside it, or left out. */
  readonly links?: 'keep' | 'skip' | undefined;
  readonly limitBytesPerSecond?: number | undefined;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
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
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TransferProgress {
  readonly phase: 'reading' | 'sending' | 'receiving' | 'waiting';
  readonly doneBytes: number;
  /** Null where that is not known. */
  readonly totalBytes: number | null;
}

export interface SentFile {
  /** Of the first recipient. */
  readonly id: string;
  readonly transfers: readonly TransferView[];
  /** Not stored again, because this sender had stored the same before. */
  readonly savedBytes: number;
  /** Stored by a try before this one, which was cut off. */
  readonly resumedBytes: number;
}

export interface Received {
  readonly transfer: TransferView;
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

export interface ByteSource extends AsyncDisposable {
  readonly kind: TransferKind;
  readonly filename: string;
  readonly sizeBytes: number;
  /** Of a folder. */
  readonly entries?: number;
  /** Fills `into` from `offset`; fewer bytes at the end, or where the source became shorter. */
  read(offset: number, into: Uint8Array): Promise<number>;
}

export function memorySource(filename: string, bytes: Uint8Array): ByteSource {
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
