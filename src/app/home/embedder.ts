/**
 * The embedder that is configured, when it is there: it may take a while to load, and may not
 * answer yet. Until then memories are found by their words.
 */

import { AosError } from '../../kernel/errors.ts';
import type { Embedder, MemoryIndex } from '../../kernel/memory/index-port.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import { type EmbeddingProgress, MemoryEmbedding } from '../../memory/embed-memories.ts';
import type { Log } from '../log.ts';

export interface HomeEmbedderDeps {
  readonly index: MemoryIndex;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  open(signal: AbortSignal): Promise<Embedder>;
}

const firstWaitMs = 1000;
const longestWaitMs = 300_000;

export class HomeEmbedder implements AsyncDisposable {
  readonly #deps: HomeEmbedderDeps;
  readonly #over = new AbortController();
  readonly #opening: Promise<void>;
  #embedder: Embedder | undefined;
  #embedding: MemoryEmbedding | undefined;

  constructor(deps: HomeEmbedderDeps) {
    this.#deps = deps;
    this.#opening = this.#open();
  }

  get embedder(): Embedder | undefined {
    return this.#embedder;
  }

  get progress(): EmbeddingProgress | undefined {
    return this.#embedding?.progress();
  }

  /** There are new memories. */
  wake(): void {
    this.#embedding?.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(early);
    await this.#opening;
    await this.#embedding?.[Symbol.asyncDispose]();
    await this.#embedder?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<void> {
    const { signal } = this.#over;
    for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      try {
        const embedder = await this.#deps.open(signal);
        this.#embedding = new MemoryEmbedding({ ...this.#deps, embedder });
        this.#embedder = embedder;
        this.#embedding.wake();
        return;
      } catch (failure) {
        if (signal.aborted) return;
        this.#deps.log.warn({ err: failure }, 'memories are found by their words only');
        // What is not installed does not come by waiting.
        if (failure instanceof AosError && failure.code === 'memory.no-embedder') return;
      }
      await this.#deps.clock.sleep(waitMs, signal).catch(() => {});
    }
  }
}
