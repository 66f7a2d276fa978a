import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

/** The address of a public key, compressed or not, with the checksum of EIP-55. */
export function addressOf(publicKey: Uint8Array): string {
  // The address covers the two coordinates, without the byte that says how they are written.
  return addressOfPoint(secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1));
}

/** The same for the two coordinates of a point that is known to be on the curve. */
export function addressOfPoint(coordinates: Uint8Array): string {
  return withChecksum(Buffer.from(keccak_256(coordinates).subarray(-20)).toString('hex'));
}

// EIP-55: a letter is large where the hash of the small ones has a digit from 8 up.
function withChecksum(digits: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  const mixed = Array.from(digits, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${mixed.join('')}`;
}
