import { expect, test } from 'vitest';
import { temporaryTools } from '../../../tests/support/temporary-tools.ts';
import { until } from '../../../tests/support/until.ts';
import { Overruns } from './overruns.ts';

test('the first is told at once, the others once a minute, and the rest at the end', async () => {
  const { ledger, clock, events } = await temporaryTools();
  const overruns = new Overruns({ ledger, clock, log: { error: () => {} } }, 'agent:jean');
  const told = async () =>
    (await events('sandbox.overrun')).map(({ data }): unknown => JSON.parse(data));

  overruns.count('connections');
  await until(async () => expect(await told()).toEqual([{ connections: 1 }]));
  for (let times = 0; times < 500; times++) overruns.count('connections');
  await until(() => expect(clock.sleeping).toBe(1));
  await clock.advance(59_999);
  const before = await told();
  await clock.advance(1);
  await until(async () => expect(await told()).toEqual([{ connections: 1 }, { connections: 500 }]));
  overruns.count('requests');
  await overruns[Symbol.asyncDispose]();

  expect(before).toHaveLength(1);
  expect(await told()).toEqual([{ connections: 1 }, { connections: 500 }, { requests: 1 }]);
  expect(clock.sleeping).toBe(0);
});

test('a ledger that takes nothing is told to the log, and harms nobody', async () => {
  const { clock } = await temporaryTools();
  const logged: string[] = [];
  const ledger = { transact: () => Promise.reject(new Error('full')) };
  const log = { error: (_: object, words: string) => void logged.push(words) };
  const overruns = new Overruns({ ledger, clock, log }, 'agent:jean');

  overruns.count('refusals');
  await overruns[Symbol.asyncDispose]();

  expect(logged).toEqual(['the overrun of a sandbox is not on record']);
});
