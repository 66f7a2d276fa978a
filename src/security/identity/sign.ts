/**
 * Signed texts, as every Ethereum wallet signs them (EIP-191, personal messages). A
 * signature is 65 bytes as 0x hex: r, s, and 27 or 28.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOfPoint } from './address.ts';
import { fromHex, toHex } from './hex.ts';
import type { KeyPair } from './key-pair.ts';

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

/** The same with the public key, to which something can be sealed. */
export function recoverSigner(
  text: string,
  signature: string,
): Pick<KeyPair, 'address' | 'publicKey'> | undefined {
  const bytes = fromHex(signature, 65);
  const recovery = (bytes?.at(-1) ?? 0) - recoveryOffset;
  if (bytes === undefined || (recovery !== 0 && recovery !== 1)) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64)).addRecoveryBit(recovery);
    // Of the two signatures that fit everybody can compute one from the other. Only one
    // counts, so that a signature names one deed.
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
  const isOdd = (coordinates.at(-1) ?? 0) % 2;
  return Uint8Array.of(2 + isOdd, ...coordinates.subarray(0, 32));
}

function digestOf(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`);
  return keccak_256(Buffer.concat([prefix, bytes]));
}
