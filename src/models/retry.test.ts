import { expect, test } from 'vitest';
import { HastyClock } from '../../tests/support/model-server/hasty-clock.ts';
import type { Failure } from './failure.ts';
import { Limiter, type RetryOutcome, withRetries } from './retry.ts';

const forEver = new AbortController().signal;
const random = { bytes: (size: number) => new Uint8Array(size) };

/** Fails like that, one after another, then answers. */
function trial(failures: readonly Omit<Failure, 'sentence'>[], signal: AbortSignal = forEver) {
  const clock = new HastyClock();
  const limiter = new Limiter({ clock, random, concurrency: 8 });
  const told: number[] = [];
  let tries = 0;
  const attempt = async (): Promise<RetryOutcome<string>> => {
    const failure = failures[tries++];
    if (failure === undefined) return { kind: 'answered', value: 'hello' };
    return { kind: 'failed', failure: { ...failure, sentence: 'no' } };
  };
  const onRetry = (_failure: Failure, count: number) => told.push(count);
  const outcome = withRetries({ clock, random, limiter, onRetry }, signal, attempt);
  return { clock, told, outcome, tries: () => tries };
}

const repeated = <T>(times: number, value: T): T[] => Array.from({ length: times }, () => value);

test('what is busy, broken or unreachable is tried again until it answers', async () => {
  const { outcome, told, clock } = trial([
    { kind: 'busy' },
    { kind: 'broken' },
    { kind: 'unreachable' },
  ]);

  expect(await outcome).toEqual({ kind: 'answered', value: 'hello' });
  expect(told).toEqual([1, 2, 3]);
  expect(clock.waits).toEqual([250, 500, 1000]);
});

test('after six tries it is enough', async () => {
  const { outcome, tries } = trial(repeated(50, { kind: 'broken' }));

  expect(await outcome).toMatchObject({ kind: 'failed', failure: { kind: 'broken' } });
  expect(tries()).toBe(6);
});

test.each(['bad-key', 'unknown-model', 'refused', 'cut-off'] as const)(
  '%s is not tried again',
  async (kind) => {
    const { outcome, tries } = trial(repeated(50, { kind }));

    expect(await outcome).toMatchObject({ failure: { kind } });
    expect(tries()).toBe(1);
  },
);

test('who asks for more than five minutes is not waited for', async () => {
  const { outcome, tries, clock } = trial(repeated(50, { kind: 'busy', retryAfterMs: 300_001 }));

  expect(await outcome).toMatchObject({ failure: { kind: 'busy', retryAfterMs: 300_001 } });
  expect(tries()).toBe(1);
  expect(clock.waits).toEqual([]);
});

test('a call that was called off does not begin', async () => {
  const { outcome, tries } = trial([], AbortSignal.abort(new Error('called off')));

  await expect(outcome).rejects.toThrow('called off');
  expect(tries()).toBe(0);
});
