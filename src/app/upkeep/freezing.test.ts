import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import type { Clock } from '../../kernel/ports.ts';
import { watchForFreezing } from './freezing.ts';

/** A clock whose next sleep takes that much longer than it was asked for. */
function stalling(clock: SimulatedClock): { clock: Clock; stall(ms: number): void } {
  let extraMs = 0;
  return {
    clock: {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      sleep: async (durationMs, signal) => {
        const stalled = extraMs;
        extraMs = 0;
        await clock.sleep(durationMs + stalled, signal);
      },
    },
    stall: (ms) => {
      extraMs = ms;
    },
  };
}

async function watched(stallMs: number, jumpMs = 0): Promise<number[]> {
  const simulated = new SimulatedClock();
  const { clock, stall } = stalling(simulated);
  const recorded: number[] = [];
  const stop = new AbortController();
  stall(stallMs);
  const watching = watchForFreezing(
    { clock, log: { warn: () => {} }, record: async (ms) => void recorded.push(ms) },
    stop.signal,
  );
  simulated.jump(jumpMs);
  await simulated.advance(200_000);
  stop.abort();
  await watching;
  return recorded;
}

test('a daemon that stood still for longer than a lease writes down how long', async () => {
  expect(await watched(60_000)).toEqual([60_000]);
});

test('a heartbeat that is only a little late is nothing', async () => {
  expect(await watched(3000)).toEqual([]);
});

test('a jump of the wall clock is no freezing', async () => {
  expect(await watched(0, 3_600_000)).toEqual([]);
});

test('that it cannot be written down does not end the watch', async () => {
  const simulated = new SimulatedClock();
  const { clock, stall } = stalling(simulated);
  const stop = new AbortController();
  const record = () => Promise.reject(new Error('the disk is full'));
  stall(60_000);

  const watching = watchForFreezing({ clock, log: { warn: () => {} }, record }, stop.signal);
  await simulated.advance(70_000);
  stop.abort();

  await expect(watching).resolves.toBeUndefined();
});
