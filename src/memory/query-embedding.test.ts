import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import type { Embedder } from '../kernel/memory/index-port.ts';
import { QueryEmbedding } from './embed-memories.ts';

const vector = Float32Array.of(1, 0);
const never = new AbortController().signal;

/** An embedder that does what the test says. */
function asking(embed: () => Promise<readonly Float32Array[]>) {
  const clock = new SimulatedClock();
  const said: string[] = [];
  let calls = 0;
  const embedder: Embedder = {
    ...{ id: 'test', dimensions: 2 },
    embed: () => {
      calls++;
      return embed();
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const queries = new QueryEmbedding({
    ...{ clock, embedder: () => embedder },
    log: { warn: (_facts, words) => void said.push(words) },
  });
  return { clock, said, queries, calls: () => calls };
}

test('a query is embedded where the embedder answers', async () => {
  const { queries, clock } = asking(async () => [vector]);

  expect(await queries.vectorOf('a', never)).toBe(vector);
  expect(clock.sleeping).toBe(0);
});

test('after a failure nobody asks for half a minute, then one query does, and it is said once', async () => {
  const { queries, clock, said, calls } = asking(() => Promise.reject(new Error('away')));

  for (let query = 0; query < 5; query++) {
    expect(await queries.vectorOf('a', never)).toBe(undefined);
  }
  expect(calls()).toBe(1);
  await clock.advance(30_000);
  await Promise.all([queries.vectorOf('a', never), queries.vectorOf('b', never)]);

  expect(calls()).toBe(2);
  expect(said).toHaveLength(1);
});

test('nobody waits longer than a second, and whoever comes next does not wait', async () => {
  const { queries, clock, said } = asking(() => Promise.withResolvers<Float32Array[]>().promise);
  const first = queries.vectorOf('a', never);

  await clock.advance(1000);

  expect(await first).toBe(undefined);
  expect(await queries.vectorOf('b', never)).toBe(undefined);
  expect(said).toHaveLength(1);
});

test('an embedder that answered late is asked again after half a minute, and not before', async () => {
  const late = Promise.withResolvers<Float32Array[]>();
  const answers = [late.promise];
  const { queries, clock, calls } = asking(() => answers.shift() ?? Promise.resolve([vector]));
  const first = queries.vectorOf('a', never);
  await clock.advance(1000);
  expect(await first).toBe(undefined);
  await clock.advance(500);
  late.resolve([vector]);
  await late.promise;

  expect(await queries.vectorOf('b', never)).toBe(undefined);
  expect(calls()).toBe(1);
  await clock.advance(30_000);
  const vectors = [await queries.vectorOf('c', never), await queries.vectorOf('d', never)];

  expect(vectors).toEqual([vector, vector]);
});

test('an embedder that is slow every time has one query in half a minute wait for it', async () => {
  const { queries, clock, said, calls } = asking(() =>
    clock.sleep(1500, never).then(() => [vector]),
  );

  for (let query = 0; query < 60; query++) {
    const asked = queries.vectorOf('a', never);
    await clock.advance(1000);
    expect(await asked).toBe(undefined);
  }

  expect(calls()).toBe(2);
  expect(said).toHaveLength(1);
});

test('an embedder that is back is asked for every query', async () => {
  const answers = [Promise.reject(new Error('away'))];
  const { queries, clock } = asking(() => answers.shift() ?? Promise.resolve([vector]));
  await queries.vectorOf('a', never);
  await clock.advance(30_000);

  const vectors = [await queries.vectorOf('a', never), await queries.vectorOf('b', never)];

  expect(vectors).toEqual([vector, vector]);
});

test('whoever gives up waiting is told so, and nothing is held against the embedder', async () => {
  const { queries, said, clock } = asking(() => Promise.withResolvers<Float32Array[]>().promise);
  const over = new AbortController();
  const asked = queries.vectorOf('a', over.signal);

  over.abort(new Error('gone'));

  await expect(asked).rejects.toThrow('gone');
  expect([said.length, clock.sleeping]).toEqual([0, 0]);
});
