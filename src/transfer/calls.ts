/**
 * What a client asks of the home between sender and recipient, and how it is answered, in the
 * form of the wire. The gateway's client fills it, and directCalls() within one process.
 */
import type { TransferAck, TransferKind, TransferStatus } from '../kernel/transfer/transfer.ts';

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
}

interface ActAs {
  readonly as?: string | undefined;
}

/** What is to be sent, to whom, under which name. */
export interface UploadRequest extends ActAs {
  readonly filename: string;
  readonly kind: TransferView['kind'];
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

export interface OpenedUpload {
  readonly state: 'open';
  readonly upload: string;
  /** 64 hex digits; null where nothing is sealed. */
  readonly dek: string | null;
  readonly stored_bytes: number;
  /** The file to which the bytes are to be added; null where they are to be sent. */
  readonly local: string | null;
}

export interface SentAnswer {
  readonly transfers: TransferView[];
  readonly saved_bytes: number;
}

export type BegunUpload =
  | ({ readonly state: 'stored' } & SentAnswer)
  | { readonly state: 'busy' }
  | OpenedUpload;

export interface OpenedTransfer {
  readonly transfer: TransferView;
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
  beginUpload(request: UploadRequest, options?: AskOptions): Promise<BegunUpload>;
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
  verifyTransfer(id: string, who: ActAs, options?: AskOptions): Promise<TransferView>;
  failTransfer(
    id: string,
    why: ActAs & { readonly reason: string },
    options?: AskOptions,
  ): Promise<TransferView>;
}

/** The home, for as long as the work takes: its daemon, or opened for that long. */
export type UseHome<Calls> = <T>(work: (calls: Calls) => Promise<T>) => Promise<T>;

/** A transfer as it is told (the wire's form). */
export interface TransferView {
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
