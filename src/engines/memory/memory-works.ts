/**
 * What is done with the index of memories, in its thread.
 *
 * T1. A damaged file is dropped, and one that was taken away is made anew. What it knew is lost
 *     then: a caller that counts on it is refused, until it has asked how far the index is.
 */
import { statSync } from 'node:fs';
import { AosError } from '../../kernel/errors.ts';
import type {
  EmbedderFacts,
  IndexChange,
  IndexPosition,
  IndexQuery,
  MemoryIndex,
  StoredVector,
  UnembeddedText,
} from '../../kernel/memory/index-port.ts';
import { must } from '../../kernel/must.ts';
import { searchableOf } from '../../memory/search/words.ts';
import { isDamage } from '../index-file.ts';
import { Grounds } from './memory-grounds.ts';
import { searchMemories } from './memory-search.ts';
import { type IndexedMemoryRow, MemoryStore, wordsSchema } from './memory-store.ts';
import { parsed, readPosition, writeChanges } from './memory-writing.ts';

export interface WantedIndex {
  readonly file: string;
  /** How far it has to be; undefined where the caller has not asked yet. */
  readonly at?: number | undefined;
}

export type MemoryTask =
  | { readonly kind: 'position' }
  | {
      readonly kind: 'apply';
      readonly changes: readonly IndexChange[];
      readonly position: IndexPosition;
    }
  | { readonly kind: 'clear' }
  | { readonly kind: 'search'; readonly query: IndexQuery }
  | { readonly kind: 'unembedded'; readonly embedder: EmbedderFacts; readonly limit: number }
  | {
      readonly kind: 'embedded';
      readonly embedder: EmbedderFacts;
      readonly vectors: readonly StoredVector[];
    }
  | { readonly kind: 'counts' }
  | { readonly kind: 'forget' };

class OpenIndex implements Disposable {
  readonly file: string;
  readonly store: MemoryStore;
  readonly grounds: Grounds;
  readonly handedOut = new HandedOut();

  constructor(file: string) {
    this.file = file;
    this.store = MemoryStore.open(file);
    this.grounds = new Grounds(this.store);
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]();
  }
}

let open: OpenIndex | undefined;

export function memoryWorks(work: WantedIndex & MemoryTask): unknown {
  try {
    return perform(indexOf(work), work);
  } catch (failure) {
    // What is kept of rows may be of a transaction that did not come to its end.
    open?.grounds.clear();
    if (!isDamage(failure)) throw diskTrouble(failure);
    drop(work.file);
    if (work.kind === 'position') return undefined;
    throw lost(failure);
  }
}

function indexOf({ file, at, kind }: WantedIndex & MemoryTask): OpenIndex {
  // The file may have been taken away, and what is still open has no name any more.
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  if (open?.file !== file || !isThere) {
    open?.[Symbol.dispose]();
    open = undefined;
    open = new OpenIndex(file);
  }
  const isAsked = kind !== 'position' && kind !== 'clear' && at !== undefined;
  if (isAsked && (readPosition(open.store)?.seq ?? 0) !== at) throw lost(undefined);
  return open;
}

function drop(file: string): void {
  open?.[Symbol.dispose]();
  open = undefined;
  MemoryStore.drop(file);
}

function perform({ file, store, grounds, handedOut }: OpenIndex, work: MemoryTask): unknown {
  if (work.kind === 'position') return readPosition(store);
  if (work.kind === 'search') return searchMemories(store, grounds, work.query);
  if (work.kind === 'unembedded') return unembeddedTexts(store, handedOut, work);
  if (work.kind === 'embedded') return keepVectors(store, handedOut, work);
  if (work.kind === 'counts') return countsOf(store, file);
  if (work.kind === 'forget') return forgetRemoved(store);
  if (work.kind === 'clear') return drop(file);
  const written = writeChanges(store, work.changes, work.position);
  grounds.follow(written);
  handedOut.noteChanges(written.flatMap(({ changed = [] }) => changed));
  return undefined;
}

