import { expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import {
  type MemoryIndexWorld,
  memoryIndexWorld,
} from '../../../tests/support/memory-index-world.ts';
import { indexQuery } from '../../../tests/support/memory-shelf.ts';

keepCompiled();

const embedder = { id: 'test-1', dimensions: 3 };
const never = new AbortController().signal;

/** What is about animals points one way, what is about machines another. */
function vectorOf(text: string): Float32Array {
  const animals = /cat|dog|horse/.test(text) ? 1 : 0;
  const machines = /car|train|engine/.test(text) ? 1 : 0;
  return Float32Array.of(animals, machines, 0.2);
}

async function embedAll({ index }: MemoryIndexWorld): Promise<number> {
  const texts = await index.withoutVector(embedder, 1000);
  const vectors = texts.map(({ id, text }) => ({ id, vector: vectorOf(text) }));
  await index.putVectors(embedder, vectors);
  return texts.length;
}

test('texts without a vector are handed out, the newest first, until each has one', async () => {
  await using world = memoryIndexWorld();
  await world.remember('one', 'two', 'three');

  const first = await world.index.withoutVector(embedder, 2);

  expect(first).toEqual([
    { id: 3, text: 'three' },
    { id: 2, text: 'two' },
  ]);
  expect(await embedAll(world)).toBe(3);
  expect(await world.index.withoutVector(embedder, 9)).toEqual([]);
  expect(await world.index.counts()).toMatchObject({ memories: 3, vectors: 3 });
});

test('a text is embedded for itself, whatever was said before it', async () => {
  await using world = memoryIndexWorld();
  const thread = 'talk';
  await world.remember({ text: 'Ada: We plan layoffs', thread }, { text: 'Jean: See you', thread });

  const texts = (await world.index.withoutVector(embedder, 9)).map(({ text }) => text);

  expect(texts).toEqual(['Jean: See you', 'Ada: We plan layoffs']);
});

test('a text is cut to what an embedder takes', async () => {
  await using world = memoryIndexWorld();
  await world.remember('🙂'.repeat(100_000));

  const [text] = await world.index.withoutVector(embedder, 1);

  expect(text?.text.length).toBeLessThan(5000);
  expect(text?.text.isWellFormed()).toBe(true);
});

test('a vector of a text that went while it was made is not taken', async () => {
  await using world = memoryIndexWorld();
  const [first = 0] = await world.remember('a cat', 'it is');
  const texts = await world.index.withoutVector(embedder, 9);
  await world.remove(first);

  await world.index.putVectors(
    embedder,
    texts.map(({ id, text }) => ({ id, vector: vectorOf(text) })),
  );

  expect(await world.index.counts()).toMatchObject({ memories: 1, vectors: 1 });
});

test('vectors of another embedder are dropped', async () => {
  await using world = memoryIndexWorld();
  await world.remember('a cat', 'a car');
  await embedAll(world);

  const other = await world.index.withoutVector({ id: 'test-2', dimensions: 2 }, 9);

  expect(other).toHaveLength(2);
  expect(await world.index.counts()).toMatchObject({ vectors: 0 });
});

test('what means the same is found without a word in common, and says how near it is', async () => {
  await using world = memoryIndexWorld();
  const ids = await world.remember('my dog barks', 'the engine of a car', 'nothing', 'an animal');
  await embedAll(world);
  const query = indexQuery({ query: 'animal', vector: vectorOf('horse') });

  const { hits: found } = await world.index.search(query, never);

  expect(found.map(({ id }) => id)).toEqual([ids[3], ids[0]]);
  expect(found[1]?.parts.words).toBe(0);
  expect(found[1]?.parts.dense).toBeGreaterThan(0);
  for (const { score } of found) expect(score).toBeLessThanOrEqual(1);
});

test('what may not be seen is not found by its meaning either', async () => {
  await using world = memoryIndexWorld();
  await world.remember({ text: 'my dog', owner: 'agent:ada' }, 'a horse', 'a train');
  await embedAll(world);
  const query = indexQuery({ query: 'pets', vector: vectorOf('cat') });

  const { hits: found } = await world.index.search(query, never);

  expect(found.map(({ id }) => id)).toEqual([2]);
});

test('a vector that fits no embedder is passed over, and words decide', async () => {
  await using world = memoryIndexWorld();
  await world.remember('my dog', 'a train');
  await embedAll(world);

  for (const vector of [Float32Array.of(1, 2), Float32Array.of(Number.NaN, 0, 0)]) {
    expect(await world.found({ query: 'dog', vector })).toEqual([1]);
  }
});
