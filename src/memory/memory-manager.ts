/**
 * What agents remember: `store`, `retrieve`, `search` and `share` of seed 001, and what else is
 * done with memories. Whether the caller may is decided before, at the door of the tools; only what
 * turns out on the way (searching) is decided here.
 */
import { AosError } from '../kernel/errors.ts';
import type { RememberedItem } from '../kernel/journal/step.ts';
import {
  checkMemoryKey,
  type Memory,
  type MemoryKey,
  type MemoryScope,
} from '../kernel/memory/memory.ts';
import type { Instant } from '../kernel/ports.ts';
import type { Sql } from '../ledger/ledger.ts';
import {
  findMemory,
  forgetMemories,
  listMemories,
  memoryVersions,
  setMemoryEnd,
} from '../ledger/memory/memories.ts';
import type { GrantRow } from '../ledger/security/grants.ts';
import type { MemoryActor, MemoryDeps } from './deps.ts';
import { QueryEmbedding } from './embed-memories.ts';
import { IndexFollower } from './follow.ts';
import { exportMemoriesOf, type Imported, MemoryImports } from './import.ts';
import { type PackRequest, packMemories } from './pack.ts';
import { dropExpired, type Purged, purgeMemories, settlePurges } from './purge.ts';
import { type MemoryFound, type MemoryQuery, searchMemories } from './search.ts';
import { maySee, noteSeen } from './seen.ts';
import { type SharedMemory, shareMemory, sharesOf, unshareMemory } from './share.ts';
import { memoryOf, type NewMemory, storeIn } from './store.ts';

export interface StoredMemory {
  readonly memory: Memory;
  /** False where the same stood there already. */
  readonly isNew: boolean;
}

export interface MemoryListRequest {
  readonly owner: string;
  readonly scope: MemoryScope;
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly asOf?: Instant | undefined;
}

