/** A thread that hashes, seals and opens, while this one reads and writes. */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  emptySlot,
  type StretchResult,
  type StretchSlot,
  type StretchTask,
  type StretchWorks,
  slotBytes,
} from '../../blobs/seal/stretch.ts';
import type { StretchRequest } from './stretches-thread.ts';

/** One is read while one is worked on and one is written. */
const slotCount = 4;

// What a cipher answers is new memory each time. It is given back when the young part of the
// heap is full, so a small one keeps a GiB from taking more room than ten MiB do.
const resourceLimits = { maxYoungGenerationSizeMb: 2 };

interface Waiting {
  resolve(result: StretchResult): void;
  reject(failure: unknown): void;
}

/** What comes back carries no name: it comes in the order in which it was handed in. */
export function openStretches(): StretchWorks {
  const memory = new SharedArrayBuffer(slotCount * slotBytes);
  const worker = new Worker(threadFile(), { workerData: memory, resourceLimits });
  const waiting: Waiting[] = [];
  let broken: { readonly why: unknown } | undefined;
  const breakOff = (why: unknown): void => {
    broken ??= { why };
    for (const { reject } of waiting.splice(0)) reject(why);
  };
  worker.on('message', (result: StretchResult) => waiting.shift()?.resolve(result));
  worker.on('error', breakOff);
  worker.on('exit', () => breakOff(new Error('the thread that seals has ended')));
  const run = (slot: number, task: StretchTask): Promise<StretchResult> =>
    new Promise((resolve, reject) => {
      if (broken !== undefined) return reject(broken.why);
      waiting.push({ resolve, reject });
      worker.postMessage({ slot, task } satisfies StretchRequest);
    });
  const slotAt = (index: number): StretchSlot => ({
    ...emptySlot(memory, index * slotBytes),
    run: (task) => run(index, task),
  });
  return {
    slots: [slotAt(0), ...Array.from({ length: slotCount - 1 }, (_, index) => slotAt(index + 1))],
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/** Beside the bundle as beside the source. */
function threadFile(): string {
  return join(import.meta.dirname, `stretches-thread${extname(import.meta.filename)}`);
}
