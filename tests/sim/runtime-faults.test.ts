/** What the simulator has found, each on its own. */
import { expect, test } from 'vitest';
import type { LanguageModel } from '../../src/kernel/agent/model.ts';
import type { ScriptFunction } from '../../src/models/scripted/scripted-model.ts';
import { wholeMessage } from '../support/temporary-relay.ts';
import { temporaryRuntime } from '../support/temporary-runtime.ts';
import { SimulatedClock } from './clock.ts';
import { SimulatedLedger } from './ledger.ts';
import { simulateRuntime } from './runtime-simulation.ts';

const endless: LanguageModel = {
  ...{ id: 'test:model', contextTokens: 100_000, isScripted: true },
  answer: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }),
};

test('what is cancelled in the middle of a question holds nothing any more', async () => {
  await using home = await temporaryRuntime({ models: { model: endless } });
  const id = await home.begin({ spec: { is_standing: true }, budget: { tokens: 10_000 } });
  await home.when(async () => (await home.steps(id)).length === 2, 'it has asked');

  await home.scheduler.cancel(id, { by: 'owner' });
  await home.until(id, 'cancelled');

  const held = await home.ledger.committed.all('select id from budgets where tokens_held > 0');
  expect(held).toEqual([]);
});

test('a standing agent whose model is not there does not fail as fast as it can', async () => {
  await using home = await temporaryRuntime({ models: {} });
  await home.begin({ goal: undefined, spec: { is_standing: true } });
  const message = wholeMessage({ to: 'jean', body: 'Are you there?' });
  await home.relay.accept([{ sender: 'owner', message }]);

  const beganMs = home.clock.monotonicMs();
  await home.when(() => home.clock.monotonicMs() - beganMs > 5000, 'some time has passed');

  const tried = await home.ledger.committed.all('select id from operations');
  expect(tried.length).toBeGreaterThan(0);
  expect(tried.length).toBeLessThan(10);
});

test('nor does one that did well before the clock was put back', async () => {
  const clock = new SimulatedClock();
  const models: Record<string, ScriptFunction> = { model: () => ({ say: 'Done.' }) };
  await using home = await temporaryRuntime({ models, clock });
  const id = await home.begin({ spec: { is_standing: true } });
  await home.until(id, 'completed');

  delete models['model'];
  clock.jump(-3_600_000);
  const message = wholeMessage({ to: 'jean', body: 'Are you there?' });
  await home.relay.accept([{ sender: 'owner', message }]);
  await home.when(async () => (await home.agent('jean')).state === 'failed', 'it is given up');

  const tried = await home.ledger.committed.all('select id from operations');
  expect(tried.length).toBeLessThan(10);
});

test('what a process left goes on at once, also when the clock was put back meanwhile', async () => {
  const clock = new SimulatedClock();
  let answers = 0;
  const model: LanguageModel = {
    ...endless,
    answer: async (request, asking) => {
      if (answers++ === 0) return endless.answer(request, asking);
      const usage = { inputTokens: 1, outputTokens: 1 };
      return { parts: [{ kind: 'text', text: 'Done.' }], finish: 'stop', usage };
    },
  };
  const first = await temporaryRuntime({ models: { model }, clock });
  const id = await first.begin();
  await first.when(() => answers === 1, 'it has asked');

  clock.jump(-3_600_000);
  await using second = await first.crash();
  const startedMs = clock.monotonicMs();
  await second.until(id, 'completed');

  expect(clock.monotonicMs() - startedMs).toBeLessThan(60_000);
});

test('a parent hears of its child also when the message could not be written at first', async () => {
  let isChildDone = false;
  await using home = await temporaryRuntime({
    models: {
      model: ({ messages }) => {
        const args = { name: 'sam', goal: 'count', model: 'test:child' };
        if (!messages.some(({ role }) => role === 'tool')) {
          return { call: [{ tool: 'agent.spawn', args }] };
        }
        return { say: JSON.stringify(messages).includes('forty-two') ? 'It is 42.' : 'I wait.' };
      },
      child: () => {
        isChildDone = true;
        return { say: 'forty-two' };
      },
    },
  });
  const { ledger } = home;
  if (!(ledger instanceof SimulatedLedger)) throw new Error('it has another ledger');
  const id = await home.begin({ grants: ['agent:sam:spawn'] });
  await home.when(() => isChildDone, 'the child has answered');

  const pending = `select 1 as one from pending_operations where completed_at is null`;
  await home.when(async () => {
    if ((await ledger.committed.get(pending)) !== undefined) ledger.fate = 'fails';
    return (await home.operation(id)).state === 'waiting';
  }, 'the message is refused');
  ledger.fate = 'works';
  const done = await home.until(id, 'completed');

  expect(JSON.parse(done.result ?? '')).toEqual({ text: 'It is 42.' });
});

// 1406: a goal was cancelled in the queue while its agent worked on another one. 2754: a goal
// was resumed after its agent had begun another one.
test.each([1406, 2754])('seed %i, which found something once, finds nothing', async (seed) => {
  const { findings } = await simulateRuntime(seed);

  expect(findings).toEqual([]);
});
