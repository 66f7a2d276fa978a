import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
import { wholeMessage } from '../../tests/support/temporary-relay.ts';
import { type TemporaryRuntime, temporaryRuntime } from '../../tests/support/temporary-runtime.ts';
import type { LanguageModel, ModelRequest } from '../kernel/agent/model.ts';
import { AosError } from '../kernel/errors.ts';
import { insertAgent } from '../ledger/agents.ts';
import { freeLease, readBudget } from '../ledger/operations/leases.ts';
import { defineTool, type ToolSpec } from '../tools/tool.ts';

const owner = { by: 'owner' };

async function mail({ relay }: TemporaryRuntime, to: string, body = 'hello'): Promise<void> {
  await relay.accept([{ sender: 'owner', message: wholeMessage({ to, body }) }]);
}

async function toldToOwner({ relay }: TemporaryRuntime): Promise<string[]> {
  return (await relay.mailboxes.list('owner', { limit: 100 })).map(({ body }) => body);
}

async function goalsOf({ ledger }: TemporaryRuntime, agent: string): Promise<string[]> {
  const rows = await ledger.committed.all<{ state: string }>(
    'select state from operations where agent = $1 order by id',
    [agent],
  );
  return rows.map(({ state }) => state);
}

/** Calls `test.do` once, then says so. */
function once({ messages }: ModelRequest) {
  if (messages.some(({ role }) => role === 'tool')) return { say: 'done' };
  return { call: [{ tool: 'test.do', args: {} }] };
}

function testTool(
  run: () => Promise<unknown>,
  more: Partial<ToolSpec<Record<string, never>>> = {},
) {
  return defineTool<Record<string, never>>({
    name: 'test.do',
    summary: 'A tool of a test',
    schema: z.record(z.string(), z.never()),
    effect: 'external',
    actions: () => [],
    run,
    ...more,
  });
}

/** A tool that answers when the test says so. */
function heldTool() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const held = {
    calls: 0,
    tool: testTool(() => {
      held.calls++;
      return promise;
    }),
    answer: () => resolve('made'),
  };
  return held;
}

describe('a standing agent', () => {
  test('that had mail while it was paused works on it as soon as it is resumed', async () => {
    const seen: string[] = [];
    await using home = await temporaryRuntime({
      models: {
        model: ({ messages }) => {
          seen.push(JSON.stringify(messages));
          return { say: 'answered' };
        },
      },
    });
    await home.begin({ goal: undefined, spec: { is_standing: true } });
    await home.runtime.pause('jean', owner);
    await mail(home, 'jean', 'are you there?');
    const pausedMs = home.clock.monotonicMs();
    await home.when(() => home.clock.monotonicMs() - pausedMs > 20_000, 'it was looked for');
    expect(seen).toEqual([]);

    const resumedMs = home.clock.monotonicMs();
    await home.runtime.resume('jean', owner);
    await home.when(() => seen.length === 1, 'it was asked');

    expect(seen[0]).toContain('are you there?');
    // Sooner than whoever looks now and then would have found it.
    expect(home.clock.monotonicMs() - resumedMs).toBeLessThan(2000);
  });

  test('that nobody told of its mail finds it all the same', async () => {
    let asked = 0;
    await using home = await temporaryRuntime({
      models: {
        model: () => {
          asked++;
          return { say: 'answered' };
        },
      },
    });
    await home.begin({ goal: undefined, spec: { is_standing: true } });
    await home.runtime.pause('jean', owner);
    await mail(home, 'jean');
    await home.when(
      async () => (await home.relay.mailboxes.list('jean', { limit: 1 })).length === 1,
      'it has come',
    );

    await home.ledger.transact((tx) => tx.run(`update agents set state = 'pending'`));
    await home.when(() => asked === 1, 'it was asked');

    expect(await goalsOf(home, 'jean')).toHaveLength(1);
  });

  test('whose model is gone is tried a few times, then failed, and the owner is told', async () => {
    await using home = await temporaryRuntime({ models: {} });
    await home.begin({ goal: undefined, spec: { is_standing: true } });

    await mail(home, 'jean');
    await home.when(async () => (await home.agent('jean')).state === 'failed', 'it is given up');
    const givenUpMs = home.clock.monotonicMs();
    await home.when(() => home.clock.monotonicMs() - givenUpMs > 120_000, 'time has passed');

    expect(await goalsOf(home, 'jean')).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(await home.agent('jean')).toMatchObject({ reason: 'There is no model test:model' });
    expect(await toldToOwner(home)).toEqual([expect.stringContaining('There is no model')]);
  });

  test('that answers one that answers it is slowed down, and the owner is told', async () => {
    const sendTo =
      (to: string) =>
      ({ messages }: ModelRequest) =>
        messages.some(({ role }) => role === 'tool')
          ? { say: 'ok' }
          : { call: [{ tool: 'message.send', args: { to, body: 'and you?' } }] };
    await using home = await temporaryRuntime({
      models: { ping: sendTo('pong'), pong: sendTo('ping') },
    });
    for (const name of ['ping', 'pong']) {
      const spec = { model: `test:${name}`, is_standing: true };
      await home.begin({ name, spec, goal: undefined, grants: ['message:*:send'] });
    }

    const beganMs = home.clock.monotonicMs();
    await mail(home, 'ping');
    await home.when(
      () => home.clock.monotonicMs() - beganMs > 55_000,
      'it has gone on for a while',
    );

    const goals = [...(await goalsOf(home, 'ping')), ...(await goalsOf(home, 'pong'))];
    expect(goals.length).toBeGreaterThan(20);
    expect(goals.length).toBeLessThanOrEqual(62);
    expect(await toldToOwner(home)).toEqual([expect.stringContaining('within a minute')]);
  });
});

