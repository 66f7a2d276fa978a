/**
 * The second time that a source is read: it is sealed, and put where the home wants it.
 *
 * U1. A stretch is sealed only when it is still what the first reading found, from which the key
 *     was made: a program that changes a file meanwhile cannot have two contents sealed under one key.
 * U2. What a try before this one has stored stays: it was sealed with the same key from the same
 *     bytes, or the home would not have told of it.
 */
import { type ChunkPlace, headerBytes, sealingOf } from '../../blobs/seal/aosb1.ts';
import {
  chunksPerStretch,
  type StretchSlot,
  type StretchWorks,
  sealedStretchBytes,
} from '../../blobs/seal/stretch.ts';
import { isMissing } from '../../kernel/disk/errors.ts';
import type { Disk, DiskView, FileWriter } from '../../kernel/ports.ts';
import { partBytes, stretchBytes } from '../../kernel/transfer/transfer.ts';
import type { OpenedUpload, SendCalls, UseHome } from '../calls.ts';
import { changed, fill, inOrder, type Measured, stretchCount, WorksHash } from './measure.ts';
import { type ByteSource, type Pace, resultError, type TransferProgress } from './options.ts';

export interface UploadOptions {
  /** Undefined where nothing is sealed. */
  readonly dek: Uint8Array | undefined;
  /** How many stretches are stored already (U2). */
  readonly fromStretch: number;
  readonly pace: Pace;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What of the stored bytes stays: whole stretches, and never the last one, which is sealed as
 * the last.
 */
export function keptOf(storedBytes: number, { sizeBytes }: ByteSource, isSealed: boolean) {
  const head = isSealed ? headerBytes : 0;
  const each = isSealed ? sealedStretchBytes : stretchBytes;
  const whole = Math.max(0, Math.floor((storedBytes - head) / each));
  const stretches = Math.min(whole, stretchCount(sizeBytes) - 1);
  return { stretches, bytes: stretches === 0 ? 0 : head + stretches * each };
}

/** The hash of all that is stored then, where the sink wants it. */
export async function upload(
  works: StretchWorks,
  source: ByteSource,
  { fingerprints }: Measured,
  sink: Sink,
  options: UploadOptions,
): Promise<string | undefined> {
  const { dek, fromStretch: from, pace, onProgress, signal } = options;
  const [first] = works.slots;
  const count = stretchCount(source.sizeBytes);
  await first.run({ kind: 'begin', ...(dek === undefined ? {} : { dek }) });
  const hash = sink.wantsHash ? await WorksHash.begin(works) : undefined;
  await hash?.feed(sink.kept());
  if (from === 0 && dek !== undefined) {
    const { header } = sealingOf(dek);
    await hash?.feed([header]);
    await sink.write(header);
  }
  await inOrder(works.slots, count - from, {
    signal,
    begin: async (slot, step) => {
      const index = from + step;
      const length = await fill(source, slot, index);
      // U1
      if (!fingerprints.isSame(index, slot.plain.subarray(0, length))) throw changed(source);
      const place = { first: index * chunksPerStretch, toEnd: index === count - 1 };
      return { result: sealed(slot, { length, place }, hash) };
    },
    end: async ({ length, hashed }, slot, step) => {
      const doneBytes = Math.min((from + step + 1) * stretchBytes, source.sizeBytes);
      await pace.take(length, signal);
      await sink.write(slot.sealed.subarray(0, length));
      await hashed;
      onProgress?.({ phase: 'sending', doneBytes, totalBytes: source.sizeBytes });
    },
  });
  return hash?.end();
}

interface SealedStretch {
  readonly length: number;
  /** Under way while it is written. */
  readonly hashed: Promise<void> | undefined;
}

async function sealed(
  slot: StretchSlot,
  what: { readonly length: number; readonly place: ChunkPlace },
  hash: WorksHash | undefined,
): Promise<SealedStretch> {
  const result = await slot.run({ kind: 'seal', ...what });
  if (result.kind !== 'done') throw resultError(result);
  const { length } = result;
  const hashed = hash?.add(slot, { side: 'sealed', from: 0, to: length });
  // Heard of where it is waited for.
  hashed?.catch(() => {});
  return { length, hashed };
}

// Where sealed bytes go: into a file of the home, or to the daemon that serves it.

export interface Sink extends AsyncDisposable {
  /** Whether end() is to be told the SHA-256 of all stored bytes. */
  readonly wantsHash: boolean;
  /** What was there before, and stays. */
  kept(): AsyncGenerator<Uint8Array, void, void>;
  /** The bytes are used no more when it resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Everything that was written is where it belongs. */
  end(): Promise<void>;
}

export interface SinkPlace {
  /** What is there already, and stays. */
  readonly keepBytes: number;
  readonly as: string | undefined;
  /** No more than so many bytes a second will come. */
  readonly limitBytesPerSecond?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The owner's own process writes the file, and knows its hash. */
export async function localSink(disk: Disk, path: string, { keepBytes }: SinkPlace): Promise<Sink> {
  const writer = flushedAlong(await openAt(disk, path, keepBytes));
  return {
    wantsHash: true,
    kept: () => bytesIn(disk, path, keepBytes),
    write: (bytes) => writer.append(bytes),
    end: () => writer.sync(),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

async function openAt(disk: Disk, path: string, keepBytes: number): Promise<FileWriter> {
  try {
    return await disk.create(path, { keepBytes });
  } catch (failure) {
    if (!isMissing(failure) || keepBytes > 0) throw failure;
    return disk.create(path);
  }
}

/**
 * A request for each part, so that what was taken is known when one breaks off; and one every
 * second at least, or a slow sender would be taken for gone.
 */
export function remoteSink(
  use: UseHome<SendCalls>,
  { upload }: Pick<OpenedUpload, 'upload'>,
  { keepBytes, as, limitBytesPerSecond = partBytes, signal }: SinkPlace,
): Sink {
  const mostBytes = Math.min(partBytes, limitBytesPerSecond);
  let stored = keepBytes;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async (): Promise<void> => {
    if (waitingBytes === 0) return;
    const parts = waiting;
    const query = { from: stored, ...(as === undefined ? {} : { as }) };
    await use((calls) => calls.uploadBytes(upload, each(parts), query, { signal }));
    stored += waitingBytes;
    waiting = [];
    waitingBytes = 0;
  };
  return {
    wantsHash: false,
    async *kept() {},
    write: async (bytes) => {
      // Copied: the memory is used again for the next stretch.
      waiting.push(bytes.slice());
      waitingBytes += bytes.length;
      if (waitingBytes >= mostBytes) await flush();
    },
    end: flush,
    [Symbol.asyncDispose]: async () => {},
  };
}

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}

// Files that are read and written a stretch at a time.

/** The first so many bytes of a file. The memory is used again for the next ones. */
export async function* bytesIn(
  view: DiskView,
  path: string,
  sizeBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  if (sizeBytes === 0) return;
  await using reader = await view.read(path);
  const buffer = new Uint8Array(stretchBytes);
  for (let offset = 0; offset < sizeBytes; ) {
    const wanted = Math.min(buffer.length, sizeBytes - offset);
    const part = await reader.readAt(offset, wanted, buffer);
    if (part.length === 0) return;
    yield part;
    offset += part.length;
  }
}

const flushBytes = 64 * stretchBytes;

/**
 * The same file, whose bytes go to the disk while others are still being made: at the end there
 * is less to wait for.
 */
export function flushedAlong(writer: FileWriter): FileWriter {
  let sinceFlush = 0;
  let flushing: Promise<void> | undefined;
  return {
    append: async (bytes) => {
      await writer.append(bytes);
      sinceFlush += bytes.length;
      if (sinceFlush < flushBytes || flushing !== undefined) return;
      sinceFlush = 0;
      // A failure is heard of at the end; the system tells it only once.
      flushing = writer.sync();
      flushing.then(
        () => {
          flushing = undefined;
        },
        () => {},
      );
    },
    sync: async () => {
      await flushing;
      await writer.sync();
    },
    async [Symbol.asyncDispose]() {
      await flushing?.catch(() => {});
      await writer[Symbol.asyncDispose]();
    },
  };
}
