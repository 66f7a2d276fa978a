/** The search index of memories: `MemoryIndex` by SQLite, in a thread of its own. */
import { AosError } from '../../kernel/errors.ts';
import type {
  EmbedderFacts,
  IndexChange,
  IndexFound,
  IndexPosition,
  IndexQuery,
  MemoryIndex,
  StoredVector,
  UnembeddedText,
} from '../../kernel/memory/index-port.ts';
import type { Clock } from '../../kernel/ports.ts';
import { ThreadWorker } from '../threads/thread-worker.ts';
import { threadBeside } from '../threads/threads.ts';
import type { MemoryWork } from './memory-thread.ts';
import type { MemoryTask } from './memory-works.ts';

export interface MemoryIndexOptions {
  /** It is made when it is first used. */
  readonly file: string;
  readonly clock: Clock;
  /** How long the thread stays without work. */
  readonly idleMs?: number;
}

const timeLimitMs = 600_000;
const never = new AbortController().signal;

export function openMemoryIndex(options: MemoryIndexOptions): MemoryIndex {
  return new ThreadedIndex(options);
}

// The thread answers what it was asked: hence the types of its answers.
class ThreadedIndex implements MemoryIndex {
  readonly #file: string;
  readonly #worker: ThreadWorker<MemoryWork>;
  /** How far it was when it was last heard of: where it is not there any more it was lost. */
  #at: number | undefined;

  constructor({ file, clock, idleMs = 60_000 }: MemoryIndexOptions) {
    this.#file = file;
    const thread = threadBeside(import.meta.filename, 'memory-thread');
    this.#worker = new ThreadWorker({ clock, idleMs, thread, brokenOff });
  }

  async position(): Promise<IndexPosition | undefined> {
    const position = (await this.#run({ kind: 'position' })) as IndexPosition | undefined;
    this.#at = position?.seq ?? 0;
    return position;
  }

  async apply(changes: readonly IndexChange[], position: IndexPosition): Promise<void> {
    const applied = this.#run({ kind: 'apply', changes, position });
    // At once: what is asked from now on is done behind it.
    this.#at = position.seq;
    await applied;
  }

  async clear(): Promise<void> {
    const cleared = this.#run({ kind: 'clear' });
    this.#at = 0;
    await cleared;
  }

  async search(query: IndexQuery, signal: AbortSignal): Promise<IndexFound> {
    return (await this.#run({ kind: 'search', query }, signal)) as IndexFound;
  }

  async withoutVector(embedder: EmbedderFacts, limit: number): Promise<readonly UnembeddedText[]> {
    const texts = await this.#run({ kind: 'unembedded', embedder: factsOf(embedder), limit });
    return texts as readonly UnembeddedText[];
  }

  async putVectors(embedder: EmbedderFacts, vectors: readonly StoredVector[]): Promise<void> {
    await this.#run({ kind: 'embedded', embedder: factsOf(embedder), vectors });
  }

  async counts(): ReturnType<MemoryIndex['counts']> {
    return (await this.#run({ kind: 'counts' })) as Awaited<ReturnType<MemoryIndex['counts']>>;
  }

  async forget(): Promise<void> {
    await this.#run({ kind: 'forget' });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]();
  }

  #run(task: MemoryTask, signal: AbortSignal = never): Promise<unknown> {
    return this.#worker.run({ file: this.#file, at: this.#at, ...task }, { timeLimitMs, signal });
  }
}

/** An embedder has more than goes to a thread. */
function factsOf({ id, dimensions }: EmbedderFacts): EmbedderFacts {
  return { id, dimensions };
}

function brokenOff(cause: unknown): AosError {
  return new AosError('disk.failed', {
    message: 'The search of memories was broken off before it had an answer',
    fix: 'Ask again',
    cause,
  });
}
