import { secp256k1 } from '@noble/curves/secp256k1.js';
import { verifyMessage } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { integerBelow, seededRandom } from '../../../tests/sim/random.ts';
import { fromHex, keyPairOf, newKeyPair, recoverAddress, signText, toHex } from './key-pair.ts';

const random = seededRandom('two hundred keys');
const samples = Array.from({ length: 200 }, (_, index) => {
  const text = Buffer.from(random.bytes(integerBelow(random, 200))).toString('latin1');
  const pair = newKeyPair(random);
  // What toHex() makes is what viem calls Hex.
  const account = privateKeyToAccount(toHex(pair.secretKey) as `0x${string}`);
  return { pair, account, text: `${index} ${text} é🜁` };
});

test('200 seeded keys have the address and the public key that viem derives', () => {
  for (const { pair, account } of samples) {
    const uncompressed = secp256k1.Point.fromHex(pair.publicKey.slice(2)).toHex(false);

    expect(pair.address).toBe(account.address);
    expect(`0x${uncompressed}`).toBe(account.publicKey);
    expect(pair.publicKey).toMatch(/^0x0[23][0-9a-f]{64}$/);
  }
});

test('viem verifies what signText() signs, and recoverAddress() what viem signs', async () => {
  for (const { pair, account, text } of samples) {
    // What toHex() makes is what viem calls Hex.
    const ours = signText(pair, text) as `0x${string}`;
    const theirs = await account.signMessage({ message: text });

    const verified = await verifyMessage({
      address: account.address,
      message: text,
      signature: ours,
    });
    expect(verified).toBe(true);
    expect(recoverAddress(text, theirs)).toBe(pair.address);
    expect(ours).toBe(theirs);
  }
});

test('the secret is drawn again when the bytes are no key', () => {
  const draws = [new Uint8Array(32), new Uint8Array(32).fill(0xff), new Uint8Array(32).fill(7)];
  const scripted = { bytes: () => draws.shift() ?? new Uint8Array() };

  expect(newKeyPair(scripted).secretKey).toEqual(new Uint8Array(32).fill(7));
  expect(draws).toEqual([]);
});

test.each([
  ['zero', new Uint8Array(32)],
  ['the order of the curve', fromHex(`0x${secp256k1.Point.CURVE().n.toString(16)}`, 32)],
  ['31 bytes', new Uint8Array(31).fill(1)],
  ['33 bytes', new Uint8Array(33).fill(1)],
])('keyPairOf() does not take %s for a secret key', (_what, bytes) => {
  expect(keyPairOf(bytes ?? new Uint8Array())).toBeUndefined();
});

describe('recoverAddress() refuses', () => {
  const pair = newKeyPair(seededRandom('signer'));
  const text = 'Agent OS ledger head';
  const good = signText(pair, text);
  const part = (from: number, to: number) => good.slice(2 + 2 * from, 2 + 2 * to);

  // The other signature that fits: s becomes n - s, and the last bit turns.
  const { n } = secp256k1.Point.CURVE();
  const highS = (n - BigInt(`0x${part(32, 64)}`)).toString(16).padStart(64, '0');
  const turned = part(64, 65) === '1b' ? '1c' : '1b';

  test.each([
    ['a high s', `0x${part(0, 32)}${highS}${turned}`],
    ['r = 0', `0x${'0'.repeat(64)}${part(32, 65)}`],
    ['s = 0', `0x${part(0, 32)}${'0'.repeat(64)}${part(64, 65)}`],
    ['r beyond the order', `0x${'f'.repeat(64)}${part(32, 65)}`],
    ['a last byte of 0', `0x${part(0, 64)}00`],
    ['a last byte of 1', `0x${part(0, 64)}01`],
    ['a last byte of 29', `0x${part(0, 64)}1d`],
    ['64 bytes', `0x${part(0, 64)}`],
    ['66 bytes', `${good}00`],
    ['no 0x', good.slice(2)],
    ['what is no hex', `0x${'g'.repeat(130)}`],
    ['a newline at the end', `${good.slice(0, -1)}\n`],
    ['nothing', ''],
  ])('%s', (_what, signature) => {
    expect(recoverAddress(text, good)).toBe(pair.address);
    expect(recoverAddress(text, signature)).toBeUndefined();
  });

  test('an r that is on no point of the curve', () => {
    // x = 5 is the smallest that belongs to no point.
    const signature = `0x${'5'.padStart(64, '0')}${part(32, 65)}`;

    expect(recoverAddress(text, signature)).toBeUndefined();
  });

  test('the signature for another text, by naming somebody else', () => {
    expect(recoverAddress(`${text}!`, good)).not.toBe(pair.address);
  });
});
