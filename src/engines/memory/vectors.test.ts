import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openVectors, type Vectors, type VectorsOptions } from './vectors.ts';

const embedder = { id: 'toy', dimensions: 3 };
const every = () => true;

interface World extends AsyncDisposable {
  readonly database: DatabaseSync;
  readonly vectors: Vectors;
  /** The same file, opened anew. */
  reopen(): Vectors;
  /** Every byte of every file. */
  raw(): Buffer;
}

function world(options: VectorsOptions = {}): World {
  const folder = temporaryFolder();
  const opened: DatabaseSync[] = [];
  const open = (): DatabaseSync => {
    const database = new DatabaseSync(folder.at('search.db'), { allowExtension: true });
    opened.push(database);
    database.exec('pragma secure_delete = on; pragma synchronous = off');
    return database;
  };
  const database = open();
  return {
    database,
    vectors: openVectors(database, options),
    reopen: () => openVectors(open(), options),
    raw: () => Buffer.concat(readdirSync(folder.path).map((name) => readFileSync(folder.at(name)))),
    [Symbol.asyncDispose]: () => {
      for (const one of opened) one.close();
      return folder[Symbol.asyncDispose]();
    },
  };
}

const vector = (...numbers: number[]): Float32Array => Float32Array.from(numbers);
const ids = (found: readonly { readonly id: number }[]): number[] => found.map(({ id }) => id);

