import { createHash, hash, randomBytes } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  openChunks,
  openingOf,
  sealChunks,
  sealedSize,
  sealingOf,
} from '../../blobs/seal/aosb1.ts';
import { linkPage } from './link-page.ts';
import { sealScript } from './link-page-seal.ts';

type Bytes = AsyncGenerator<Uint8Array, void, void>;

/** What the script has, run outside a browser. */
interface Script {
  opened(dek: Uint8Array, source: AsyncIterable<Uint8Array>): Bytes;
  sealed(dek: Uint8Array, source: AsyncIterable<Uint8Array>): Bytes;
  readonly Sha256: new () => { update(bytes: Uint8Array): void; hex(): string };
}

function script(): Script {
  const globals = { crypto, TextEncoder, Uint8Array, Uint32Array, DataView, Error };
  // What the last expression is: the parts that the test needs.
  return runInNewContext(`${sealScript};({ opened, sealed, Sha256 })`, globals) as Script;
}

async function* inPartsOf(size: number, bytes: Uint8Array): Bytes {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const bytes of source) parts.push(bytes);
  return Buffer.concat(parts);
}

function sealedHere(dek: Uint8Array, plain: Uint8Array): Buffer {
  const sealing = sealingOf(dek);
  const out = Buffer.alloc(sealedSize(plain.length));
  out.set(sealing.header);
  sealChunks(sealing, plain, { first: 0, toEnd: true }, out.subarray(sealing.header.length));
  return out;
}

const sizes = [0, 1, 65_535, 65_536, 65_537, 200_000];

describe('the script of the link page', () => {
  test.each(sizes)('opens %d bytes that were sealed here', async (size) => {
    const [dek, plain] = [randomBytes(32), randomBytes(size)];

    const opened = await whole(script().opened(dek, inPartsOf(1000, sealedHere(dek, plain))));

    expect(opened.equals(plain)).toBe(true);
  });

  test.each(sizes)('seals %d bytes so that they are opened here', async (size) => {
    const [dek, plain] = [randomBytes(32), randomBytes(size)];

    const sealed = await whole(script().sealed(dek, inPartsOf(70_000, plain)));

    expect(sealed.length).toBe(sealedSize(size));
    const opened = Buffer.alloc(size + 1);
    const place = { first: 0, toEnd: true };
    const length = openChunks(openingOf(dek, sealed), sealed.subarray(64), place, opened);
    expect(opened.subarray(0, length).equals(plain)).toBe(true);
  });

  test('never seals twice with one salt', async () => {
    const dek = randomBytes(32);

    const [first, second] = await Promise.all([
      whole(script().sealed(dek, inPartsOf(1, Buffer.from('same')))),
      whole(script().sealed(dek, inPartsOf(1, Buffer.from('same')))),
    ]);

    expect(first?.subarray(8, 24).equals(second?.subarray(8, 24) ?? Buffer.alloc(0))).toBe(false);
  });

  test('says of another key that it is another, before it opens anything', async () => {
    const sealed = sealedHere(randomBytes(32), randomBytes(100));

    const attempt = whole(script().opened(randomBytes(32), inPartsOf(50, sealed)));

    await expect(attempt).rejects.toThrow('not the key of this file');
  });

  test.each([
    [
      'a flipped byte',
      (sealed: Buffer) =>
        Buffer.concat([
          sealed.subarray(0, 70),
          Buffer.from([(sealed[70] ?? 0) ^ 1]),
          sealed.subarray(71),
        ]),
    ],
    ['an end that is cut off at a chunk', (sealed: Buffer) => sealed.subarray(0, 64 + 65_552)],
    [
      'swapped chunks',
      (sealed: Buffer) =>
        Buffer.concat([
          sealed.subarray(0, 64),
          sealed.subarray(64 + 65_552, 64 + 131_104),
          sealed.subarray(64, 64 + 65_552),
          sealed.subarray(64 + 131_104),
        ]),
    ],
    ['bytes behind the end', (sealed: Buffer) => Buffer.concat([sealed, Buffer.alloc(20)])],
  ])('refuses %s', async (_what, spoil) => {
    const dek = randomBytes(32);
    const sealed = spoil(sealedHere(dek, randomBytes(150_000)));

    const attempt = whole(script().opened(dek, inPartsOf(9999, sealed)));

    await expect(attempt).rejects.toThrow('changed or cut off');
  });

  test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 100_000])(
    'has the SHA-256 of %d bytes',
    (size) => {
      const bytes = randomBytes(size);
      const { Sha256 } = script();
      const sum = new Sha256();

      for (let at = 0; at < size; at += 37) sum.update(bytes.subarray(at, at + 37));

      expect(sum.hex()).toBe(createHash('sha256').update(bytes).digest('hex'));
    },
  );
});

describe('the page', () => {
  test('lets exactly its own script and style run, and goes nowhere else', () => {
    const { html, headers } = linkPage();
    const inside = (tag: string) =>
      new RegExp(`<${tag}>([\\s\\S]*)</${tag}>`).exec(html)?.[1] ?? '';

    const policy = headers['content-security-policy'];

    expect(policy).toContain(`script-src 'sha256-${hash('sha256', inside('script'), 'base64')}'`);
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', inside('style'), 'base64')}'`);
    expect(policy).toMatch(/^default-src 'none'; .*connect-src 'self'/);
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  test('names no other place', () => {
    expect(linkPage().html).not.toMatch(/https?:\/\/|src=|@import|url\(/);
  });
});
