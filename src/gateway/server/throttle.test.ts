import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { Throttle } from './throttle.ts';

test('take() lets a burst pass, then as many as time brings, each name for itself', async () => {
  const clock = new SimulatedClock();
  const throttle = new Throttle(clock, { perSecond: 10, burst: 3 });

  const burst = [1, 2, 3, 4].map(() => throttle.take('jean'));
  await clock.advance(100);

  expect(burst).toEqual([0, 0, 0, 100]);
  expect(throttle.take('jean')).toBe(0);
  expect(throttle.take('jean')).toBe(100);
  expect(throttle.take('jared')).toBe(0);
});

test('a long pause brings no more than a burst, and a clock that jumps brings nothing', async () => {
  const clock = new SimulatedClock();
  const throttle = new Throttle(clock, { perSecond: 10, burst: 2 });
  throttle.take('jean');

  clock.jump(86_400_000);
  const afterJump = [throttle.take('jean'), throttle.take('jean')];
  await clock.advance(60_000);

  expect(afterJump).toEqual([0, 100]);
  expect([1, 2, 3].map(() => throttle.take('jean') > 0)).toEqual([false, false, true]);
});

test('very many names are not kept for ever', async () => {
  const clock = new SimulatedClock();
  const throttle = new Throttle(clock, { perSecond: 10, burst: 2 });

  for (let index = 0; index < 25_000; index++) {
    throttle.take(`name ${index}`);
    if (index % 1000 === 0) await clock.advance(1000);
  }

  expect(throttle.take('name 0')).toBe(0);
});