/** By a seed, so that a failure can be seen again. */
function scattered(seed: number, dimensions: number): Float32Array {
  let state = seed;
  return new Float32Array(dimensions).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

describe.each([
  ['kept in memory', {}],
  ['compared by sqlite-vec', { mostKeptBytes: 0 }],
  ['compared by ourselves', { mostKeptBytes: 0, extension: 'none' }],
] as const)('%s:', (_how, options) => {
  test('the nearest come first, by their direction and not by their length', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    place.vectors.put([
      { id: 1, vector: vector(0, 9, 0) },
      { id: 2, vector: vector(1, 1, 0) },
      { id: 3, vector: vector(0.1, 0, 0) },
      { id: 4, vector: vector(-1, 0, 0) },
    ]);

    const found = place.vectors.nearest(vector(5, 0, 0), 10, every);

    expect(ids(found)).toEqual([3, 2, 1, 4]);
    expect(found[0]?.similarity).toBeCloseTo(1, 5);
    expect(found[1]?.similarity).toBeCloseTo(Math.SQRT1_2, 5);
    expect(found[2]?.similarity).toBeCloseTo(0, 5);
    expect(found[3]?.similarity).toBeCloseTo(-1, 5);
  });

  test('of equals the newest comes first', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    place.vectors.put([5, 9, 2, 7].map((id) => ({ id, vector: vector(1, 2, 3) })));
    place.vectors.remove([9]);

    expect(ids(place.vectors.nearest(vector(1, 2, 3), 2, every))).toEqual([7, 5]);
  });

  test('the same are found as by looking at each, whoever is wanted', async () => {
    await using place = world(options);
    const stored = Array.from({ length: 700 }, (_, index) => ({
      id: index + 1,
      vector: scattered(index + 1, 37),
    }));
    place.vectors.use({ id: 'toy', dimensions: 37 });
    place.vectors.put(stored);
    const asked = scattered(9999, 37);
    const bySimilarity = stored
      .map(({ id, vector: one }) => ({ id, similarity: similarity(one, asked) }))
      .sort((one, other) => other.similarity - one.similarity);

    for (const every of [1, 7, 350, 1000]) {
      const isWanted = (id: number): boolean => id % every === 0;
      const wanted = bySimilarity.filter(({ id }) => isWanted(id)).slice(0, 20);
      expect(ids(place.vectors.nearest(asked, 20, isWanted))).toEqual(ids(wanted));
    }
  });

  test('nobody is asked about more than is needed', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    place.vectors.put(
      Array.from({ length: 300 }, (_, index) => ({ id: index, vector: vector(1, index, 0) })),
    );
    const asked: number[] = [];

    place.vectors.nearest(vector(1, 0, 0), 3, (id) => asked.push(id) > 0);

    expect(asked).toEqual([0, 1, 2]);
  });

  test('a vector that is put again replaces the one that was there', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    place.vectors.put([{ id: 1, vector: vector(1, 0, 0) }]);
    place.vectors.nearest(vector(1, 0, 0), 1, every);

    place.vectors.put([{ id: 1, vector: vector(0, 1, 0) }]);

    expect(place.vectors.count()).toBe(1);
    expect(place.vectors.nearest(vector(0, 1, 0), 1, every)[0]?.similarity).toBeCloseTo(1, 5);
  });

  test('what is removed is found no more, and the others are', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    place.vectors.put([1, 2, 3].map((id) => ({ id, vector: vector(1, id, 0) })));
    place.vectors.nearest(vector(1, 0, 0), 1, every);

    place.vectors.remove([1, 77]);

    expect(ids(place.vectors.nearest(vector(1, 0, 0), 9, every))).toEqual([2, 3]);
    expect([1, 2, 3, 77].map((id) => place.vectors.has(id))).toEqual([false, true, true, false]);
    expect(place.vectors.count()).toBe(2);
  });

  test('what a transaction did is undone where it is rolled back, seen meanwhile or not', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    place.vectors.put([1, 2].map((id) => ({ id, vector: vector(1, id, 0) })));
    const nearest = () => ids(place.vectors.nearest(vector(1, 0, 0), 9, every));
    expect(nearest()).toEqual([1, 2]);

    place.database.exec('begin');
    place.vectors.remove([1]);
    place.vectors.put([
      { id: 2, vector: vector(0, 0, 1) },
      { id: 3, vector: vector(1, 0, 0) },
    ]);
    expect(nearest()).toEqual([3, 2]);
    place.database.exec('rollback');

    expect(nearest()).toEqual([1, 2]);
    expect(place.vectors.nearest(vector(1, 2, 0), 1, every)[0]?.similarity).toBeCloseTo(1, 5);
  });

  test('after any puts, removals and rollbacks the same is found as in a list', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    const dice = scattered(7, 3000).map((part) => part + 0.5);
    let thrown = 0;
    const upTo = (most: number) => Math.floor((dice[thrown++] ?? 0) * most);
    let kept = new Map<number, Float32Array>();

    for (let round = 0; round < 100; round++) {
      const tried = new Map(kept);
      place.database.exec('begin');
      for (let change = upTo(6); change > 0; change--) {
        const id = 1 + upTo(20);
        if (upTo(3) === 0) {
          place.vectors.remove([id]);
          tried.delete(id);
        } else {
          tried.set(id, scattered(1 + upTo(1e6), 3));
          place.vectors.put([{ id, vector: tried.get(id) ?? vector() }]);
        }
      }
      if (upTo(2) === 0) expect(nearestIn(place.vectors)).toEqual(nearestOf(tried));
      const isKept = upTo(3) > 0;
      place.database.exec(isKept ? 'commit' : 'rollback');
      if (isKept) kept = tried;
      expect(nearestIn(place.vectors)).toEqual(nearestOf(kept));
    }
  });

  test('another embedder drops all, unless that is rolled back', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    place.vectors.put([{ id: 1, vector: vector(1, 0, 0) }]);

    place.database.exec('begin');
    place.vectors.use({ id: 'other', dimensions: 2 });
    expect(place.vectors.nearest(vector(1, 0), 9, every)).toEqual([]);
    place.database.exec('rollback');
    expect(ids(place.vectors.nearest(vector(1, 0, 0), 9, every))).toEqual([1]);
    place.vectors.use({ id: 'other', dimensions: 3 });

    expect(place.vectors.count()).toBe(0);
    expect(place.vectors.has(1)).toBe(false);
    expect(place.vectors.nearest(vector(1, 0, 0), 9, every)).toEqual([]);
  });

  test('the same embedder finds what it put before, also in a file that is opened again', async () => {
    await using place = world(options);
    place.vectors.use(embedder);
    place.vectors.put([{ id: 4, vector: vector(1, 0, 0) }]);

    const again = place.reopen();
    expect(ids(again.nearest(vector(1, 0, 0), 9, every))).toEqual([4]);
    again.use(embedder);

    expect(again.count()).toBe(1);
    expect(again.has(4)).toBe(true);
  });

  test('a question of other dimensions, of no direction, or for none finds none', async () => {
    await using place = world(options);
    expect(place.vectors.nearest(vector(1, 0, 0), 9, every)).toEqual([]);
    place.vectors.use(embedder);
    place.vectors.put([{ id: 1, vector: vector(1, 0, 0) }]);

    expect(place.vectors.nearest(vector(1, 0), 9, every)).toEqual([]);
    expect(place.vectors.nearest(vector(0, 0, 0), 9, every)).toEqual([]);
    expect(place.vectors.nearest(vector(Number.NaN, 0, 0), 9, every)).toEqual([]);
    expect(place.vectors.nearest(vector(1, 0, 0), 0, every)).toEqual([]);
  });

  test('of what is removed, replaced or dropped no byte stays in the file', async () => {
    await using place = world(options);
    const dimensions = 512;
    place.vectors.use({ id: 'toy', dimensions });
    const stored = Array.from({ length: 50 }, (_, index) => ({
      id: index,
      vector: scattered(index + 1, dimensions),
    }));
    place.vectors.put(stored);
    const read = place.database.prepare('select vector from vectors where id = ?');
    const bytesOf = (id: number) => Buffer.from(Object(read.get(id)).vector).subarray(0, 64);
    const [removed, replaced, dropped] = [bytesOf(3), bytesOf(20), bytesOf(40)];
    const isThere = (bytes: Buffer) => place.raw().includes(bytes);
    expect([removed, replaced, dropped].map(isThere)).toEqual([true, true, true]);

    place.vectors.remove([3]);
    place.vectors.put([{ id: 20, vector: scattered(777, dimensions) }]);
    expect([removed, replaced, dropped].map(isThere)).toEqual([false, false, true]);
    place.vectors.use({ id: 'other', dimensions });

    expect([removed, replaced, dropped].map(isThere)).toEqual([false, false, false]);
  });
});

