/** An embedder that is asked over HTTP: Ollama's, or one that speaks as OpenAI does. */
import type { Embedder } from '../kernel/memory/index-port.ts';
import { must } from '../kernel/must.ts';
import { type EmbeddingAccess, EmbeddingCalls } from './embedding-calls.ts';

export type HttpEmbedderOptions = EmbeddingAccess;

const batchTexts = 32;
/** About a thousand tokens, which most models take. */
const mostCharacters = 4000;
const mostDimensions = 16_384;
/** For one text a caller waits. */
const patienceMs = { first: 5000, more: 2000 };
/** A server may have to load its model. */
const openingMs = 60_000;

/** Asks once, to learn how many dimensions its vectors have. */
export async function openHttpEmbedder(
  options: HttpEmbedderOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<Embedder> {
  const calls = new EmbeddingCalls(options);
  const dimensions = await learnDimensions(calls, signal);
  const over = new AbortController();
  return {
    id: `${options.model} at ${calls.shownUrl}`,
    dimensions,
    async embed(texts, signal) {
      const vectors = await embedAll(calls, texts, AbortSignal.any([signal, over.signal]));
      if (vectors.every(({ length }) => length === dimensions)) return vectors;
      throw calls.failed({ kind: 'refused', sentence: 'its vectors have other dimensions now' });
    },
    async [Symbol.asyncDispose]() {
      over.abort(calls.failed({ kind: 'unreachable', sentence: 'it is closed' }));
    },
  };
}

async function learnDimensions(calls: EmbeddingCalls, signal: AbortSignal): Promise<number> {
  const [vector] = await calls.ask(
    { texts: ['hello'], patienceMs: openingMs, isSecret: false },
    signal,
  );
  const dimensions = must(vector, 'the vector of a text').length;
  if (dimensions <= mostDimensions) return dimensions;
  throw calls.failed({ kind: 'refused', sentence: `its vectors have ${dimensions} numbers` });
}

async function embedAll(
  calls: EmbeddingCalls,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += batchTexts) {
    const batch = texts.slice(from, from + batchTexts).map(sendable);
    const patience = patienceMs.first + patienceMs.more * (batch.length - 1);
    const asked = { texts: batch, patienceMs: patience, isSecret: true };
    vectors.push(...(await calls.ask(asked, signal)));
  }
  return vectors;
}

/** Servers refuse halves of characters, and texts with nothing in them. */
function sendable(text: string): string {
  const cut = text.slice(0, mostCharacters).toWellFormed();
  return cut.trim() === '' ? '-' : cut;
}
