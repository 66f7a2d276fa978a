import { describe, expect, test } from 'vitest';
import {
  type TemporaryTools,
  temporaryTools,
  testTool,
} from '../../tests/support/temporary-tools.ts';
import { until } from '../../tests/support/until.ts';
import { changeStatus } from '../ledger/agents.ts';
import type { Effect } from './tool.ts';

const jean = 'agent:jean';
const lost = new Promise<never>(() => {});

/** A process that dies while its tool runs, and the one after it. */
async function killedInTheMiddle(
  effect: Effect,
  {
    repeatable = false,
    capability = 'tool:x:call',
  }: { readonly repeatable?: boolean; readonly capability?: string } = {},
) {
  const first = await temporaryTools();
  first.tools.register(testTool('test.do', () => lost, { effect, repeatable }));
  await first.capabilities.grant({ agent: 'jean', capability }, 'owner');
  void first.calls.call({ principal: jean, tool: 'test.do', args: {}, key: 'k' });
  await until(async () => expect(await first.events('tool.started')).toHaveLength(1));
  const runs: string[] = [];
  const next = first.restart();
  next.tools.register(
    testTool(
      'test.do',
      async (_args, { key }) => {
        runs.push(key);
        return 'again';
      },
      { effect, repeatable },
    ),
  );
  await next.calls.recover();
  const [row] = await next.ledger.committed.all<{ call_id: string }>('select call_id from journal');
  return { home: next, runs, id: row?.call_id ?? '' };
}

const state = async (home: TemporaryTools, id: string) => (await home.call(id))?.state;

test.each([['write'], ['external']] as const)(
  'a call with the effect %s that nobody saw the end of is unsure, and is not run again',
  async (effect) => {
    const { home, runs, id } = await killedInTheMiddle(effect);

    expect(runs).toEqual([]);
    expect(await state(home, id)).toBe('unsure');
    expect(await home.events('tool.unsure')).toHaveLength(1);
    expect(home.notes.map(({ to }) => to)).toEqual([jean, 'owner']);
    expect(home.notes[1]?.body).toContain(`aos resolve ${id} redo`);
  },
);

test('whoever asks again under the same key hears that it is unsure', async () => {
  const { home, runs } = await killedInTheMiddle('external');

  const outcome = await home.calls.call({ principal: jean, tool: 'test.do', args: {}, key: 'k' });

  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'tool.unsure' } });
  expect(runs).toEqual([]);
});

test.each([
  ['that only reads', 'read', false],
  ['whose second run has no second effect', 'external', true],
] as const)('a call %s is run again, under the same key', async (_which, effect, repeatable) => {
  const { home, runs, id } = await killedInTheMiddle(effect, { repeatable });

  await until(async () => expect(await state(home, id)).toBe('answered'));
  expect(runs).toEqual(['k']);
  expect(await home.call(id)).toMatchObject({ runs: 2, result: '"again"' });
});

test('that nobody can be told does not keep the daemon from starting', async () => {
  const { home } = await killedInTheMiddle('external');
  const next = home.restart();
  next.breakNotes();

  await expect(next.calls.recover()).resolves.toBeUndefined();
});

test('a call that is run again is one use of its grant', async () => {
  const { home, runs, id } = await killedInTheMiddle('read', { capability: 'tool:x:call{max:1}' });

  await until(async () => expect(await state(home, id)).toBe('answered'));
  expect(runs).toEqual(['k']);
});

test('a call of an agent that was terminated meanwhile is not run again', async () => {
  const { home } = await killedInTheMiddle('external');
  const [row] = await home.ledger.committed.all<{ call_id: string }>('select call_id from journal');
  await home.ledger.transact((tx) =>
    changeStatus(tx, 'jean', { from: 'active', to: 'terminated' }),
  );

  const call = await home.calls.resolve({ callId: row?.call_id ?? '', as: 'redo', by: 'owner' });

  expect(call.state).toBe('failed');
});

