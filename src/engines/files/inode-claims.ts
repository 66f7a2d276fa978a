/**
 * Numbers that several threads come across, each of which is only for the first: folders that are
 * in the tree twice, and files with several names.
 */
const slots = 1 << 20;
/** Further than this nobody looks for a free place; then each thread goes by itself. */
const mostSteps = 64;

// Only what is written to takes room.
export function newClaims(): SharedArrayBuffer {
  return new SharedArrayBuffer(slots * BigInt64Array.BYTES_PER_ELEMENT);
}

export class InodeClaims {
  readonly #cells: BigInt64Array;
  readonly #own = new Set<bigint>();

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new BigInt64Array(memory);
  }

  isFirst(inode: bigint): boolean {
    // Zero is an empty place.
    const wanted = BigInt.asIntN(64, inode + 1n);
    const start = Number(BigInt.asUintN(32, inode));
    for (let step = 0; step < mostSteps; step++) {
      const there = Atomics.compareExchange(this.#cells, (start + step) % slots, 0n, wanted);
      if (there === 0n) return true;
      if (there === wanted) return false;
    }
    const isNew = !this.#own.has(inode);
    this.#own.add(inode);
    return isNew;
  }
}
