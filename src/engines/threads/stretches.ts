/** Threads that seal and hash, while this one reads and writes. */
import type { Worker } from 'node:worker_threads';
import {
  emptySlot,
  isHashTask,
  type StretchResult,
  type StretchSlot,
  type StretchTask,
  type StretchWorks,
  slotBytes,
} from '../../blobs/seal/stretch.ts';
import type { StretchRequest } from './stretches-thread.ts';
import { startThread, threadBeside } from './threads.ts';

/** One is read while one is sealed, one is hashed and one is written. */
const slotCount = 6;

// What a cipher answers is new memory each time. With a small heap it is given back soon, so that
// a GiB takes no more room than ten MiB do.
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 40 };

export function openStretches(): StretchWorks {
  const memory = new SharedArrayBuffer(slotCount * slotBytes);
  const [sealer, hasher] = [new Thread(memory), new Thread(memory)];
  const slotAt = (index: number): StretchSlot => ({
    ...emptySlot(memory, index * slotBytes),
    run: (task) => (isHashTask(task) ? hasher : sealer).run({ slot: index, task }),
  });
  return {
    slots: [slotAt(0), ...Array.from({ length: slotCount - 1 }, (_, index) => slotAt(index + 1))],
    async [Symbol.asyncDispose]() {
      await Promise.all([sealer.end(), hasher.end()]);
    },
  };
}

interface WaitingStretch {
  resolve(result: StretchResult): void;
  reject(failure: unknown): void;
}

/** What comes back carries no name: it comes in the order in which it was handed in. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting: WaitingStretch[] = [];
  #broken: { readonly why: unknown } | undefined;

  constructor(memory: SharedArrayBuffer) {
    this.#worker = startThread(threadBeside(import.meta.filename, 'stretches-thread'), {
      ...{ workerData: memory, resourceLimits },
    });
    this.#worker.on('message', (result: StretchResult) => this.#waiting.shift()?.resolve(result));
    this.#worker.on('error', (failure) => this.#breakOff(failure));
    this.#worker.on('exit', () => this.#breakOff(new Error('a thread that seals has ended')));
  }

  run(request: { readonly slot: number; readonly task: StretchTask }): Promise<StretchResult> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) return reject(this.#broken.why);
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request satisfies StretchRequest);
    });
  }

  #breakOff(why: unknown): void {
    this.#broken ??= { why };
    for (const { reject } of this.#waiting.splice(0)) reject(why);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
