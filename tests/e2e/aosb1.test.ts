import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  headerBytes,
  sealChunks,
  sealedChunkBytes,
  sealedSize,
  sealingOf,
} from '../../src/blobs/seal/aosb1.ts';
import { isInstalled } from '../support/machine.ts';
import { runProgram } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cases } from '../support/tier.ts';
import vectors from '../vectors/aosb1.json' with { type: 'json' };

// Somebody else's program, written from docs/aosb1.md alone.
const reader = join(import.meta.dirname, '..', 'support', 'aosb1_reader.py');
const canRead = isInstalled('python3') && isInstalled('openssl');

function sealedOf(sizeBytes: number, salt: string | undefined): Buffer {
  const plain = Uint8Array.from({ length: sizeBytes }, (_, index) => index % 251);
  const saltBytes = salt === undefined ? undefined : Buffer.from(salt, 'hex');
  const sealing = sealingOf(Buffer.from(vectors.dek, 'hex'), saltBytes);
  const sealed = Buffer.alloc(sealedSize(sizeBytes));
  sealed.set(sealing.header);
  sealChunks(sealing, plain, { first: 0, toEnd: true }, sealed.subarray(headerBytes));
  return sealed;
}

async function read(sealed: Uint8Array, dek = vectors.dek) {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('sealed'), sealed);
  const paths = [folder.at('sealed'), folder.at('plain')];
  const { code, stderr } = await runProgram('python3', [reader, dek, ...paths]);
  const plain = existsSync(folder.at('plain')) ? readFileSync(folder.at('plain')) : undefined;
  return { code, stderr, sha256: plain && createHash('sha256').update(plain).digest('hex') };
}

describe.skipIf(!canRead)('a reader in another language', () => {
  test.each(cases('aosb1 bodies', vectors.bodies, 3))(
    'opens "$name"',
    async ({ plain_bytes, salt, plain_sha256 }) => {
      const found = await read(sealedOf(plain_bytes, salt));

      expect(found).toEqual({ code: 0, stderr: '', sha256: plain_sha256 });
    },
  );

  const sealed = sealedOf(2 * 65536 + 1000, undefined);
  const chunk = (index: number) => {
    const from = headerBytes + index * sealedChunkBytes;
    return sealed.subarray(from, from + sealedChunkBytes);
  };
  const header = sealed.subarray(0, headerBytes);
  const flipped = (at: number) => {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    return changed;
  };

  const wrongBodies: readonly (readonly [string, Buffer])[] = [
    ['a flipped byte', flipped(headerBytes + sealedChunkBytes + 7)],
    ['a flipped byte of the header', flipped(50)],
    ['one that was cut', sealed.subarray(0, -1)],
    ['one that was cut at the end of a chunk', sealed.subarray(0, headerBytes + sealedChunkBytes)],
    ['swapped chunks', Buffer.concat([header, chunk(1), chunk(0), chunk(2)])],
    ['bytes behind its end', Buffer.concat([sealed, Buffer.alloc(20)])],
  ];

  test.each(cases('aosb1 wrong bodies', wrongBodies, 3))(
    'refuses %s, and writes nothing',
    async (_what, wrong) => {
      const found = await read(wrong);

      expect(found).toMatchObject({ code: 1, sha256: undefined });
      expect(found.stderr).toMatch(/^refused: /);
    },
  );

  test('refuses another key', async () => {
    const found = await read(sealed, '07'.repeat(32));

    expect(found).toMatchObject({ code: 1, sha256: undefined });
    expect(found.stderr).toContain('not the key');
  });
});
