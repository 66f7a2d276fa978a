import { expect, test, vi } from 'vitest';
import { oneAtATime } from './send.ts';

const quietly = { onWait: () => {} };

test('of two with the same key, the second begins when the first has ended', async () => {
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();

  const first = oneAtATime('a', quietly, async () => {
    await gate.promise;
    seen.push('first');
  });
  const onWait = vi.fn();
  const second = oneAtATime('a', { onWait }, async () => void seen.push('second'));
  const other = oneAtATime('b', quietly, async () => void seen.push('other'));
  await other;
  gate.resolve();
  await Promise.all([first, second]);

  expect(seen).toEqual(['other', 'first', 'second']);
  expect(onWait).toHaveBeenCalledOnce();
});

test('one that fails lets the next one begin', async () => {
  const first = oneAtATime('a', quietly, () => Promise.reject(new Error('no')));
  const second = oneAtATime('a', quietly, async () => 'yes');

  await expect(first).rejects.toThrow('no');
  await expect(second).resolves.toBe('yes');
});

test('who waits can give up, and the one before goes on', async () => {
  const gate = Promise.withResolvers<string>();
  const stop = new AbortController();
  const first = oneAtATime('a', quietly, () => gate.promise);

  const second = oneAtATime('a', { ...quietly, signal: stop.signal }, async () => 'never');
  stop.abort(new Error('enough'));

  await expect(second).rejects.toThrow('enough');
  gate.resolve('done');
  await expect(first).resolves.toBe('done');
});
