/** The first time that a source is read: what is in it. */

import { createCipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { Content } from '../../blobs/seal/aosb1.ts';
import type { StretchResult, StretchSlot, StretchWorks } from '../../blobs/seal/stretch.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import { type ByteSource, resultError, type TransferProgress } from './options.ts';

export interface Measured {
  readonly content: Content;
  /** Of each stretch, to know it again. */
  readonly fingerprints: Fingerprints;
}

export interface MeasureOptions {
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function measure(
  random: Random,
  works: StretchWorks,
  source: ByteSource,
  { onProgress, signal }: MeasureOptions = {},
): Promise<Measured> {
  const { sizeBytes } = source;
  const fingerprints = new Fingerprints(random);
  const hash = await WorksHash.begin(works);
  await inOrder(works.slots, stretchCount(sizeBytes), {
    signal,
    begin: async (slot, index) => {
      const length = await fill(source, slot, index);
      const result = hash.add(slot, { side: 'plain', from: 0, to: length });
      fingerprints.note(index, slot.plain.subarray(0, length));
      return { result };
    },
    end: async (_result, _slot, index) => {
      const doneBytes = Math.min((index + 1) * stretchBytes, sizeBytes);
      onProgress?.({ phase: 'reading', doneBytes, totalBytes: sizeBytes });
    },
  });
  return { content: { sha256: await hash.end(), sizeBytes }, fingerprints };
}

export function stretchCount(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / stretchBytes));
}

/** The plain bytes of one stretch; refused when there are fewer than there were. */
export async function fill(
  source: ByteSource,
  { plain }: StretchSlot,
  index: number,
): Promise<number> {
  const offset = index * stretchBytes;
  const wanted = Math.min(stretchBytes, source.sizeBytes - offset);
  const length = await source.read(offset, plain.subarray(0, wanted));
  if (length < wanted) throw changed(source);
  return length;
}

export function changed({ filename }: Pick<ByteSource, 'filename'>): AosError {
  return new AosError('transfer.changed', {
    message: `${quote(filename)} was changed while it was read`,
    fix: 'Send it again when nobody writes to it; nothing was sent',
  });
}

// Whether a stretch is still what it was, in a tenth of the time that a hash would take: a
// polynomial over its bytes at a point that is chosen anew for each source and that no one
// learns (the tag of AES-GCM over data that is not encrypted). Without knowing the point no one
// makes two stretches with one fingerprint, but by chance, once in about 2^110. They are never
// stored and never sent.

class Fingerprints {
  readonly #key: KeyObject;
  readonly #found: Uint8Array[] = [];

  constructor(random: Random) {
    this.#key = createSecretKey(random.bytes(32));
  }

  note(index: number, bytes: Uint8Array): void {
    this.#found[index] = this.#of(bytes);
  }

  isSame(index: number, bytes: Uint8Array): boolean {
    const noted = this.#found[index];
    return noted !== undefined && Buffer.compare(noted, this.#of(bytes)) === 0;
  }

  #of(bytes: Uint8Array): Uint8Array {
    const tag = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: 16 });
    tag.setAAD(bytes);
    tag.final();
    return tag.getAuthTag();
  }
}

// The same each time: what must not be known by others, they never see.
const nonce = Buffer.alloc(12);

// A SHA-256 that runs along in another thread, over what passes through the slots.

interface HashedPart {
  readonly side: 'plain' | 'sealed';
  readonly from: number;
  readonly to: number;
}

export class WorksHash {
  readonly #first: StretchSlot;

  private constructor(first: StretchSlot) {
    this.#first = first;
  }

  static async begin({ slots: [first] }: StretchWorks): Promise<WorksHash> {
    await first.run({ kind: 'hash-begin' });
    return new WorksHash(first);
  }

  /** What is in front of all; nothing works in the slots yet. */
  async feed(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const { plain } = this.#first;
    for await (const bytes of source) {
      for (let at = 0; at < bytes.length; at += plain.length) {
        const part = bytes.subarray(at, at + plain.length);
        plain.set(part);
        await this.add(this.#first, { side: 'plain', from: 0, to: part.length });
      }
    }
  }

  /** Resolves when the memory is used no more. */
  async add(slot: StretchSlot, part: HashedPart): Promise<void> {
    const result: StretchResult = await slot.run({ kind: 'hash', ...part });
    if (result.kind !== 'done') throw resultError(result);
  }

  async end(): Promise<string> {
    const result = await this.#first.run({ kind: 'hash-end' });
    if (result.kind !== 'whole') throw resultError(result);
    return result.sha256;
  }
}

/** Many pieces of work, a few of them under way at once, begun and ended in their order. */
interface Steps<Slot, Result> {
  /** Resolves when the next one may begin; its result, then or later, is handed to `end`. */
  begin(slot: Slot, index: number): Promise<{ readonly result: Promise<Result> }>;
  end(result: Result, slot: Slot, index: number): Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

interface Begun<Slot, Result> {
  readonly slot: Slot;
  readonly index: number;
  readonly result: Promise<Result>;
}

/** Every slot has one piece at a time. When something fails, nothing further is begun. */
export async function inOrder<Slot, Result>(
  slots: readonly Slot[],
  count: number,
  { begin, end, signal }: Steps<Slot, Result>,
): Promise<void> {
  const free = [...slots];
  const begun: Begun<Slot, Result>[] = [];
  try {
    for (let index = 0; index < count || begun.length > 0; ) {
      signal?.throwIfAborted();
      const slot = index < count ? free.pop() : undefined;
      if (slot !== undefined) {
        const { result } = await begin(slot, index);
        // Heard of when its turn comes; until then a failure of it is not handled.
        result.catch(() => {});
        begun.push({ slot, index, result });
        index++;
        continue;
      }
      const oldest = begun.shift();
      if (oldest === undefined) throw new Error('there is work and no slot for it');
      await end(await oldest.result, oldest.slot, oldest.index);
      free.push(oldest.slot);
    }
  } finally {
    // A thread may still be writing into a slot.
    await Promise.allSettled(begun.map(({ result }) => result));
  }
}
