/**
 * A thread for searches, as seen from outside. It is there while there is work, and a while
 * longer. Who cancels waits until the work has ended: a held folder stays held for so long, and
 * no program is left behind.
 */
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { early } from '../../../kernel/early.ts';
import { AosError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/ports.ts';
import type { SearchWork, ThreadAnswer, ThreadRequest } from './search-thread.ts';

export interface SearchWorkerOptions {
  readonly clock: Clock;
  /** How long the thread stays without work. */
  readonly idleMs: number;
}

export interface WorkOptions {
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
}

/** So long a thread may take to stop what it does. */
const graceMs = 1000;

interface Waiting {
  resolve(answer: ThreadAnswer): void;
  reject(failure: unknown): void;
}

export class SearchWorker implements AsyncDisposable {
  readonly #options: SearchWorkerOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #cancels = new Set<() => void>();
  #quiet = Promise.withResolvers<void>();
  #worker: Worker | undefined;
  #lastNumber = 0;
  #idle = new AbortController();
  #isOver = false;

  constructor(options: SearchWorkerOptions) {
    this.#options = options;
  }

  /** Rejects with the signal's reason when it aborts. */
  async run(work: SearchWork, { timeLimitMs, signal }: WorkOptions): Promise<unknown> {
    signal.throwIfAborted();
    const number = ++this.#lastNumber;
    const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const cancel = () => {
      Atomics.store(flag, 0, 1);
      this.#worker?.postMessage({ kind: 'cancel', number } satisfies ThreadRequest);
    };
    signal.addEventListener('abort', cancel, { once: true });
    this.#cancels.add(cancel);
    try {
      const answer = await this.#ask({ kind: 'do', number, work, timeLimitMs, flag });
      signal.throwIfAborted();
      if (this.#isOver) throw brokenOff(undefined);
      if ('result' in answer) return answer.result;
      const { code, ...words } = answer.report;
      throw new AosError(code, words);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#cancels.delete(cancel);
    }
  }

  /** What is under way is broken off, in order where that is soon. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#idle.abort(early);
    for (const cancel of this.#cancels) cancel();
    if (this.#waiting.size > 0) await this.#untilQuiet();
    await this.#worker?.terminate();
  }

  async #untilQuiet(): Promise<void> {
    const waited = new AbortController();
    const late = this.#options.clock.sleep(graceMs, waited.signal).catch(() => {});
    this.#quiet = Promise.withResolvers();
    await Promise.race([this.#quiet.promise, late]);
    waited.abort(early);
  }

  async #ask(request: Extract<ThreadRequest, { kind: 'do' }>): Promise<ThreadAnswer> {
    if (this.#isOver) throw brokenOff(undefined);
    this.#idle.abort(early);
    const worker = this.#worker ?? this.#start();
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.number, { resolve, reject });
      worker.postMessage(request);
      // Somebody waits for this: the program must not end meanwhile.
      worker.ref();
    });
  }

  #start(): Worker {
    // Beside this file, as what this file is: a source, or a bundle.
    const file = `search-thread${extname(import.meta.filename)}`;
    // Without what the program was started with: a script given as an argument is none of a thread.
    const worker = new Worker(join(import.meta.dirname, file), { execArgv: [] });
    this.#worker = worker;
    let why: unknown;
    worker.on('message', (answer: ThreadAnswer) => {
      this.#waiting.get(answer.number)?.resolve(answer);
      this.#waiting.delete(answer.number);
      if (this.#waiting.size > 0) return;
      this.#quiet.resolve();
      void this.#endWhenIdle(worker);
    });
    worker.on('error', (failure) => {
      why = failure;
    });
    worker.on('exit', () => this.#ended(worker, why));
    return worker;
  }

  async #endWhenIdle(worker: Worker): Promise<void> {
    worker.unref();
    if (this.#isOver) return;
    const idle = new AbortController();
    this.#idle = idle;
    try {
      await this.#options.clock.sleep(this.#options.idleMs, idle.signal);
    } catch {
      // There is work again, or it is over.
      return;
    }
    this.#worker = undefined;
    await worker.terminate();
  }

  #ended(worker: Worker, why: unknown): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(brokenOff(why));
    this.#waiting.clear();
  }
}

function brokenOff(cause: unknown): AosError {
  return new AosError('files.failed', {
    message: 'The search was broken off before it had an answer',
    fix: 'Ask again',
    cause,
  });
}
