/**
 * The scrub: every stored file is read and compared with its name, and the names with what the rows
 * say. It runs while others use the store.
 */
import { AosError, toReport } from '../kernel/errors.ts';
import { type EventLoop, endOfTurn } from '../kernel/ports.ts';
import type { Blobs, ListedBlob } from './blobs.ts';

/** A store together with what its rows say. */
export interface VerifiedStore {
  readonly store: 'blobs' | 'attachments';
  readonly blobs: Pick<Blobs, 'list' | 'get' | 'stat'>;
  /** What should be there, in the order of the hashes; the size where the rows know it. */
  expected(): AsyncGenerator<ExpectedBlob, void, void>;
  /** Who needs it now, such as `transfer:ID`; the first few. */
  neededBy(hash: string): Promise<readonly string[]>;
}

export interface ExpectedBlob {
  readonly hash: string;
  readonly sizeBytes?: number | undefined;
}

export interface DamagedBlob {
  readonly hash: string;
  readonly store: VerifiedStore['store'];
  readonly why: string;
  readonly neededBy: readonly string[];
}

export interface StoreVerification {
  /** How many files were read, and their bytes. */
  readonly checked: number;
  readonly bytes: number;
  readonly corrupt: readonly DamagedBlob[];
  /** What a row needs and the store does not have. */
  readonly missing: readonly DamagedBlob[];
  /** How many files no row speaks of; they go by themselves. */
  readonly orphans: number;
  /** How many damaged or missing ones are not told one by one. */
  readonly more: number;
}

// As many as a person reads; a disk that is broken as a whole must not fill the memory.
const mostNamed = 1000;

export async function verifyBlobs(
  deps: { readonly eventLoop: EventLoop; readonly stores: readonly VerifiedStore[] },
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<StoreVerification> {
  const found = { checked: 0, bytes: 0, orphans: 0, more: 0 };
  const corrupt: DamagedBlob[] = [];
  const missing: DamagedBlob[] = [];
  const tell = (list: DamagedBlob[], damage: DamagedBlob): void => {
    if (corrupt.length + missing.length < mostNamed) list.push(damage);
    else found.more++;
  };
  const pause = async (): Promise<void> => {
    await endOfTurn(deps.eventLoop);
    signal?.throwIfAborted();
  };
  for (const store of deps.stores) {
    for await (const { stored, expected } of sideBySide(store)) {
      await pause();
      if (stored === undefined) {
        const damage = await missingStill(store, expected.hash);
        if (damage !== undefined) tell(missing, damage);
        continue;
      }
      found.checked++;
      found.bytes += stored.sizeBytes;
      if (expected === undefined) found.orphans++;
      const why = await damageOf(store, stored, expected, pause);
      const { hash } = stored;
      if (why === undefined) continue;
      tell(corrupt, { hash, store: store.store, why, neededBy: await store.neededBy(hash) });
    }
  }
  return { ...found, corrupt, missing };
}

type Pair =
  | { readonly stored: ListedBlob; readonly expected: ExpectedBlob | undefined }
  | { readonly stored: undefined; readonly expected: ExpectedBlob };

/** Both are in the order of the hashes, so nothing has to be kept in memory. */
async function* sideBySide({ blobs, expected }: VerifiedStore): AsyncGenerator<Pair, void, void> {
  const rows = expected();
  try {
    let row = await rows.next();
    for await (const stored of blobs.list()) {
      for (; !row.done && row.value.hash < stored.hash; row = await rows.next()) {
        yield { stored: undefined, expected: row.value };
      }
      const isSame = !row.done && row.value.hash === stored.hash;
      yield { stored, expected: isSame && !row.done ? row.value : undefined };
      if (isSame) row = await rows.next();
    }
    for (; !row.done; row = await rows.next()) yield { stored: undefined, expected: row.value };
  } finally {
    await rows.return();
  }
}

/** It may have come, or may not be needed any more, since the lists were read. */
async function missingStill(
  { store, blobs, neededBy: needs }: VerifiedStore,
  hash: string,
): Promise<DamagedBlob | undefined> {
  const neededBy = await needs(hash);
  if (neededBy.length === 0 || (await blobs.stat(hash)) !== undefined) return undefined;
  return { hash, store, why: 'it is not there', neededBy };
}

/** In a few words; undefined when it is whole, or went away meanwhile. */
async function damageOf(
  { blobs }: VerifiedStore,
  { hash, sizeBytes }: ListedBlob,
  expected: ExpectedBlob | undefined,
  pause: () => Promise<void>,
): Promise<string | undefined> {
  if (expected?.sizeBytes !== undefined && expected.sizeBytes !== sizeBytes) {
    return `it has ${sizeBytes} bytes instead of ${expected.sizeBytes}`;
  }
  try {
    const { stream } = await blobs.get(hash);
    for await (const _bytes of stream) await pause();
    return undefined;
  } catch (failure) {
    // An abort by the caller, or a bug.
    if (!(failure instanceof AosError)) throw failure;
    if (failure.code === 'blob.missing') return undefined;
    if (failure.code === 'blob.corrupt') return 'its bytes have another SHA-256';
    return `it cannot be read: ${toReport(failure).message}`;
  }
}
