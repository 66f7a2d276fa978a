import { describe, expect, test } from 'vitest';
import {
  type RuntimeChoices,
  type TemporaryRuntime,
  temporaryRuntime,
} from '../../tests/support/temporary-runtime.ts';
import type { LanguageModel } from '../kernel/agent/model.ts';
import { readBudget } from '../ledger/operations/leases.ts';
import { grantsHeldBy } from '../ledger/security/grants.ts';

const secret = 'file:/secret/*:read';
const models = { model: () => ({ say: 'done' }) };

/** The owner's, which holds a secret, has a budget, and is over. */
async function withRich(choices: RuntimeChoices = {}): Promise<TemporaryRuntime> {
  const home = await temporaryRuntime({ models, ...choices });
  const id = await home.begin({ name: 'rich', grants: [secret], budget: { tokens: 5000 } });
  await home.until(id, 'completed');
  return home;
}

async function heldBy({ ledger }: TemporaryRuntime, name: string): Promise<string[]> {
  const grants = await grantsHeldBy(ledger.committed, `agent:${name}`);
  return grants.filter(({ origin }) => origin !== 'default').map(({ capability }) => capability);
}

describe('a budget that does not cover the first request', () => {
  const vendor: LanguageModel = {
    ...{ id: 'test:model', contextTokens: 100_000, isScripted: false },
    answer: async () => ({
      ...{ parts: [{ kind: 'text', text: 'done' }], finish: 'stop' },
      usage: { inputTokens: 1, outputTokens: 1 },
    }),
  };
  const ask = { name: 'poor', grants: ['agent:*:spawn'], goal: { text: 'work' } };

  test.each(['tokens', 'cost'] as const)(
    'in %s is refused with the least that does',
    async (what) => {
      await using home = await temporaryRuntime({ models: { model: vendor } });

      const failure = await home.begin({ ...ask, budget: { [what]: 20 } }).catch((error) => error);

      const { least, tools } = failure.details;
      expect(failure).toMatchObject({ code: 'budget.too-small', details: { resource: what } });
      expect(tools).toBeGreaterThan(0);
      await expect(home.agent('poor')).rejects.toThrow('there is no agent');
      await expect(home.begin({ ...ask, budget: { [what]: least - 1 } })).rejects.toMatchObject({
        code: 'budget.too-small',
      });
      await home.until(await home.begin({ ...ask, budget: { [what]: least } }), 'completed');
    },
  );

  test('is less without tools, and of cost refused where nobody knows the price', async () => {
    await using home = await temporaryRuntime({ models: { model: vendor }, prices: 'other:x=1/1' });

    const id = await home.begin({ ...ask, spec: { tools: [] }, budget: { tokens: 150 } });

    await home.until(id, 'completed');
    const attempt = home.begin({ ...ask, name: 'unpriced', budget: { cost: 1e9 } });
    await expect(attempt).rejects.toMatchObject({ code: 'budget.spent' });
  });
});

describe('the name of an agent that is over', () => {
  test('is not had by an agent that did not spawn it, and nothing of it changes', async () => {
    await using home = await withRich();
    const before = await home.agent('rich');

    const attempt = home.begin({ name: 'rich', by: 'agent:mallory', parent: 'mallory' });

    await expect(attempt).rejects.toMatchObject({ code: 'agent.exists' });
    expect(await home.agent('rich')).toEqual(before);
    expect(await heldBy(home, 'rich')).toEqual([secret]);
    const budget = await readBudget(home.ledger.committed, 'agent:rich');
    expect(budget?.tokens.limit).toBe(5000);
  });

  test('is not had by a model that calls agent.spawn, which reads why', async () => {
    const args = { name: 'rich', goal: 'steal', model: 'test:model' };
    await using home = await withRich({
      models: {
        ...models,
        mallory: ({ messages }) =>
          messages.some(({ role }) => role === 'tool')
            ? { say: 'I see.' }
            : { call: [{ tool: 'agent.spawn', args }] },
      },
    });

    const id = await home.begin({
      ...{ name: 'mallory', spec: { model: 'test:mallory' }, grants: ['agent:*:spawn'] },
    });
    await home.until(id, 'completed');

    expect(JSON.stringify(await home.steps(id))).toContain('agent.exists');
    expect(await home.agent('rich')).toMatchObject({ state: 'completed', spawned_by: 'owner' });
  });

  test('is had again by the owner, with what is named now and nothing of before', async () => {
    await using home = await withRich();

    const id = await home.begin({ name: 'rich', grants: ['file:/public/*:read'] });
    await home.until(id, 'completed');

    expect(await heldBy(home, 'rich')).toEqual(['file:/public/*:read']);
  });

  test('is had again by the agent that spawned it, with nothing of before', async () => {
    await using home = await temporaryRuntime({ models });
    await home.begin({ grants: ['agent:*:spawn', secret] });
    const child = { name: 'child', by: 'agent:jean', parent: 'jean' };
    await home.until(await home.begin({ ...child, grants: [secret] }), 'completed');
    expect(await heldBy(home, 'child')).toEqual([secret]);

    await home.until(await home.begin(child), 'completed');

    expect(await heldBy(home, 'child')).toEqual([]);
  });
});

test('nobody is spawned below itself, nor below one of its own', async () => {
  await using home = await temporaryRuntime({ models });
  await home.until(await home.begin({ name: 'top' }), 'completed');
  await home.until(await home.begin({ name: 'middle', parent: 'top' }), 'completed');
  await home.until(await home.begin({ name: 'low', parent: 'middle' }), 'completed');

  for (const parent of ['top', 'middle', 'low']) {
    const attempt = home.begin({ name: 'top', parent });
    await expect(attempt).rejects.toMatchObject({ code: 'agent.bad-spec' });
  }

  expect(await home.agent('top')).toMatchObject({ parent: null, state: 'completed' });
});

test('a goal with a NUL in it is refused, by a spawn and by itself, and leaves nobody behind', async () => {
  await using home = await temporaryRuntime({ models });
  const goal = { text: 'a\0b' };

  const spawned = home.begin({ goal });
  const submitted = home.scheduler.submit({ ...goal, owner: 'owner', agent: 'jean' });

  await expect(spawned).rejects.toMatchObject({ code: 'operation.bad-goal' });
  await expect(submitted).rejects.toMatchObject({ code: 'operation.bad-goal' });
  expect(await home.runtime.listAgents()).toEqual([]);
});

describe('what the owner alone chooses about the wall around a program', () => {
  test.each([
    ['unsandboxed', { unsandboxed: true }],
    ['sees', { sees: ['/srv'] }],
    ['writable', { cwd: '/srv', writable: true }],
  ] as const)('is refused as %s to an agent, and nothing is made', async (choice, chosen) => {
    await using home = await temporaryRuntime({ models });

    const attempt = home.runtime.spawn({
      ...{ name: 'worker', by: 'agent:mallory', parent: 'mallory' },
      spec: { body: 'command', argv: ['true'], env: {}, restart: 'never', ...chosen },
    });

    await expect(attempt).rejects.toMatchObject({
      code: 'capability.denied',
      message: `Agent "worker" cannot be made: ${choice} is the owner's choice alone`,
    });
    await expect(home.agent('worker')).rejects.toThrow();
  });
});
