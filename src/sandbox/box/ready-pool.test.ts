import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { until } from '../../../tests/support/until.ts';
import { ReadyPool, type WaitingBox } from './ready-pool.ts';

class FakeBox implements WaitingBox {
  isOver = false;

  async kill(): Promise<void> {
    this.isOver = true;
  }
}

function place({ most = 8, fails = false } = {}) {
  const clock = new SimulatedClock();
  const made: FakeBox[] = [];
  const troubles: unknown[] = [];
  const onTrouble = (failure: unknown): void => void troubles.push(failure);
  const pool = new ReadyPool<FakeBox>({ clock, most, idleMs: 60_000, onTrouble });
  const make = async (): Promise<FakeBox> => {
    if (fails) throw new Error('no room');
    const box = new FakeBox();
    made.push(box);
    return box;
  };
  return { clock, pool, made, make, troubles };
}

test('one is made ready after a use, given once, and never again', async () => {
  const { clock, pool, made, make } = place();
  await using _ = pool;
  expect(pool.take('a')).toBeUndefined();

  pool.restock('a', make);
  await clock.advance(10);

  expect(made).toHaveLength(1);
  expect(pool.take('a')).toBe(made[0]);
  expect(pool.take('a')).toBeUndefined();
});

test('who uses many has two, and nobody else gets them', async () => {
  const { clock, pool, made, make } = place();
  await using _ = pool;

  for (let use = 0; use < 5; use++) {
    pool.restock('a', make);
    await clock.advance(10);
  }

  expect(made).toHaveLength(2);
  expect(pool.take('b')).toBeUndefined();
});

test('those that nobody uses go after a while', async () => {
  const { clock, pool, made, make } = place();
  await using _ = pool;
  pool.restock('a', make);
  await clock.advance(10);

  await clock.advance(60_000);

  expect(made.map(({ isOver }) => isOver)).toEqual([true]);
  expect(pool.take('a')).toBeUndefined();
});

test('there are no more than the most, of all together', async () => {
  const { clock, pool, made, make } = place({ most: 3 });
  await using _ = pool;

  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    pool.restock(key, make);
    await clock.advance(10);
  }

  expect(made).toHaveLength(3);
});

test('one that has ended meanwhile is not given', async () => {
  const { clock, pool, made, make } = place();
  await using _ = pool;
  pool.restock('a', make);
  await clock.advance(10);

  await made[0]?.kill();

  expect(pool.take('a')).toBeUndefined();
});

test('what is discarded is ended, also when it is just being made', async () => {
  const { clock, pool, made, make } = place();
  await using _ = pool;
  pool.restock('agent:a\n1', make);
  await clock.advance(10);
  pool.restock('agent:b\n1', make);
  await clock.advance(10);
  const slow = Promise.withResolvers<void>();
  pool.restock('agent:a\n2', async () => {
    await slow.promise;
    return make();
  });
  await clock.advance(10);

  await pool.discard('agent:a\n');
  slow.resolve();

  await until(() => expect(made.map(({ isOver }) => isOver)).toEqual([true, false, true]));
});

test('one that cannot be made is told of, and the next use tries again', async () => {
  const { clock, pool, make, troubles } = place({ fails: true });
  await using _ = pool;

  pool.restock('a', make);
  await clock.advance(10);

  expect(troubles).toEqual([new Error('no room')]);
  expect(pool.take('a')).toBeUndefined();
});

test('closing ends all that wait', async () => {
  const { clock, pool, made, make } = place();
  pool.restock('a', make);
  await clock.advance(10);

  await pool[Symbol.asyncDispose]();

  expect(made.map(({ isOver }) => isOver)).toEqual([true]);
});
