import { expect, test } from 'vitest';
import { temporaryRuntime } from '../../tests/support/temporary-runtime.ts';

test('a goal that is submitted again under its key is the same goal', async () => {
  await using home = await temporaryRuntime({ models: { model: () => ({ say: 'ok' }) } });
  await home.begin({ goal: undefined });
  const goal = { text: 'Do it once.', owner: 'owner', agent: 'jean', key: 'k1' };

  const first = await home.scheduler.submit(goal);
  const [second, third] = await Promise.all([
    home.scheduler.submit(goal),
    home.scheduler.submit(goal),
  ]);
  const others = await home.scheduler.submit({ ...goal, owner: 'agent:sam' });

  expect(second).toEqual(first);
  expect(third).toEqual(first);
  expect(others.operationId).not.toBe(first.operationId);
});

test('of two at once under one key, one is the goal', async () => {
  await using home = await temporaryRuntime({ models: { model: () => ({ say: 'ok' }) } });
  await home.begin({ goal: undefined });
  const goal = { text: 'Do it once.', owner: 'owner', agent: 'jean', key: 'k1' };

  const both = await Promise.all([home.scheduler.submit(goal), home.scheduler.submit(goal)]);

  expect(both[0]).toEqual(both[1]);
});

test('a key that was used for another goal is refused', async () => {
  await using home = await temporaryRuntime({ models: { model: () => ({ say: 'ok' }) } });
  await home.begin({ goal: undefined });
  const goal = { text: 'Do it once.', owner: 'owner', agent: 'jean', key: 'k1' };
  await home.scheduler.submit(goal);

  const again = home.scheduler.submit({ ...goal, text: 'Do something else.' });

  await expect(again).rejects.toMatchObject({ code: 'operation.bad-goal' });
});
