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
import type { MemoryDeps } from './deps.ts';

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

type EmbeddingStep =
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

  async #step(): Promise<EmbeddingStep> {
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
    // What has a vector by now, or is gone, was not refused.
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

  /** A run that is woken begins at once, but for B1. */
  async #rest(step: EmbeddingStep, tookMs: number): Promise<void> {
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

type QueryEmbeddingDeps = Pick<MemoryDeps, 'embedder' | 'clock' | 'log'>;
type Vector = Float32Array | undefined;

const patienceMs = 1000;
const restMs = 30_000;
/** It is said once, and not again as long as it keeps failing, or soon after. */
const quietMs = 300_000;

/**
 * The vector of a query, where there is an embedder that answers soon. Else its words decide alone.
 *
 * Q1. A query waits no longer than a moment for it.
 * Q2. After a failure the embedder is not asked for a while; then one query tries it again. An
 *     answer that comes too late is a failure too: the next query would wait as long for nothing.
 */
export class QueryEmbedding implements Disposable {
  readonly #deps: QueryEmbeddingDeps;
  readonly #over = new AbortController();
  /** Q2: of the clock that is never set. */
  #restsUntilMs = 0;
  #isAway = false;
  #quietUntilMs = 0;

  constructor(deps: QueryEmbeddingDeps) {
    this.#deps = deps;
  }

  /** Throws only where the signal aborts. */
  async vectorOf(query: string, signal: AbortSignal): Promise<Vector> {
    const embedder = this.#deps.embedder();
    if (embedder === undefined || this.#deps.clock.monotonicMs() < this.#restsUntilMs) {
      return undefined;
    }
    if (this.#isAway) this.#rest();
    return this.#soon(this.#ask(embedder, query), signal);
  }

  [Symbol.dispose](): void {
    this.#over.abort(early);
  }

  async #ask(embedder: Embedder, query: string): Promise<Vector> {
    const { clock } = this.#deps;
    const askedMs = clock.monotonicMs();
    try {
      const [vector] = await embedder.embed([query], this.#over.signal);
      const isSoon = clock.monotonicMs() - askedMs < patienceMs;
      if (isSoon) [this.#isAway, this.#restsUntilMs] = [false, 0];
      return vector;
    } catch (failure) {
      if (!this.#over.signal.aborted) this.#noteFailure({ err: failure });
      return undefined;
    }
  }

  /** Q1 */
  async #soon(answer: Promise<Vector>, signal: AbortSignal): Promise<Vector> {
    const answered = new AbortController();
    const waiting = AbortSignal.any([signal, answered.signal, this.#over.signal]);
    const late = this.#deps.clock.sleep(patienceMs, waiting).then(
      () => 'late' as const,
      // There is an answer, or the query no longer waits for one.
      () => undefined,
    );
    const first = await Promise.race([answer, late]);
    answered.abort(early);
    signal.throwIfAborted();
    if (first !== 'late') return first;
    this.#noteFailure({ patienceMs });
    return undefined;
  }

  #noteFailure(facts: object): void {
    const { clock, log } = this.#deps;
    const isNew = !this.#isAway && clock.monotonicMs() >= this.#quietUntilMs;
    this.#isAway = true;
    this.#rest();
    if (!isNew) return;
    this.#quietUntilMs = clock.monotonicMs() + quietMs;
    log.warn(facts, 'queries cannot be embedded; memories are searched for by their words');
  }

  #rest(): void {
    this.#restsUntilMs = this.#deps.clock.monotonicMs() + restMs;
  }
}
