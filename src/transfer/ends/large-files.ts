/** Files that are read and written a stretch at a time. */
import type { DiskView, FileWriter } from '../../kernel/ports.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';

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
