/**
 * The thread that counts what folders hold and how much memory processes have, seen from the
 * daemon: on the daemon's own thread, a large workspace would hold up every caller.
 */
import type { Worker } from 'node:worker_threads';
import { startThread, threadBeside } from '../../engines/threads/threads.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import type { WatchAnswer, WatchOutcome, WatchRequest, WatchWork } from './watch-thread.ts';
import type { FolderAmount, WalkCount, WalkOrder } from './watch-walk.ts';

export interface WatchThreadDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Told why it came to grief; another thread is started for what is asked later. */
  readonly onTrouble: (failure: unknown) => void;
}

/** With the time that it took the thread; undefined when it is not known. */
export type TimedAnswer<Outcome> =
  | { readonly outcome: Outcome; readonly tookMs: number }
  | undefined;

interface WaitingLook {
  resolve(answer: TimedAnswer<WatchOutcome>): void;
}

// Where a thread cannot be started, one a second is tried.
const brokenMs = 1000;

export class WatchThread implements AsyncDisposable {
  readonly #clock: WatchThreadDeps['clock'];
  readonly #onTrouble: WatchThreadDeps['onTrouble'];
  readonly #waiting = new Map<number, WaitingLook>();
  #worker: Worker | undefined;
  #lastNumber = 0;
  /** On the monotonic clock; no thread is started before. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, onTrouble }: WatchThreadDeps) {
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  async folder(order: WalkOrder, signal?: AbortSignal): Promise<TimedAnswer<WalkCount>> {
    // The thread answers what it was asked.
    return (await this.#ask({ kind: 'folder', order }, signal)) as TimedAnswer<WalkCount>;
  }

  /** What all of them have together, in bytes. */
  async memory(pids: readonly number[], signal?: AbortSignal): Promise<TimedAnswer<number>> {
    // As above.
    return (await this.#ask({ kind: 'memory', pids }, signal)) as TimedAnswer<number>;
  }

  /** What is asked later has no answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#notBeforeMs = Number.POSITIVE_INFINITY;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#answerNobody();
  }

  async #ask(work: WatchWork, signal?: AbortSignal): Promise<TimedAnswer<WatchOutcome>> {
    const worker = this.#worker ?? this.#tryStart();
    if (worker === undefined || signal?.aborted === true) return undefined;
    const request: WatchRequest = { number: ++this.#lastNumber, work };
    const { promise, resolve } = Promise.withResolvers<TimedAnswer<WatchOutcome>>();
    const onAbort = () => {
      worker.postMessage({ number: request.number, work: undefined } satisfies WatchRequest);
      this.#answer(request.number, undefined);
    };
    this.#waiting.set(request.number, { resolve });
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.postMessage(request);
    // A caller waits for this: the program must not end meanwhile.
    worker.ref();
    const answer = await promise;
    signal?.removeEventListener('abort', onAbort);
    return answer;
  }

  #tryStart(): Worker | undefined {
    if (this.#clock.monotonicMs() < this.#notBeforeMs) return undefined;
    try {
      return this.#start();
    } catch (failure) {
      // There may be no more threads.
      this.#cameToGrief(failure);
      return undefined;
    }
  }

  #start(): Worker {
    const worker = startThread(threadBeside(import.meta.filename, 'watch-thread'));
    this.#worker = worker;
    worker.on('message', (answer: WatchAnswer) => this.#hear(answer));
    let failure: unknown;
    worker.on('error', (reason) => {
      failure = reason;
    });
    worker.on('exit', (code) => {
      this.#ended(worker, failure ?? new Error(`The thread that watches ended with ${code}`));
    });
    // A thread without work does not keep the program running.
    worker.unref();
    return worker;
  }

  #hear(answer: WatchAnswer): void {
    if ('failure' in answer) this.#onTrouble(new Error(answer.failure));
    this.#answer(answer.number, 'outcome' in answer ? answer : undefined);
  }

  #answer(number: number, answer: TimedAnswer<WatchOutcome>): void {
    this.#waiting.get(number)?.resolve(answer);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#worker?.unref();
  }

  #cameToGrief(failure: unknown): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, this.#clock.monotonicMs() + brokenMs);
    this.#onTrouble(failure);
  }

  #ended(worker: Worker, failure: unknown): void {
    // It was ended by the dispose.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#answerNobody();
    this.#cameToGrief(failure);
  }

  #answerNobody(): void {
    for (const number of [...this.#waiting.keys()]) this.#answer(number, undefined);
  }
}

export const walkMs = 200;
/** A workspace has a quarter of the thread's time at most. */
const restsFor = 3;

interface AfterLookDeps {
  readonly clock: Clock;
  readonly thread: WatchThread;
}

/** What a workspace holds once a run in it is over (H3 of watch.ts). */
export class AfterLook implements Disposable {
  readonly #deps: AfterLookDeps;
  readonly #over = new Set<string>();
  /** Those that are looked at; true when it is to be done once more. */
  readonly #going = new Map<string, boolean>();
  readonly #end = new AbortController();

  constructor(deps: AfterLookDeps) {
    this.#deps = deps;
  }

  /** Whether it held more than it may when it was last looked at. */
  isOver(workspace: string): boolean {
    return this.#over.has(workspace);
  }

  note(workspace: string, { bytes, files }: FolderAmount, most: FolderAmount): void {
    if (bytes > most.bytes || files > most.files) this.#over.add(workspace);
    else this.#over.delete(workspace);
  }

  /** Many short runs are looked at together, no more often than a long one. */
  async look(workspace: string, most: FolderAmount): Promise<void> {
    const isGoing = this.#going.has(workspace);
    this.#going.set(workspace, true);
    if (isGoing) return;
    const { clock, thread } = this.#deps;
    const { signal } = this.#end;
    try {
      while (this.#going.get(workspace) === true && !signal.aborted) {
        this.#going.set(workspace, false);
        const answer = await thread.folder({ path: workspace, most, opensShut: true }, signal);
        if (answer !== undefined) this.note(workspace, answer.outcome, most);
        await pause(clock, restMs(answer, walkMs), signal);
      }
    } finally {
      this.#going.delete(workspace);
    }
  }

  [Symbol.dispose](): void {
    this.#end.abort(early);
  }
}

export function restMs(answer: { readonly tookMs: number } | undefined, leastMs: number): number {
  return Math.max(leastMs, restsFor * (answer?.tookMs ?? 0));
}

/** False when it was ended early. */
export async function pause(
  clock: Clock,
  durationMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await clock.sleep(durationMs, signal);
    return true;
  } catch {
    return false;
  }
}
