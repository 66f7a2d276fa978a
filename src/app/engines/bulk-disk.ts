/**
 * Many small files in a thread of their own, so that the one that answers everybody can go
 * on: a file costs several calls of some microseconds each, and together they are half of
 * what a message costs that comes and goes as a file (docs/decisions.md has the numbers).
 *
 * B1. Few files are quicker done on the spot than handed over and back.
 * B2. The thread is there only while there is work for it. Until it has started, and when it
 *     has died, the work is done on the spot.
 * B3. What it could not do is tried again on the spot, where the reason is told in full. So
 *     of a thread that died in the middle, files that it had moved are answered as missing.
 */

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type BulkDisk, bulkOver, type Moved, type Taken } from '../../kernel/bulk-disk.ts';
import { early } from '../../kernel/early.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { BulkAnswer, BulkRequest, BulkWork } from './bulk-disk-thread.ts';
import { realDisk } from './disk.ts';

export interface BulkDiskOptions {
  readonly clock: Clock;
  /** So many files are worth the way to the thread. */
  readonly manyFiles?: number;
  /** How long the thread stays without work. */
  readonly idleMs?: number;
}

export interface ThreadedBulkDisk extends BulkDisk, AsyncDisposable {
  /** The thread is there and takes work. */
  readonly isRunning: boolean;
}

/** How long nobody tries to start a thread again where one came to grief. */
const failedMs = 60_000;

const onTheSpot = bulkOver(realDisk);

export function openBulkDisk(options: BulkDiskOptions): ThreadedBulkDisk {
  return new BulkDiskThread(options);
}

type Answers = BulkAnswer['answers'];

class BulkDiskThread implements ThreadedBulkDisk {
  readonly #clock: Clock;
  readonly #manyFiles: number;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, (answers: Answers | undefined) => void>();
  #worker: Worker | undefined;
  #isReady = false;
  #lastNumber = 0;
  #notBeforeMs = 0;
  #idle = new AbortController();

  constructor({ clock, manyFiles = 16, idleMs = 30_000 }: BulkDiskOptions) {
    this.#clock = clock;
    this.#manyFiles = manyFiles;
    this.#idleMs = idleMs;
  }

  get isRunning(): boolean {
    return this.#isReady;
  }

  async takeFiles(...[paths, limits]: Parameters<BulkDisk['takeFiles']>): Promise<Taken[]> {
    const answers = await this.#ask<Taken>(paths.length, { kind: 'take', paths, limits });
    if (answers === undefined) return [...(await onTheSpot.takeFiles(paths, limits))];
    const taken: Taken[] = [];
    for (const [index, answer] of answers.entries()) {
      taken.push(answer ?? (await one(onTheSpot.takeFiles([paths[index] ?? ''], limits))));
    }
    return taken;
  }

  async writeFiles(...[files]: Parameters<BulkDisk['writeFiles']>): Promise<void> {
    const answers = await this.#ask<'written'>(files.length, { kind: 'write', files });
    if (answers?.[0] === undefined) await onTheSpot.writeFiles(files);
  }

  async moveFiles(...[moves, options = {}]: Parameters<BulkDisk['moveFiles']>): Promise<Moved[]> {
    const answers = await this.#ask<Moved>(moves.length, { kind: 'move', moves, options });
    const moved: Moved[] = [];
    for (const [index, answer] of (answers ?? []).entries()) {
      if (answer === undefined && options.inTurn === true) break;
      moved.push(
        answer ?? (await one(onTheSpot.moveFiles(moves.slice(index, index + 1), options))),
      );
    }
    const left = moves.slice(moved.length);
    return [...moved, ...(await onTheSpot.moveFiles(left, options))];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#idle.abort(early);
    await this.#worker?.terminate();
  }

  /** Undefined when it is not, or not yet, the thread's. */
  async #ask<Answer>(
    files: number,
    work: BulkWork,
  ): Promise<readonly (Answer | undefined)[] | undefined> {
    if (files < this.#manyFiles || this.#clock.monotonicMs() < this.#notBeforeMs) return undefined;
    const worker = this.#worker ?? this.#start();
    if (!this.#isReady) return undefined;
    this.#idle.abort(early);
    const number = ++this.#lastNumber;
    const request: BulkRequest = { number, work };
    const answers = await new Promise<Answers | undefined>((resolve) => {
      this.#waiting.set(number, resolve);
      worker.postMessage(request);
    });
    if (this.#waiting.size === 0) void this.#endWhenIdle();
    // The thread answers what it was asked.
    return answers as readonly (Answer | undefined)[] | undefined;
  }

  #start(): Worker {
    // Beside this file, as what this file is: a source, or a bundle.
    const file = `bulk-disk-thread${extname(import.meta.filename)}`;
    const worker = new Worker(join(import.meta.dirname, file));
    this.#worker = worker;
    worker.on('message', (message: BulkAnswer | 'ready') => {
      if (message === 'ready') this.#isReady = true;
      else this.#answer(message.number, message.answers);
    });
    // It ends after an error; what it was doing is done on the spot (B2).
    worker.on('error', () => {
      this.#notBeforeMs = this.#clock.monotonicMs() + failedMs;
    });
    worker.on('exit', () => this.#ended(worker));
    // Nobody keeps the program up for the sake of a thread without work.
    worker.unref();
    return worker;
  }

  #answer(number: number, answers: Answers | undefined): void {
    const resolve = this.#waiting.get(number);
    this.#waiting.delete(number);
    resolve?.(answers);
  }

  async #endWhenIdle(): Promise<void> {
    const idle = new AbortController();
    this.#idle = idle;
    try {
      await this.#clock.sleep(this.#idleMs, idle.signal);
    } catch {
      // There is work again.
      return;
    }
    this.#isReady = false;
    await this.#worker?.terminate();
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#isReady = false;
    this.#worker = undefined;
    for (const number of [...this.#waiting.keys()]) this.#answer(number, undefined);
  }
}

async function one<Answer>(answers: Promise<readonly Answer[]>): Promise<Answer> {
  const [answer] = await answers;
  if (answer === undefined) throw new Error('the disk gave no answer');
  return answer;
}
