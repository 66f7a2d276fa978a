import { expect, test } from 'vitest';
import { inOrder } from './measure.ts';

test('pieces begin and end in their order, as many at once as there are slots', async () => {
  const told: string[] = [];
  let running = 0;
  let most = 0;

  await inOrder(['one', 'other'], 5, {
    begin: async (_slot, index) => {
      told.push(`begin ${index}`);
      most = Math.max(most, ++running);
      // Later ones are done sooner.
      const result = Promise.resolve(index * 2);
      return { result };
    },
    end: async (result, _slot, index) => {
      running--;
      told.push(`end ${index} with ${result}`);
    },
  });

  expect(told.filter((line) => line.startsWith('begin'))).toHaveLength(5);
  expect(told.filter((line) => line.startsWith('end'))).toEqual(
    [0, 1, 2, 3, 4].map((index) => `end ${index} with ${index * 2}`),
  );
  expect(most).toBe(2);
});

test('after a failure nothing further begins, and what is under way is waited for', async () => {
  const slow = Promise.withResolvers<number>();
  const begun: number[] = [];
  let isOver = false;
  const running = inOrder([0, 1, 2], 9, {
    begin: async (_slot, index) => {
      begun.push(index);
      return { result: index === 0 ? Promise.reject(new Error('broken')) : slow.promise };
    },
    end: async () => {},
  }).finally(() => {
    isOver = true;
  });
  running.catch(() => {});
  await Promise.resolve();
  const wasOver = isOver;

  slow.resolve(1);

  await expect(running).rejects.toThrow('broken');
  expect(wasOver).toBe(false);
  expect(begun).toEqual([0, 1, 2]);
});

test('an abort ends it with its reason', async () => {
  const stop = new AbortController();
  const running = inOrder([0], 9, {
    signal: stop.signal,
    begin: async (_slot, index) => {
      if (index === 3) stop.abort(new Error('enough'));
      return { result: Promise.resolve(index) };
    },
    end: async () => {},
  });

  await expect(running).rejects.toThrow('enough');
});
