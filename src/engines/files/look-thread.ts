/** One thread of the pool, from outside. */
import type { Transferable, Worker } from 'node:worker_threads';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import { startThread, threadBeside } from '../threads/threads.ts';
import type { ThreadAnswer, ThreadRequest } from './files-thread.ts';

export interface LookThreadOptions {
  readonly clock: Clock;
  readonly zone: string;
  readonly idleMs: number;
  readonly onEnd: (thread: LookThread) => void;
}

export class LookThread {
  readonly #options: LookThreadOptions;
  readonly #worker: Worker;
  #asked: PromiseWithResolvers<ThreadAnswer> | undefined;
  #idle = new AbortController();
  #isTaken = false;
  #hasEnded = false;

  constructor(options: LookThreadOptions) {
    this.#options = options;
    const { zone: workerData } = options;
    this.#worker = startThread(threadBeside(import.meta.filename, 'files-thread'), { workerData });
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle()?.resolve(answer));
    this.#worker.on('error', (failure) => this.#settle()?.reject(failure));
    this.#worker.on('exit', () => this.#ended());
    // A thread without work does not keep the program running.
    this.#worker.unref();
  }

  get isFree(): boolean {
    return !this.#isTaken && !this.#hasEnded;
  }

  /** So that no other look takes it, before it is asked. */
  take(): void {
    this.#isTaken = true;
    this.#idle.abort(early);
  }

  /** Where it was taken for nothing. */
  giveBack(): void {
    this.#isTaken = false;
    void this.#endWhenIdle();
  }

  /** Only of one that was taken. */
  ask(request: ThreadRequest): Promise<ThreadAnswer> {
    const asked = Promise.withResolvers<ThreadAnswer>();
    this.#asked = asked;
    this.#worker.ref();
    const transferred: Transferable[] = request.other === undefined ? [] : [request.other];
    this.#worker.postMessage(request, transferred);
    return asked.promise;
  }

  async end(): Promise<void> {
    this.#idle.abort(early);
    await this.#worker.terminate();
  }

  #settle(): PromiseWithResolvers<ThreadAnswer> | undefined {
    const asked = this.#asked;
    this.#asked = undefined;
    this.#worker.unref();
    this.giveBack();
    return asked;
  }

  async #endWhenIdle(): Promise<void> {
    const { clock, idleMs } = this.#options;
    const idle = new AbortController();
    this.#idle = idle;
    try {
      await clock.sleep(idleMs, idle.signal);
    } catch {
      // There is work again, or it ends anyway.
      return;
    }
    this.#hasEnded = true;
    await this.#worker.terminate();
  }

  #ended(): void {
    this.#hasEnded = true;
    this.#idle.abort(early);
    this.#asked?.reject(new Error('a thread that looks at files has ended'));
    this.#asked = undefined;
    this.#options.onEnd(this);
  }
}
