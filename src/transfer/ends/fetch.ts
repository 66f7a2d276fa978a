/** The stored bytes of a transfer, from wherever they can be had. */
import type { DiskView } from '../../kernel/ports.ts';
import type { OpenedTransfer, ReceiveCalls, UseHome } from './calls.ts';

/** Reads forward; going back is possible and costs more. */
export interface StoredBytes extends AsyncDisposable {
  /** Fills `into` from `offset`; how many bytes there were. */
  read(offset: number, into: Uint8Array): Promise<number>;
}

/** Of the owner's own disk. */
export async function localBytes(view: DiskView, path: string): Promise<StoredBytes> {
  const reader = await view.read(path);
  return {
    read: async (offset, into) => (await reader.readAt(offset, into.length, into)).length,
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

export interface RemoteOptions {
  readonly as: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One answer that is read as far as it is wanted; from another place, another answer. */
export function remoteBytes(
  use: UseHome<ReceiveCalls>,
  { transfer }: OpenedTransfer,
  { as, signal }: RemoteOptions,
): StoredBytes {
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
