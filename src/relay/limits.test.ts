import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { defaultRelayLimits } from './deps.ts';
import { rateLimit } from './limits.ts';

function limit() {
  const clock = new SimulatedClock();
  const limits = { ...defaultRelayLimits, messagesPerSecond: 10, messageBurst: 5 };
  return { clock, rate: rateLimit(clock, limits) };
}

test('a burst goes at once, and then as many as the pace allows', async () => {
  const { clock, rate } = limit();

  const taken = [rate.take('jean', 4), rate.take('jean', 4), rate.take('jean', 1)];
  await clock.advance(250);
  taken.push(rate.take('jean', 10));

  expect(taken).toEqual([4, 1, 0, 2]);
});

test('how long to wait for one more is told', async () => {
  const { clock, rate } = limit();
  expect(rate.waitMs('jean')).toBe(0);
  rate.take('jean', 5);

  expect(rate.waitMs('jean')).toBe(100);
  await clock.advance(60);
  expect(rate.waitMs('jean')).toBe(40);
});

test('one sender does not slow another', () => {
  const { rate } = limit();
  rate.take('jean', 5);

  expect(rate.take('samantha', 5)).toBe(5);
});

test('pass() lets all through, however many, and drops none', async () => {
  const { clock, rate } = limit();
  let hasPassed = false;
  const passing = rate.pass('jean', 12).then(() => {
    hasPassed = true;
  });

  await clock.advance(600);
  expect(hasPassed).toBe(false);
  await clock.advance(200);

  await passing;
  expect(hasPassed).toBe(true);
});

test('pass() ends with its signal', async () => {
  const { rate } = limit();
  const stop = new AbortController();
  const passing = rate.pass('jean', 100, stop.signal);

  stop.abort(new Error('gone'));

  await expect(passing).rejects.toThrow('gone');
});
