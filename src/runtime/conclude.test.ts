import { expect, test } from 'vitest';
import * as z from 'zod';
import { type TemporaryRuntime, temporaryRuntime } from '../../tests/support/temporary-runtime.ts';
import type { ModelRequest } from '../kernel/agent/model.ts';
import type { ApprovalRow } from '../ledger/security/approvals.ts';
import { defineTool } from '../tools/tool.ts';

/** A tool that a human has to approve, and how often it was called. */
function askingTool() {
  const calls: string[] = [];
  const tool = defineTool<Record<string, never>>({
    name: 'test.pay',
    summary: 'Costs money',
    schema: z.record(z.string(), z.never()),
    effect: 'external',
    asks: () => 'it costs money',
    actions: () => [],
    run: async (_, { principal }) => calls.push(principal),
  });
  return { tool, calls };
}

const isFirst = ({ messages }: ModelRequest) => !messages.some(({ role }) => role === 'tool');
const paying = (request: ModelRequest) =>
  isFirst(request) ? { call: [{ tool: 'test.pay', args: {} }] } : { say: 'paid' };
const spawning = (request: ModelRequest) => {
  const args = { name: 'sam', goal: 'pay', model: 'test:paying' };
  return isFirst(request) ? { call: [{ tool: 'agent.spawn', args }] } : { say: 'I wait.' };
};

async function approvalIn({ ledger }: TemporaryRuntime): Promise<ApprovalRow> {
  const row = await ledger.committed.get<ApprovalRow>('select * from approvals');
  if (row === undefined) throw new Error('nobody has asked');
  return row;
}

type End = (home: TemporaryRuntime, id: string) => Promise<unknown>;

const ends: Readonly<Record<string, End>> = {
  'is cancelled': ({ scheduler }, id) => scheduler.cancel(id, { by: 'owner' }),
  'passes its deadline': (home, id) => home.until(id, 'failed'),
  'is ended with its agent': ({ runtime }) => runtime.terminate('jean', { by: 'owner' }),
};

test.each(Object.entries(ends))(
  'what waits for a human is withdrawn when its goal %s',
  async (_, end) => {
    const { tool, calls } = askingTool();
    await using home = await temporaryRuntime({ models: { model: paying }, tools: [tool] });
    const id = await home.begin({ goal: { text: 'pay', deadlineMs: 60_000 } });
    await home.until(id, 'waiting');
    const { id: approval, hash } = await approvalIn(home);

    await end(home, id);

    expect(await approvalIn(home)).toMatchObject({ state: 'expired' });
    const verdict = { kind: 'approve', scope: 'once' } as const;
    const late = home.calls.answer({ id: approval, hash, by: 'owner', verdict });
    await expect(late).rejects.toMatchObject({ code: expect.stringMatching(/^approval\./) });
    expect(calls).toEqual([]);
  },
);

test('what the child of a goal waits for is withdrawn with that goal', async () => {
  const { tool, calls } = askingTool();
  await using home = await temporaryRuntime({
    models: { model: spawning, paying },
    tools: [tool],
  });
  const id = await home.begin({ grants: ['agent:*:spawn'] });
  await home.when(
    async () => (await home.ledger.committed.get('select 1 as one from approvals')) !== undefined,
    'the child has asked',
  );

  await home.scheduler.cancel(id, { by: 'owner' });
  await home.when(async () => (await approvalIn(home)).state !== 'waiting', 'it is withdrawn');

  expect(await approvalIn(home)).toMatchObject({ principal: 'agent:sam', state: 'expired' });
  expect(calls).toEqual([]);
});
