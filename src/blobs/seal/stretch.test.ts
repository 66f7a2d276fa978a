import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openStream, sealStream } from './stretch.ts';

const mib = 1024 * 1024;
const dek = randomBytes(32);

async function whole(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  // Each is good until the next only.
  for await (const bytes of stream) parts.push(Buffer.from(bytes));
  return Buffer.concat(parts);
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const sealed = (plain: Uint8Array) => whole(sealStream(dek, inPieces(plain, 70_000)));

describe('openStream()', () => {
  test.each([0, 1, 65_535, 65_536, 65_537, mib - 1, mib, mib + 1, 2 * mib, 3 * mib + 77])(
    'gives back %i bytes, however they come',
    async (size) => {
      const plain = randomBytes(size);
      const body = await sealed(plain);

      for (const piece of [997, 64 * 1024, body.length]) {
        expect(plain.equals(await whole(openStream(dek, inPieces(body, piece))))).toBe(true);
      }
    },
  );

  test.each([0, 10, 64, 64 + 65_552, 64 + 16 * 65_552])(
    'refuses a body that is cut after %i bytes',
    async (cut) => {
      const body = (await sealed(randomBytes(2 * mib))).subarray(0, cut);

      const opening = whole(openStream(dek, inPieces(body, 50_000)));

      await expect(opening).rejects.toMatchObject({ code: 'blob.corrupt' });
    },
  );

  test.each([0, 7, 30, 64, 70_000, 64 + mib + 300])('refuses a changed byte %i', async (place) => {
    const body = await sealed(randomBytes(2 * mib));
    body[place] = (body[place] ?? 0) ^ 1;

    const opening = whole(openStream(dek, inPieces(body, 50_000)));

    await expect(opening).rejects.toMatchObject({ code: 'blob.corrupt' });
  });

  test('refuses bytes behind the end, and another key', async () => {
    const body = await sealed(randomBytes(100));

    const longer = whole(openStream(dek, inPieces(Buffer.concat([body, Buffer.alloc(20)]), 64)));
    const otherKey = whole(openStream(randomBytes(32), inPieces(body, 64)));

    await expect(longer).rejects.toMatchObject({ code: 'blob.corrupt' });
    await expect(otherKey).rejects.toMatchObject({ code: 'blob.corrupt' });
  });
});
