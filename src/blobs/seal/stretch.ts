/**
 * The work on one stretch of a body: a MiB, read and written by one thread, sealed or opened by a
 * second and hashed by a third. They share the memory of a slot, so nothing is copied on the way.
 *
 * W1. The stretches of one body come in their order: the hash of the whole runs along.
 */
import { createHash, type Hash } from 'node:crypto';
import { type ErrorReport, toReport } from '../../kernel/errors.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import {
  type ChunkPlace,
  chunkBytes,
  headerBytes,
  openChunks,
  openingOf,
  type Sealing,
  sealChunks,
  sealedChunkBytes,
  sealingOf,
} from './aosb1.ts';

export const chunksPerStretch = stretchBytes / chunkBytes;
export const sealedStretchBytes = chunksPerStretch * sealedChunkBytes;

export type StretchTask =
  /** The next body. Its key, where there is one, and for one that is to be opened its header. */
  | { readonly kind: 'begin'; readonly dek?: Uint8Array; readonly header?: Uint8Array }
  | { readonly kind: 'seal'; readonly length: number; readonly place: ChunkPlace }
  | { readonly kind: 'open'; readonly length: number; readonly place: ChunkPlace }
  | HashTask;

/** What goes into the hash of the whole: a part of a slot, from one byte to the one before another. */
export type HashTask =
  | { readonly kind: 'hash-begin' }
  | {
      readonly kind: 'hash';
      readonly side: 'plain' | 'sealed';
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'hash-end' };

export function isHashTask(task: StretchTask): task is HashTask {
  return task.kind.startsWith('hash');
}

export type StretchResult =
  /** How many bytes there are on the other side. */
  | { readonly kind: 'done'; readonly length: number }
  | { readonly kind: 'whole'; readonly sha256: string }
  | { readonly kind: 'failed'; readonly error: ErrorReport };

export interface Slot {
  readonly plain: Uint8Array;
  readonly sealed: Uint8Array;
}

export interface StretchSlot extends Slot {
  run(task: StretchTask): Promise<StretchResult>;
}

/** A few slots, and a worker that handles them in the order in which they are handed in. */
export interface StretchWorks extends AsyncDisposable {
  readonly slots: readonly [StretchSlot, ...StretchSlot[]];
}

/** What is known of the body that is worked on. Without a key bytes are not sealed. */
export class StretchBench {
  #sealing: Sealing | undefined;
  #whole: Hash = createHash('sha256');

  perform(task: StretchTask, slot: Slot): StretchResult {
    try {
      return this.#perform(task, slot);
    } catch (failure) {
      return { kind: 'failed', error: toReport(failure) };
    }
  }

