import { keccak_256 } from '@noble/hashes/sha3.js';

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
