import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { IdleWatch } from './flow.ts';

test('it tells once, so long after the last thing that happened', async () => {
  const clock = new SimulatedClock();
  const told: number[] = [];
  using watch = new IdleWatch(clock, 100, () => void told.push(clock.monotonicMs()));

  await clock.advance(60);
  watch.touch();
  await clock.advance(500);

  expect(told).toEqual([160]);
});

test('it tells nothing, and leaves no timer, when it was disposed of', async () => {
  const clock = new SimulatedClock();
  const told: number[] = [];
  const watch = new IdleWatch(clock, 100, () => void told.push(1));

  watch[Symbol.dispose]();
  await clock.advance(500);

  expect(told).toEqual([]);
  expect(clock.sleeping).toBe(0);
});
