/**
 * Many small files in a thread of their own, so that the thread that answers callers can go on: a
 * file costs several calls of some microseconds each, and together they are half of what a message
 * costs that comes and goes as a file (docs/decisions.md has the numbers).
 *
 * B1. Few files are quicker done on the spot than handed over and back.
 * B2. The thread is there only while there is work for it. Until it has started, and when it
 *     has died, the work is done on the spot.
 * B3. Of a thread that died in the middle, a file that is not where it was has been moved: nothing
 *     else was about to move it. New files that it had made are in the way, and told so.
 */
import type { Worker } from 'node:worker_threads';
import {
  type BulkDisk,
  type BulkMove,
  bulkOver,
  type Moved,
  type MoveOptions,
  type TakenOrFailed,
} from '../../kernel/disk/bulk-disk.ts';
import { AosError, type ErrorReport } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import { startThread, threadBeside } from '../threads/threads.ts';
import type { BulkAnswer, BulkRequest, BulkWork, PlainAnswer } from './bulk-disk-thread.ts';
import { realDisk, withKnownNames } from './disk.ts';

export interface BulkDiskOptions {
  readonly clock: Clock;
  /** Told why a thread came to grief; the work goes on without it. */
  readonly onTrouble: (failure: unknown) => void;
  /** So many files are worth the way to the thread. */
  readonly manyFiles?: number;
  /** How long the thread stays without work. */
  readonly idleMs?: number;
}

export interface ThreadedBulkDisk extends BulkDisk, AsyncDisposable {
  /** The thread is there and takes work. */
  readonly isRunning: boolean;
}

/** How long no thread is started again where one came to grief. */
const failedMs = 60_000;

const onTheSpot = bulkOver(realDisk);

export function openBulkDisk(options: BulkDiskOptions): ThreadedBulkDisk {
  return new BulkDiskThread(options);
}

/** `none`: it is not, or not yet, the thread's. */
type ThreadOutcome = readonly PlainAnswer[] | 'none' | 'died';

class BulkDiskThread implements ThreadedBulkDisk {
  readonly #clock: Clock;
  readonly #onTrouble: BulkDiskOptions['onTrouble'];
  readonly #manyFiles: number;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, (outcome: ThreadOutcome) => void>();
  readonly #asked = new Set<Promise<unknown>>();
  #worker: Worker | undefined;
  #isReady = false;
  #lastNumber = 0;
  /** On the monotonic clock; no thread is started before. */
  #notBeforeMs = 0;
  #idle = new AbortController();

  constructor({ clock, onTrouble, manyFiles = 16, idleMs = 30_000 }: BulkDiskOptions) {
    this.#clock = clock;
    this.#onTrouble = onTrouble;
    this.#manyFiles = manyFiles;
    this.#idleMs = idleMs;
  }

  get isRunning(): boolean {
    return this.#isReady;
  }

  async takeFiles(...[paths, limits]: Parameters<BulkDisk['takeFiles']>) {
    const outcome = await this.#ask(paths.length, { kind: 'take', paths, limits });
    if (typeof outcome === 'string') return onTheSpot.takeFiles(paths, limits);
    return outcome.map((answer) => withFailure<TakenOrFailed>(answer));
  }

  async writeFiles(...[files]: Parameters<BulkDisk['writeFiles']>): Promise<void> {
    const outcome = await this.#ask(files.length, { kind: 'write', files });
    if (typeof outcome === 'string') return onTheSpot.writeFiles(files);
    for (const answer of outcome) if ('report' in answer) throw toError(answer.report);
  }

  async moveFiles(...[moves, options = {}]: Parameters<BulkDisk['moveFiles']>) {
    const outcome = await this.#ask(moves.length, { kind: 'move', moves, options });
    if (outcome === 'none') return onTheSpot.moveFiles(moves, options);
    if (outcome === 'died') return moveTheRest(moves, options);
    return outcome.map((answer) => withFailure<Moved>(answer));
  }

