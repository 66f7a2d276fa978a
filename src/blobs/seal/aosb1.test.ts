import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import vectors from '../../../tests/vectors/aosb1.json' with { type: 'json' };
import {
  chunkBytes,
  chunkCount,
  headerBytes,
  openChunks,
  openingOf,
  plainSize,
  sealChunks,
  sealedChunkBytes,
  sealedSize,
  sealingOf,
} from './aosb1.ts';

const dek = Buffer.from(vectors.dek, 'hex');
const otherDek = Buffer.alloc(32, 9);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const corrupt = expect.objectContaining({ code: 'blob.corrupt' });

/** Byte i is i modulo 251, as in the vectors. */
function plainOf(sizeBytes: number): Uint8Array {
  return Uint8Array.from({ length: sizeBytes }, (_, index) => index % 251);
}

function seal(plain: Uint8Array, key: Uint8Array = dek, salt?: Uint8Array): Uint8Array {
  const sealing = sealingOf(key, salt);
  const out = new Uint8Array(sealedSize(plain.length));
  out.set(sealing.header);
  const body = out.subarray(headerBytes);
  const length = sealChunks(sealing, plain, { first: 0, toEnd: true }, body);
  expect(length).toBe(body.length);
  return out;
}

function open(sealed: Uint8Array, key: Uint8Array = dek): Uint8Array {
  const out = new Uint8Array(sealed.length);
  const place = { first: 0, toEnd: true };
  const body = sealed.subarray(headerBytes);
  return out.subarray(0, openChunks(openingOf(key, sealed), body, place, out));
}

describe('the documented vectors', () => {
  test.each(vectors.bodies)('$name is sealed to these bytes, and opened again', (body) => {
    const salt = body.salt === undefined ? undefined : Buffer.from(body.salt, 'hex');
    const plain = plainOf(body.plain_bytes);

    const sealed = seal(plain, dek, salt);

    expect(sha256(plain)).toBe(body.plain_sha256);
    expect(sealed.length).toBe(body.sealed_bytes);
    expect(sha256(sealed)).toBe(body.sealed_sha256);
    if (body.sealed !== undefined) expect(Buffer.from(sealed).toString('hex')).toBe(body.sealed);
    expect(sha256(open(sealed))).toBe(body.plain_sha256);
  });

  test('the keys are these', () => {
    const { header, chunkKey, noncePrefix } = sealingOf(dek);
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

    expect(hex(header.subarray(8, 24))).toBe(vectors.salt);
    expect(hex(header.subarray(24, 40))).toBe(vectors.commitment);
    expect(hex(chunkKey.export())).toBe(vectors.chunk_key);
    expect(hex(noncePrefix)).toBe(vectors.nonce_prefix);
  });
});

// Around the edges of chunks, where things go wrong.
const size = fc.oneof(
  fc.nat(2000),
  fc.tuple(fc.nat(3), fc.integer({ min: -2, max: 2 })).map(([chunks, off]) => {
    return Math.max(0, chunks * chunkBytes + off);
  }),
);

/** Where a body may be cut into stretches of whole chunks. */
const cuts = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });

function stretches(sizeBytes: number, isCut: readonly boolean[]): [number, number][] {
  const found: [number, number][] = [];
  let from = 0;
  for (let chunk = 1; chunk < chunkCount(sizeBytes); chunk++) {
    if (isCut[chunk] !== true) continue;
    found.push([from, chunk]);
    from = chunk;
  }
  return [...found, [from, chunkCount(sizeBytes)]];
}