test.each([
  ['is too short', vector(1, 0)],
  ['has no direction', vector(0, 0, 0)],
  ['has something in it that is no number', vector(1, Number.NaN, 0)],
  ['has no end', vector(1, Number.POSITIVE_INFINITY, 0)],
])('a vector that %s is refused', async (_what, bad) => {
  await using place = world();
  place.vectors.use(embedder);

  expect(() => place.vectors.put([{ id: 1, vector: bad }])).toThrow(
    expect.objectContaining({ code: 'memory.embedder-failed' }),
  );
});

test('nothing can be put before it is said whose it is', async () => {
  await using place = world();

  expect(() => place.vectors.put([{ id: 1, vector: vector(1, 0, 0) }])).toThrow(
    expect.objectContaining({ code: 'memory.embedder-failed' }),
  );
});

test('a database into which nothing can be loaded does without sqlite-vec', async () => {
  using database = new DatabaseSync(':memory:');
  const vectors = openVectors(database, { mostKeptBytes: 0 });
  vectors.use(embedder);
  vectors.put([{ id: 1, vector: vector(1, 0, 0) }]);

  expect(ids(vectors.nearest(vector(1, 0, 0), 1, every))).toEqual([1]);
});

test('sqlite-vec is loaded, and after it nothing else can be', async () => {
  await using place = world();

  expect(place.database.prepare('select vec_version() as version').get()).toBeDefined();
  expect(() => place.database.exec(`select load_extension('x')`)).toThrow('not authorized');
});

const axis = vector(1, 0.5, 0.25);

function nearestIn(vectors: Vectors): readonly number[] {
  return ids(vectors.nearest(axis, 100, every));
}

function nearestOf(stored: ReadonlyMap<number, Float32Array>): readonly number[] {
  return [...stored]
    .map(([id, one]) => ({ id, similarity: similarity(one, axis) }))
    .sort((one, other) => other.similarity - one.similarity)
    .map(({ id }) => id);
}

function similarity(one: Float32Array, other: Float32Array): number {
  const dot = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
