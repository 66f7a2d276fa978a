import { expect, test } from 'vitest';
import { temporaryRuntime } from '../../../tests/support/temporary-runtime.ts';
import type { ModelRequest } from '../../kernel/agent/model.ts';

/** Spawns a child on each of these models, then says so. */
function spawningOn(...models: readonly string[]) {
  return ({ messages }: ModelRequest) => {
    if (messages.some(({ role }) => role === 'tool')) return { say: 'over' };
    const args = models.map((model, place) => ({ name: `child-${place}`, goal: 'x', model }));
    return { call: args.map((one) => ({ tool: 'agent.spawn', args: one })) };
  };
}

const script = 'scripted:/secret/script.json';

test('a script file is followed only for a parent that may read it', async () => {
  const around = ['scripted:/secret/../secret/script.json', 'scripted://secret/script.json'];
  await using home = await temporaryRuntime({ models: { model: spawningOn(script, ...around) } });

  const id = await home.begin({ grants: ['agent:*:spawn', 'file:/public/**:read'] });
  await home.until(id, 'completed');

  const told = (await home.steps(id)).flatMap(({ step }) =>
    step.kind === 'results' ? step.results.map(({ text }) => text) : [],
  );
  expect(told).toEqual([
    expect.stringContaining('capability.denied'),
    ...around.map(() => expect.stringContaining('file.bad-path')),
  ]);
  expect(await home.runtime.listAgents()).toHaveLength(1);
});

test('a parent that may read the script has a child on it, and another model asks for nothing', async () => {
  await using home = await temporaryRuntime({
    models: { model: spawningOn(script, 'test:other'), other: () => ({ say: 'here' }) },
  });

  const id = await home.begin({ grants: ['agent:*:spawn', 'file:/secret/*:read'] });
  await home.until(id, 'completed');

  const names = (await home.runtime.listAgents()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['child-0', 'child-1', 'jean']);
});
