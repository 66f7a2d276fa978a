/** Where sealed bytes go: into a file of the home, or to whoever serves it. */
import { createHash, type Hash } from 'node:crypto';
import { isMissing } from '../../kernel/disk-errors.ts';
import type { Disk, FileWriter } from '../../kernel/ports.ts';
import { partBytes, stretchBytes } from '../../kernel/transfer.ts';
import type { OpenUpload, SendCalls, UseHome } from './calls.ts';

export interface Sink extends AsyncDisposable {
  /** The bytes are used no more when it resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Everything that was written is where it belongs. The hash, where this side knows it. */
  end(): Promise<{ readonly hash: string | undefined }>;
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
  const hash = await hashOfKept(disk, path, keepBytes);
  const writer = await openAt(disk, path, keepBytes);
  return {
    write: async (bytes) => {
      hash.update(bytes);
      await writer.append(bytes);
    },
    end: async () => {
      await writer.sync();
      return { hash: hash.digest('hex') };
    },
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

async function hashOfKept(disk: Disk, path: string, keepBytes: number): Promise<Hash> {
  const hash = createHash('sha256');
  if (keepBytes === 0) return hash;
  await using reader = await disk.read(path);
  const buffer = new Uint8Array(stretchBytes);
  for (let offset = 0; offset < keepBytes; ) {
    const wanted = Math.min(buffer.length, keepBytes - offset);
    const part = await reader.readAt(offset, wanted, buffer);
    if (part.length === 0) break;
    hash.update(part);
    offset += part.length;
  }
  return hash;
}

/**
 * A request for each part, so that what was taken is known when one breaks off; and one every
 * second at least, or whoever sends slowly would be taken for gone.
 */
export function remoteSink(
  use: UseHome<SendCalls>,
  { upload }: Pick<OpenUpload, 'upload'>,
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
    write: async (bytes) => {
      // Copied: the memory is used again for the next stretch.
      waiting.push(bytes.slice());
      waitingBytes += bytes.length;
      if (waitingBytes >= mostBytes) await flush();
    },
    end: async () => {
      await flush();
      return { hash: undefined };
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function* each(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}