  #perform(task: StretchTask, { plain, sealed }: Slot): StretchResult {
    switch (task.kind) {
      case 'begin':
        this.#begin(task);
        return { kind: 'done', length: 0 };
      case 'hash-begin':
        this.#whole = createHash('sha256');
        return { kind: 'done', length: 0 };
      case 'hash':
        // W1
        this.#whole.update((task.side === 'plain' ? plain : sealed).subarray(task.from, task.to));
        return { kind: 'done', length: task.to - task.from };
      case 'seal':
        return { kind: 'done', length: this.#seal(plain.subarray(0, task.length), sealed, task) };
      case 'open':
        return { kind: 'done', length: this.#open(sealed.subarray(0, task.length), plain, task) };
      case 'hash-end':
        return { kind: 'whole', sha256: this.#whole.digest('hex') };
    }
  }

  #begin({ dek, header }: Extract<StretchTask, { kind: 'begin' }>): void {
    this.#sealing = undefined;
    if (dek === undefined) return;
    this.#sealing = header === undefined ? sealingOf(dek) : openingOf(dek, header);
  }

  #seal(plain: Uint8Array, sealed: Uint8Array, { place }: { readonly place: ChunkPlace }): number {
    if (this.#sealing !== undefined) return sealChunks(this.#sealing, plain, place, sealed);
    sealed.set(plain);
    return plain.length;
  }

  #open(sealed: Uint8Array, plain: Uint8Array, { place }: { readonly place: ChunkPlace }): number {
    if (this.#sealing !== undefined) return openChunks(this.#sealing, sealed, place, plain);
    plain.set(sealed);
    return sealed.length;
  }
}

export function emptySlot(memory: ArrayBufferLike, offset: number): Slot {
  return {
    plain: new Uint8Array(memory, offset, stretchBytes),
    sealed: new Uint8Array(memory, offset + stretchBytes, sealedStretchBytes),
  };
}

export const slotBytes = stretchBytes + sealedStretchBytes;

/** On the spot. */
export function worksHere(): StretchWorks {
  const bench = new StretchBench();
  const slot = emptySlot(new ArrayBuffer(slotBytes), 0);
  return {
    slots: [{ ...slot, run: async (task) => bench.perform(task, slot) }],
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Less than this is done before a thread would have started. */
const smallBytes = 8 * stretchBytes;

/** The works for so many bytes, or for a length that is not known (`null`). */
export function worksFor(sizeBytes: number | null, openThreads: () => StretchWorks): StretchWorks {
  return sizeBytes === null || sizeBytes > smallBytes ? openThreads() : worksHere();
}

/**
 * The plain bytes of a sealed body. What is handed out is good until the next is asked for, and
 * is what was sealed, where it was sealed; whether it was all of it is known at the end, where
 * what was cut off is refused.
 */
export async function* openStream(
  dek: Uint8Array,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const plain = new Uint8Array(stretchBytes);
  let sealing: Sealing | undefined;
  for await (const { bytes, index, toEnd } of stretchesIn(stream)) {
    const head = index === 0 ? headerBytes : 0;
    sealing ??= openingOf(dek, bytes);
    const place = { first: index * chunksPerStretch, toEnd };
    yield plain.subarray(0, openChunks(sealing, bytes.subarray(head), place, plain));
  }
}

interface SealedStretch {
  readonly bytes: Uint8Array;
  readonly index: number;
  readonly toEnd: boolean;
}

/** The header comes with the first. A full one is handed out when it is known whether more comes. */
async function* stretchesIn(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<SealedStretch, void, void> {
  const into = new Uint8Array(headerBytes + sealedStretchBytes);
  let length = 0;
  let index = 0;
  for await (const bytes of stream) {
    for (let taken = 0; taken < bytes.length; ) {
      const full = sealedStretchBytes + (index === 0 ? headerBytes : 0);
      if (length === full) {
        yield { bytes: into.subarray(0, length), index: index++, toEnd: false };
        length = 0;
        continue;
      }
      const part = bytes.subarray(taken, taken + full - length);
      into.set(part, length);
      length += part.length;
      taken += part.length;
    }
  }
  yield { bytes: into.subarray(0, length), index, toEnd: true };
}

export interface NextStretch {
  readonly length: number;
  readonly index: number;
  readonly toEnd: boolean;
}

/** Fills `into` again and again. A full one is handed out when it is known whether more comes. */
export async function* stretchesOf(
  stream: AsyncIterable<Uint8Array>,
  into: Uint8Array,
): AsyncGenerator<NextStretch, void, void> {
  let length = 0;
  let index = 0;
  for await (const bytes of stream) {
    for (let taken = 0; taken < bytes.length; ) {
      if (length === stretchBytes) {
        yield { length, index: index++, toEnd: false };
        length = 0;
      }
      const part = bytes.subarray(taken, taken + stretchBytes - length);
      into.set(part, length);
      length += part.length;
      taken += part.length;
    }
  }
  yield { length, index, toEnd: true };
}

/**
 * The sealed bytes of a body, header first. What is handed out is good until the next is asked
 * for. The DEK is of this body alone.
 */
export async function* sealStream(
  dek: Uint8Array,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const sealing = sealingOf(dek);
  const plain = new Uint8Array(stretchBytes);
  const out = new Uint8Array(headerBytes + sealedStretchBytes);
  for await (const { length, index, toEnd } of stretchesOf(stream, plain)) {
    const head = index === 0 ? headerBytes : 0;
    if (index === 0) out.set(sealing.header);
    const place = { first: index * chunksPerStretch, toEnd };
    const sealed = sealChunks(sealing, plain.subarray(0, length), place, out.subarray(head));
    yield out.subarray(0, head + sealed);
  }
}
