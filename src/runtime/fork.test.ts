import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type TemporaryRuntime, temporaryRuntime } from '../../tests/support/temporary-runtime.ts';
import { realRandom } from '../engines/clock.ts';
import type { ModelMessage, ModelRequest } from '../kernel/agent/model.ts';
import { readEvents } from '../ledger/events.ts';
import { readBudget } from '../ledger/operations/leases.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import { type ForkRequest, forkOperation } from './fork.ts';

describe('a fork', () => {
  test('of one that is done asks for its last word again, and keeps all before it', async () => {
    const log: string[] = [];
    await using home = await temporaryRuntime({
      models: { model: countTo(1) },
      tools: [appendTool(log)],
    });
    const id = await completed(home);

    const forked = await fork(home, id);
    await home.until(forked.operation, 'completed');

    expect(forked).toMatchObject({ agent: 'jean', from: 4 });
    // The tool was not called again: its result was kept.
    expect(log).toEqual(['1']);
    expect(await kinds(home, forked.operation)).toEqual(await kinds(home, id));
  });

  test('says where it comes from, in its first step, its row and an event', async () => {
    await using home = await temporaryRuntime({ models: { model: countTo(0) } });
    const id = await completed(home);

    const { operation } = await fork(home, id);

    const [begun] = await home.steps(operation);
    expect(begun?.step).toMatchObject({ forked_from: { operation: id, step: 1 } });
    expect((await home.operation(operation)).because).toContain(`step 1 of operation ${id}`);
    const events = await readEvents(
      home.ledger.committed,
      { kind: 'operation.forked' },
      { limit: 10, order: 'oldest-first' },
    );
    expect(events).toMatchObject([
      { actor: 'owner', subject: `operation:${operation}`, data: expect.stringContaining(id) },
    ]);
  });

  test('leaves the other one as it was', async () => {
    await using home = await temporaryRuntime({ models: { model: countTo(0) } });
    const id = await completed(home);
    const before = { row: await home.operation(id), steps: await home.steps(id) };

    const { operation } = await fork(home, id);
    await home.until(operation, 'completed');

    expect({ row: await home.operation(id), steps: await home.steps(id) }).toEqual(before);
  });

  test('at calls of tools makes them anew, and the model is told so before', async () => {
    const log: string[] = [];
    const seen: ModelRequest[] = [];
    const count = countTo(1);
    await using home = await temporaryRuntime({
      models: {
        model: (request) => {
          seen.push(request);
          return count(request);
        },
      },
      tools: [appendTool(log)],
    });
    const id = await completed(home);
    expect(await kinds(home, id)).toMatchObject({ 2: 'answered' });

    const { operation, from } = await fork(home, id, { from: 3 });
    await home.until(operation, 'completed');

    expect(from).toBe(3);
    expect(log).toEqual(['1', '1']);
    expect((await kinds(home, operation)).slice(0, 5)).toEqual([
      ...['begun', 'asked', 'note', 'answered', 'results'],
    ]);
    // No word stands between calls and their results: vendors take none there.
    const roles = (seen.at(-1)?.messages ?? []).map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'user', 'assistant', 'tool']);
  });

  test('of one whose budget was spent begins with a fresh one, of the same limits', async () => {
    await using home = await temporaryRuntime({
      models: { model: countTo(3) },
      tools: [appendTool([])],
    });
    const id = await home.begin({ goal: { text: 'Do it.', budget: { tool_calls: 1 } } });
    const failed = await home.until(id, 'failed');
    expect(failed.result).toContain('budget.spent');

    const { operation } = await fork(home, id);

    const budget = await readBudget(home.ledger.committed, `operation:${operation}`);
    expect(budget?.tool_calls).toEqual({ limit: 1, used: 0, held: 0 });
    // It gets one call further before its own is spent.
    await home.until(operation, 'failed');
    expect((await kinds(home, operation)).filter((kind) => kind === 'results')).toHaveLength(2);
  });

  test('at a last word goes on from it when it is named', async () => {
    await using home = await temporaryRuntime({ models: { model: countTo(0) } });
    const id = await completed(home);

    const { operation, from } = await fork(home, id, { from: 3 });
    const done = await home.until(operation, 'completed');

    expect(from).toBe(3);
    expect(JSON.parse(done.result ?? '')).toEqual({ text: 'Done after 0.' });
  });

  test.each([
    ['a question without an answer', 2, 1],
    ['the end', 10, 9],
  ])('does not keep %s at its end', async (_what, from, kept) => {
    await using home = await temporaryRuntime({
      models: { model: countTo(2) },
      tools: [appendTool([])],
    });
    const id = await completed(home);

    expect(await fork(home, id, { from })).toMatchObject({ from: kept });
  });

  test('at step 0 begins from nothing', async () => {
    await using home = await temporaryRuntime({ models: { model: countTo(0) } });
    const id = await completed(home);

    const { operation, from } = await fork(home, id, { from: 0 });
    await home.until(operation, 'completed');

    expect(from).toBe(0);
    expect(await kinds(home, operation)).toEqual(await kinds(home, id));
  });

  test('of a goal that was never begun is that goal again', async () => {
    await using home = await temporaryRuntime({ models: {} });
    const id = await home.begin();
    await home.until(id, 'failed');

    const { operation, from } = await fork(home, id);

    expect(from).toBe(0);
    expect(await home.operation(operation)).toMatchObject({ goal: 'Do it.', agent: 'jean' });
  });
});