function countsOf(store: MemoryStore, file: string): Awaited<ReturnType<MemoryIndex['counts']>> {
  const sizes = ['', '-wal'].map(
    (end) => statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0,
  );
  return {
    memories: countMemories(store),
    vectors: store.vectors.count(),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

/** T1 */
function lost(cause: unknown): AosError {
  return new AosError('disk.failed', {
    message: 'The search index of memories was damaged or taken away, and is made anew',
    fix: 'Ask again in a moment',
    cause,
  });
}

const troubles = [
  { errcode: 13, code: 'disk.full', why: 'the disk is full' },
  { errcode: 8, code: 'disk.read-only', why: 'nothing may be written there' },
  { errcode: 10, code: 'disk.failed', why: 'the disk failed' },
  { errcode: 14, code: 'disk.failed', why: 'its file cannot be opened' },
  { errcode: 5, code: 'disk.failed', why: 'another program holds its file' },
] as const;

/** What SQLite complains of, in words; anything else as it is. */
function diskTrouble(failure: unknown): unknown {
  if (!(failure instanceof Error) || !('errcode' in failure)) return failure;
  const errcode = Number(failure.errcode) & 0xff;
  const trouble = troubles.find((each) => each.errcode === errcode);
  if (trouble === undefined) return failure;
  return new AosError(trouble.code, {
    message: `The search index of memories cannot be used: ${trouble.why}`,
    fix: 'Make room on the disk of the home, or remove search.db, which is made anew',
    cause: failure,
  });
}

const mostCharacters = 4000;

/**
 * Texts that are being embedded at this moment. Where one changes meanwhile its vector is not
 * taken.
 */
class HandedOut {
  readonly #ids = new Set<number>();
  readonly #changed = new Set<number>();

  handOut(ids: readonly number[]): void {
    for (const id of ids) {
      this.#ids.add(id);
      this.#changed.delete(id);
    }
  }

  noteChanges(ids: readonly number[]): void {
    for (const id of ids) if (this.#ids.has(id)) this.#changed.add(id);
  }

  /** Whether the vector is of the text as it is now. */
  takeBack(id: number): boolean {
    this.#ids.delete(id);
    return !this.#changed.delete(id);
  }
}

function unembeddedTexts(
  store: MemoryStore,
  handedOut: HandedOut,
  { embedder, limit }: { readonly embedder: EmbedderFacts; readonly limit: number },
): readonly UnembeddedText[] {
  const rows = store.transact(() => {
    store.vectors.use(embedder);
    return store.vectors.count() === countMemories(store) ? [] : rowsWithout(store, limit);
  });
  handedOut.handOut(rows.map(({ id }) => id));
  // Each for itself: a reader who may see one text may not be allowed to see the one before it.
  return rows.map(({ id, text }) => ({ id, text: text.slice(0, mostCharacters).toWellFormed() }));
}

function keepVectors(
  store: MemoryStore,
  handedOut: HandedOut,
  {
    embedder,
    vectors,
  }: { readonly embedder: EmbedderFacts; readonly vectors: readonly StoredVector[] },
): void {
  store.transact(() => {
    store.vectors.use(embedder);
    const wanted = vectors.filter(({ id }) => handedOut.takeBack(id) && isThere(store, id));
    store.vectors.put(wanted);
  });
}

function countMemories(store: MemoryStore): number {
  const row = store.get<{ count: number }>('select count(*) as count from memory');
  return must(row, 'the count of memories').count;
}

function isThere(store: MemoryStore, id: number): boolean {
  return store.get('select 1 from memory where id = ?', id) !== undefined;
}

function rowsWithout(store: MemoryStore, limit: number): readonly IndexedMemoryRow[] {
  return store.all(
    `select * from memory
     where not exists (select 1 from vector_ids where vector_ids.id = memory.id)
     order by id desc limit ?`,
    limit,
  );
}

/**
 * Real erasure. What was removed is overwritten in the tables and in the index of words at once.
 * Two things may still have it: the log of the database, and the signposts of the index of words,
 * each of which is the beginning of a word, kept also where the word is gone.
 */
function forgetRemoved(store: MemoryStore): void {
  if (hasStraySignpost(store)) store.transact(() => rebuildWords(store));
  const log = store.get<{ busy: number }>('pragma wal_checkpoint(truncate)');
  if (log?.busy !== 0) throw new Error('the log of the index could not be emptied');
}

/** Whether one is the beginning of no word that is there. */
function hasStraySignpost(store: MemoryStore): boolean {
  const signposts = store.all<{ term: string | Uint8Array }>('select term from words_idx');
  return signposts.some(({ term }) => {
    // Behind a mark of one byte, which says of which part of the index it is.
    const beginning = Buffer.from(term).subarray(1).toString();
    if (beginning === '') return false;
    const found = store.get(
      'select 1 from terms where term >= ? and term < ? limit 1',
      ...[beginning, `${beginning}\u{10ffff}`],
    );
    return found === undefined;
  });
}

function rebuildWords(store: MemoryStore): void {
  store.exec(`drop table terms; drop table words; ${wordsSchema}`);
  const rows =
    'select number, key, text, tags from memory where number > ? order by number limit 500';
  for (let last = -1; ; ) {
    const page = store.all<IndexedMemoryRow>(rows, last);
    for (const row of page) store.addWords(row.number, searchableOf(parsed(row)));
    const end = page.at(-1)?.number;
    if (end === undefined) return;
    last = end;
  }
}
