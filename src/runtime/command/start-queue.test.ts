import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { StartQueue } from './start-queue.ts';

function queueOf(slots: number) {
  const clock = new SimulatedClock();
  const started: string[] = [];
  const queue = new StartQueue({ clock, slots, start: (name) => void started.push(name) });
  return { clock, started, queue };
}

test('so many are started as there are slots, the others in order as these become free', () => {
  const { queue, started } = queueOf(2);

  queue.wait('a', 'b', 'c', 'd');
  expect(started).toEqual(['a', 'b']);
  expect(queue.isFull).toBe(true);
  queue.leave('a');
  queue.leave('c');

  expect(started).toEqual(['a', 'b', 'c', 'd']);
  expect(queue.seated).toEqual(['b', 'd']);
});

test('who waits twice is started once', () => {
  const { queue, started } = queueOf(1);

  queue.wait('a', 'b', 'b');
  queue.wait('a');
  queue.leave('a');
  queue.leave('b');

  expect(started).toEqual(['a', 'b']);
});

test('who rests is started after that time, unless that is cancelled', async () => {
  const { queue, started, clock } = queueOf(9);
  queue.rest('a', 1000);
  queue.rest('b', 1000);

  queue.cancel('b');
  await clock.advance(999);
  expect(started).toEqual([]);
  await clock.advance(1);

  expect(started).toEqual(['a']);
  expect(clock.sleeping).toBe(0);
});

test('after close() nobody is started, and nobody rests', async () => {
  const { queue, started, clock } = queueOf(1);
  queue.wait('a', 'b');
  queue.rest('c', 10);

  queue.close();
  queue.leave('a');
  queue.rest('d', 10);
  await clock.advance(100);

  expect(started).toEqual(['a']);
  expect(clock.sleeping).toBe(0);
});
