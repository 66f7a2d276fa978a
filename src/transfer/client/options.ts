/**
 * What a client of transfers takes and gives. Sender and recipient hash, seal and open in their
 * own process; what lies between them, a home or its daemon, sees sealed bytes.
 */
import type { StretchResult } from '../../blobs/seal/stretch.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { retryDelayMs } from '../../kernel/message/message.ts';
import { must } from '../../kernel/must.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import {
  type TransferKind,
  type TransferStatus,
  transferRetries,
} from '../../kernel/transfer/transfer.ts';
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

// Tries again what may go better the next time: three times, later each time.

interface TransferRetryDeps {
  readonly clock: Clock;
  readonly random: Random;
}

interface RetryOptions {
  /** Besides what always may. */
  readonly also?: readonly ErrorCode[];
  readonly signal?: AbortSignal | undefined;
}

/** A daemon that stops, starts or is busy, and a disk that failed once. */
const passing: readonly ErrorCode[] = [
  ...(['daemon.down', 'daemon.silent', 'gateway.not-ready', 'gateway.too-many'] as const),
  ...(['ledger.closed', 'home.busy', 'disk.failed'] as const),
];

/** The last failure is thrown as it is; `isPassing` tells whether it was tried again. */
export async function withRetries<T>(
  { clock, random }: TransferRetryDeps,
  { also = [], signal }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (failure) {
      signal?.throwIfAborted();
      if (tries > transferRetries || !isPassing(failure, also)) throw failure;
    }
    const jitter = must(random.bytes(1)[0], 'a random byte') / 256;
    await clock.sleep(retryDelayMs(tries, jitter), signal);
  }
}

export function isPassing(failure: unknown, also: readonly ErrorCode[] = []): failure is AosError {
  if (!(failure instanceof AosError)) return false;
  return passing.includes(failure.code) || also.includes(failure.code);
}

/** What is said when all tries have failed. */
export function gaveUp(what: string, failure: AosError): AosError {
  return new AosError('transfer.gave-up', {
    message: `${what} failed ${transferRetries + 1} times. The last time: ${failure.message}`,
    fix: 'Mend that, then run the same command again: it goes on where it was',
    cause: failure,
  });
}

// No more bytes a second than the caller wants.

export interface Pace {
  /** Resolves when so many further bytes may go. */
  take(bytes: number, signal?: AbortSignal): Promise<void>;
}

export function paceOf(clock: Clock, bytesPerSecond: number | undefined): Pace {
  if (bytesPerSecond === undefined) return { take: async () => {} };
  let freeAt = clock.monotonicMs();
  return {
    take: async (bytes, signal) => {
      const now = clock.monotonicMs();
      freeAt = Math.max(freeAt, now) + (bytes / bytesPerSecond) * 1000;
      if (freeAt > now) await clock.sleep(freeAt - now, signal);
    },
  };
}
