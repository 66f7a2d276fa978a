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
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import { changed, fill, inOrder, type Measured, stretchCount, WorksHash } from './measure.ts';
import { type ByteSource, resultError, type TransferProgress } from './options.ts';
import type { Pace } from './retries.ts';
import type { Sink } from './sinks.ts';

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
