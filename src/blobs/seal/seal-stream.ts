/** Sealing what can be read only once, as it comes. */
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import { headerBytes, sealChunks, sealingOf } from './aosb1.ts';
import { chunksPerStretch, sealedStretchBytes } from './stretch.ts';

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
