import { hash } from 'node:crypto';
import type { Random } from '../../src/kernel/ports.ts';

/** The same bytes for the same seed, in every run; other bytes for another seed. */
export function seededRandom(seed: number | string): Random {
  let blocks = 0;
  let left = Buffer.alloc(0);
  return {
    bytes(size) {
      while (left.length < size) {
        left = Buffer.concat([left, hash('sha256', `${seed}/${blocks++}`, 'buffer')]);
      }
      const taken = Uint8Array.from(left.subarray(0, size));
      left = left.subarray(size);
      return taken;
    },
  };
}

/** A whole number from 0 up to, but not including, `limit`. */
export function integerBelow(random: Random, limit: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
  return (((a * 256 + b) * 256 + c) * 256 + d) % limit;
}
