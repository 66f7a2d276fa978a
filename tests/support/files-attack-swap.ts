/**
 * Runs in a thread of its own, as swap-names.ts does, beside somebody who makes folders: where one
 * was made under a name that is gone for a moment, it is put out of the way.
 */
import { renameSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { SwapNames } from './swap-names.ts';

export interface AttackSwap extends SwapNames {
  /** How long both are where they belong after so many swaps: what takes many looks gets through. */
  readonly restMs: number;
  readonly restEvery: number;
}

const { one, other, aside, shared, restMs, restEvery }: AttackSwap = workerData;
const [swaps, stop] = [0, 1];
const cells = new Int32Array(shared);
const never = new Int32Array(new SharedArrayBuffer(4));
let [made, swapped] = [0, 0];

while (Atomics.load(cells, stop) === 0) {
  renameSync(one, aside);
  put(other, one);
  Atomics.add(cells, swaps, 1);
  put(one, other);
  put(aside, one);
  swapped += 1;
  if (restMs > 0 && swapped % restEvery === 0) Atomics.wait(never, 0, 0, restMs);
}

function put(from: string, to: string): void {
  for (;;) {
    try {
      renameSync(from, to);
      return;
    } catch {
      renameSync(to, `${aside}-${made++}`);
    }
  }
}
