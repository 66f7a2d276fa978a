/** The threads of looking.ts: who works, who waits, and who may go. */
import { MessageChannel } from 'node:worker_threads';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import type { ThreadAnswer, ThreadPart, ThreadWork, ThreadWorks } from './files-thread.ts';
import { LookThread } from './look-thread.ts';
import { newClaims, newWalkCells, stopWalk } from './shared-walk.ts';

/** So that a short look need not wait for a long one. */
const mostThreads = 4;
/** T3 of looking.ts */
const stopMs = 2000;

export interface PoolOptions {
  readonly clock: Clock;
  readonly zone: string;
  readonly idleMs: number;
}

export interface RunOptions {
  /** No more than so many work on it. */
  readonly threads: 1 | 2;
  readonly signal: AbortSignal;
}

export class ThreadPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #threads = new Set<LookThread>();
  /** Callers that wait for a thread. */
  #waiting: (() => void)[] = [];
  readonly #closing = new AbortController();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** What each thread found of it. */
  async run<Work extends ThreadWork>(
    work: Work,
    { threads: wanted, signal }: RunOptions,
  ): Promise<readonly ThreadWorks[Work['kind']]['part'][]> {
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    const threads = await this.#take(wanted, ended);
    const cells = newWalkCells();
    const answers = this.#ask(threads, work, cells);
    const aborted = Promise.withResolvers<never>();
    const stop = () => {
      aborted.reject(ended.reason);
      void this.#stop(threads, answers, cells);
    };
    ended.addEventListener('abort', stop, { once: true });
    if (ended.aborted) stop();
    try {
      const parts = (await Promise.race([answers, aborted.promise])).map(partOf);
      // The threads answer what they were asked.
      return parts as readonly ThreadWorks[Work['kind']]['part'][];
    } finally {
      ended.removeEventListener('abort', stop);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(closed());
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  async #take(wanted: number, signal: AbortSignal): Promise<readonly LookThread[]> {
    let taken = this.#tryTake(wanted);
    while (taken.length === 0 && !signal.aborted) {
      await this.#oneIsFree(signal);
      taken = this.#tryTake(wanted);
    }
    if (!signal.aborted) return taken;
    for (const thread of taken) thread.giveBack();
    this.#wakeAll();
    throw signal.reason;
  }

  #tryTake(wanted: number): readonly LookThread[] {
    const free = [...this.#threads].filter(({ isFree }) => isFree).slice(0, wanted);
    while (free.length < wanted && this.#threads.size < mostThreads) free.push(this.#start());
    for (const thread of free) thread.take();
    return free;
  }

  #start(): LookThread {
    const onEnd = (ended: LookThread) => {
      this.#threads.delete(ended);
      this.#wakeAll();
    };
    const thread = new LookThread({ ...this.#options, onEnd });
    this.#threads.add(thread);
    return thread;
  }

  /** Or it is over. A caller that comes too late waits again. */
  async #oneIsFree(signal: AbortSignal): Promise<void> {
    const woken = Promise.withResolvers<void>();
    this.#waiting.push(woken.resolve);
    signal.addEventListener('abort', () => woken.resolve(), { once: true });
    await woken.promise;
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  async #ask(
    threads: readonly LookThread[],
    work: ThreadWork,
    cells: SharedArrayBuffer,
  ): Promise<readonly ThreadAnswer[]> {
    const { port1, port2 } = new MessageChannel();
    const ports = threads.length > 1 ? [port1, port2] : [];
    if (ports.length === 0) port1.close();
    const shared = { work, cells, claims: newClaims() };
    const asked = threads.map(async (thread, index) => {
      try {
        return await thread.ask({ ...shared, other: ports[index], begins: index === 0 });
      } catch (failure) {
        // Else the other would wait for it.
        stopWalk(cells);
        throw failure;
      } finally {
        this.#wakeAll();
      }
    });
    await Promise.allSettled(asked);
    return Promise.all(asked);
  }

  /** T3 of looking.ts */
  async #stop(
    threads: readonly LookThread[],
    answers: Promise<readonly ThreadAnswer[]>,
    cells: SharedArrayBuffer,
  ): Promise<void> {
    stopWalk(cells);
    const waiting = new AbortController();
    const late = this.#options.clock.sleep(stopMs, waiting.signal).then(
      () => Promise.all(threads.map((thread) => thread.end())),
      // They stopped in time.
      () => {},
    );
    await answers.catch(() => {});
    waiting.abort(early);
    await late;
  }
}

function partOf(answer: ThreadAnswer): ThreadPart {
  if (answer.kind === 'part') return answer.part;
  if (answer.kind === 'stopped') throw closed();
  const { code, ...report } = answer.report;
  throw new AosError(code, report);
}

function closed(): AosError {
  return new AosError('internal.bug', { message: 'Files are looked at after the end' });
}
