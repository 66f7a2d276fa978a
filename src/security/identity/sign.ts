/**
 * Signed texts, as every Ethereum wallet signs them (EIP-191, personal messages). A
 * signature is 65 bytes as 0x hex: r, s, and 27 or 28.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOf } from './address.ts';
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
  const bytes = fromHex(signature, 65);
  const recovery = (bytes?.at(-1) ?? 0) - recoveryOffset;
  if (bytes === undefined || (recovery !== 0 && recovery !== 1)) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64)).addRecoveryBit(recovery);
    // Of the two signatures that fit everybody can compute one from the other. Only one
    // counts, so that a signature names one deed.
    if (parsed.hasHighS()) return undefined;
    return addressOf(parsed.recoverPublicKey(digestOf(text)).toBytes());
  } catch {
    // The numbers are out of range, or on no point of the curve.
    return undefined;
  }
}

function digestOf(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`);
  return keccak_256(Buffer.concat([prefix, bytes]));
}