  /** What the thread has begun it ends; what comes now is done on the spot. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#notBeforeMs = Number.POSITIVE_INFINITY;
    await Promise.all(this.#asked);
    this.#idle.abort(early);
    await this.#worker?.terminate();
  }

  async #ask(files: number, work: BulkWork): Promise<ThreadOutcome> {
    if (files < this.#manyFiles || this.#clock.monotonicMs() < this.#notBeforeMs) return 'none';
    const worker = this.#worker ?? this.#tryStart();
    if (worker === undefined || !this.#isReady) return 'none';
    this.#idle.abort(early);
    const request: BulkRequest = { number: ++this.#lastNumber, work };
    const asked = new Promise<ThreadOutcome>((resolve) => {
      this.#waiting.set(request.number, resolve);
      worker.postMessage(request);
    });
    // A caller waits for this: the program must not end meanwhile.
    worker.ref();
    this.#asked.add(asked);
    const outcome = await asked;
    this.#asked.delete(asked);
    return outcome;
  }

  // Where there may be no more threads, that is told here, and not by the event.
  #tryStart(): Worker | undefined {
    try {
      return this.#start();
    } catch (failure) {
      this.#cameToGrief(failure);
      return undefined;
    }
  }

  #cameToGrief(failure: unknown): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, this.#clock.monotonicMs() + failedMs);
    this.#onTrouble(failure);
  }

  #start(): Worker {
    const worker = startThread(threadBeside(import.meta.filename, 'bulk-disk-thread'));
    this.#worker = worker;
    worker.on('message', (message: BulkAnswer | 'ready') => {
      if (message === 'ready') this.#isReady = true;
      else this.#answer(message.number, message.answers);
      if (this.#waiting.size === 0) void this.#endWhenIdle(worker);
    });
    // It ends after an error; what it was doing is done on the spot (B2).
    worker.on('error', (failure) => this.#cameToGrief(failure));
    worker.on('exit', () => this.#ended(worker));
    // A thread without work does not keep the program running.
    worker.unref();
    return worker;
  }

  #answer(number: number, outcome: ThreadOutcome): void {
    const resolve = this.#waiting.get(number);
    this.#waiting.delete(number);
    resolve?.(outcome);
  }

  async #endWhenIdle(worker: Worker): Promise<void> {
    worker.unref();
    // It was ended by the dispose.
    if (this.#notBeforeMs === Number.POSITIVE_INFINITY) return;
    this.#idle.abort(early);
    const idle = new AbortController();
    this.#idle = idle;
    try {
      await this.#clock.sleep(this.#idleMs, idle.signal);
    } catch {
      // There is work again.
      return;
    }
    this.#isReady = false;
    await worker.terminate();
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#isReady = false;
    this.#worker = undefined;
    this.#idle.abort(early);
    for (const number of [...this.#waiting.keys()]) this.#answer(number, 'died');
  }
}

function withFailure<Answer extends TakenOrFailed | Moved>(answer: PlainAnswer): Answer {
  // The thread answers what it was asked.
  return ('report' in answer ? { failure: toError(answer.report) } : answer) as Answer;
}

function toError({ code, message, ...rest }: ErrorReport): AosError {
  return new AosError(code, { message: withKnownNames(message), ...rest });
}

/** B3 */
async function moveTheRest(moves: readonly BulkMove[], options: MoveOptions): Promise<Moved[]> {
  const moved: Moved[] = [];
  for (const move of moves) {
    const answers = await onTheSpot.moveFiles([move], options);
    const answer = must(answers[0], 'the answer for a file');
    const isDone = answer.failure !== undefined && (await realDisk.stat(move.from)) === undefined;
    const entry = isDone && options.look === true ? await realDisk.stat(move.to) : undefined;
    moved.push(isDone ? { entry } : answer);
    if (moved.at(-1)?.failure !== undefined && options.inTurn === true) break;
  }
  return moved;
}