describe('a tool that never answers', () => {
  test('does not outlive the wall time of its goal, all of which is charged', async () => {
    await using home = await temporaryRuntime({
      models: { model: once },
      tools: [testTool(() => new Promise(() => {}))],
    });

    const id = await home.begin({ goal: { text: 'x', budget: { wall: 3000 } } });
    const failed = await home.until(id, 'failed');

    expect(failed.result).toContain('budget.spent');
    const budget = await readBudget(home.ledger.committed, `operation:${id}`);
    expect(budget?.wall.used).toBeGreaterThanOrEqual(3000);
    expect(budget?.wall.used).toBeLessThan(4000);
  });

  test('does not outlive the deadline of its goal', async () => {
    await using home = await temporaryRuntime({
      models: { model: once },
      tools: [testTool(() => new Promise(() => {}))],
    });
    const beganMs = home.clock.monotonicMs();

    const id = await home.begin({ goal: { text: 'x', deadlineMs: 3000 } });
    const failed = await home.until(id, 'failed');

    expect(failed.result).toContain('deadline');
    expect(home.clock.monotonicMs() - beganMs).toBeLessThan(10_000);
  });

  test.each(['cancel', 'terminate'] as const)('does not hold up %s', async (how) => {
    let calls = 0;
    await using home = await temporaryRuntime({
      models: { model: once },
      tools: [
        testTool(() => {
          calls++;
          return new Promise(() => {});
        }),
      ],
    });
    const id = await home.begin();
    await home.when(() => calls === 1, 'it is called');

    const beganMs = home.clock.monotonicMs();
    const ended =
      how === 'cancel'
        ? home.scheduler.cancel(id, owner)
        : home.runtime.terminate('jean', { ...owner, reason: 'enough' });
    await home.until(id, 'cancelled');
    await ended;

    expect(home.clock.monotonicMs() - beganMs).toBeLessThan(2000);
    const used = (await readBudget(home.ledger.committed, `operation:${id}`))?.wall;
    expect(used).toMatchObject({ held: 0 });
    expect(await home.ledger.committed.all(`select * from leases where owner <> ''`)).toEqual([]);
  });
});

