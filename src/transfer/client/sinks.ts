/** Where sealed bytes go: into a file of the home, or to the daemon that serves it. */
import { isMissing } from '../../kernel/disk/errors.ts';
import type { Disk, DiskView, FileWriter } from '../../kernel/ports.ts';
import { partBytes, stretchBytes } from '../../kernel/transfer/transfer.ts';
import type { OpenedUpload, SendCalls, UseHome } from '../calls.ts';

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
