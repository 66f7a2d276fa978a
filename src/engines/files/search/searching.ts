/**
 * Finding files: `FileSearching` by threads, ripgrep and an index where the owner asked for one.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { matcherOf } from '../../../files/search/matcher.ts';
import { AosError } from '../../../kernel/errors.ts';
import type {
  FileLooking,
  FileSearching,
  IndexState,
  LookFilters,
  SearchRequest,
  SearchResult,
} from '../../../kernel/files/look.ts';
import type { Clock } from '../../../kernel/ports.ts';
import { mayExecute } from '../../process/programs-lookup.ts';
import { ThreadWorker, type ThreadWorkerOptions } from '../../threads/thread-worker.ts';
import { threadBeside } from '../../threads/threads.ts';
import type { IndexAnswer, IndexRequest, IndexWork } from '../index/works.ts';
import type { SearchWork } from './search-thread.ts';

export interface FileSearchingOptions {
  readonly looking: FileLooking;
  /** Where the index lies; it is made when something is indexed. */
  readonly indexFolder: string;
  readonly clock: Clock;
  /** The program that reads texts; `none` is our own scan. Found by itself where nothing is said. */
  readonly ripgrep?: string | 'none';
  /** After this long a search answers with what it has. */
  readonly timeLimitMs?: number;
  readonly idleMs?: number;
}

/** A regular expression that takes longer than it may is broken off so much later. */
const graceMs = 1000;
const indexLimitMs = 600_000;
const never = new AbortController().signal;

export function openFileSearching(options: FileSearchingOptions): FileSearching {
  return new ThreadedSearching(options);
}

class ThreadedSearching implements FileSearching {
  readonly #clock: Clock;
  readonly #looking: FileLooking;
  readonly #file: string;
  readonly #ripgrep: string | undefined;
  readonly #timeLimitMs: number;
  readonly #idleMs: number;
  readonly #walker: ThreadWorker<SearchWork>;
  readonly #indexer: ThreadWorker<SearchWork>;
  #building = 0;

  constructor(options: FileSearchingOptions) {
    const { clock, indexFolder, ripgrep, timeLimitMs = 30_000, idleMs = 60_000 } = options;
    this.#clock = clock;
    this.#looking = options.looking;
    this.#file = join(indexFolder, 'search.db');
    this.#ripgrep = ripgrep === 'none' ? undefined : (ripgrep ?? findRipgrep());
    this.#timeLimitMs = timeLimitMs;
    this.#idleMs = idleMs;
    this.#walker = searchWorker({ clock, idleMs });
    this.#indexer = searchWorker({ clock, idleMs });
  }

  async search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    signal.throwIfAborted();
    // What cannot be asked is refused here, before a thread is started for it.
    matcherOf(request);
    if (!asksForContent(request.filters)) return this.#search(request, signal);
    const deps = { looking: this.#looking, search: this.#search.bind(this) };
    return searchByType(deps, request, signal);
  }

