/** The part of the client that is about memories. */
import type { Answer, Body, Query } from '../contract/contract.ts';
import type { CallOptions, TransportAnswer } from './transport.ts';

/** For the owner: which agent to act for. The same key is the same call. */
export interface MemoryOptions extends CallOptions {
  readonly as?: string | undefined;
  readonly key?: string | undefined;
}

type Verb<Name extends keyof typeof verbs> = (
  request: Body<Name>,
  options?: MemoryOptions,
) => Promise<Answer<Name>>;

export interface MemoryCalls {
  storeMemory: Verb<'storeMemory'>;
  getMemory: Verb<'getMemory'>;
  searchMemory: Verb<'searchMemory'>;
  /** A page; `next` of it goes into `cursor`. */
  listMemories: Verb<'listMemories'>;
  /** A page; `next` of it goes into `before`. */
  memoryHistory: Verb<'memoryHistory'>;
  pinMemory: Verb<'pinMemory'>;
  forgetMemory: Verb<'forgetMemory'>;
  shareMemory: Verb<'shareMemory'>;
  unshareMemory: Verb<'unshareMemory'>;
  memoryShares: Verb<'memoryShares'>;
  purgeMemory(wanted: Body<'purgeMemory'>, options?: CallOptions): Promise<Answer<'purgeMemory'>>;
  /** Lines of JSON, as bytes. */
  exportMemory(
    whose: Query<'exportMemory'>,
    options?: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>>;
  importMemory(
    lines: AsyncIterable<Uint8Array>,
    whose: Query<'importMemory'>,
    options?: CallOptions,
  ): Promise<Answer<'importMemory'>>;
  memoryState(options?: CallOptions): Promise<Answer<'memoryState'>>;
}

const verbs = {
  storeMemory: 'store',
  getMemory: 'get',
  searchMemory: 'search',
  listMemories: 'list',
  memoryHistory: 'history',
  pinMemory: 'pin',
  forgetMemory: 'forget',
  shareMemory: 'share',
  unshareMemory: 'unshare',
  memoryShares: 'shares',
} as const;

/** How calls are made. */
export interface MemoryCaller {
  search(query: object): string;
  get<T>(path: string, query?: object, options?: CallOptions): Promise<T>;
  post<T>(
    path: string,
    body: unknown,
    options?: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
  upload<T>(
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    options?: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
  openBytes(
    path: string,
    headers: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<TransportAnswer>;
}

// As long as a call of a tool may take, and a little to be answered.
const longestCallMs = 3_700_000;
const lines = 'application/x-ndjson';

export function memoryCalls(deps: MemoryCaller): MemoryCalls {
  const path = '/api/v1/memory';
  const long = (options?: CallOptions): CallOptions => ({ timeoutMs: longestCallMs, ...options });
  const verb =
    <Name extends keyof typeof verbs>(name: Name): Verb<Name> =>
    (request, { as, key, ...options } = {}) =>
      deps.post(
        `${path}/${verbs[name]}${deps.search({ as })}`,
        request,
        long(options),
        key === undefined ? {} : { 'idempotency-key': key },
      );
  return {
    storeMemory: verb('storeMemory'),
    getMemory: verb('getMemory'),
    searchMemory: verb('searchMemory'),
    listMemories: verb('listMemories'),
    memoryHistory: verb('memoryHistory'),
    pinMemory: verb('pinMemory'),
    forgetMemory: verb('forgetMemory'),
    shareMemory: verb('shareMemory'),
    unshareMemory: verb('unshareMemory'),
    memoryShares: verb('memoryShares'),
    purgeMemory: (wanted, options) => deps.post(`${path}/purge`, wanted, long(options)),
    exportMemory: async (whose, options) => {
      const all = `${path}/export${deps.search(whose)}`;
      return (await deps.openBytes(all, { accept: lines }, options)).body;
    },
    importMemory: (bytes, whose, options) =>
      deps.upload(`${path}/import${deps.search(whose)}`, bytes, long(options), {
        'content-type': lines,
      }),
    memoryState: (options) => deps.get(`${path}/state`, {}, long(options)),
  };
}