test('a second restart asks and runs nothing again', async () => {
  const { home, id } = await killedInTheMiddle('external');
  const next = home.restart();

  await next.calls.recover();

  expect(await state(next, id)).toBe('unsure');
  expect(await next.events('tool.unsure')).toHaveLength(1);
});

test('what takes the daemon down each time is given up', async () => {
  const first = await temporaryTools();
  const dying = () => testTool('test.do', () => lost, { effect: 'read' });
  first.tools.register(dying());
  await first.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');
  void first.calls.call({ principal: jean, tool: 'test.do', args: {} });
  await until(async () => expect(await first.events('tool.started')).toHaveLength(1));
  let home = first;
  for (let restarts = 0; restarts < 3; restarts++) {
    home = home.restart();
    home.tools.register(dying());
    await home.calls.recover();
  }

  expect(await home.events('tool.started')).toHaveLength(3);
  expect(await home.events('tool.failed')).toHaveLength(1);
});

test('a call whose grant was revoked meanwhile is not run again', async () => {
  const first = await temporaryTools();
  first.tools.register(testTool('test.do', () => lost, { effect: 'read' }));
  const grant = await first.capabilities.grant(
    { agent: 'jean', capability: 'tool:x:call' },
    'owner',
  );
  void first.calls.call({ principal: jean, tool: 'test.do', args: {} });
  await until(async () => expect(await first.events('tool.started')).toHaveLength(1));
  const next = first.restart();
  let runs = 0;
  next.tools.register(testTool('test.do', async () => ++runs, { effect: 'read' }));
  await next.capabilities.revoke(grant.id, 'owner');

  await next.calls.recover();

  expect(runs).toBe(0);
  expect(await next.events('capability.denied')).toHaveLength(1);
});

test('a tool that is gone fails its call', async () => {
  const first = await temporaryTools();
  first.tools.register(testTool('test.do', () => lost, { effect: 'read' }));
  await first.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');
  void first.calls.call({ principal: jean, tool: 'test.do', args: {} });
  await until(async () => expect(await first.events('tool.started')).toHaveLength(1));
  const next = first.restart();

  await next.calls.recover();

  const [row] = await next.ledger.committed.all<{ state: string; result: string }>(
    'select state, result from journal',
  );
  expect(row?.state).toBe('failed');
  expect(row?.result).toContain('tool.unknown');
});

describe('an unsure call is resolved', () => {
  test.each([
    ['done', 'answered', []],
    ['fail', 'failed', []],
    ['redo', 'answered', ['k']],
  ] as const)('as %s', async (as, end, ran) => {
    const { home, runs, id } = await killedInTheMiddle('external');

    await home.calls.resolve({ callId: id, as, by: 'owner' });

    await until(async () => expect(await state(home, id)).toBe(end));
    expect(runs).toEqual(ran);
    expect(await home.events('tool.resolved')).toMatchObject([{ actor: 'owner' }]);
  });

  test('once', async () => {
    const { home, id } = await killedInTheMiddle('external');
    const resolve = () => home.calls.resolve({ callId: id, as: 'redo', by: 'owner' });

    const both = await Promise.allSettled([resolve(), resolve()]);

    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(resolve()).rejects.toMatchObject({ code: 'tool.not-unsure' });
  });

  test('and one that nobody knows is refused', async () => {
    const { home } = await killedInTheMiddle('external');

    const unknown = home.calls.resolve({ callId: 'ffff', as: 'done', by: 'owner' });

    await expect(unknown).rejects.toMatchObject({ code: 'tool.unknown-call' });
  });
});

test('a daemon that stops leaves what is running to the next one', async () => {
  const first = await temporaryTools();
  first.tools.register(testTool('test.do', () => lost, { effect: 'external' }));
  await first.capabilities.grant({ agent: 'jean', capability: 'tool:x:call' }, 'owner');
  const calling = first.calls.call({ principal: jean, tool: 'test.do', args: {} });
  await until(async () => expect(await first.events('tool.started')).toHaveLength(1));

  await first.calls[Symbol.asyncDispose]();

  const outcome = await calling;
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'tool.interrupted' } });
  expect(await state(first, outcome.callId)).toBe('started');
});