test.each([8, 60])(
  'a disk that is full for %i s holds a run up, and does not end it',
  async (s) => {
    const made: number[] = [];
    await using home = await temporaryRuntime({
      models: {
        model: ({ messages }) => {
          const turns = messages.filter(({ role }) => role === 'tool').length;
          if (turns === 3) return { say: 'done' };
          return { call: [{ tool: 'test.do', args: {} }] };
        },
      },
      tools: [testTool(async () => made.push(made.length))],
    });
    const { ledger } = home;
    if (!(ledger instanceof SimulatedLedger)) throw new Error('it has another ledger');
    const id = await home.begin();
    await home.when(() => made.length === 1, 'it is in the middle');

    const fullMs = home.clock.monotonicMs();
    await home.when(() => {
      ledger.fate = 'fails';
      return home.clock.monotonicMs() - fullMs > s * 1000;
    }, 'the disk was full for a while');
    ledger.fate = 'works';
    const done = await home.until(id, 'completed');

    expect(JSON.parse(done.result ?? '')).toEqual({ text: 'done' });
    expect(made).toEqual([0, 1, 2]);
  },
);

test('an agent whose goal waits is running under its lease again when it is resumed', async () => {
  await using home = await temporaryRuntime({
    models: { model: once },
    tools: [testTool(async () => 'made', { asks: () => 'the test wants it' })],
  });
  const id = await home.begin();
  await home.until(id, 'waiting');

  await home.runtime.pause('jean', owner);
  expect(await home.agent('jean')).toMatchObject({ state: 'paused' });
  expect(home.leases.holds('agent:jean')).toBe(false);
  await home.runtime.resume('jean', owner);

  expect(await home.agent('jean')).toMatchObject({ state: 'running' });
  expect(home.leases.holds('agent:jean')).toBe(true);
  expect(await home.operation(id)).toMatchObject({ state: 'waiting' });
});

test('terminate() ends where agents are below one another in a ring, and ends all of them', async () => {
  await using home = await temporaryRuntime({ models: { model: () => ({ say: 'done' }) } });
  for (const name of ['one', 'two', 'three']) {
    await home.begin({ name, goal: undefined, spec: { is_standing: true } });
  }
  // Spawning refuses it; an older ledger may have it.
  await home.ledger.transact(async (tx) => {
    await tx.run(`update agents set parent =
      case name when 'one' then 'three' when 'two' then 'one' else 'two' end`);
  });

  await home.runtime.terminate('one', owner);

  const agents = await home.runtime.listAgents();
  expect(agents.map(({ state }) => state)).toEqual(['terminated', 'terminated', 'terminated']);
});

test('a guest that cannot be paused, because it is over, is not taken for a paused one', async () => {
  await using home = await temporaryRuntime();
  const guest = { name: 'gus', registered_at: 0, status: 'active', body: 'guest' } as const;
  await home.ledger.transact((tx) => insertAgent(tx, { ...guest, state: 'pending' }));
  await home.runtime.terminate('gus', owner);

  const pausing = home.runtime.pause('gus', owner);

  await expect(pausing).rejects.toMatchObject({ code: 'agent.wrong-state' });
  expect(home.grants.isPaused('agent:gus')).toBe(false);
});

test.each(['cancelled', 'late'] as const)(
  'a goal that is %s before it began leaves alone what its agent works on',
  async (how) => {
    const held = heldTool();
    await using home = await temporaryRuntime({ models: { model: once }, tools: [held.tool] });
    const id = await home.begin();
    await home.when(() => held.calls === 1, 'it is called');
    const lease = await home.ledger.committed.all('select subject, owner, token from leases');

    const goal = { text: 'y', owner: 'owner', agent: 'jean', deadlineMs: 1000 };
    const { operationId } = await home.scheduler.submit(goal);
    if (how === 'cancelled') await home.scheduler.cancel(operationId, owner);
    const beganMs = home.clock.monotonicMs();
    await home.when(() => home.clock.monotonicMs() - beganMs > 12_000, 'leases were renewed');

    expect((await home.operation(operationId)).ended_at).not.toBeNull();
    expect(await home.agent('jean')).toMatchObject({ state: 'running' });
    const present = await home.ledger.committed.all('select subject, owner, token from leases');
    expect(present).toEqual(lease);
    held.answer();
    await home.until(id, 'completed');
    expect(held.calls).toBe(1);
  },
);

