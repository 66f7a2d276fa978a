/** The rows of vectors.ts. All vectors are of unit length. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EmbedderFacts, StoredVector } from '../../kernel/memory/index-port.ts';
import { must } from '../../kernel/must.ts';

// The ids apart: they are counted and joined without a look at the vectors.
const schema = `
  create table if not exists vector_embedder (
    id text not null, dimensions integer not null) strict;
  create table if not exists vector_ids (id integer primary key) strict;
  create table if not exists vectors (id integer primary key, vector blob not null) strict;`;

const statements = {
  embedder: 'select id, dimensions from vector_embedder',
  setEmbedder: 'insert into vector_embedder (id, dimensions) values (?, ?)',
  putId: 'insert into vector_ids (id) values (?) on conflict do nothing',
  put: `insert into vectors (id, vector) values (?, ?)
    on conflict do update set vector = excluded.vector`,
  removeId: 'delete from vector_ids where id = ?',
  remove: 'delete from vectors where id = ?',
  has: 'select 1 from vector_ids where id = ?',
  count: 'select count(*) as count from vector_ids',
  get: 'select vector from vectors where id = ?',
  all: 'select id, vector from vectors',
  compare: 'select id, 1 - vec_distance_cosine(vector, ?) from vectors',
} as const;

export interface VectorTableOptions {
  /** Who does the sum for each vector: the extension does it in half of the time. */
  readonly comparesBy: 'sqlite-vec' | 'itself';
}

export class VectorTable {
  readonly #database: DatabaseSync;
  readonly #options: VectorTableOptions;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, options: VectorTableOptions) {
    this.#database = database;
    this.#options = options;
    database.exec(schema);
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  embedder(): EmbedderFacts | undefined {
    // The schema, which is ours, gives the types.
    return this.#statement('embedder').get() as EmbedderFacts | undefined;
  }

  setEmbedder({ id, dimensions }: EmbedderFacts): void {
    this.#statement('setEmbedder').run(id, dimensions);
  }

  put(id: number, vector: Float32Array): void {
    this.#statement('putId').run(id);
    this.#statement('put').run(id, bytesOf(vector));
  }

  /** Whether there was one. */
  remove(id: number): boolean {
    if (this.#statement('removeId').run(id).changes === 0) return false;
    this.#statement('remove').run(id);
    return true;
  }

  clear(): void {
    this.#database.exec('delete from vectors; delete from vector_ids; delete from vector_embedder');
  }

  has(id: number): boolean {
    return this.#statement('has').get(id) !== undefined;
  }

  count(): number {
    return Number(this.#statement('count').get()?.['count']);
  }

  get(id: number): Float32Array | undefined {
    const bytes = this.#statement('get').get(id)?.['vector'];
    return bytes instanceof Uint8Array ? vectorOf(bytes) : undefined;
  }

  *all(): Generator<StoredVector> {
    for (const [id, bytes] of this.#lists<[number, Uint8Array]>('all')) {
      yield { id, vector: vectorOf(bytes) };
    }
  }

  /** With every vector of the table. */
  compare(unit: Float32Array): Similarities {
    const size = this.count();
    const ids = new Float64Array(size);
    const values = new Float32Array(size);
    let place = 0;
    for (const [id, value] of this.#comparisons(unit)) {
      ids[place] = id;
      values[place++] = value;
    }
    return { ids, values };
  }

  *#comparisons(unit: Float32Array): Generator<readonly [id: number, value: number]> {
    if (this.#options.comparesBy === 'sqlite-vec') {
      yield* this.#lists<[number, number]>('compare', bytesOf(unit));
    } else {
      for (const { id, vector } of this.all()) yield [id, cosine(unit, vector, 0)];
    }
  }

  /** Rows as lists of values, which are made in half the time. */
  #lists<Row extends unknown[]>(name: keyof typeof statements, ...values: Uint8Array[]) {
    const statement = this.#statement(name);
    statement.setReturnArrays(true);
    // The schema gives the types here too.
    return statement.iterate(...values) as unknown as Iterable<Row>;
  }

