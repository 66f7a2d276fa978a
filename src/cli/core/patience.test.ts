import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { until } from '../../../tests/support/until.ts';
import { AosError } from '../../kernel/errors.ts';
import { patiently } from './patience.ts';

const { signal } = new AbortController();

/** Fails so many times before it answers. */
function flaky(times: number, failure: Error): () => Promise<string> {
  let left = times;
  return async () => {
    if (left-- > 0) throw failure;
    return 'here';
  };
}

const down = new AosError('daemon.down', { message: 'No daemon is running' });

test('patiently() asks again while the daemon is being started anew', async () => {
  const clock = new SimulatedClock();

  const answer = patiently({ clock }, { signal }, flaky(3, down));
  await until(() => expect(clock.sleeping).toBe(1));
  await clock.advance(1000);

  expect(await answer).toBe('here');
});

test('patiently() gives up when the daemon stays away', async () => {
  const clock = new SimulatedClock();

  const answer = patiently({ clock }, { signal, mostMs: 1000 }, flaky(1000, down));
  const refused = expect(answer).rejects.toBe(down);
  await until(() => expect(clock.sleeping).toBe(1));
  await clock.advance(2000);

  await refused;
});

test('patiently() does not repeat a question that was answered with no', async () => {
  const clock = new SimulatedClock();
  const no = new AosError('operation.unknown', { message: 'There is no such goal' });

  await expect(patiently({ clock }, { signal }, flaky(1, no))).rejects.toBe(no);
});

test('patiently() ends at Ctrl-C', async () => {
  const clock = new SimulatedClock();
  const stop = new AbortController();

  const answer = patiently({ clock }, { signal: stop.signal }, flaky(1000, down));
  stop.abort(new Error('stopped'));

  await expect(answer).rejects.toThrow('stopped');
});
