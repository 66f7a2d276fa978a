/**
 * Calls to a server that embeds.
 *
 * E1. Texts are memories. What a server says of them may repeat them, and is passed on to no
 *     caller.
 * E2. The key is in no error, whatever the server says.
 * E3. No call waits for ever, however often it is tried again.
 */

import { AosError } from '../kernel/errors.ts';
import { unitVector } from '../kernel/memory/memory.ts';
import type { Clock, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { early } from '../kernel/turns.ts';
import { type Failure, failureOf, isObject } from './failure.ts';
import { boundedFetch, Limiter, type RetryOutcome, withRetries } from './retry.ts';

export interface EmbeddingAccess {
  /** `http://127.0.0.1:11434/api/embed`, or the base URL of what speaks as OpenAI does. */
  readonly url: string;
  readonly model: string;
  readonly key: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch?: typeof fetch | undefined;
}

export interface EmbeddingQuestion {
  readonly texts: readonly string[];
  readonly patienceMs: number;
  /** E1 */
  readonly isSecret: boolean;
}

type Vectors = readonly Float32Array[];

const concurrency = 2;

export class EmbeddingCalls {
  readonly #access: EmbeddingAccess;
  readonly #wire: EmbeddingWire;
  readonly #limiter: Limiter;
  readonly #fetch: typeof fetch;

  constructor(access: EmbeddingAccess) {
    this.#access = access;
    this.#wire = wireAt(access.url);
    this.#limiter = new Limiter({ ...access, concurrency });
    this.#fetch = boundedFetch(access.fetch ?? globalThis.fetch);
    // The HTTP client would refuse it too, and repeat the key in its complaint.
    if (access.key !== undefined && !/^[\x21-\x7e]+$/.test(access.key)) {
      throw this.failed({ kind: 'bad-key', sentence: 'it has characters that no key has' });
    }
  }

  get shownUrl(): string {
    return this.#wire.shownUrl;
  }

  /** Rejects with the signal's reason when it aborts. */
  async ask(question: EmbeddingQuestion, signal: AbortSignal): Promise<Vectors> {
    using patience = new CallPatience(this.#access.clock, question.patienceMs);
    const waiting = AbortSignal.any([signal, patience.signal]);
    let failure: Failure = { kind: 'unreachable', sentence: 'it did not answer in time' };
    const onRetry = (last: Failure): void => {
      failure = last;
    };
    const deps = { ...this.#access, limiter: this.#limiter, onRetry };
    try {
      const outcome = await withRetries(deps, waiting, () => this.#attempt(question, waiting));
      if (outcome.kind === 'answered') return outcome.value;
      failure = outcome.failure;
    } catch (thrown) {
      signal.throwIfAborted();
      if (!patience.signal.aborted) throw thrown;
    }
    throw this.failed(failure);
  }

  /** E2 */
  failed({ kind, sentence }: Failure): AosError {
    const { key, model } = this.#access;
    // Some vendors repeat a part of the key in what they say.
    const said = kind === 'bad-key' ? 'it does not take the key' : sentence;
    return new AosError('memory.embedder-failed', {
      message: `The embedder ${quote(model)} at ${this.shownUrl} failed: ${without(key, said)}`,
      fix: this.#fix(kind),
    });
  }

  async #attempt(question: EmbeddingQuestion, signal: AbortSignal): Promise<RetryOutcome<Vectors>> {
    try {
      const answer = await this.#post(question, signal);
      return { kind: 'answered', value: readVectors(this.#wire, answer, question.texts.length) };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof StrangeAnswer) {
        return { kind: 'failed', failure: { kind: 'refused', sentence: thrown.message } };
      }
      return { kind: 'failed', failure: failureOf(thrown, this.#access.clock.now()) };
    }
  }

  async #post({ texts, isSecret }: EmbeddingQuestion, signal: AbortSignal): Promise<string> {
    const { key, model } = this.#access;
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await this.#fetch(this.#wire.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify({ model, input: texts }),
      signal,
    });
    const answer = await response.text();
    if (response.ok) return answer;
    const said = isSecret ? undefined : messageIn(answer);
    throw Object.assign(new Error(said ?? `it answered with status ${response.status}`), {
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody: answer,
    });
  }

  #fix(kind: Failure['kind']): string {
    const { model } = this.#access;
    if (kind === 'bad-key') return 'Check the secret that the setting memoryEmbedderSecret names';
    if (kind === 'unknown-model') {
      return this.#wire.kind === 'ollama' ? `ollama pull ${model}` : 'Check memoryEmbedderModel';
    }
    return 'Check that it is running, and the setting memoryEmbedderUrl';
  }
}

/** E3: aborts when it is over. */
class CallPatience implements Disposable {
  readonly #over = new AbortController();
  readonly #waited = new AbortController();

  constructor(clock: Clock, durationMs: number) {
    clock.sleep(durationMs, this.#waited.signal).then(
      () => this.#over.abort(early),
      // It was not needed to its end.
      () => {},
    );
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  [Symbol.dispose](): void {
    this.#waited.abort(early);
  }
}

/** Ollama says `{error: "…"}`, OpenAI `{error: {message: "…"}}`. */
function messageIn(answer: string): string | undefined {
  try {
    const body: unknown = JSON.parse(answer);
    const error = isObject(body) ? body['error'] : undefined;
    const message = isObject(error) ? error['message'] : error;
    return typeof message === 'string' && message.trim() !== '' ? message : undefined;
  } catch {
    // A page of some server in between; its status says enough.
    return undefined;
  }
}

function without(key: string | undefined, sentence: string): string {
  return key === undefined ? sentence : sentence.replaceAll(key, '[the key]');
}

/** How embedders are asked and how they answer: as Ollama does, or as OpenAI does. */
interface EmbeddingWire {
  readonly kind: 'ollama' | 'openai';
  readonly url: string;
  /** The URL without what may be a secret in it. */
  readonly shownUrl: string;
}

/** By its path: `…/api/embed` is Ollama's. To a base URL the rest is added. */
function wireAt(configured: string): EmbeddingWire {
  const url = URL.parse(configured);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '';
  if (!isPlain || url.password !== '') throw badUrl();
  const path = url.pathname.replace(/\/+$/, '');
  const isOllama = path.endsWith('/api/embed');
  if (path === '') url.pathname = '/v1/embeddings';
  else url.pathname = path.endsWith('/v1') ? `${path}/embeddings` : path;
  return {
    kind: isOllama ? 'ollama' : 'openai',
    url: url.href,
    shownUrl: `${url.origin}${url.pathname}`,
  };
}

function badUrl(): AosError {
  return new AosError('config.bad-value', {
    message: 'The URL of the embedder is none that can be asked',
    fix: 'Write it as http://127.0.0.1:11434/api/embed, and a key as a secret, not into the URL',
  });
}

/** What an answer says that is none. It is not worth asking again. */
class StrangeAnswer extends Error {}

/** One for each text, in their order, and of unit length. */
function readVectors(
  { kind }: EmbeddingWire,
  answer: string,
  count: number,
): readonly Float32Array[] {
  const body = parsed(answer);
  const list = kind === 'ollama' ? body['embeddings'] : inOrder(body['data']);
  if (!Array.isArray(list)) throw new StrangeAnswer('its answer has no vectors in it');
  if (list.length !== count) {
    throw new StrangeAnswer(`it answered with ${list.length} vectors for ${count} texts`);
  }
  return list.map(readVector);
}

function parsed(answer: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(answer);
    if (isObject(body)) return body;
  } catch {
    // Said below: it means the same to the reader.
  }
  throw new StrangeAnswer('its answer is no JSON object');
}

/** OpenAI's name the text that they are of, and need not come in order. */
function inOrder(data: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(data)) return undefined;
  const byIndex = new Map<unknown, unknown>();
  for (const [place, item] of data.entries()) {
    if (!isObject(item))
      throw new StrangeAnswer('its answer has something in it that is no vector');
    byIndex.set(item['index'] ?? place, item['embedding']);
  }
  // One that came twice leaves a gap, which is no vector.
  return data.map((_item, place) => byIndex.get(place));
}

function readVector(numbers: unknown): Float32Array {
  const isList = Array.isArray(numbers) && numbers.every((part) => typeof part === 'number');
  const vector = isList ? unitVector(numbers) : undefined;
  if (vector === undefined) {
    throw new StrangeAnswer('its answer has something in it that is no vector');
  }
  return vector;
}
