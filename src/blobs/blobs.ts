/**
 * The byte store as the rest of the program sees it: bytes under the SHA-256 of what they are.
 * Files fill this today (fs.ts); the words are chosen so that S3 can.
 */
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';

export interface Blobs {
  /** Resolves once the bytes are safe from power loss; the same bytes are kept once. */
  put(source: AsyncIterable<Uint8Array>): Promise<StoredBlob>;
  get(hash: string, range?: ByteRange): Promise<OpenBlob>;
  /** Undefined when there is none. */
  stat(hash: string): Promise<ListedBlob | undefined>;
  /** False when it was not there, or was put after the moment that is given. */
  delete(hash: string, options?: DeleteOptions): Promise<boolean>;
  /** In the order of their hashes. */
  list(): AsyncGenerator<ListedBlob, void, void>;
  /** Where whoever may read there gets the bytes without asking again. */
  presign(hash: string): Promise<Presigned>;
}

export interface StoredBlob {
  /** 64 hex digits. */
  readonly hash: string;
  readonly sizeBytes: number;
}

export interface ListedBlob extends StoredBlob {
  /** When it was put last. */
  readonly putAt: Instant;
}

/** A part of the bytes; what lies behind their end is left out. */
export interface ByteRange {
  readonly from?: number | undefined;
  /** The first byte that is not asked for any more. */
  readonly to?: number | undefined;
}

export interface OpenBlob {
  /** Of the whole, whatever part is read. */
  readonly sizeBytes: number;
  /**
   * Of the whole: throws `blob.corrupt` before its last bytes when they are not those of the
   * hash. Of a part: only bytes that are missing are noticed.
   */
  readonly stream: AsyncGenerator<Uint8Array, void, void>;
}

export interface DeleteOptions {
  /** One that was put then or later stays: somebody is about to refer to it. */
  readonly putBefore?: Instant | undefined;
}

export type Presigned =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string; readonly expiresAt: Instant };

/** Before it becomes part of a path. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

export function missingBlob(hash: string): AosError {
  return new AosError('blob.missing', {
    message: `No bytes with the SHA-256 ${quote(hash.slice(0, 80))} are stored here`,
    fix: 'Check the hash, or send the bytes again',
  });
}

export function corruptBlob(hash: string, why = 'they have another SHA-256 now'): AosError {
  return new AosError('blob.corrupt', {
    message: `The bytes stored as ${quote(hash)} are damaged: ${why}`,
    fix: 'Have them sent again, which mends them',
    details: { hash },
  });
}
