/** What the agents of a home remember, and the index by which it is found. */
import { join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { Embedder, MemoryIndex } from '../../kernel/memory/index-port.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import { type EmbeddingProgress, MemoryEmbedding } from '../../memory/embed-memories.ts';
import { MemoryManager } from '../../memory/memory-manager.ts';
import { openHttpEmbedder } from '../../models/http-embedder.ts';
import { eraseFiles } from '../../relay/files/erase-files.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';

export interface HomeMemory extends AsyncDisposable {
  readonly memory: MemoryManager;
}

type MemorySettings = Pick<
  Settings,
  'memoryEmbedder' | 'memoryEmbedderUrl' | 'memoryEmbedderModel' | 'memoryEmbedderSecret'
>;

export interface HomeMemoryOptions {
  readonly open: Pick<OpenHome, 'realHome' | 'ledger' | 'grants' | 'secrets'>;
  readonly log: Pick<Log, 'warn'>;
  /** Only a process that stays embeds: others search by words. */
  readonly isDaemon: boolean;
}

export function openHomeMemory(
  engines: Engines,
  settings: MemorySettings,
  { open, log, isDaemon }: HomeMemoryOptions,
): HomeMemory {
  const { ledger, grants, realHome } = open;
  const opened = new AsyncDisposableStack();
  const index = opened.use(engines.openMemoryIndex({ file: join(realHome, 'search.db') }));
  const isEmbedding = isDaemon && settings.memoryEmbedder !== 'none';
  const embedding = isEmbedding
    ? opened.use(
        new HomeEmbedder({
          ...{ index, log, clock: engines.clock },
          open: (signal) => openEmbedder(engines, settings, open, signal),
        }),
      )
    : undefined;
  const memory = opened.use(
    new MemoryManager({
      ...{ ...engines, ledger, grants, index, log },
      eraseFiles: (message) =>
        eraseFiles({ ...engines, home: realHome, sql: ledger.committed }, message),
      embedder: () => embedding?.embedder,
      onIndexed: () => embedding?.wake(),
      progress: () => embedding?.progress,
    }),
  );
  // What a process that died has not told the index, and what has to be embedded.
  if (isDaemon) memory.wake();
  return { memory, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openEmbedder(
  engines: Engines,
  settings: MemorySettings,
  { secrets }: Pick<OpenHome, 'secrets'>,
  signal: AbortSignal,
): Promise<Embedder> {
  if (settings.memoryEmbedder === 'use-lite') return engines.openUseLite();
  const { memoryEmbedderUrl: url, memoryEmbedderModel: model, memoryEmbedderSecret } = settings;
  const key = memoryEmbedderSecret === 'none' ? undefined : secrets.valueOf(memoryEmbedderSecret);
  return openHttpEmbedder({ ...engines, url, model, key }, signal);
}

// The embedder that is configured, when it is there: it may take a while to load, and may not
// answer yet. Until then memories are found by their words.

interface HomeEmbedderDeps {
  readonly index: MemoryIndex;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  open(signal: AbortSignal): Promise<Embedder>;
}

const firstWaitMs = 1000;
const longestWaitMs = 300_000;

class HomeEmbedder implements AsyncDisposable {
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