  #statement(name: keyof typeof statements): StatementSync {
    const statement = this.#prepared.get(name) ?? this.#database.prepare(statements[name]);
    this.#prepared.set(name, statement);
    return statement;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function vectorOf(bytes: Uint8Array): Float32Array {
  // Where it lies in memory is SQLite's choice, and numbers have to lie evenly.
  const even = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(even.buffer, even.byteOffset, Math.floor(even.byteLength / 4));
}

/**
 * Of two vectors of unit length, the second of which begins somewhere in a longer list. By index:
 * `for … of` takes five times as long, and this is done for each vector there is. `must` instead of
 * `?? 0` would take a tenth longer.
 */
export function cosine(unit: Float32Array, list: Float32Array, begin: number): number {
  let sum = 0;
  for (let index = 0; index < unit.length; index++) {
    sum += (unit[index] ?? 0) * (list[begin + index] ?? 0);
  }
  return sum;
}

/** How near each vector is, by place. */
interface Similarities {
  readonly ids: Float64Array;
  readonly values: Float32Array;
}

export interface NearVector {
  readonly id: number;
  /** 1 is the same direction, -1 the opposite one. */
  readonly similarity: number;
}

const firstPortion = 64;

/** The nearest first, of equals the newest. Few are ever looked at, so that few are sorted. */
export function* nearestFirst({ ids, values }: Similarities): Generator<NearVector, void, void> {
  const sorted = values.toSorted();
  let above = Number.POSITIVE_INFINITY;
  let portion = firstPortion;
  for (let rest = values.length; rest > 0; portion *= 8) {
    rest = Math.max(0, rest - portion);
    const least = must(sorted[rest], 'the least of a portion');
    const near = within({ ids, values }, least, above);
    yield* near.sort((one, other) => other.similarity - one.similarity || other.id - one.id);
    above = least;
  }
}

/** By index, as cosine() is: all of them are looked at. */
function within({ ids, values }: Similarities, least: number, above: number): NearVector[] {
  const near: NearVector[] = [];
  for (let place = 0; place < values.length; place++) {
    const similarity = values[place] ?? 0;
    if (similarity >= least && similarity < above) near.push({ id: ids[place] ?? 0, similarity });
  }
  return near;
}

/** Vectors in memory, one behind the other. */
export class VectorList {
  readonly #dimensions: number;
  readonly #places = new Map<number, number>();
  #ids: Float64Array;
  #numbers: Float32Array;

  constructor(dimensions: number, size: number) {
    this.#dimensions = dimensions;
    this.#ids = new Float64Array(size);
    this.#numbers = new Float32Array(size * dimensions);
  }

  set(id: number, vector: Float32Array): void {
    const place = this.#places.get(id) ?? this.#places.size;
    if (place === this.#ids.length) this.#grow();
    this.#places.set(id, place);
    this.#ids[place] = id;
    this.#numbers.set(vector, place * this.#dimensions);
  }

  /** The last one takes its place. */
  remove(id: number): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    const last = this.#places.size - 1;
    const lastId = must(this.#ids[last], 'the last vector');
    const from = last * this.#dimensions;
    this.#numbers.copyWithin(place * this.#dimensions, from, from + this.#dimensions);
    this.#ids[place] = lastId;
    this.#places.set(lastId, place);
    this.#places.delete(id);
  }

  /** With every vector of the list. */
  compare(unit: Float32Array): Similarities {
    const size = this.#places.size;
    const values = new Float32Array(size);
    for (let place = 0; place < size; place++) {
      values[place] = cosine(unit, this.#numbers, place * this.#dimensions);
    }
    return { ids: this.#ids.subarray(0, size), values };
  }

  #grow(): void {
    const size = Math.max(64, Math.ceil(this.#ids.length * 1.5));
    const ids = new Float64Array(size);
    const numbers = new Float32Array(size * this.#dimensions);
    ids.set(this.#ids);
    numbers.set(this.#numbers);
    this.#ids = ids;
    this.#numbers = numbers;
  }
}
