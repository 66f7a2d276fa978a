/**
 * The vector of a query, where there is an embedder that answers soon. Else its words decide alone.
 *
 * Q1. Nobody waits longer than a moment for it.
 * Q2. After a failure nobody asks for a while; then one query tries it again. An answer that comes
 *     too late is a failure too: whoever asks next would wait as long for nothing.
 */

import type { Embedder } from '../kernel/memory/index-port.ts';
import { early } from '../kernel/turns.ts';
import type { MemoryDeps } from './deps.ts';

type QueryEmbeddingDeps = Pick<MemoryDeps, 'embedder' | 'clock' | 'log'>;
type Vector = Float32Array | undefined;

const patienceMs = 1000;
const restMs = 30_000;
/** It is said once, and not again as long as it keeps failing, or soon after. */
const quietMs = 300_000;

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
      // There is an answer, or nobody waits for one.
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
