/**
 * The search index follows the ledger.
 *
 * F1. It holds how far it has got, written together with what it heard of: a process that dies
 *     between the two files leaves an index that is behind, and hears of the rest at the next look.
 * F2. It names the last event that the ledger had then. Where that event is another, or gone, the
 *     ledger is not the one that it followed (a backup was restored), and it begins anew.
 */

import type { IndexChange, IndexedMemory, IndexPosition } from '../kernel/memory/index-port.ts';
import { must } from '../kernel/must.ts';
import type { Instant } from '../kernel/ports.ts';
import { early } from '../kernel/turns.ts';
import { readEvents } from '../ledger/events.ts';
import { storingTimes } from '../ledger/memory/found-memories.ts';
import {
  type ChangedMemory,
  lastMemoryChange,
  type MemoryChange,
  memoryChanges,
} from '../ledger/memory/uses.ts';
import type { MemoryDeps } from './deps.ts';
import { searchableText } from './store.ts';

type FollowDeps = Pick<MemoryDeps, 'ledger' | 'index' | 'clock' | 'log' | 'onIndexed'>;

const momentMs = 50;
const pageSize = 500;
const pageCharacters = 4_000_000;

export class IndexFollower implements AsyncDisposable {
  readonly #deps: FollowDeps;
  readonly #over = new AbortController();
  #position: IndexPosition | undefined;
  #running: Promise<void> | undefined;
  #isWaiting = false;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  /** Resolves when all that the ledger had at this moment is in the index. */
  async catchUp(): Promise<void> {
    // What runs already may have looked before.
    if (this.#running !== undefined) await this.#running.catch(() => {});
    this.#running ??= this.#follow();
    await this.#running;
  }

  /** In the background, in a moment: what comes close together is told together. */
  wake(): void {
    if (this.#isWaiting || this.#over.signal.aborted) return;
    this.#isWaiting = true;
    this.#deps.clock.sleep(momentMs, this.#over.signal).then(
      () => this.#followLater(),
      // It is over.
      () => {},
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(early);
    await this.#running?.catch(() => {});
  }

  #followLater(): void {
    this.#isWaiting = false;
    this.#running ??= this.#follow();
    this.#running.catch((failure: unknown) => {
      if (this.#over.signal.aborted) return;
      this.#deps.log.warn({ err: failure }, 'the search index of memories is behind');
    });
  }

  async #follow(): Promise<void> {
    try {
      await this.#followOnce();
    } catch (failure) {
      // Perhaps it was dropped because it was damaged: then it has to be asked how far it is.
      this.#position = undefined;
      throw failure;
    } finally {
      this.#running = undefined;
    }
  }

  async #followOnce(): Promise<void> {
    const { ledger, index } = this.#deps;
    let from = await this.#begin();
    for (;;) {
      const changes = await memoryChanges(ledger.committed, from.seq, pageSize);
      if (changes.length === 0) break;
      const head = await lastEvent(ledger.committed);
      for (const page of pagesOf(changes)) {
        const { seq } = must(page.at(-1), 'the last change of a page');
        from = { seq, event: head?.seq ?? 0, eventHash: head?.hash ?? '' };
        await index.apply(await indexChanges(ledger.committed, page, this.#deps.clock.now()), from);
        this.#position = from;
      }
      this.#deps.onIndexed?.();
      // What came since is told with what comes next.
      if (changes.length < pageSize) break;
    }
    this.#position = from;
  }

  /** F2 */
  async #begin(): Promise<IndexPosition> {
    const { ledger, index } = this.#deps;
    // Asked each time: the file may have been lost, and made anew.
    const known = await index.position();
    if (known !== undefined && known.seq === this.#position?.seq) return this.#position;
    if (known !== undefined && (await isOfThis(ledger.committed, known))) return known;
    if (known !== undefined) await index.clear();
    return { seq: 0, event: 0, eventHash: '' };
  }
}

type Sql = MemoryDeps['ledger']['committed'];

async function isOfThis(sql: Sql, { seq, event, eventHash }: IndexPosition): Promise<boolean> {
  if (seq > (await lastMemoryChange(sql))) return false;
  if (event === 0) return true;
  const filter = { after: event - 1, before: event + 1 };
  const [found] = await readEvents(sql, filter, { limit: 1, order: 'oldest-first' });
  return found?.hash === eventHash;
}

async function lastEvent(sql: Sql) {
  const [last] = await readEvents(sql, {}, { limit: 1, order: 'newest-first' });
  return last;
}

/** Few where they are long. */
function* pagesOf(changes: readonly MemoryChange[]): Generator<readonly MemoryChange[]> {
  let page: MemoryChange[] = [];
  let size = 0;
  for (const change of changes) {
    page.push(change);
    size += change.row?.value.length ?? 0;
    if (size < pageCharacters) continue;
    yield page;
    [page, size] = [[], 0];
  }
  if (page.length > 0) yield page;
}

async function indexChanges(
  sql: Sql,
  changes: readonly MemoryChange[],
  now: Instant,
): Promise<readonly IndexChange[]> {
  const ahead = changes.filter(({ row }) => row !== undefined && row.valid_from > now);
  // A clock that was set back does not hide what was so when it was stored.
  const ids = ahead.map(({ id }) => id);
  const stored = ids.length === 0 ? undefined : await storingTimes(sql, ids);
  return changes.map(({ id, row }) => {
    if (row === undefined || !isToBeFound(row, now)) return { id, memory: undefined };
    const hasBegun = row.valid_from <= Math.max(now, stored?.get(id) ?? now);
    return { id, memory: indexed(row, { hasBegun }) };
  });
}

/** What is so no more is not searched for. What will be so one day is found by then. */
function isToBeFound(row: ChangedMemory, now: Instant): boolean {
  if (row.forgotten_at !== null || (row.valid_to !== null && row.valid_to <= now)) return false;
  return row.expires_at === null || row.expires_at > now;
}

function indexed(row: ChangedMemory, { hasBegun }: { readonly hasBegun: boolean }): IndexedMemory {
  const ends = [row.valid_to, row.expires_at].filter((end) => end !== null);
  return {
    ...{ id: row.id, owner: row.owner, scope: row.scope, key: row.key },
    text: searchableText(row).replaceAll('\0', ' '),
    // Written by us, as a list of texts.
    tags: JSON.parse(row.tags) as readonly string[],
    thread: row.thread ?? undefined,
    validFrom: row.valid_from,
    countsFrom: hasBegun ? undefined : row.valid_from,
    countsTo: ends.length === 0 ? undefined : Math.min(...ends),
  };
}
