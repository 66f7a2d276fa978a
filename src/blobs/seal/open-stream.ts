/** Opening what comes as a stream, from its beginning to its end. */

import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import { headerBytes, openChunks, openingOf, type Sealing } from './aosb1.ts';
import { chunksPerStretch, sealedStretchBytes } from './stretch.ts';

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
