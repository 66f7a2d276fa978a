/**
 * Bytes that come in pieces, and go on where they were after a crash. Files fill this today
 * (file-uploads.ts); an S3 driver would keep parts.
 */
import type { Instant } from '../kernel/ports.ts';
import type { StoredBlob } from './blobs.ts';

export interface Uploads {
  /** Makes it where there is none; else it stands as it was left. */
  open(id: string): Promise<OpenUpload>;
  /**
   * Adds what comes behind the first `from` bytes; what stands behind those is dropped. How many
   * bytes there are then. When the source breaks off, what came before stays.
   */
  append(id: string, from: number, source: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Stores it under its hash, safe from power loss; the hash is worked out where it is not said.
   * The upload stays as it is, so that whoever dies before the next step can do this again:
   * discard() it once a row says who needs the bytes.
   */
  finish(id: string, options?: FinishOptions): Promise<StoredBlob>;
  /** Gives it another id; false when there is none. */
  move(from: string, to: string): Promise<boolean>;
  /** Nothing is left of it; also when nothing was there. */
  discard(id: string): Promise<void>;
  list(): AsyncGenerator<ListedUpload, void, void>;
}

export interface OpenUpload {
  /** Where a process of this machine may add the bytes itself; undefined where it cannot. */
  readonly path: string | undefined;
  readonly sizeBytes: number;
}

export interface FinishOptions {
  /** From whoever has written the bytes itself. */
  readonly hash?: string | undefined;
}

export interface ListedUpload {
  readonly id: string;
  readonly sizeBytes: number;
  /** When bytes came last. */
  readonly touchedAt: Instant;
}
