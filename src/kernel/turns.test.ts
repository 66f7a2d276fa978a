import { expect, test } from 'vitest';
import { OneAtATime } from './turns.ts';

test('work on one name waits for what came before, also when that fails', async () => {
  const turns = new OneAtATime();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();

  const first = turns.run('a', async () => {
    await gate.promise;
    order.push('first');
    throw new Error('no');
  });
  const second = turns.run('a', async () => void order.push('second'));
  await turns.run('b', async () => void order.push('another'));
  gate.resolve();

  await expect(first).rejects.toThrow('no');
  await second;
  expect(order).toEqual(['another', 'first', 'second']);
});
