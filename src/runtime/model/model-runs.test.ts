import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import {
  type TemporaryRuntime,
  temporaryRuntime,
} from '../../../tests/support/temporary-runtime.ts';
import type { LanguageModel, ModelRequest } from '../../kernel/agent/model.ts';
import { AosError } from '../../kernel/errors.ts';
import { findAgent } from '../../ledger/agents.ts';
import { readBudget } from '../../ledger/operations/leases.ts';
import { defineTool } from '../../tools/tool.ts';

const isFirst = ({ messages }: ModelRequest) => !messages.some(({ role }) => role === 'tool');
const spawn = (name: string, model: string, more: object = {}) => ({
  call: [{ tool: 'agent.spawn', args: { name, goal: 'x', model: `test:${model}`, ...more } }],
});

const askingTool = (asks: () => string) =>
  defineTool<Record<string, never>>({
    name: 'test.ask',
    summary: 'A human has to approve it',
    schema: z.record(z.string(), z.never()),
    effect: 'external',
    asks,
    actions: () => [],
    run: async () => 'done',
  });

async function usedBy({ ledger }: TemporaryRuntime, id: string) {
  const budget = await readBudget(ledger.committed, id);
  if (budget === undefined) throw new Error(`${id} has no budget`);
  return budget;
}

async function stateOf({ ledger }: TemporaryRuntime, agent: string): Promise<string | undefined> {
  const row = await ledger.committed.get<{ state: string }>(
    'select state from operations where agent = $1',
    [agent],
  );
  return row?.state;
}

describe('a goal that fails', () => {
  test('ends what was submitted for it and what was for that, and gets back what they left', async () => {
    let isReady = false;
    await using home = await temporaryRuntime({
      models: {
        model: async (request) => {
          if (isFirst(request)) {
            const grants = ['agent:*:spawn'];
            return spawn('sam', 'child', { grants, budget: ['tokens=5000', 'children=1'] });
          }
          await home.when(() => isReady, 'the grandchild works');
          throw new AosError('model.bad-key', { message: 'The key is refused' });
        },
        child: (request) =>
          isFirst(request) ? spawn('kim', 'late', { budget: ['tokens=1000'] }) : { say: 'I wait.' },
        late: () => {
          isReady = true;
          return { say: 'late', delay_ms: 100_000 };
        },
      },
    });

    const id = await home.begin({
      grants: ['agent:*:spawn'],
      goal: { text: 'x', budget: { tokens: 20_000, children: 5 } },
    });
    await home.until(id, 'failed');
    for (const name of ['sam', 'kim']) {
      await home.when(async () => (await stateOf(home, name)) === 'cancelled', `${name} is ended`);
    }

    expect(await home.ledger.committed.all(`select * from leases where owner <> ''`)).toEqual([]);
    const held = await home.ledger.committed.all('select id from budgets where tokens_held > 0');
    expect(held).toEqual([]);
  });

  test('is charged for its time once, also where it might have been tried again', async () => {
    await using home = await temporaryRuntime({
      models: {
        model: async () => {
          await home.clock.sleep(4000);
          throw new AosError('model.overloaded', { message: 'Busy' });
        },
      },
    });

    const id = await home.begin();
    await home.until(id, 'failed');

    const { wall } = await usedBy(home, `operation:${id}`);
    expect(wall.used).toBeGreaterThanOrEqual(4000);
    expect(wall.used).toBeLessThan(6000);
  });
});

describe('a model that answers nothing', () => {
  test('is asked again, and what it says then is the result', async () => {
    let asked = 0;
    await using home = await temporaryRuntime({
      models: { model: () => ({ say: asked++ === 0 ? ' ' : 'here' }) },
    });

    const id = await home.begin();
    const done = await home.until(id, 'completed');

    expect(JSON.parse(done.result ?? '')).toEqual({ text: 'here' });
    expect(asked).toBe(2);
  });

  test.each([{ say: '' }, { say: ' \n', reason: 'Hm.' }])(
    'each time is stopped after the third: %j',
    async (turn) => {
      await using home = await temporaryRuntime({ models: { model: () => turn } });

      const id = await home.begin();
      const failed = await home.until(id, 'failed');

      expect(failed.result).toContain('operation.no-progress');
      const asked = (await home.steps(id)).filter(({ step }) => step.kind === 'asked');
      expect(asked).toHaveLength(3);
    },
  );
});

