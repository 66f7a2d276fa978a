/** How embedders are asked and how they answer: as Ollama does, or as OpenAI does. */
import { AosError } from '../kernel/errors.ts';
import { unitVector } from '../kernel/memory/memory.ts';
import { isObject } from './malformed-args.ts';

export interface EmbeddingWire {
  readonly kind: 'ollama' | 'openai';
  readonly url: string;
  /** The same without what may be a secret in it. */
  readonly shownUrl: string;
}

/** By its path: `…/api/embed` is Ollama's. To a base URL the rest is added. */
export function wireAt(configured: string): EmbeddingWire {
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
export class StrangeAnswer extends Error {}

/** One for each text, in their order, and of unit length. */
export function readVectors(
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
    // Said below: it is the same to whoever reads it.
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
