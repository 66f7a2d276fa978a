/**
 * Opens a stored body, stretch by stretch, from any place in it. Nothing is handed out that is
 * not what was sealed, where it was sealed.
 */
import { type ChunkPlace, headerBytes } from '../../blobs/seal/aosb1.ts';
import {
  chunksPerStretch,
  type StretchSlot,
  type StretchWorks,
  sealedStretchBytes,
} from '../../blobs/seal/stretch.ts';
import { AosError } from '../../kernel/errors.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import type { OpenedTransfer } from './calls.ts';
import type { StoredBytes } from './fetch.ts';
import { inOrder } from './in-order.ts';
import { stretchCount } from './measure.ts';
import { resultError } from './result-error.ts';
import { storedSize } from './send.ts';
import type { WorksHash } from './works-hash.ts';

export interface BodyParts {
  readonly works: StretchWorks;
  readonly stored: StoredBytes;
  readonly opened: OpenedTransfer;
}

export interface BodyRange {
  /** The first plain byte that is wanted. */
  readonly from: number;
  /** The one behind the last; all where nothing is said. */
  readonly to?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What is opened goes into it too. */
  readonly hash?: WorksHash | undefined;
  /** The bytes are used no more when it resolves. */
  take(bytes: Uint8Array, offset: number): Promise<void>;
}

export async function openBody(
  { works, stored, opened }: BodyParts,
  { from, to, signal, hash, take }: BodyRange,
): Promise<void> {
  const { transfer, dek } = opened;
  const isSealed = dek !== null;
  const size = transfer.file_size_bytes;
  if (storedSize(size, isSealed) !== opened.stored_bytes) throw cutOff();
  const count = stretchCount(size);
  const first = Math.floor(from / stretchBytes);
  const end = to === undefined ? count : Math.ceil(to / stretchBytes);
  await begin(works, stored, dek);
  await inOrder(works.slots, Math.max(0, end - first), {
    signal,
    begin: async (slot, step) => {
      const length = await fetchStretch(stored, slot, { index: first + step, size, isSealed });
      const place = {
        first: (first + step) * chunksPerStretch,
        toEnd: first + step === count - 1,
      };
      const offset = (first + step) * stretchBytes;
      const wanted = { from: Math.max(0, from - offset), to: (to ?? size) - offset };
      return { result: openStretch(slot, { length, place }, wanted, hash) };
    },
    end: async ({ part, hashed }, { plain }, step) => {
      const offset = (first + step) * stretchBytes;
      await take(plain.subarray(part.from, part.to), offset + part.from);
      await hashed;
    },
  });
}

interface OpenedStretch {
  /** What of it is wanted. */
  readonly part: Wanted;
  /** Under way while it is written. */
  readonly hashed: Promise<void> | undefined;
}

interface Wanted {
  readonly from: number;
  readonly to: number;
}

async function openStretch(
  slot: StretchSlot,
  what: { readonly length: number; readonly place: ChunkPlace },
  { from, to }: Wanted,
  hash: WorksHash | undefined,
): Promise<OpenedStretch> {
  const result = await slot.run({ kind: 'open', ...what });
  if (result.kind !== 'done') throw resultError(result);
  const part = { from, to: Math.min(result.length, to) };
  const hashed = hash?.add(slot, { side: 'plain', ...part });
  // Heard of where it is waited for.
  hashed?.catch(() => {});
  return { part, hashed };
}

async function begin(works: StretchWorks, stored: StoredBytes, dek: string | null): Promise<void> {
  const [slot] = works.slots;
  if (dek === null) {
    await slot.run({ kind: 'begin' });
    return;
  }
  const header = new Uint8Array(headerBytes);
  if ((await stored.read(0, header)) < headerBytes) throw cutOff();
  const begun = await slot.run({ kind: 'begin', dek: Buffer.from(dek, 'hex'), header });
  if (begun.kind === 'failed') throw resultError(begun);
}

interface StretchPlace {
  readonly index: number;
  readonly size: number;
  readonly isSealed: boolean;
}

/** How many stored bytes the stretch has. */
async function fetchStretch(
  stored: StoredBytes,
  { sealed }: StretchSlot,
  { index, size, isSealed }: StretchPlace,
): Promise<number> {
  const plain = Math.min(stretchBytes, size - index * stretchBytes);
  const wanted = storedSize(plain, isSealed) - (isSealed ? headerBytes : 0);
  const offset = isSealed ? headerBytes + index * sealedStretchBytes : index * stretchBytes;
  if (wanted > 0 && (await stored.read(offset, sealed.subarray(0, wanted))) < wanted) {
    throw cutOff();
  }
  return wanted;
}

function cutOff(): AosError {
  return new AosError('blob.corrupt', {
    message: 'The stored bytes are fewer than there should be',
    fix: 'Have them sent again',
  });
}