test('a goal that was paused goes on also when the process dies while it is resumed', async () => {
  const held = heldTool();
  const first = await temporaryRuntime({ models: { model: once }, tools: [held.tool] });
  const { ledger } = first;
  if (!(ledger instanceof SimulatedLedger)) throw new Error('it has another ledger');
  const id = await first.begin();
  await first.when(() => held.calls === 1, 'it is called');
  const paused = first.runtime.pause('jean', owner);
  held.answer();
  await paused;
  expect(await first.operation(id)).toMatchObject({ state: 'paused' });

  ledger.fate = 'power-cut-after-flush';
  void first.runtime.resume('jean', owner);
  await first.when(() => !ledger.hasPower, 'the power is gone');
  await using second = await first.crash();

  await second.until(id, 'completed');
});

test('a call whose run lost its lease is not lost: the run that goes on hears its end', async () => {
  const held = heldTool();
  await using home = await temporaryRuntime({ models: { model: once }, tools: [held.tool] });
  const id = await home.begin();
  await home.when(() => held.calls === 1, 'it is called');

  await home.ledger.transact((tx) => freeLease(tx, 'agent:jean'));
  const starts = `select seq from events where kind = 'operation.started'`;
  await home.when(
    async () => (await home.ledger.committed.all(starts)).length === 2,
    'the run was put back, and goes on',
  );
  held.answer();
  await home.until(id, 'completed');

  expect(held.calls).toBe(1);
  const journal = await home.ledger.committed.all('select state, runs from journal');
  expect(journal).toEqual([{ state: 'answered', runs: 1 }]);
});

test('a call of an agent that is terminated has come to its end, and is not left to the next start', async () => {
  const held = heldTool();
  await using home = await temporaryRuntime({ tools: [held.tool] });
  const guest = { name: 'gus', registered_at: 0, status: 'active', body: 'guest' } as const;
  await home.ledger.transact((tx) => insertAgent(tx, { ...guest, state: 'pending' }));
  const calling = home.calls.call({ principal: 'agent:gus', tool: 'test.do', args: {} });
  await home.when(() => held.calls === 1, 'it is called');

  await home.runtime.terminate('gus', owner);

  expect(await calling).toMatchObject({ kind: 'failed', error: { code: 'agent.wrong-state' } });
  expect(await home.ledger.committed.all('select state from journal')).toEqual([
    { state: 'failed' },
  ]);
});

test.each([1, 2, 3, 4])(
  'a run that is to be tried again is, also when commit %i fails',
  async (n) => {
    let asked = 0;
    let commits = 0;
    const model: LanguageModel = {
      ...{ id: 'test:model', contextTokens: 100_000, isScripted: true },
      answer: async () => {
        if (++asked === 1) throw new AosError('model.overloaded', { message: 'Busy' });
        const usage = { inputTokens: 1, outputTokens: 1 };
        return { parts: [{ kind: 'text', text: 'done' }], finish: 'stop', usage };
      },
    };
    await using home = await temporaryRuntime({ models: { model } });
    const { ledger } = home;
    if (!(ledger instanceof SimulatedLedger)) throw new Error('it has another ledger');
    const id = await home.begin({ spec: { restart: 'on-failure' } });

    const { transact } = ledger;
    ledger.transact = (work) => {
      if (asked === 1 && ++commits === n) ledger.fate = 'fails';
      return transact.call(ledger, work) as ReturnType<typeof work>;
    };

    await home.until(id, 'completed');
  },
);
