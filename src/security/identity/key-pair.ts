import { createECDH } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Random } from '../../kernel/ports.ts';
import { addressOfPoint } from './address.ts';
import { toHex } from './hex.ts';

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
