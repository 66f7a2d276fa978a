import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import vectors from '../../../tests/vectors/aosb1.json' with { type: 'json' };
import { contentKey, sealingSecretOf, unwrapKey, wrapKey } from './aosb1.ts';

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const { wrap, content_key } = vectors;
const dek = bytesOf(wrap.dek);
const whom = { publicKey: wrap.public_key, address: wrap.address, object: wrap.object };
const own = { secretKey: bytesOf(wrap.secret_key), address: wrap.address, object: wrap.object };
const wrongKey = expect.objectContaining({ code: 'blob.wrong-key' });

describe('the key of a content', () => {
  const secret = sealingSecretOf(bytesOf(content_key.secret_key));
  const content = { sha256: content_key.sha256, sizeBytes: 5 };

  test('is the documented one', () => {
    expect(hexOf(secret)).toBe(content_key.sealing_secret);
    expect(hexOf(contentKey(secret, content))).toBe(content_key.dek);
  });

  test('is another one for every other content and every other sender', () => {
    const keys = [
      contentKey(secret, content),
      contentKey(secret, { ...content, sha256: '0'.repeat(64) }),
      contentKey(sealingSecretOf(Buffer.alloc(32, 7)), content),
    ];

    expect(new Set(keys.map(hexOf)).size).toBe(keys.length);
  });
});

describe('a wrapped key', () => {
  test('is the documented one, and opens', () => {
    const random = { bytes: () => bytesOf(wrap.ephemeral_secret) };

    expect(wrapKey(random, dek, whom)).toBe(wrap.wrapped);
    expect(hexOf(unwrapKey(wrap.wrapped, own))).toBe(wrap.dek);
  });

  test('is another one each time', () => {
    const random = seededRandom(1);

    const [one, other] = [wrapKey(random, dek, whom), wrapKey(random, dek, whom)];

    expect(one).not.toBe(other);
    expect([one, other].map((wrapped) => hexOf(unwrapKey(wrapped, own)))).toEqual([
      wrap.dek,
      wrap.dek,
    ]);
  });

  test('opens however the address is spelt', () => {
    const address = wrap.address.toLowerCase();

    expect(hexOf(unwrapKey(wrap.wrapped, { ...own, address }))).toBe(wrap.dek);
  });

  test('does not open for another recipient, another address or another body', () => {
    for (const other of [
      { secretKey: Buffer.alloc(32, 7) },
      { address: '0x0000000000000000000000000000000000000001' },
      { object: 'body-2' },
    ]) {
      expect(() => unwrapKey(wrap.wrapped, { ...own, ...other })).toThrow(wrongKey);
    }
  });

  test('does not open with any byte changed, cut off or added', () => {
    const bytes = Buffer.from(wrap.wrapped, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => unwrapKey(changed.toString('base64url'), own)).toThrow(wrongKey);
    }
    for (const other of [bytes.subarray(1), bytes.subarray(0, -1), Buffer.concat([bytes, bytes])]) {
      expect(() => unwrapKey(other.toString('base64url'), own)).toThrow(wrongKey);
    }
    expect(() => unwrapKey('', own)).toThrow(wrongKey);
  });
});
