/**
 * How two threads walk one tree: each has folders of its own, and who has none left gets half of
 * those of the other.
 *
 * S1. The counter of folders that are left is raised before a folder is put anywhere, and lowered
 *     when all that is in it has been put somewhere. At zero the walk is over, for both.
 * S2. A thread that waits looks at the bell first, then whether there is something, then sleeps
 *     until the bell differs: so nothing that rings in between is missed.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** What both threads, and the one that asked, share. */
const cell = { stop: 0, left: 1, bell: 2, hungry: 3 } as const;
const cellCount = 4;

export function newWalkCells(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(cellCount * Int32Array.BYTES_PER_ELEMENT);
  // The folder in which it begins.
  new Int32Array(memory)[cell.left] = 1;
  return memory;
}

/** From any thread; the walk ends soon. */
export function stopWalk(memory: SharedArrayBuffer): void {
  const cells = new Int32Array(memory);
  Atomics.store(cells, cell.stop, 1);
  ring(cells);
}

function ring(cells: Int32Array): void {
  Atomics.add(cells, cell.bell, 1);
  Atomics.notify(cells, cell.bell);
}

/** A folder below the base, by its names. */
export type FolderParts = readonly string[];

export class SharedWalk {
  readonly #cells: Int32Array;
  readonly #other: MessagePort | undefined;

  /** Without another it walks alone. */
  constructor(memory: SharedArrayBuffer, other: MessagePort | undefined) {
    this.#cells = new Int32Array(memory);
    this.#other = other;
  }

  get isStopped(): boolean {
    return Atomics.load(this.#cells, cell.stop) !== 0;
  }

  /** Whether a thread waits for folders. */
  get isAskedFor(): boolean {
    return this.#other !== undefined && Atomics.load(this.#cells, cell.hungry) !== 0;
  }

  /** S1 */
  found(folders: number): void {
    Atomics.add(this.#cells, cell.left, folders);
  }

  /** S1 */
  finished(): void {
    if (Atomics.sub(this.#cells, cell.left, 1) === 1) ring(this.#cells);
  }

  give(folders: readonly FolderParts[]): void {
    Atomics.store(this.#cells, cell.hungry, 0);
    this.#other?.postMessage(folders);
    ring(this.#cells);
  }

  /** Sleeps until there are some; none when the walk is over. */
  take(): readonly FolderParts[] {
    if (this.#other === undefined) return [];
    for (;;) {
      // S2
      const bell = Atomics.load(this.#cells, cell.bell);
      const mail: { message: readonly FolderParts[] } | undefined = receiveMessageOnPort(
        this.#other,
      );
      if (mail !== undefined) return mail.message;
      if (this.isStopped || Atomics.load(this.#cells, cell.left) <= 0) return [];
      Atomics.store(this.#cells, cell.hungry, 1);
      Atomics.wait(this.#cells, cell.bell, bell);
    }
  }
}

/**
 * Numbers that several threads come across, each of which is only for the first: folders that are
 * in the tree twice, and files with several names.
 */
const slots = 1 << 20;
/** Further than this no free place is looked for; then each thread goes by itself. */
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
