import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { headerBytes, sealedSize } from '../../blobs/seal/aosb1.ts';
import { sealedStretchBytes, worksHere } from '../../blobs/seal/stretch.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import type { OpenedTransfer } from '../calls.ts';
import { measure } from './measure.ts';
import { openBody, type SealedBytes } from './open-body.ts';
import { type ByteSource, memorySource, paceOf } from './options.ts';
import { keptOf, type Sink, upload } from './upload.ts';

const random = seededRandom('bodies');
const pace = paceOf(new SimulatedClock(), undefined);
const dek = random.bytes(32);
const MiB = stretchBytes;

function bytesOf(size: number): Uint8Array {
  // Different in every place, so that nothing can be swapped unseen.
  return Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >> 9)) & 255);
}

function sinkInto(found: Uint8Array[]): Sink {
  return {
    write: async (bytes) => void found.push(bytes.slice()),
    end: async () => {},
    wantsHash: false,
    async *kept() {},
    [Symbol.asyncDispose]: async () => {},
  };
}

async function sealed(
  source: ByteSource,
  { fromStretch = 0, key = dek as Uint8Array | null } = {},
) {
  await using works = worksHere();
  const measured = await measure(random, works, source);
  const found: Uint8Array[] = [];
  const options = { dek: key ?? undefined, fromStretch, pace };
  await upload(works, source, measured, sinkInto(found), options);
  return Buffer.concat(found);
}

function storedBytes(bytes: Uint8Array): SealedBytes {
  return {
    read: async (offset, into) => {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function opened(
  body: Uint8Array,
  size: number,
  { from = 0, to = undefined as number | undefined, key = dek as Uint8Array | null } = {},
) {
  await using works = worksHere();
  const found: Uint8Array[] = [];
  const transfer = {
    dek: key === null ? null : Buffer.from(key).toString('hex'),
    stored_bytes: key === null ? size : sealedSize(size),
    transfer: { file_size_bytes: size },
  } as unknown as OpenedTransfer;
  await openBody(
    { works, stored: storedBytes(body), opened: transfer },
    { from, to, take: async (bytes) => void found.push(bytes.slice()) },
  );
  return Buffer.concat(found);
}

const sizes = [0, 1, 65535, 65536, 65537, MiB - 1, MiB, MiB + 1, 2 * MiB, 3 * MiB + 7];

test.each(sizes)('%i bytes come back as they were, sealed and plain', async (size) => {
  const bytes = bytesOf(size);
  for (const key of [dek, null]) {
    const body = await sealed(memorySource('x', bytes), { key });

    const found = await opened(body, size, { key });

    expect(found.equals(bytes)).toBe(true);
    expect(body.length).toBe(key === null ? size : sealedSize(size));
  }
});

test('what is gone on with is the same as what is sealed at once', async () => {
  const source = memorySource('x', bytesOf(4 * MiB + 5));
  const whole = await sealed(source);

  for (let storedBytes = 0; storedBytes <= whole.length; storedBytes += 300_001) {
    const kept = keptOf(storedBytes, source, true);
    const rest = await sealed(source, { fromStretch: kept.stretches });

    expect(kept.bytes).toBeLessThanOrEqual(storedBytes);
    expect(storedBytes - kept.bytes).toBeLessThanOrEqual(sealedStretchBytes + headerBytes);
    expect(Buffer.concat([whole.subarray(0, kept.bytes), rest]).equals(whole)).toBe(true);
  }
});

test('any part can be opened alone', async () => {
  const bytes = bytesOf(3 * MiB + 7);
  const body = await sealed(memorySource('x', bytes));

  for (const [from, to] of [
    [0, 5],
    [MiB - 1, MiB + 1],
    [MiB, 2 * MiB],
    [3 * MiB, 3 * MiB + 7],
    [5, undefined],
  ] as const) {
    const found = await opened(body, bytes.length, { from, to });

    expect(found.equals(bytes.subarray(from, to))).toBe(true);
  }
});

test('a source that changes between its two readings is not sealed further', async () => {
  const bytes = bytesOf(3 * MiB);
  const source = memorySource('x', bytes);
  await using works = worksHere();
  const measured = await measure(random, works, source);
  const before = await sealed(source);
  const found: Uint8Array[] = [];
  bytes[2 * MiB + 9] = 7;

  const attempt = upload(works, source, measured, sinkInto(found), { dek, fromStretch: 0, pace });

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.changed' });
  // What did get out was sealed from what the key was made from.
  const out = Buffer.concat(found);
  expect(out.equals(before.subarray(0, out.length))).toBe(true);
  expect(out.length).toBeLessThanOrEqual(headerBytes + 2 * sealedStretchBytes);
});

test('a source that became shorter is refused', async () => {
  await using works = worksHere();
  const source = { ...memorySource('x', bytesOf(10)), sizeBytes: 11 };

  await expect(measure(random, works, source)).rejects.toMatchObject({ code: 'transfer.changed' });
});

test.each([
  ['a flipped byte', (body: Buffer) => flip(body, headerBytes + 70_000)],
  ['a flipped byte in the header', (body: Buffer) => flip(body, 12)],
  ['swapped chunks', (body: Buffer) => swap(body, headerBytes, headerBytes + 65552, 65552)],
  [
    'swapped stretches',
    (body: Buffer) => swap(body, headerBytes, headerBytes + sealedStretchBytes, sealedStretchBytes),
  ],
])('%s is found, and nothing of it is handed out', async (_what, damage) => {
  const bytes = bytesOf(2 * MiB + 3);
  const body = Buffer.from(await sealed(memorySource('x', bytes)));
  damage(body);

  await expect(opened(body, bytes.length)).rejects.toMatchObject({ code: 'blob.corrupt' });
});

test('bytes that were cut off are found', async () => {
  const bytes = bytesOf(2 * MiB);
  const body = await sealed(memorySource('x', bytes));

  for (const length of [0, 10, headerBytes, headerBytes + 65552, body.length - 1]) {
    const cut = opened(body.subarray(0, length), bytes.length);

    await expect(cut).rejects.toMatchObject({ code: 'blob.corrupt' });
  }
});

function swap(body: Buffer, one: number, other: number, length: number): void {
  const kept = Buffer.from(body.subarray(one, one + length));
  body.copyWithin(one, other, other + length);
  kept.copy(body, other);
}

function flip(body: Buffer, at: number): void {
  body[at] = (body[at] ?? 0) ^ 1;
}
