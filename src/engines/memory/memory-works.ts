/**
 * What is done with the index of memories, in its thread.
 *
 * T1. A damaged file is dropped, and one that was taken away is made anew. What it knew is lost
 *     then: whoever counts on it is refused, until they have asked how far it is.
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
} from '../../kernel/memory/index-port.ts';
import { isDamage } from '../index-file.ts';
import { diskTrouble } from './disk-trouble.ts';
import { countMemories, HandedOut, keepVectors, unembeddedTexts } from './memory-embedding.ts';
import { forgetRemoved } from './memory-forgetting.ts';
import { Grounds } from './memory-grounds.ts';
import { searchMemories } from './memory-search.ts';
import { MemoryStore } from './memory-store.ts';
import { readPosition, writeChanges } from './memory-writing.ts';

export interface WantedIndex {
  readonly file: string;
  /** How far it has to be; undefined where nobody has asked yet. */
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
  // Somebody may have taken the file away, and what is still open is nobody's any more.
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
