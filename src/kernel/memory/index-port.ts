/**
 * The search index of memories: a port. It repeats what the ledger says and may be lost; the
 * ledger is asked again for everything that is found.
 */
import type { PathTarget } from '../capability/capability.ts';
import type { Instant } from '../ports.ts';
import type { MemoryScope } from './memory.ts';

/** A version that can be found, now or one day: of each key the newest that counts is. */
export interface IndexedMemory {
  readonly id: number;
  readonly owner: string;
  readonly scope: MemoryScope;
  readonly key: string;
  /** Of a value that is no text, the names and values in it. */
  readonly text: string;
  readonly tags: readonly string[];
  readonly thread: string | undefined;
  readonly validFrom: Instant;
  /** From then on it counts; undefined where it has begun. */
  readonly countsFrom?: Instant | undefined;
  /** From then on it counts no more. */
  readonly countsTo?: Instant | undefined;
}

/** Undefined where it is not to be found any more. */
export interface IndexChange {
  readonly id: number;
  readonly memory: IndexedMemory | undefined;
}

/** How far the index has followed the ledger, and of which ledger that was true. */
export interface IndexPosition {
  readonly seq: number;
  /** The last event that the ledger had then, so that another ledger in its place is noticed. */
  readonly event: number;
  readonly eventHash: string;
}

/** Where may be looked: in what one principal has in a scope, as far as the chains of grants go. */
export interface MemoryReach {
  readonly owner: string;
  readonly scope: MemoryScope;
  /** Of keys, each chain an AND; `all` is every key. */
  readonly chains: 'all' | readonly (readonly PathTarget[])[];
}

export interface IndexQuery {
  /** As it was typed. */
  readonly query: string;
  readonly within: readonly MemoryReach[];
  /** Only below this key. */
  readonly prefix?: string | undefined;
  /** All of these. */
  readonly tags: readonly string[];
  /** None of these. */
  readonly withoutTags?: readonly string[] | undefined;
  readonly after?: Instant | undefined;
  readonly before?: Instant | undefined;
  /** What the query says of time: what lies within comes first, and nothing is left out. */
  readonly likelier?: { readonly after?: Instant; readonly before?: Instant } | undefined;
  readonly now: Instant;
  /** Of the query, by the embedder that the vectors are of. */
  readonly vector?: Float32Array | undefined;
  readonly limit: number;
  /** `thread`: one hit a thread, its best memory; memories without a thread stand for themselves. */
  readonly by: 'memory' | 'thread';
  /** What is told once: what says nearly the same, or only what says the very same. */
  readonly once?: 'alike' | 'equal' | undefined;
}

export interface IndexFound {
  readonly hits: readonly IndexHit[];
  /** Others fit too, and would be told with a higher limit. */
  readonly hasMore: boolean;
}

export interface IndexHit {
  readonly id: number;
  /** Between 0 and 1; the best comes first. */
  readonly score: number;
  readonly parts: ScoreParts;
  /** The stretch of the text that fits best, at most 200 characters. */
  readonly snippet: string;
  /**
   * Others of the same owner and scope that say nearly the same, which are left out; the best
   * first.
   */
  readonly alike: readonly AlikeHit[];
  /** So many fit in its place that there may be more of them. */
  readonly hasMoreAlike: boolean;
}

export type AlikeHit = Pick<IndexHit, 'id' | 'score' | 'parts'>;

/** What the score is made of: each between 0 and 1, and undefined where it was not asked for. */
export interface ScoreParts {
  /** By its words. */
  readonly words: number;
  /** By its meaning. */
  readonly dense?: number | undefined;
  /** How new it is; it only decides between those that are alike. */
  readonly recency: number;
}

export interface MemoryIndex extends AsyncDisposable {
  /** Undefined where it knows nothing yet, also because it was damaged and dropped. */
  position(): Promise<IndexPosition | undefined>;
  /** All of it or nothing, also where the process dies. Nothing of what it removes stays in the file. */
  apply(changes: readonly IndexChange[], position: IndexPosition): Promise<void>;
  /** Forgets everything. */
  clear(): Promise<void>;
  search(query: IndexQuery, signal: AbortSignal): Promise<IndexFound>;
  /** Texts that have no vector of this embedder yet, the newest first. Others' vectors are dropped. */
  withoutVector(embedder: EmbedderFacts, limit: number): Promise<readonly UnembeddedText[]>;
  /** Of texts that have gone meanwhile nothing is kept. */
  putVectors(embedder: EmbedderFacts, vectors: readonly StoredVector[]): Promise<void>;
  counts(): Promise<{
    readonly memories: number;
    readonly vectors: number;
    readonly bytes: number;
  }>;
  /** Once nothing of what was removed is in any of its files. */
  forget(): Promise<void>;
}

export interface EmbedderFacts {
  /** Of the model too: vectors of another are of no use. */
  readonly id: string;
  readonly dimensions: number;
}

export interface UnembeddedText {
  readonly id: number;
  /** Cut to what an embedder takes. */
  readonly text: string;
}

export interface StoredVector {
  readonly id: number;
  readonly vector: Float32Array;
}

/** Turns texts into vectors; of unit length. */
export interface Embedder extends EmbedderFacts, AsyncDisposable {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}
