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
import type { DiskView } from '../../kernel/ports.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import type { OpenedTransfer, ReceiveCalls, UseHome } from '../calls.ts';
import { inOrder, stretchCount, type WorksHash } from './measure.ts';
import { resultError } from './options.ts';
import { storedSize } from './send.ts';

export interface BodyParts {
  readonly works: StretchWorks;
  readonly stored: SealedBytes;
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

async function begin(works: StretchWorks, stored: SealedBytes, dek: string | null): Promise<void> {
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
  stored: SealedBytes,
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

// The stored bytes of a transfer, from wherever they can be had.

/** Reads forward; going back is possible and costs more. */
export interface SealedBytes extends AsyncDisposable {
  /** Fills `into` from `offset`; how many bytes there were. */
  read(offset: number, into: Uint8Array): Promise<number>;
}

/** Of the owner's own disk. */
export async function localBytes(view: DiskView, path: string): Promise<SealedBytes> {
  const reader = await view.read(path);
  return {
    read: async (offset, into) => (await reader.readAt(offset, into.length, into)).length,
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

interface RemoteOptions {
  readonly as: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One answer that is read as far as it is wanted; from another place, another answer. */
export function remoteBytes(
  use: UseHome<ReceiveCalls>,
  { transfer }: OpenedTransfer,
  { as, signal }: RemoteOptions,
): SealedBytes {
  let at = -1;
  let rest: Uint8Array = new Uint8Array(0);
  let parts: AsyncIterator<Uint8Array> | undefined;
  const close = async (): Promise<void> => {
    const open = parts;
    parts = undefined;
    rest = new Uint8Array(0);
    await open?.return?.();
  };
  const openAt = async (offset: number): Promise<void> => {
    await close();
    const query = { as, from: offset };
    const answer = await use((calls) => calls.transferBytes(transfer.id, query, { signal }));
    parts = answer.stream[Symbol.asyncIterator]();
    at = offset;
  };
  return {
    read: async (offset, into) => {
      if (offset !== at || parts === undefined) await openAt(offset);
      let filled = 0;
      while (filled < into.length) {
        if (rest.length === 0) {
          const next = await parts?.next();
          if (next === undefined || next.done === true) break;
          rest = next.value;
        }
        const part = rest.subarray(0, into.length - filled);
        into.set(part, filled);
        rest = rest.subarray(part.length);
        filled += part.length;
      }
      at = offset + filled;
      return filled;
    },
    [Symbol.asyncDispose]: close,
  };
}