describe('any body', () => {
  test('has the same sealed bytes, however it is cut into stretches, and opens in any', () => {
    fc.assert(
      fc.property(size, cuts, cuts, (sizeBytes, sealCuts, openCuts) => {
        const plain = plainOf(sizeBytes);
        const whole = Buffer.from(seal(plain));
        const sealing = sealingOf(dek);
        const parts = stretches(sizeBytes, sealCuts).map(([first, end]) => {
          const bytes = plain.subarray(first * chunkBytes, end * chunkBytes);
          const out = new Uint8Array(bytes.length + (end - first) * 16);
          const toEnd = end === chunkCount(sizeBytes);
          return out.subarray(0, sealChunks(sealing, bytes, { first, toEnd }, out));
        });
        const opening = openingOf(dek, whole);
        const body = whole.subarray(headerBytes);
        const opened = stretches(sizeBytes, openCuts).map(([first, end]) => {
          const bytes = body.subarray(first * sealedChunkBytes, end * sealedChunkBytes);
          const out = new Uint8Array(bytes.length);
          const toEnd = end === chunkCount(sizeBytes);
          return out.subarray(0, openChunks(opening, bytes, { first, toEnd }, out));
        });

        expect(Buffer.concat([sealing.header, ...parts]).equals(whole)).toBe(true);
        expect(Buffer.concat(opened).equals(plain)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('has a size from which that of the plain bytes follows', () => {
    fc.assert(
      fc.property(fc.oneof(size, fc.nat(2 ** 40)), (sizeBytes) => {
        const sealed = sealedSize(sizeBytes);
        expect(plainSize(sealed)).toBe(sizeBytes);
        const next = plainSize(sealed + 1);
        expect(next === undefined || next === sizeBytes + 1).toBe(true);
      }),
    );
    for (const none of [0, 63, 64, 79, sealedSize(chunkBytes) + 1, sealedSize(chunkBytes) + 16]) {
      expect(plainSize(none)).toBeUndefined();
    }
  });
});

describe('refused is', () => {
  const threeChunks = plainOf(2 * chunkBytes + 1000);
  const sealed = seal(threeChunks);
  const chunk = (bytes: Uint8Array, index: number) => {
    const from = headerBytes + index * sealedChunkBytes;
    return bytes.subarray(from, Math.min(from + sealedChunkBytes, bytes.length));
  };
  const header = sealed.subarray(0, headerBytes);

  test('any flipped bit', () => {
    const bit = fc.tuple(fc.nat(sealed.length - 1), fc.nat(7));
    const everyHeaderByte = Array.from({ length: headerBytes }, (_, at): [[number, number]] => [
      [at, at % 8],
    ]);
    fc.assert(
      fc.property(bit, ([at, which]) => {
        const changed = Uint8Array.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ (1 << which);
        expect(() => open(changed)).toThrow(corrupt);
      }),
      { numRuns: 150, examples: everyHeaderByte },
    );
  });

  test('any cut, at the end of a chunk too', () => {
    const examples: [number][] = [[0], [63], [64], [80], [64 + 65552], [64 + 2 * 65552]];
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), (length) => {
        expect(() => open(sealed.subarray(0, length))).toThrow(corrupt);
      }),
      { numRuns: 60, examples },
    );
  });

  test('anything added at the end', () => {
    for (const extra of [1, 15, 16, 17, sealedChunkBytes]) {
      expect(() => open(Buffer.concat([sealed, Buffer.alloc(extra)]))).toThrow(corrupt);
    }
  });

  test('chunks that were swapped, left out or doubled', () => {
    const [a, b, c] = [0, 1, 2].map((index) => chunk(sealed, index)) as [Buffer, Buffer, Buffer];
    const wrong = [[b, a, c], [a, c], [a, a, c], [a, b, b, c], [a, b, c, c], [c], [a, b]];
    for (const chunks of wrong) {
      expect(() => open(Buffer.concat([header, ...chunks]))).toThrow(corrupt);
    }
    expect(open(Buffer.concat([header, a, b, c]))).toEqual(threeChunks);
  });

  test('a chunk of another body, also one of the same key with another salt', () => {
    const others = [
      seal(threeChunks, otherDek),
      seal(threeChunks, dek, Buffer.alloc(16, 1)),
      seal(plainOf(2 * chunkBytes), otherDek),
    ];
    for (const other of others) {
      const mixed = Buffer.from(sealed);
      mixed.set(chunk(other, 0), headerBytes);
      expect(() => open(mixed)).toThrow(corrupt);
    }
  });

  test('the last chunk of a shorter body of the same key, where a longer one goes on', () => {
    // What S1 forbids senders to make: one key, two contents.
    const shorter = seal(plainOf(chunkBytes));

    const mixed = Buffer.concat([header, chunk(shorter, 0), chunk(sealed, 1), chunk(sealed, 2)]);

    expect(() => open(mixed)).toThrow(corrupt);
  });

  test('another key, in words that say so', () => {
    expect(() => open(sealed, otherDek)).toThrow(
      expect.objectContaining({ code: 'blob.corrupt', message: expect.stringContaining('key') }),
    );
  });

  test('what does not begin as sealed bytes do', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('AOSB1'), Buffer.alloc(100, 65)]) {
      expect(() => open(bytes)).toThrow(corrupt);
    }
  });

  test('a stretch that is said to stand elsewhere', () => {
    const opening = openingOf(dek, sealed);
    const out = new Uint8Array(sealed.length);

    for (const place of [
      { first: 0, toEnd: false },
      { first: 2, toEnd: false },
      { first: 1, toEnd: true },
    ]) {
      expect(() => openChunks(opening, chunk(sealed, 1), place, out)).toThrow(corrupt);
    }
    const right = { first: 1, toEnd: false };
    expect(openChunks(opening, chunk(sealed, 1), right, out)).toBe(chunkBytes);
  });

  test('to seal what is not cut as bodies are', () => {
    const sealing = sealingOf(dek);
    const out = new Uint8Array(3 * sealedChunkBytes);

    for (const [sizeBytes, place] of [
      [0, { first: 0, toEnd: false }],
      [0, { first: 1, toEnd: true }],
      [5, { first: 0, toEnd: false }],
      [chunkBytes + 1, { first: 0, toEnd: false }],
      [5, { first: 2 ** 32, toEnd: true }],
    ] as const) {
      expect(() => sealChunks(sealing, plainOf(sizeBytes), place, out)).toThrow(RangeError);
    }
  });
});

test('nothing of a chunk that was changed reaches the caller', () => {
  const sealed = Buffer.from(seal(plainOf(2 * chunkBytes)));
  const at = headerBytes + sealedChunkBytes + 5;
  sealed[at] = (sealed[at] ?? 0) ^ 1;
  const out = new Uint8Array(2 * chunkBytes).fill(255);
  const body = sealed.subarray(headerBytes);

  const attempt = () => openChunks(openingOf(dek, sealed), body, { first: 0, toEnd: true }, out);

  expect(attempt).toThrow(corrupt);
  expect(out.subarray(chunkBytes).every((byte) => byte === 255)).toBe(true);
});