test('a run whose daemon dies again and again in one answer goes on, and nothing is spent twice', async () => {
  let isSlow = true;
  const model = () => (isSlow ? { say: 'late', delay_ms: 100_000 } : { say: 'done' });
  let home = await temporaryRuntime({ models: { model } });
  const id = await home.begin({ goal: { text: 'x', budget: { tokens: 10_000 } } });
  for (let deaths = 1; deaths <= 8; deaths++) {
    const count = async () =>
      (await home.steps(id)).filter(({ step }) => step.kind === 'asked').length;
    await home.when(async () => (await count()) === deaths, 'it is asked');
    home = await home.crash();
  }

  isSlow = false;
  await using last = home;
  const done = await last.until(id, 'completed');

  expect(JSON.parse(done.result ?? '')).toEqual({ text: 'done' });
  const answered = (await last.steps(id)).find(({ step }) => step.kind === 'answered')?.step;
  const usage = answered?.kind === 'answered' ? answered.usage : undefined;
  expect((await usedBy(last, `operation:${id}`)).tokens).toMatchObject({
    used: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
    held: 0,
  });
});

/** Calls cancel() in the same breath as the nth transaction after a human was asked for. */
function cancelAt(home: TemporaryRuntime, nth: number, id: () => string) {
  const { ledger, scheduler } = home;
  const plain = ledger.transact.bind(ledger);
  const seen = { isAsked: false, transactions: 0, isCancelled: false };
  ledger.transact = (work) => {
    if (seen.isAsked && seen.transactions++ === nth) {
      // Whoever is over by then has nothing to be cancelled.
      void scheduler.cancel(id(), { by: 'owner' }).catch(() => {});
      seen.isCancelled = true;
    }
    return plain(work);
  };
  return seen;
}

test.each([0, 1, 2, 3])('a goal that is cancelled on its way to a human ends (%i)', async (nth) => {
  let id = '';
  let seen = { isAsked: false, isCancelled: false };
  const asks = () => {
    seen.isAsked = true;
    return 'the test wants it';
  };
  await using home = await temporaryRuntime({
    models: { model: () => ({ call: [{ tool: 'test.ask', args: {} }] }) },
    tools: [askingTool(asks)],
  });
  seen = cancelAt(home, nth, () => id);

  id = await home.begin();
  await home.when(() => seen.isCancelled, 'it is cancelled');

  expect(await home.until(id, 'cancelled')).toMatchObject({ waits_for: null });
});

describe('a daemon that stops in order', () => {
  test('leaves nothing that says it runs, and the next one goes on with it', async () => {
    const clock = new SimulatedClock();
    let asked = 0;
    const slow: LanguageModel = {
      ...{ id: 'test:slow', contextTokens: 100_000, isScripted: true },
      answer: async (_, { signal }) => {
        if (asked++ === 0) await clock.sleep(1e9, signal);
        const usage = { inputTokens: 1, outputTokens: 1 };
        return { parts: [{ kind: 'text', text: 'done' }], finish: 'stop', usage };
      },
    };
    const asking = (request: ModelRequest) =>
      isFirst(request) ? { call: [{ tool: 'test.ask', args: {} }] } : { say: 'done' };
    const first = await temporaryRuntime({
      ...{ models: { slow, asking }, tools: [askingTool(() => 'the test wants it')], clock },
    });
    const slowId = await first.begin({ name: 'slow', spec: { model: 'test:slow' } });
    const waitingId = await first.begin({ name: 'asking', spec: { model: 'test:asking' } });
    await first.until(waitingId, 'waiting');
    await first.when(() => asked === 1, 'it is in the middle of an answer');

    await first[Symbol.asyncDispose]();

    expect(await first.operation(slowId)).toMatchObject({ state: 'queued' });
    expect(await first.operation(waitingId)).toMatchObject({ state: 'waiting' });
    for (const name of ['slow', 'asking']) {
      const row = await findAgent(first.ledger.committed, name);
      expect(row).toMatchObject({ state: 'pending' });
    }
    expect(await first.ledger.committed.all(`select * from leases where owner <> ''`)).toEqual([]);
    await using second = await first.crash();
    await second.until(slowId, 'completed');
    expect(await second.agent('asking')).toMatchObject({ state: 'running' });
    expect(second.leases.holds('agent:asking')).toBe(true);
  });
});
