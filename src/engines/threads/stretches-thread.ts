/** The other side of stretches.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { emptySlot, StretchBench, type StretchTask, slotBytes } from '../../blobs/seal/stretch.ts';

const bench = new StretchBench();
const memory: SharedArrayBuffer = workerData;

export interface StretchRequest {
  /** The number of the slot. */
  readonly slot: number;
  readonly task: StretchTask;
}

parentPort?.on('message', ({ slot, task }: StretchRequest) => {
  parentPort?.postMessage(bench.perform(task, emptySlot(memory, slot * slotBytes)));
});