  async index(request: IndexRequest, signal: AbortSignal): Promise<IndexState> {
    this.#building++;
    try {
      const work: IndexWork = { kind: 'build', file: this.#file, request };
      const options = { timeLimitMs: indexLimitMs, signal };
      return (await this.#indexer.run(work, options)) as IndexState;
    } finally {
      this.#building--;
    }
  }

  async dropIndex(path: string): Promise<boolean> {
    if (!existsSync(this.#file)) return false;
    return (await this.#askIndex({ kind: 'drop', file: this.#file, path })) as boolean;
  }

  async indexes(): Promise<readonly IndexState[]> {
    if (!existsSync(this.#file)) return [];
    return (await this.#askIndex({ kind: 'list', file: this.#file })) as readonly IndexState[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#walker[Symbol.asyncDispose](), this.#indexer[Symbol.asyncDispose]()]);
  }

  async #search(request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const indexed = await this.#searchIndex(request, signal);
    if (indexed !== 'none') return indexed;
    const work: SearchWork = { kind: 'walk', request, ripgrep: this.#ripgrep };
    const limits = { timeLimitMs: this.#timeLimitMs, signal };
    const found =
      request.how === 'regex'
        ? await this.#apart(work, signal)
        : await this.#walker.run(work, limits);
    // The thread answers what it was asked.
    return found as SearchResult;
  }

  #askIndex(work: IndexWork): Promise<unknown> {
    return this.#indexer.run(work, { timeLimitMs: indexLimitMs, signal: never });
  }

  // While one is built its thread has no time, and who asks gets an answer all the same.
  async #searchIndex(request: SearchRequest, signal: AbortSignal): Promise<SearchResult | 'none'> {
    // Secrets are not in an index: a search for hidden names is done by a walk.
    const isPlain = request.how === 'words' && request.recursive && !request.hidden;
    const isForIndex = isPlain && request.byWalk !== true && this.#building === 0;
    if (!isForIndex || !existsSync(this.#file)) return 'none';
    const work: IndexWork = { kind: 'search', file: this.#file, request };
    const answer = await this.#indexer.run(work, { timeLimitMs: this.#timeLimitMs, signal });
    return answer as Extract<IndexAnswer, SearchResult | 'none'>;
  }

  /** In a thread that can be ended: a regular expression may take for ever over a single name. */
  async #apart(work: SearchWork, signal: AbortSignal): Promise<unknown> {
    await using worker = searchWorker({ clock: this.#clock, idleMs: this.#idleMs, graceMs });
    const over = new AbortController();
    const limits = { timeLimitMs: this.#timeLimitMs, signal };
    try {
      return await Promise.race([worker.run(work, limits), this.#patience(signal, over.signal)]);
    } finally {
      over.abort();
    }
  }

  async #patience(signal: AbortSignal, over: AbortSignal): Promise<never> {
    const ended = AbortSignal.any([signal, over]);
    await this.#clock.sleep(this.#timeLimitMs + graceMs, ended).catch(() => {});
    // Cancelled: a moment for the program to be stopped in order.
    if (signal.aborted) await this.#clock.sleep(graceMs, over).catch(() => {});
    signal.throwIfAborted();
    throw new AosError('files.timeout', {
      message: 'The regular expression takes too long over the names of these files',
      fix: 'Write it without a repetition inside a repetition, or search for words',
    });
  }
}

function searchWorker(
  options: Pick<ThreadWorkerOptions, 'clock' | 'idleMs' | 'graceMs'>,
): ThreadWorker<SearchWork> {
  const thread = threadBeside(import.meta.filename, 'search-thread');
  return new ThreadWorker({ ...options, thread, brokenOff });
}

function brokenOff(cause: unknown): AosError {
  return new AosError('files.failed', {
    message: 'The search was broken off before it had an answer',
    fix: 'Ask again',
    cause,
  });
}

// Searches that also ask what kind of file it is by its content, or when a photo was taken. A list
// of files has that; so what was found is compared with such a list.

const mostListed = 50_000;
const mostFound = 2000;

function asksForContent({ types, takenAfter, takenBefore }: LookFilters): boolean {
  return types !== undefined || takenAfter !== undefined || takenBefore !== undefined;
}

async function searchByType(
  { looking, search }: { readonly looking: FileLooking; readonly search: Search },
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchResult> {
  const { types: _, takenAfter: __, takenBefore: ___, ...filters } = request.filters;
  const found = await search({ ...request, filters, limit: mostFound }, signal);
  if (found.hits.length === 0) return found;
  const sort = { by: 'name', order: 'asc' } as const;
  const listing = await looking.list({ ...request, sort, limit: mostListed }, signal);
  const fitting = new Map(listing.files.map((file) => [file.path, file]));
  const hits = found.hits.flatMap((hit) => {
    const file = fitting.get(hit.file.path);
    return file === undefined ? [] : { ...hit, file };
  });
  return {
    ...found,
    hits: hits.slice(0, request.limit),
    total: hits.length,
    truncated: found.truncated || listing.truncated || hits.length > request.limit,
  };
}

type Search = (request: SearchRequest, signal: AbortSignal) => Promise<SearchResult>;

/**
 * Where ripgrep is; undefined where there is none for this machine. Its packages have one program
 * for one kind of machine each. It is found from beside the source as from the bundle.
 */
export function findRipgrep(from: string = import.meta.dirname): string | undefined {
  const name = `ripgrep-${process.platform}-${process.arch}`;
  for (let folder = from; ; folder = dirname(folder)) {
    const program = join(folder, 'node_modules', '@vscode', name, 'bin', 'rg');
    if (mayExecute(program)) return program;
    if (folder === dirname(folder)) return undefined;
  }
}
