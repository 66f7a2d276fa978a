/** Bytes that are to be sent, and that can be read again. */
import type { TransferKind } from '../../kernel/transfer/transfer.ts';

export interface Source extends AsyncDisposable {
  readonly kind: TransferKind;
  readonly filename: string;
  readonly sizeBytes: number;
  /** Of a folder. */
  readonly entries?: number;
  /** Fills `into` from `offset`; fewer bytes at the end, or where the source became shorter. */
  read(offset: number, into: Uint8Array): Promise<number>;
}

export function memorySource(filename: string, bytes: Uint8Array): Source {
  return {
    kind: 'file',
    filename,
    sizeBytes: bytes.length,
    read: async (offset, into) => {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
