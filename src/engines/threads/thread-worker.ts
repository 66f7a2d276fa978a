/**
 * A thread that works, as seen from outside. It is there while there is work, and a while longer. A
 * caller that cancels waits until the work has ended: what it held stays held for so long, and no
 * program is left behind.
 */
import { parentPort, type Worker } from 'node:worker_threads';
import { AosError, type ErrorReport, toReport } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import { type SearchStop, stopAfter } from '../files/search/held.ts';
import { startThread } from './threads.ts';

export interface ThreadWorkerOptions {
  readonly clock: Clock;
  /** The file of the thread: `threadBeside`. */
  readonly thread: string;
  /** How long the thread stays without work. */
  readonly idleMs: number;
  /** How long it may take to stop what it does. */
  readonly graceMs?: number;
  /** What is told where it ends before its work does. */
  brokenOff(cause: unknown): AosError;
}

export interface WorkOptions {
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
}

/**
 * So long a thread may take to stop what it does, where nothing else is said. What is in the middle
 * of a write to its database must not be broken off.
 */
const usualGraceMs = 10_000;

interface WaitingCall {
  /** Whose answer it is: one that ends may have been followed by another already. */
  readonly worker: Worker;
  resolve(answer: ThreadAnswer): void;
  reject(failure: unknown): void;
}

export class ThreadWorker<Work> implements AsyncDisposable {
  readonly #options: ThreadWorkerOptions;
  readonly #waiting = new Map<number, WaitingCall>();
  readonly #cancels = new Set<() => void>();
  #quiet = Promise.withResolvers<void>();
  #worker: Worker | undefined;
  #lastNumber = 0;
  #idle = new AbortController();
  #isOver = false;

  constructor(options: ThreadWorkerOptions) {
    this.#options = options;
  }

  /** Rejects with the signal's reason when it aborts. */
  async run(work: Work, { timeLimitMs, signal }: WorkOptions): Promise<unknown> {
    signal.throwIfAborted();
    const number = ++this.#lastNumber;
    const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const cancel = () => {
      Atomics.store(flag, 0, 1);
      this.#worker?.postMessage({ kind: 'cancel', number } satisfies ThreadRequest<Work>);
    };
    signal.addEventListener('abort', cancel, { once: true });
    this.#cancels.add(cancel);
    try {
      const answer = await this.#ask({ kind: 'do', number, work, timeLimitMs, flag });
      signal.throwIfAborted();
      if (this.#isOver) throw this.#options.brokenOff(undefined);
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
    const { clock, graceMs = usualGraceMs } = this.#options;
    const late = clock.sleep(graceMs, waited.signal).catch(() => {});
    this.#quiet = Promise.withResolvers();
    await Promise.race([this.#quiet.promise, late]);
    waited.abort(early);
  }

  async #ask(request: Extract<ThreadRequest<Work>, { kind: 'do' }>): Promise<ThreadAnswer> {
    if (this.#isOver) throw this.#options.brokenOff(undefined);
    this.#idle.abort(early);
    const worker = this.#worker ?? this.#start();
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.number, { worker, resolve, reject });
      worker.postMessage(request);
      // A caller waits for this: the program must not end meanwhile.
      worker.ref();
    });
  }

  #start(): Worker {
    // Without what the program was started with: a script given as an argument is none of a thread.
    const worker = startThread(this.#options.thread, { execArgv: [] });
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
    for (const [number, waiting] of this.#waiting) {
      if (waiting.worker !== worker) continue;
      this.#waiting.delete(number);
      waiting.reject(this.#options.brokenOff(why));
    }
  }
}

type ThreadRequest<Work> =
  | {
      readonly kind: 'do';
      readonly number: number;
      readonly work: Work;
      readonly timeLimitMs: number;
      /** Set when the caller no longer waits. */
      readonly flag: Int32Array;
    }
  | { readonly kind: 'cancel'; readonly number: number };

/** Errors do not go from thread to thread. */
type ThreadAnswer = { readonly number: number } & (
  | { readonly result: unknown }
  | { readonly report: ErrorReport }
);

/** Called once, by the thread: from then on it does whatever it is asked. */
export function answerRequests<Work>(perform: (work: Work, stop: SearchStop) => unknown): void {
  const running = new Map<number, AbortController>();

  async function answer(
    asked: Extract<ThreadRequest<Work>, { kind: 'do' }>,
  ): Promise<ThreadAnswer> {
    const { number, work, timeLimitMs, flag } = asked;
    const cancelled = new AbortController();
    running.set(number, cancelled);
    using stop = stopAfter(timeLimitMs, flag, cancelled.signal);
    try {
      return { number, result: await perform(work, stop) };
    } catch (failure) {
      return { number, report: toReport(failure) };
    } finally {
      running.delete(number);
    }
  }

  parentPort?.on('message', async (request: ThreadRequest<Work>) => {
    if (request.kind === 'cancel') running.get(request.number)?.abort(early);
    else parentPort?.postMessage(await answer(request));
  });
}