export class MemoryManager implements AsyncDisposable {
  readonly #deps: MemoryDeps;
  readonly #follower: IndexFollower;
  readonly #queries: QueryEmbedding;
  readonly #imports: MemoryImports;

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#follower = new IndexFollower(deps);
    this.#queries = new QueryEmbedding(deps);
    this.#imports = new MemoryImports(deps);
  }

  /** A new version of the key. It can be found at once. */
  async store(wanted: NewMemory): Promise<StoredMemory> {
    const { ledger, clock } = this.#deps;
    const { row, isNew } = await ledger.transact((tx) => storeIn(tx, wanted, clock.now()));
    this.#follower.wake();
    return { memory: memoryOf(row), isNew };
  }

  /** The newest version that counts, now or then; undefined where there is none. */
  async retrieve(
    caller: MemoryActor,
    place: MemoryKey,
    { asOf }: { readonly asOf?: Instant | undefined } = {},
  ): Promise<Memory | undefined> {
    checkMemoryKey(place.key);
    const { ledger, clock } = this.#deps;
    return ledger.transact(async (tx) => {
      const row = await findMemory(tx, place, { now: clock.now(), at: asOf ?? null });
      if (row === undefined || !(await this.#maySee(tx, caller, place))) return undefined;
      await noteSeen(tx, caller, [row]);
      return memoryOf(row);
    });
  }

  search(caller: MemoryActor, wanted: MemoryQuery): Promise<MemoryFound> {
    const help = { follower: this.#follower, queries: this.#queries };
    return searchMemories(this.#deps, help, caller, wanted);
  }

  share(share: SharedMemory, actor: string): Promise<GrantRow> {
    return shareMemory(this.#deps, share, actor);
  }

  unshare(share: Omit<SharedMemory, 'expires'>, actor: string): Promise<readonly GrantRow[]> {
    return unshareMemory(this.#deps, share, actor);
  }

  shares(giver: string): Promise<readonly GrantRow[]> {
    return sharesOf(this.#deps, giver);
  }

  /** By key. */
  async list(caller: MemoryActor, wanted: MemoryListRequest): Promise<readonly Memory[]> {
    const { ledger, clock } = this.#deps;
    const { owner, scope, prefix = '', after = '', limit, asOf } = wanted;
    if (prefix !== '') checkMemoryKey(prefix);
    return ledger.transact(async (tx) => {
      const page = { owner, scope, prefix, after, limit };
      if (!(await this.#maySee(tx, caller, { owner, scope, key: prefix }, true))) return [];
      const rows = await listMemories(tx, page, { now: clock.now(), at: asOf ?? null });
      await noteSeen(tx, caller, rows);
      return rows.map(memoryOf);
    });
  }

  /** Every version, the newest first; of what was forgotten only that it was. */
  async history(
    caller: MemoryActor,
    place: MemoryKey,
    { before = Number.MAX_SAFE_INTEGER, limit = 100 } = {},
  ): Promise<readonly Memory[]> {
    checkMemoryKey(place.key);
    const { ledger, clock } = this.#deps;
    return ledger.transact(async (tx) => {
      if (!(await this.#maySee(tx, caller, place))) return [];
      const rows = await memoryVersions(tx, place, { before, limit });
      const now = clock.now();
      const shown = rows.map((row) => {
        const isGone = row.forgotten_at !== null || (row.expires_at ?? now + 1) <= now;
        return { row, memory: isGone ? emptied(memoryOf(row)) : memoryOf(row), isGone };
      });
      await noteSeen(
        tx,
        caller,
        shown.filter(({ isGone }) => !isGone).map(({ row }) => row),
      );
      return shown.map(({ memory }) => memory);
    });
  }

  /** What is pinned is told to a model before everything else. */
  async pin(place: MemoryKey, isPinned: boolean): Promise<Memory> {
    checkMemoryKey(place.key);
    const { ledger, clock } = this.#deps;
    const row = await ledger.transact(async (tx) => {
      const found = await findMemory(tx, place, { now: clock.now(), at: null });
      if (found === undefined) throw unknownMemory();
      const pinned = isPinned ? 1 : 0;
      await setMemoryEnd(tx, found.id, { pinned, expires_at: found.expires_at });
      return { ...found, pinned } as const;
    });
    return memoryOf(row);
  }

  /**
   * Hides it from every reader; the versions stay until they are purged. Resolves to how many keys.
   */
  async forget(
    place: MemoryKey,
    { below, actor }: { readonly below: boolean; readonly actor: string },
  ): Promise<number> {
    checkMemoryKey(place.key);
    const { ledger, clock } = this.#deps;
    const keys = await ledger.transact(async (tx) => {
      const forgotten = await forgetMemories(tx, place, { below, at: clock.now() });
      if (forgotten === 0) throw unknownMemory();
      const data = { keys: forgotten };
      await tx.record({ actor, kind: 'memory.forgotten', subject: place.owner, data });
      return forgotten;
    });
    this.#follower.wake();
    return keys;
  }

  /** Erases every version for good, with what has seen them. */
  async purge(
    place: MemoryKey,
    options: { readonly below: boolean; readonly actor: string },
  ): Promise<Purged> {
    if (place.key !== '' || !options.below) checkMemoryKey(place.key);
    // What lies there to be brought in would come back.
    await this.#imports.goOn();
    return purgeMemories({ ...this.#deps, follower: this.#follower }, place, options);
  }

  /** Lines of JSON. */
  exportLines(whose: {
    readonly owner: string;
    readonly scope?: MemoryScope | undefined;
  }): AsyncIterable<string> {
    const { ledger, clock } = this.#deps;
    return exportMemoriesOf(ledger.committed, whose, clock.now());
  }

  async importLines(owner: string, lines: readonly string[]): Promise<Imported> {
    const imported = await this.#imports.take(owner, lines);
    this.#follower.wake();
    return imported;
  }

  /** For a model that begins. */
  pack(caller: MemoryActor, wanted: PackRequest): Promise<readonly RememberedItem[]> {
    return packMemories(this.#deps, this.search.bind(this), caller, wanted);
  }

  /** What the search index knows, and how much of it by meaning. */
  async state(): Promise<{
    readonly memories: number;
    readonly vectors: number;
    readonly bytes: number;
    readonly embedder: string;
    readonly embedding?: { readonly done: number; readonly total: number } | undefined;
  }> {
    await this.#follower.catchUp();
    const { index, embedder, progress } = this.#deps;
    return {
      ...(await index.counts()),
      ...{ embedder: embedder()?.id ?? 'none', embedding: progress?.() },
    };
  }

  /** Has the index hear, in the background, of what it has not heard yet. */
  wake(): void {
    this.#follower.wake();
  }

  /**
   * Brings in what a process that died has taken whole. To be called before the first read. A full
   * disk must not keep the home from opening: then it is left to keepHouse().
   */
  async recover(): Promise<void> {
    try {
      await this.#imports.goOn();
    } catch (failure) {
      this.#deps.log.warn({ err: failure }, 'an import that was cut off could not go on yet');
    }
  }

  /** What has expired goes, and what a purge had to leave; an import that was cut off goes on. */
  async keepHouse(): Promise<void> {
    const deps = { ...this.#deps, follower: this.#follower };
    await dropExpired(deps, this.#deps.clock.now());
    await settlePurges(deps);
    await this.#imports.goOn();
    this.#follower.wake();
  }

  #maySee(
    sql: Sql,
    { principal }: MemoryActor,
    place: MemoryKey,
    isBelow = false,
  ): Promise<boolean> {
    return maySee(this.#deps, sql, { principal, place, action: 'read', isBelow });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#queries[Symbol.dispose]();
    await this.#follower[Symbol.asyncDispose]();
  }
}

/** That it was there, and nothing of what it said. */
function emptied(memory: Memory): Memory {
  return { ...memory, value: null, tags: [], thread: undefined };
}

export function unknownMemory(): AosError {
  return new AosError('memory.unknown', {
    message: 'There is no memory under that key',
    fix: 'aos memory list',
  });
}
