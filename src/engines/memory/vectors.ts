/**
 * Vectors in a database that the caller has opened: a table of blobs, each of which is compared
 * with what is asked for. docs/decisions.md says why that is better than an index of vectors.
 *
 * V1. All are of one embedder, and of its dimensions. What is not is dropped.
 * V2. Everything is written in the transaction of who calls, and gone with it where that is rolled
 *     back: what is kept in memory follows the table, and is never believed over it.
 * V3. Nothing of what is removed stays in the file, where `secure_delete` is on.
 */
import type { DatabaseSync } from 'node:sqlite';
import { AosError } from '../../kernel/errors.ts';
import type { EmbedderFacts, StoredVector } from '../../kernel/memory/index-port.ts';
import { unitVector } from '../../kernel/memory/memory.ts';
import { findPackaged } from '../packaged-file.ts';
import { type NearVector, nearestFirst, VectorList, VectorTable } from './vector-table.ts';

export interface Vectors {
  /** From now on they are this embedder's. */
  use(embedder: EmbedderFacts): void;
  /** Replaces. */
  put(vectors: readonly StoredVector[]): void;
  remove(ids: readonly number[]): void;
  clear(): void;
  has(id: number): boolean;
  count(): number;
  /** The nearest by cosine, the nearest first, of those that `isWanted` says yes to. */
  nearest(
    vector: Float32Array,
    limit: number,
    isWanted: (id: number) => boolean,
  ): readonly NearVector[];
}

export interface VectorsOptions {
  /** `none`: without sqlite-vec, also where it is there. */
  readonly extension?: 'none' | undefined;
  /** So much is kept in memory. Where there is more, the table is read for each question. */
  readonly mostKeptBytes?: number | undefined;
}

const usuallyKeptBytes = 128 * 1024 * 1024;

/** Makes the tables where they are missing. sqlite-vec needs a database with `allowExtension`. */
export function openVectors(
  database: DatabaseSync,
  { extension, mostKeptBytes = usuallyKeptBytes }: VectorsOptions = {},
): Vectors {
  const hasExtension = extension !== 'none' && loadSqliteVec(database);
  const table = new VectorTable(database, { comparesBy: hasExtension ? 'sqlite-vec' : 'itself' });
  return new TableVectors(table, new KeptVectors(table, mostKeptBytes));
}

class TableVectors implements Vectors {
  readonly #table: VectorTable;
  readonly #kept: KeptVectors;

  constructor(table: VectorTable, kept: KeptVectors) {
    this.#table = table;
    this.#kept = kept;
  }

  /** V1 */
  use({ id, dimensions }: EmbedderFacts): void {
    const used = this.#table.embedder();
    if (used?.id === id && used.dimensions === dimensions) return;
    this.clear();
    this.#table.setEmbedder({ id, dimensions });
  }

  put(vectors: readonly StoredVector[]): void {
    const dimensions = this.#table.embedder()?.dimensions;
    for (const { id, vector } of vectors) {
      const unit = vector.length === dimensions ? unitVector(vector) : undefined;
      if (unit === undefined) throw noVector(dimensions);
      this.#table.put(id, unit);
      this.#kept.noteChange(id);
    }
  }

  remove(ids: readonly number[]): void {
    for (const id of ids) if (this.#table.remove(id)) this.#kept.noteChange(id);
  }

  clear(): void {
    this.#table.clear();
    this.#kept.drop();
  }

  has(id: number): boolean {
    return this.#table.has(id);
  }

  count(): number {
    return this.#table.count();
  }

  nearest(
    vector: Float32Array,
    limit: number,
    isWanted: (id: number) => boolean,
  ): readonly NearVector[] {
    const unit = unitVector(vector);
    if (unit === undefined || unit.length !== this.#table.embedder()?.dimensions) return [];
    const comparing = this.#kept.list(unit.length) ?? this.#table;
    return nearestFirst(comparing.compare(unit))
      .filter(({ id }) => isWanted(id))
      .take(limit)
      .toArray();
  }
}

function noVector(dimensions: number | undefined): AosError {
  return new AosError('memory.embedder-failed', {
    message: `What the embedder made is no vector of ${dimensions ?? 'any'} numbers`,
    fix: 'Check which embedder is configured',
  });
}

class KeptVectors {
  readonly #table: VectorTable;
  readonly #mostBytes: number;
  readonly #changed = new Set<number>();
  #list: VectorList | undefined;

  constructor(table: VectorTable, mostBytes: number) {
    this.#table = table;
    this.#mostBytes = mostBytes;
  }

  noteChange(id: number): void {
    if (this.#list !== undefined) this.#changed.add(id);
  }

  drop(): void {
    this.#list = undefined;
    this.#changed.clear();
  }

  /** As the table is at this moment; undefined where it is too large to be kept. */
  list(dimensions: number): VectorList | undefined {
    if (this.#table.count() * dimensions * Float32Array.BYTES_PER_ELEMENT > this.#mostBytes) {
      this.drop();
      return undefined;
    }
    const list = this.#list ?? this.#read(dimensions);
    for (const id of this.#changed) {
      const vector = this.#table.get(id);
      if (vector === undefined) list.remove(id);
      else list.set(id, vector);
    }
    // What a transaction has changed may be rolled back. It is looked at again after that.
    if (this.#table.isInTransaction) return list;
    this.#changed.clear();
    this.#list = list;
    return list;
  }

  #read(dimensions: number): VectorList {
    const list = new VectorList(dimensions, this.#table.count());
    for (const { id, vector } of this.#table.all()) list.set(id, vector);
    return list;
  }
}

/**
 * Loads sqlite-vec, an optional package with a library for each kind of machine. Returns whether its
 * functions can be used from now on.
 */
function loadSqliteVec(database: DatabaseSync): boolean {
  const end = process.platform === 'darwin' ? 'dylib' : 'so';
  const library = findPackaged([`sqlite-vec-${process.platform}-${process.arch}`, `vec0.${end}`]);
  if (library === undefined) return false;
  try {
    database.enableLoadExtension(true);
  } catch {
    // It was opened so that nothing can be loaded into it.
    return false;
  }
  try {
    database.loadExtension(library);
    return true;
  } catch {
    // It is made for another libc, or forbidden here: what it does is done without it.
    return false;
  } finally {
    database.enableLoadExtension(false);
  }
}
