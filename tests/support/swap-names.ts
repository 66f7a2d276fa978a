/**
 * Runs in a thread of its own: lets two names change places as fast as it can, until it is
 * told to stop. It ends with both where they were.
 */
import { renameSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

export interface SwapNames {
  readonly one: string;
  readonly other: string;
  /** For the one that waits while the other has its name. */
  readonly aside: string;
  /** How often they changed places, and whether to stop. */
  readonly shared: SharedArrayBuffer;
}

const { one, other, aside, shared }: SwapNames = workerData;
const [swaps, stop] = [0, 1];
const cells = new Int32Array(shared);

while (Atomics.load(cells, stop) === 0) {
  renameSync(one, aside);
  renameSync(other, one);
  Atomics.add(cells, swaps, 1);
  renameSync(one, other);
  renameSync(aside, one);
}
