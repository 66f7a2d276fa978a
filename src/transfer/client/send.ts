/**
 * Sending: read once to know what it is, ask the home for a place and a key, seal and store,
 * and have it sent. Killed at any line, the same command goes on where it was.
 */

import { sealedSize } from '../../blobs/seal/aosb1.ts';
import type { StretchWorks } from '../../blobs/seal/stretch.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { mimeTypeOf } from '../../kernel/files/names.ts';
import { must } from '../../kernel/must.ts';
import type { Clock, Disk, Processes, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { transferRetries } from '../../kernel/transfer/transfer.ts';
import type { OpenedUpload, SendCalls, SentAnswer, UploadRequest, UseHome } from '../calls.ts';
import { type Measured, measure } from './measure.ts';
import {
  type ByteSource,
  gaveUp,
  isPassing,
  paceOf,
  type SendOptions,
  type SentFile,
  withRetries,
} from './options.ts';
import { keptOf, localSink, remoteSink, type Sink, type SinkPlace, upload } from './upload.ts';

export interface TransferSendDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly processes: Pick<Processes, 'selfPid' | 'startTimeOf'>;
  readonly use: UseHome<SendCalls>;
  /** As whom, where that is not clear from how the home is reached. */
  readonly as: string | undefined;
  /** Whether this process may write into the home. */
  readonly isOwner: boolean;
  /** For so many bytes; null where that is not known. */
  openWorks(sizeBytes: number | null): StretchWorks;
}

const mostChanges = 3;

export async function sendSource(
  deps: TransferSendDeps,
  source: ByteSource,
  options: SendOptions,
): Promise<SentFile> {
  await using works = deps.openWorks(source.sizeBytes);
  for (let changes = 0; ; changes++) {
    const measured = await measure(deps.random, works, source, options);
    try {
      return await inTurn({ deps, works, source, measured, options });
    } catch (failure) {
      // A program writes to it: what it is now has another key, and nothing is used again.
      if (!isChanged(failure) || changes === mostChanges) throw failure;
    }
  }
}

function isChanged(failure: unknown): boolean {
  return failure instanceof AosError && failure.code === 'transfer.changed';
}

interface Sending {
  readonly deps: TransferSendDeps;
  readonly works: StretchWorks;
  readonly source: ByteSource;
  readonly measured: Measured;
  readonly options: SendOptions;
}

function inTurn(sending: Sending): Promise<SentFile> {
  const { deps, measured, options } = sending;
  const { sha256, sizeBytes: totalBytes } = measured.content;
  const key = JSON.stringify([deps.as, sha256, options.plain === true]);
  const onWait = () => options.onProgress?.({ phase: 'waiting', doneBytes: 0, totalBytes });
  return oneAtATime(key, { signal: options.signal, onWait }, () => sendMeasured(sending));
}

async function sendMeasured(sending: Sending): Promise<SentFile> {
  const { deps, source, options } = sending;
  const progress: { upload?: string } = {};
  try {
    return await withRetries(deps, { ...options, also: superseded }, () =>
      attempt(sending, progress),
    );
  } catch (failure) {
    if (!isPassing(failure, superseded)) throw failure;
    await noteFailure(deps, progress.upload, failure);
    throw gaveUp(`Sending ${quote(source.filename)}`, failure);
  }
}

/** Another process has gone on with the same upload, because this one stood still: begun again. */
const superseded: readonly ErrorCode[] = [
  ...(['transfer.unknown', 'transfer.wrong-state', 'transfer.busy', 'blob.missing'] as const),
];

/** For the audit and the alerts; where no daemon answers, neither hears of it. */
async function noteFailure(
  { use, as }: TransferSendDeps,
  id: string | undefined,
  { message: reason }: AosError,
): Promise<void> {
  if (id === undefined) return;
  // The failure that led here is the one to hear of.
  const attempts = transferRetries + 1;
  await use((calls) => calls.failUpload(id, { as, reason, attempts })).catch(() => {});
}

