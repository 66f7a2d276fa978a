import { createECDH } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { must } from '../../kernel/must.ts';
import type { Random } from '../../kernel/ports.ts';

/** What makes a principal the one it says it is. */
export interface KeyPair {
  readonly address: string;
  /** Compressed, as 0x hex. */
  readonly publicKey: string;
  readonly secretKey: Uint8Array;
}

export function newKeyPair(random: Random): KeyPair {
  for (;;) {
    const pair = keyPairOf(random.bytes(32));
    // About one number in 2^128 is no key.
    if (pair !== undefined) return pair;
  }
}

/** Undefined when these bytes are no secret key. */
export function keyPairOf(secretKey: Uint8Array): KeyPair | undefined {
  if (!secp256k1.utils.isValidSecretKey(secretKey)) return undefined;
  // The system's own arithmetic takes a quarter of the time, and agents are made by the thousand.
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(secretKey);
  const point = curve.getPublicKey().subarray(1);
  const publicKey = curve.getPublicKey(null, 'compressed');
  return { address: addressOfPoint(point), publicKey: toHex(publicKey), secretKey };
}

/** `0x` and two small digits a byte. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** Undefined unless the text is `0x` and the hex of exactly that many bytes. */
export function fromHex(text: string, sizeBytes: number): Uint8Array | undefined {
  if (text.length !== 2 + 2 * sizeBytes || !/^0x[0-9a-fA-F]*$/.test(text)) return undefined;
  return Uint8Array.from(Buffer.from(text.slice(2), 'hex'));
}

/** The address of a public key, by the two coordinates of its point, as EIP-55 writes it. */
export function addressOfPoint(coordinates: Uint8Array): string {
  return withChecksum(Buffer.from(keccak_256(coordinates).subarray(-20)).toString('hex'));
}

/**
 * An address as EIP-55 writes it. Letters all small or all large say nothing; where they are
 * mixed they are a checksum, and it is undefined when that is wrong.
 */
export function checksummed(address: string): string | undefined {
  const [, digits] = /^0x([0-9a-fA-F]{40})$/.exec(address) ?? [];
  if (digits === undefined) return undefined;
  const small = digits.toLowerCase();
  const whole = withChecksum(small);
  const saysNothing = digits === small || digits === digits.toUpperCase();
  return saysNothing || whole === address ? whole : undefined;
}

// EIP-55: a letter is large where the hash of the small ones has a digit from 8 up.
function withChecksum(digits: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  const mixed = Array.from(digits, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${mixed.join('')}`;
}

// Signed texts, as every Ethereum wallet signs them (EIP-191, personal messages). A
// signature is 65 bytes as 0x hex: r, s, and 27 or 28.

const recoveryOffset = 27;

export function signText({ secretKey }: Pick<KeyPair, 'secretKey'>, text: string): string {
  const options = { prehash: false, format: 'recovered' } as const;
  const [recovery = 0, ...rest] = secp256k1.sign(digestOf(text), secretKey, options);
  return toHex(Uint8Array.of(...rest, recovery + recoveryOffset));
}

/** Who signed this text; undefined when that is no signature of it. */
export function recoverAddress(text: string, signature: string): string | undefined {
  return recoverSigner(text, signature)?.address;
}

/** Like recoverAddress(), but with the public key, to which something can be sealed. */
export function recoverSigner(
  text: string,
  signature: string,
): Pick<KeyPair, 'address' | 'publicKey'> | undefined {
  const bytes = fromHex(signature, 65);
  const recovery = (bytes?.at(-1) ?? 0) - recoveryOffset;
  if (bytes === undefined || (recovery !== 0 && recovery !== 1)) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64)).addRecoveryBit(recovery);
    // Of the two signatures that fit, one can be computed from the other. Only one
    // counts, so that a signature names one action.
    if (parsed.hasHighS()) return undefined;
    // Both coordinates at once: each way of writing a point divides anew.
    const point = parsed.recoverPublicKey(digestOf(text)).toBytes(false).subarray(1);
    return { address: addressOfPoint(point), publicKey: toHex(compressed(point)) };
  } catch {
    // The numbers are out of range, or on no point of the curve.
    return undefined;
  }
}

/** x, behind a byte that says which of the two y belongs to it. */
function compressed(coordinates: Uint8Array): Uint8Array {
  const isOdd = must(coordinates.at(-1), 'the last byte of a public key') % 2;
  return Uint8Array.of(2 + isOdd, ...coordinates.subarray(0, 32));
}

function digestOf(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`);
  return keccak_256(Buffer.concat([prefix, bytes]));
}
