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
  /**
   * An address at which any reader with access to the store gets the bytes without asking the
   * daemon again.
   */
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
  /** A blob that was put then or later stays: a row is about to refer to it. */
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

/**
 * Bytes that come in pieces, and go on where they were after a crash. Files fill this today
 * (file-uploads.ts); an S3 driver would keep parts.
 */
export interface Uploads {
  /** Makes it where there is none; else it stands as it was left. */
  open(id: string): Promise<UploadInStore>;
  /**
   * Adds what comes behind the first `from` bytes; what stands behind those is dropped. How many
   * bytes there are then. When the source breaks off, what came before stays.
   */
  append(id: string, from: number, source: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Stores it under its hash, safe from power loss; the hash is worked out where it is not said.
   * The upload stays as it is, so that a daemon that dies before the next step can do this again:
   * discard() it once a row says who needs the bytes.
   */
  finish(id: string, options?: FinishOptions): Promise<StoredBlob>;
  /** Gives it another id; false when there is none. */
  move(from: string, to: string): Promise<boolean>;
  /** Nothing is left of it; also when nothing was there. */
  discard(id: string): Promise<void>;
  list(): AsyncGenerator<ListedUpload, void, void>;
}

export interface UploadInStore {
  /** Where a process of this machine may add the bytes itself; undefined where it cannot. */
  readonly path: string | undefined;
  readonly sizeBytes: number;
}

export interface FinishOptions {
  /** Known to a caller that has written the bytes itself. */
  readonly hash?: string | undefined;
}

export interface ListedUpload {
  readonly id: string;
  readonly sizeBytes: number;
  /** When bytes came last. */
  readonly touchedAt: Instant;
}

// How things are named where many share one place: a bucket, or the folder of manifests. What
// is below `{sender}/` is the sender's to write.

/** The bytes of a transfer, one time for all to whom they were sent. */
export function bodyKey(sender: string, hash: string): string {
  if (!isHash(hash)) throw missingBlob(hash);
  return `${partOf(sender)}/.bodies/${hash}`;
}

interface ManifestOf {
  readonly sender: string;
  readonly recipient: string;
  readonly createdAt: Instant;
  /** Of the transfer. */
  readonly id: string;
  readonly filename: string;
}

/** The small manifest of one transfer: `{sender}/{recipient}/{YYYY-MM-DD_HH-MM-SS_id6}/{filename}`. */
export function manifestKey({ sender, recipient, createdAt, id, filename }: ManifestOf): string {
  const when = new Date(createdAt)
    .toISOString()
    .slice(0, 19)
    .replace('T', '_')
    .replaceAll(':', '-');
  const moment = `${when}_${id.slice(-6)}`;
  return [sender, recipient, moment, filename].map(partOf).join('/');
}

/** As one step of a path: whatever else was checked before, it leads nowhere else. */
function partOf(name: string): string {
  const isStep = name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
  if (isStep) return name;
  throw new AosError('transfer.bad-name', {
    message: `${quote(name.slice(0, 100))} cannot be a part of a path`,
    fix: 'Choose a name without "/", that is neither empty nor "." nor ".."',
  });
}