async function attempt(sending: Sending, progress: { upload?: string }): Promise<SentFile> {
  const { deps, source, measured, options } = sending;
  const begun = await begin(sending);
  if (begun.state === 'stored') return sentOf(begun, 0);
  progress.upload = begun.upload;
  const kept = keptOf(begun.stored_bytes, source, begun.dek !== null);
  const { hash } = await store(sending, begun, kept);
  const { content } = measured;
  const answer = await deps.use((calls) =>
    calls.finishUpload(
      begun.upload,
      {
        as: deps.as,
        stored_bytes: storedSize(content.sizeBytes, begun.dek !== null),
        size_bytes: content.sizeBytes,
        sha256: content.sha256,
        hash,
      },
      options,
    ),
  );
  return sentOf(answer, kept.bytes);
}

async function store(
  { deps, works, source, measured, options }: Sending,
  begun: OpenedUpload,
  kept: { readonly stretches: number; readonly bytes: number },
): Promise<{ readonly hash: string | undefined }> {
  const { limitBytesPerSecond, signal, onProgress } = options;
  const pace = paceOf(deps.clock, limitBytesPerSecond);
  const place = { keepBytes: kept.bytes, as: deps.as, limitBytesPerSecond, signal };
  await using sink = await sinkOf(deps, begun, place);
  const dek = begun.dek === null ? undefined : Buffer.from(begun.dek, 'hex');
  const hash = await upload(works, source, measured, sink, {
    ...{ dek, fromStretch: kept.stretches, pace, onProgress, signal },
  });
  await sink.end();
  return { hash };
}

function sinkOf(
  { disk, use }: TransferSendDeps,
  begun: OpenedUpload,
  place: SinkPlace,
): Promise<Sink> | Sink {
  return begun.local === null ? remoteSink(use, begun, place) : localSink(disk, begun.local, place);
}

const askAgainMs = 200;

/** Where another process sends the same, waits until that is done or has ended. */
async function begin({ deps, source, measured, options }: Sending) {
  const request = requestFor(deps, source, { measured, options });
  for (;;) {
    const begun = await deps.use((calls) => calls.beginUpload(request, options));
    if (begun.state !== 'busy') return begun;
    options.onProgress?.({ phase: 'waiting', doneBytes: 0, totalBytes: source.sizeBytes });
    await deps.clock.sleep(askAgainMs, options.signal);
  }
}

interface RequestParts {
  /** Undefined where the source is read only once. */
  readonly measured: Measured | undefined;
  readonly options: SendOptions;
}

export function requestFor(
  { processes, as, isOwner }: TransferSendDeps,
  source: Pick<ByteSource, 'filename' | 'kind' | 'entries'>,
  { measured, options }: RequestParts,
): UploadRequest {
  const { to, metadata, expiresMs, plain = false, mimeType } = options;
  const started = processes.startTimeOf(processes.selfPid);
  return {
    as,
    filename: source.filename,
    kind: source.kind,
    to: typeof to === 'string' ? [to] : [...to],
    size_bytes: measured?.content.sizeBytes ?? null,
    sha256: measured?.content.sha256 ?? null,
    sealed: !plain,
    entries: source.entries,
    mime_type: mimeType ?? (source.kind === 'folder' ? undefined : mimeTypeOf(source.filename)),
    metadata: metadata === undefined ? undefined : { ...metadata },
    expires_ms: expiresMs,
    writer: isOwner && started !== undefined ? { pid: processes.selfPid, started } : undefined,
  };
}

export function sentOf({ transfers, saved_bytes }: SentAnswer, resumedBytes: number): SentFile {
  return {
    id: must(transfers[0], 'the transfer of what was sent').id,
    transfers,
    savedBytes: saved_bytes,
    resumedBytes,
  };
}

export function storedSize(sizeBytes: number, isSealed: boolean): number {
  return isSealed ? sealedSize(sizeBytes) : sizeBytes;
}

/**
 * Of the same content, one sending at a time in a process. The home knows writers by their
 * process: two of one process would be one writer to it, and add to the same file.
 */

const underWay = new Map<string, Promise<void>>();

interface Waiting {
  readonly signal?: AbortSignal | undefined;
  onWait(): void;
}

export async function oneAtATime<T>(
  key: string,
  { signal, onWait }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  for (let other = underWay.get(key); other !== undefined; other = underWay.get(key)) {
    onWait();
    await endOf(other, signal);
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  underWay.set(key, promise);
  try {
    return await work();
  } finally {
    underWay.delete(key);
    resolve();
  }
}

async function endOf(other: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return other;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([other, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
