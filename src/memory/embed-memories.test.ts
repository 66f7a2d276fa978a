import { setImmediate as settled } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import type { StoredVector } from '../kernel/memory/index-port.ts';
import { MemoryEmbedding } from './embed-memories.ts';

/** An index that knows texts by id, the newest last, and an embedder that takes its time. */
class World implements AsyncDisposable {
  readonly clock = new SimulatedClock();
  readonly vectors = new Map<number, Float32Array>();
  readonly asked: (readonly string[])[] = [];
  readonly warnings: string[] = [];
  readonly texts = new Map<number, string>();
  readonly embedding: MemoryEmbedding;
  embedMs = 100;
  /** Whether the embedder takes these. */
  takes: (texts: readonly string[]) => boolean = () => true;

  constructor(count: number) {
    for (let id = 1; id <= count; id++) this.texts.set(id, `text ${id}`);
    const { clock } = this;
    this.embedding = new MemoryEmbedding({
      clock,
      index: {
        withoutVector: async (_embedder, limit) => this.#without().slice(0, limit),
        putVectors: async (_embedder, vectors) => this.#put(vectors),
        counts: async () => ({ memories: this.texts.size, vectors: this.vectors.size, bytes: 0 }),
      },
      embedder: {
        ...{ id: 'toy', dimensions: 1 },
        embed: (texts, signal) => this.#embed(texts, signal),
        [Symbol.asyncDispose]: async () => {},
      },
      log: { warn: (_facts, words) => this.warnings.push(words) },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.embedding[Symbol.asyncDispose]();
  }

  /** Wakes it, and lets that much time pass. */
  async wakeFor(durationMs: number): Promise<void> {
    this.embedding.wake();
    await settled();
    await this.clock.advance(durationMs);
  }

  #without() {
    return [...this.texts]
      .filter(([id]) => !this.vectors.has(id))
      .map(([id, text]) => ({ id, text }))
      .reverse();
  }

  #put(vectors: readonly StoredVector[]): void {
    for (const { id, vector } of vectors) if (this.texts.has(id)) this.vectors.set(id, vector);
  }

  async #embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    this.asked.push(texts);
    await this.clock.sleep(this.embedMs, signal);
    if (!this.takes(texts)) throw new Error('the embedder does not take this');
    return texts.map((text) => Float32Array.of(Number(text.slice('text '.length))));
  }
}

const minuteMs = 60_000;

test('all that has no vector gets its own, the newest first', async () => {
  await using world = new World(100);

  await world.wakeFor(minuteMs);

  expect(world.vectors.size).toBe(100);
  expect([...world.vectors].every(([id, vector]) => vector[0] === id)).toBe(true);
  expect(world.asked.map(({ length }) => length)).toEqual([64, 36]);
  expect(world.asked[0]?.[0]).toBe('text 100');
});

test('nothing happens before it is woken, and what comes later is embedded when it is', async () => {
  await using world = new World(1);
  await world.clock.advance(minuteMs);
  expect(world.asked).toHaveLength(0);
  await world.wakeFor(minuteMs);
  world.texts.set(2, 'text 2');

  await world.wakeFor(minuteMs);

  expect(world.vectors.size).toBe(2);
  expect(world.asked).toEqual([['text 1'], ['text 2']]);
});

test('what comes while it works is embedded too', async () => {
  await using world = new World(1);
  await world.wakeFor(50);
  world.texts.set(2, 'text 2');
  await world.wakeFor(minuteMs);

  expect(world.vectors.size).toBe(2);
});

test('it works half of the time', async () => {
  await using world = new World(64 * 10);

  await world.wakeFor(1000 - 1);

  expect(world.asked).toHaveLength(5);
});

test('its progress tells how many of how many are done', async () => {
  await using world = new World(100);
  expect(world.embedding.progress()).toEqual({ embedder: 'toy', done: 0, total: 0 });

  await world.wakeFor(150);
  expect(world.embedding.progress()).toEqual({ embedder: 'toy', done: 64, total: 100 });
  await world.clock.advance(minuteMs);

  expect(world.embedding.progress()).toEqual({ embedder: 'toy', done: 100, total: 100 });
});

test('an embedder that is away is asked more and more rarely, and said so once', async () => {
  await using world = new World(10);
  world.takes = () => false;
  world.embedMs = 1;

  await world.wakeFor(10 * minuteMs);
  const afterTen = world.asked.length;
  await world.clock.advance(60 * minuteMs);

  expect(afterTen).toBeLessThanOrEqual(11);
  expect(world.asked.length - afterTen).toBeLessThanOrEqual(12);
  expect(world.warnings).toEqual(['embedding memories is tried again later']);
});

test('waking it does not have an embedder that is away asked more often', async () => {
  await using world = new World(1000);
  world.takes = () => false;
  world.embedMs = 1;

  for (let second = 0; second < 600; second++) await world.wakeFor(1000);

  expect(world.asked.length).toBeLessThanOrEqual(11);
});

test('an embedder that comes back embeds everything', async () => {
  await using world = new World(100);
  world.takes = () => false;
  await world.wakeFor(20 * minuteMs);

  world.takes = () => true;
  await world.clock.advance(20 * minuteMs);

  expect(world.vectors.size).toBe(100);
});

test('one text that is not taken holds up no other', async () => {
  await using world = new World(200);
  world.takes = (texts) => !texts.includes('text 200');

  await world.wakeFor(minuteMs);

  expect(world.vectors.size).toBe(199);
  expect(world.vectors.has(200)).toBe(false);
});

test('what comes while only such a text is left is embedded at once', async () => {
  await using world = new World(2);
  world.takes = (texts) => !texts.includes('text 2');
  await world.wakeFor(60 * minuteMs);
  world.texts.set(3, 'text 3');

  await world.wakeFor(200);

  expect([...world.vectors.keys()]).toEqual([1, 3]);
});

test('a text that is taken later is embedded in the end', async () => {
  await using world = new World(2);
  world.takes = (texts) => !texts.includes('text 2');
  await world.wakeFor(60 * minuteMs);

  world.takes = () => true;
  await world.clock.advance(6 * minuteMs);

  expect(world.vectors.size).toBe(2);
});

test('of several such texts each has its turn', async () => {
  await using world = new World(3);
  world.takes = () => false;
  await world.wakeFor(60 * minuteMs);

  world.takes = (texts) => texts.length === 1 && texts[0] === 'text 2';
  await world.clock.advance(20 * minuteMs);

  expect([...world.vectors.keys()]).toEqual([2]);
});

test.each([
  ['while it embeds', 50],
  ['while it rests', 150],
  ['when all is done', minuteMs],
])('it stops %s, and asks for nothing more', async (_when, afterMs) => {
  const world = new World(100);
  await world.wakeFor(afterMs);
  const before = world.asked.length;

  await world[Symbol.asyncDispose]();
  await world.wakeFor(minuteMs);

  expect(world.asked).toHaveLength(before);
  expect(world.clock.sleeping).toBe(0);
  expect(world.warnings).toEqual([]);
});

test('it stops while it backs off', async () => {
  const world = new World(1);
  world.takes = () => false;
  await world.wakeFor(5 * minuteMs);

  await world[Symbol.asyncDispose]();

  expect(world.clock.sleeping).toBe(0);
});

test('it stops where it was never woken, and cannot be woken after that', async () => {
  const world = new World(1);
  await world[Symbol.asyncDispose]();

  await world.wakeFor(minuteMs);

  expect(world.asked).toEqual([]);
});
