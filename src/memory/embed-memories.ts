/**
 * Embeds what has no vector yet, in the background, until nothing is left.
 *
 * B1. It works half of the time at most, and backs off where embedding fails.
 * B2. A text that the embedder does not take holds up no other: after a failure fewer are tried at
 *     a time, and one that fails alone waits until all others are done. It is never given up,
 *     because the embedder may have been away.
 */

import type { Embedder, MemoryIndex, UnembeddedText } from '../kernel/memory/index-port.ts';
import type { Clock } from '../kernel/ports.ts';
import { early } from '../kernel/turns.ts';

export interface EmbeddingDeps {
  readonly index: Pick<MemoryIndex, 'withoutVector' | 'putVectors' | 'counts'>;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly log: { warn(facts: object, words: string): void };
}

export interface EmbeddingProgress {
  /** Its id. */
  readonly embedder: string;
  readonly done: number;
  readonly total: number;
}

type Step =
  | { readonly kind: 'nothing-left' }
  | { readonly kind: 'embedded' }
  | { readonly kind: 'failed'; readonly hasOthers: boolean };

const mostAtATime = 64;
const waitMs = { first: 1000, most: 300_000 };

export class MemoryEmbedding implements AsyncDisposable {
  readonly #deps: EmbeddingDeps;
  readonly #over = new AbortController();
  /** B2: those that failed alone, the one that waits longest first. */
  readonly #refused = new Set<number>();
  #running: Promise<void> | undefined;
  #woken = Promise.withResolvers<void>();
  #atATime = mostAtATime;
  #failures = 0;
  #progress: EmbeddingProgress;

  constructor(deps: EmbeddingDeps) {
    this.#deps = deps;
    this.#progress = { embedder: deps.embedder.id, done: 0, total: 0 };
  }

  /** There may be something to embed. */
  wake(): void {
    this.#woken.resolve();
    this.#running ??= this.#run();
  }

  /** As it was after the last step. */
  progress(): EmbeddingProgress {
    return this.#progress;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(early);
    this.#woken.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock } = this.#deps;
    while (!this.#over.signal.aborted) {
      this.#woken = Promise.withResolvers();
      const startedMs = clock.monotonicMs();
      const step = await this.#step();
      await this.#rest(step, clock.monotonicMs() - startedMs);
    }
  }

  async #step(): Promise<Step> {
    const { index, embedder } = this.#deps;
    let batch: readonly UnembeddedText[] = [];
    let hasOthers = true;
    try {
      const wanted = mostAtATime + this.#refused.size;
      const without = await index.withoutVector(embedder, wanted);
      await this.#count();
      const others = without.filter(({ id }) => !this.#refused.has(id));
      hasOthers = others.length > 0;
      batch = hasOthers ? others.slice(0, this.#atATime) : this.#longestRefused(without);
      if (batch.length === 0) return { kind: 'nothing-left' };
      await this.#embed(batch);
      return { kind: 'embedded' };
    } catch (failure) {
      this.#noteFailure(failure, batch);
      return { kind: 'failed', hasOthers };
    }
  }

  #longestRefused(without: readonly UnembeddedText[]): readonly UnembeddedText[] {
    const byId = new Map(without.map((text) => [text.id, text]));
    // What has a vector by now, or is gone, was refused by nobody.
    for (const id of this.#refused) if (!byId.has(id)) this.#refused.delete(id);
    const [first] = this.#refused;
    const text = first === undefined ? undefined : byId.get(first);
    return text === undefined ? [] : [text];
  }

  async #embed(batch: readonly UnembeddedText[]): Promise<void> {
    const { index, embedder } = this.#deps;
    const texts = batch.map(({ text }) => text);
    const vectors = await embedder.embed(texts, this.#over.signal);
    const stored = vectors.flatMap((vector, place) => {
      const id = batch[place]?.id;
      return id === undefined ? [] : [{ id, vector }];
    });
    await index.putVectors(embedder, stored);
    await this.#count();
    for (const { id } of batch) this.#refused.delete(id);
    this.#atATime = Math.min(2 * this.#atATime, mostAtATime);
    this.#failures = 0;
  }

  async #count(): Promise<void> {
    const { memories, vectors } = await this.#deps.index.counts();
    this.#progress = { ...this.#progress, done: vectors, total: memories };
  }

  #noteFailure(failure: unknown, batch: readonly UnembeddedText[]): void {
    if (this.#over.signal.aborted) return;
    const { log, embedder } = this.#deps;
    this.#failures++;
    this.#tryLess(batch);
    if (this.#failures > 1) return;
    log.warn({ err: failure, embedder: embedder.id }, 'embedding memories is tried again later');
  }

  /** B2 */
  #tryLess([first, ...more]: readonly UnembeddedText[]): void {
    if (first === undefined) return;
    this.#atATime = Math.ceil(more.length / 8) || 1;
    if (more.length > 0) return;
    this.#refused.delete(first.id);
    this.#refused.add(first.id);
  }

  /** Who is woken begins at once, but for B1. */
  async #rest(step: Step, tookMs: number): Promise<void> {
    if (step.kind === 'nothing-left') return this.#woken.promise;
    const backOffMs = Math.min(waitMs.first * 2 ** (this.#failures - 1), waitMs.most);
    const waited = new AbortController();
    const signal = AbortSignal.any([this.#over.signal, waited.signal]);
    if (step.kind === 'failed' && !step.hasOthers) {
      void this.#woken.promise.then(() => waited.abort(early));
    }
    await this.#deps.clock
      .sleep(step.kind === 'failed' ? backOffMs : tookMs, signal)
      // It is over, or there is something else to embed.
      .catch(() => {});
  }
}
