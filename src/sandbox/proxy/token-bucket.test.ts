import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { TokenBucket } from './overruns.ts';

test('take() lets a burst pass, then as many as time brings, and a long pause no more than a burst', async () => {
  const clock = new SimulatedClock();
  const bucket = new TokenBucket(clock, { perSecond: 10, burst: 2 });
  const take = (times: number) => Array.from({ length: times }, () => bucket.take());

  const burst = take(3);
  await clock.advance(100);
  const later = take(2);
  await clock.advance(60_000);
  const muchLater = take(3);

  expect(burst).toEqual([true, true, false]);
  expect(later).toEqual([true, false]);
  expect(muchLater).toEqual([true, true, false]);
});