describe('a fork is refused', () => {
  test('of an operation that is not there', async () => {
    await using home = await temporaryRuntime();

    await expect(fork(home, 'f'.repeat(32))).rejects.toMatchObject({ code: 'operation.unknown' });
  });

  test('at a step that is not there, and nothing is left of it', async () => {
    await using home = await temporaryRuntime({ models: { model: countTo(0) } });
    const id = await completed(home);

    await expect(fork(home, id, { from: 99 })).rejects.toMatchObject({
      code: 'operation.unknown',
      message: expect.stringContaining('it has 4'),
    });
    expect(await home.scheduler.getQueue()).toEqual([]);
  });

  test('when its agent was terminated', async () => {
    await using home = await temporaryRuntime({ models: { model: countTo(0) } });
    const id = await completed(home);
    await home.runtime.terminate('jean', { by: 'owner' });

    await expect(fork(home, id)).rejects.toMatchObject({ code: 'agent.wrong-state' });
  });
});

async function completed(home: TemporaryRuntime): Promise<string> {
  const id = await home.begin();
  await home.until(id, 'completed');
  return id;
}

async function fork(home: TemporaryRuntime, id: string, request: Partial<ForkRequest> = {}) {
  const { ledger, clock } = home;
  const forked = await forkOperation({ ledger, clock, random: realRandom }, id, {
    by: 'owner',
    ...request,
  });
  home.scheduler.wake();
  return forked;
}

async function kinds(home: TemporaryRuntime, id: string): Promise<readonly string[]> {
  return (await home.steps(id)).map(({ step }) => step.kind);
}

/** A model that calls the tool so often, by what it was told and not by what it remembers. */
function countTo(most: number) {
  return ({ messages }: ModelRequest) => {
    const calls = messages.filter(({ role }: ModelMessage) => role === 'tool').length;
    return calls < most
      ? { call: [{ tool: 'test.append', args: { text: String(calls + 1) } }] }
      : { say: `Done after ${calls}.` };
  };
}

function appendTool(log: string[]): Tool {
  return defineTool({
    name: 'test.append',
    summary: 'Appends',
    schema: z.strictObject({ text: z.string() }),
    effect: 'write',
    repeatable: false,
    actions: () => [],
    run: async ({ text }) => {
      log.push(text);
      return 'ok';
    },
  });
}
