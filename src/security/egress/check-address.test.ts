import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { AosError } from '../../kernel/errors.ts';
import { untilAborted, within } from './check-address.ts';

const late = () => new AosError('http.unreachable', { message: 'too late' });
const forever = (signal: AbortSignal) => untilAborted(new Promise<never>(() => undefined), signal);

test('within() ends the work when its time is over', async () => {
  const clock = new SimulatedClock();
  const { signal } = new AbortController();

  const attempt = within({ clock, signal, timeoutMs: 100, late }, forever);
  const refused = expect(attempt).rejects.toMatchObject({ message: 'too late' });
  await clock.advance(100);

  await refused;
});

test('within() ends the work when the outer signal aborts, and leaves no timer', async () => {
  const clock = new SimulatedClock();
  const abort = new AbortController();

  const attempt = within({ clock, signal: abort.signal, timeoutMs: 100, late }, forever);
  abort.abort('enough');

  await expect(attempt).rejects.toBe('enough');
  expect(clock.sleeping).toBe(0);
});

test('within() gives what the work gives, and leaves no timer', async () => {
  const clock = new SimulatedClock();
  const { signal } = new AbortController();

  const result = await within({ clock, signal, timeoutMs: 100, late }, async () => 'done');

  expect(result).toBe('done');
  expect(clock.sleeping).toBe(0);
});

test('untilAborted() waits for nothing when the signal has aborted before', async () => {
  const attempt = untilAborted(Promise.reject(new Error('late')), AbortSignal.abort('enough'));

  await expect(attempt).rejects.toBe('enough');
});
