import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openOnce } from '../../../tests/support/open-once.ts';
import {
  bearer,
  send,
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import { until } from '../../../tests/support/until.ts';
import { realClock } from '../../engines/clock.ts';
import { insertAgent } from '../../ledger/agents.ts';
import { insertOperation } from '../../ledger/operations/operations.ts';
import type { ScriptText } from '../../models/scripted/script.ts';
import type { Body } from '../contract/contract.ts';
import type { GoalEvent } from '../contract/stream-events.ts';
import type { GatewayDeps } from '../server/deps.ts';

function withRuntime(choices: Partial<GatewayDeps> = {}): Promise<TemporaryGateway> {
  return temporaryGateway(choices, {}, { withRuntime: true });
}

/** The name of a model that follows this. */
function script(gateway: TemporaryGateway, turns: ScriptText['turns']): string {
  const path = gateway.home.at(`script-${++scripts}.json`);
  writeFileSync(path, JSON.stringify({ scripted_model: 1, turns }));
  return `scripted:${path}`;
}

let scripts = 0;

const talk = [{ say: 'I look.', call: [{ tool: 'tool.list', args: {} }] }, { say: 'All done.' }];
const slow = [{ say: 'At last.', delay_ms: 60_000 }];

async function spawnOn(
  gateway: TemporaryGateway,
  turns: ScriptText['turns'],
  body: Body<'spawn'> = {},
): Promise<string> {
  const model = script(gateway, turns);
  const { operation } = await gateway.client.spawn('jean', { model, goal: 'Do it.', ...body });
  return operation ?? '';
}

async function goalIn(gateway: TemporaryGateway, id: string, state: string) {
  return until(async () => {
    const goal = await gateway.client.goal(id);
    expect(goal.state).toBe(state);
    return goal;
  });
}

function metricsOf({ ownerSocket }: TemporaryGateway): Promise<string> {
  return send({ at: ownerSocket, path: '/metrics' }).then(({ text }) => text);
}

describe('an agent on a model', () => {
  test('reaches its goal, and shows what it is and what it used', async () => {
    await using gateway = await withRuntime();

    const id = await spawnOn(gateway, talk, { budget: ['tokens=100000'] });
    const goal = await goalIn(gateway, id, 'completed');

    expect(goal).toMatchObject({ result: 'All done.', trust: 'data', scripted: true, error: null });
    const details = await gateway.client.agentDetails('jean');
    expect(details).toMatchObject({
      ...{ name: 'jean', body: 'model', state: 'completed', scripted: true, restart: 'on-failure' },
      ...{ spawned_by: 'owner', argv: null, log_path: null, lease: null },
      operations: [{ id, state: 'completed' }],
    });
    expect(details.budget?.tokens).toMatchObject({ limit: 100_000, held: 0 });
    expect(details.budget?.tokens.used).toBeGreaterThan(0);
    const agent = await gateway.client.agent('jean');
    expect(agent).toMatchObject({ model: details.model, tokens: details.budget?.tokens.used });
    expect(await Array.fromAsync(gateway.client.agents())).toEqual([agent]);
  });

  test('that has no goal waits for messages', async () => {
    await using gateway = await withRuntime();
    const model = script(gateway, talk);

    const spawned = await gateway.client.spawn('jean', { model });

    expect(spawned).toEqual({ agent: 'jean', operation: null, pid: null, waiting: false });
    await gateway.client.send({ to: 'jean', body: 'hello' });
    await until(async () => {
      const { items } = await gateway.client.goals({ agent: 'jean' });
      expect(items).toMatchObject([{ state: 'completed', owner: 'system' }]);
    });
    expect(await gateway.client.agent('jean')).toMatchObject({ state: 'pending' });
  });

  test('stops after its step when it is paused, and goes on when it is let', async () => {
    await using gateway = await withRuntime();
    const steps = Array.from({ length: 3 }, () => ({
      ...{ say: 'On.', call: [{ tool: 'tool.list', args: {} }], delay_ms: 150 },
    }));
    const id = await spawnOn(gateway, [...steps, { say: 'Done.' }]);
    await goalIn(gateway, id, 'running');

    const paused = await gateway.client.pauseAgent('jean', { reason: 'lunch' });

    expect(paused).toEqual({ name: 'jean', state: 'paused' });
    expect(await gateway.client.goal(id)).toMatchObject({ state: 'paused' });
    expect(await gateway.client.resumeAgent('jean')).toMatchObject({ name: 'jean' });
    await goalIn(gateway, id, 'completed');
  });

  test('in a long step is answered for before it has stopped', async () => {
    const clock = {
      ...realClock,
      sleep: (ms: number, signal?: AbortSignal) =>
        realClock.sleep(ms === 10_000 ? 100 : ms, signal),
    };
    await using gateway = await withRuntime({ clock });
    const id = await spawnOn(gateway, slow);
    await goalIn(gateway, id, 'running');

    const answer = await gateway.client.pauseAgent('jean');

    expect(answer).toEqual({ name: 'jean', state: 'running' });
  });

  test('is ended with all that it does and all that it spawned', async () => {
    await using gateway = await withRuntime();
    const id = await spawnOn(gateway, slow);
    await goalIn(gateway, id, 'running');
    await gateway.client.spawn('child', { model: script(gateway, talk), parent: 'jean' });

    const killed = await gateway.client.killAgent('jean', { reason: 'enough' });

    expect(killed).toEqual({ name: 'jean', state: 'terminated' });
    expect(await gateway.client.goal(id)).toMatchObject({
      ...{ state: 'cancelled', error: { code: 'operation.cancelled' } },
    });
    expect(await gateway.client.agent('child')).toMatchObject({ state: 'terminated' });
    expect(await gateway.client.agentDetails('jean')).toMatchObject({
      ...{ reason: 'enough', children: ['child'] },
    });
  });
});

describe('an agent that is a program', () => {
  test('runs, is stopped where it is, goes on, and is ended', async () => {
    await using gateway = await withRuntime();
    const words = 'echo one; printf "\\033[31mtwo"; exec sleep 60';
    const cli = ['/bin/sh', '-c', words];

    const asked = { cli, goal: 'Be there.', cwd: '/usr', unsandboxed: true } as const;
    const { pid } = await gateway.client.spawn('cli', asked);

    expect(pid).toBeGreaterThan(0);
    await until(async () => {
      const details = await gateway.client.agentDetails('cli');
      expect(details).toMatchObject({
        state: 'running',
        body: 'command',
        pid,
        argv: cli,
        cwd: '/usr',
      });
      expect(details).toMatchObject({ restart: 'never', model: null, scripted: false });
      // As it stands there: whoever shows it takes care of it.
      expect(details.log_tail).toContain('one\n\u001b[31mtwo');
    });
    expect(await gateway.client.pauseAgent('cli')).toMatchObject({ state: 'paused' });
    expect(await gateway.client.resumeAgent('cli')).toMatchObject({ state: 'running' });
    expect(await gateway.client.killAgent('cli')).toMatchObject({ state: 'terminated' });
    expect((await gateway.client.agentDetails('cli')).pid).toBeNull();
  });

  test('shows the end of a long log, from the beginning of a character, without secrets', async () => {
    await using gateway = await withRuntime();
    await gateway.client.setSecret({ name: 'door', value: 'open-sesame-1234' });
    const noise = 'i=0; while [ $i -lt 3000 ]; do printf "ä€"; i=$((i+1)); done';
    const cli = ['/bin/sh', '-c', `${noise}; echo open-sesame-1234 end`];

    await gateway.client.spawn('cli', { cli, unsandboxed: true });

    await until(async () => {
      const { log_tail, state } = await gateway.client.agentDetails('cli');
      expect(state).toBe('completed');
      expect(log_tail).toMatch(/^[ä€]+\[secret:door\] end\n$/);
      expect(Buffer.byteLength(log_tail ?? '')).toBeLessThanOrEqual(4096);
    });
  });
});

describe('spawn refuses', () => {
  const model = 'scripted:hello';
  const cli = ['/bin/true'];
  const refused: readonly [string, Body<'spawn'>, string][] = [
    ['neither a model nor a program', {}, 'agent.bad-spec'],
    ['a model and a program', { model, cli }, 'agent.bad-spec'],
    ['a program without a name', { cli: [''] }, 'agent.bad-spec'],
    ['an argument with a NUL', { cli: ['/bin/true', 'a\0b'] }, 'agent.bad-spec'],
    ['a folder that is not absolute', { cli, cwd: 'tmp' }, 'agent.bad-spec'],
    ['a folder for a model', { model, cwd: '/' }, 'agent.bad-spec'],
    ['an environment for a model', { model, env: { A: '1' } }, 'agent.bad-spec'],
    ['instructions for a program', { cli, instructions: 'x' }, 'agent.bad-spec'],
    ['tools for a program', { cli, tools: [] }, 'agent.bad-spec'],
    [
      'a variable that nobody may set',
      { cli, env: { LD_PRELOAD: 'x' }, unsandboxed: true },
      'agent.bad-spec',
    ],
    ['a parent that is not there', { model, parent: 'nobody' }, 'agent.unknown'],
    ['a model of nobody', { model: 'acme:one' }, 'model.unknown'],
    ['a model without its key', { model: 'anthropic:claude' }, 'model.no-key'],
    ['a script that is not there', { model: 'scripted:/none.json' }, 'model.bad-script'],
    ['a budget of nothing that there is', { model, budget: ['gold=1'] }, 'budget.malformed'],
    ['a budget below its first request', { model, budget: ['tokens=5'] }, 'budget.too-small'],
    [
      'a program that is not there',
      { cli: ['/no/such/program'], unsandboxed: true },
      'program.missing',
    ],
    ['no sandbox for a model', { model, unsandboxed: true }, 'agent.bad-spec'],
    ['a folder to see for a model', { model, sees: ['/srv'] }, 'agent.bad-spec'],
    ['a capability that is none', { model, grants: ['everything'] }, 'capability.bad'],
  ];

  const looked = openOnce(() => withRuntime());

  test.each(refused)('%s', async (_what, body, code) => {
    await expect(looked().client.spawn('jean', body)).rejects.toMatchObject({ code });
  });

  test('a name that is taken', async () => {
    await using gateway = await withRuntime();
    await gateway.client.spawn('jean', { model });

    await expect(gateway.client.spawn('jean', { model })).rejects.toMatchObject({
      code: 'agent.exists',
    });
  });

  test('a name that is none', async () => {
    await using gateway = await withRuntime();

    await expect(gateway.client.spawn('../jean', { model })).rejects.toMatchObject({
      code: 'agent.bad-name',
    });
  });
});

describe('to move an agent is refused', () => {
  test('when there is none of that name', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    const unknown = { code: 'agent.unknown' };

    await expect(client.pauseAgent('nobody')).rejects.toMatchObject(unknown);
    await expect(client.resumeAgent('nobody')).rejects.toMatchObject(unknown);
    await expect(client.killAgent('nobody')).rejects.toMatchObject(unknown);
    await expect(client.heartbeat('nobody')).rejects.toMatchObject(unknown);
    await expect(client.agentDetails('nobody')).rejects.toMatchObject(unknown);
  });

  test('when its state does not allow it', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    await client.spawn('jean', { model: 'scripted:hello' });

    await expect(client.resumeAgent('jean')).rejects.toMatchObject({ code: 'agent.wrong-state' });
    await client.killAgent('jean');
    await expect(client.pauseAgent('jean')).rejects.toMatchObject({ code: 'agent.wrong-state' });
    await expect(client.killAgent('jean')).rejects.toMatchObject({ code: 'agent.wrong-state' });
  });

  test('to an agent', async () => {
    await using gateway = await withRuntime();
    const as = await callerOf(gateway, 'samantha');
    await gateway.client.spawn('jean', { model: 'scripted:hello' });

    for (const path of [
      '/agents/jean/kill',
      '/agents/samantha/pause',
      '/agents/x/spawn',
      '/goals',
    ]) {
      expect((await as('POST', path, { goal: 'x' })).status).toBe(403);
    }
    expect((await as('GET', '/goals')).status).toBe(403);
  });
});

async function callerOf(gateway: TemporaryGateway, name: string) {
  const { handle } = await gateway.client.register(name);
  return (method: string, path: string, body?: unknown) =>
    send({
      ...{ at: gateway.agentSocket(name), method, path: `/api/v1${path}` },
      headers: bearer(handle),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

describe('the details of an agent', () => {
  test('are seen by itself and by those above it, and to others it is not there', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    const elder = await callerOf(gateway, 'elder');
    const stranger = await callerOf(gateway, 'stranger');
    const model = 'scripted:hello';
    await client.spawn('child', { model, parent: 'elder' });
    await client.spawn('grandchild', { model, parent: 'child' });

    expect((await elder('GET', '/agents/elder/details')).json).toMatchObject({
      ...{ name: 'elder', body: 'guest', children: ['child'], budget: null, operations: [] },
    });
    expect((await elder('GET', '/agents/grandchild/details')).json).toMatchObject({
      ...{ name: 'grandchild', parent: 'child', state: 'pending' },
    });
    const refused = await stranger('GET', '/agents/child/details');
    expect(refused).toMatchObject({ status: 404, json: { code: 'agent.unknown' } });
    expect((await elder('GET', '/agents/stranger/details')).status).toBe(404);
  });
});

describe('a heartbeat', () => {
  test('is taken from a guest itself and from the owner for it, and from nobody else', async () => {
    await using gateway = await withRuntime();
    const guest = await callerOf(gateway, 'guest');
    const other = await callerOf(gateway, 'other');

    expect((await guest('POST', '/agents/guest/heartbeat', {})).json).toEqual({
      ...{ name: 'guest', state: 'pending' },
    });
    expect(await gateway.client.heartbeat('guest')).toMatchObject({ name: 'guest' });
    expect((await other('POST', '/agents/guest/heartbeat', {})).status).toBe(404);
    const row = await gateway.ledger.committed.all('select name from agents where beats = 1');
    expect(row).toEqual([{ name: 'guest' }]);
  });

  test('is refused of an agent that lives here, and of one that was terminated', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    await client.spawn('jean', { model: 'scripted:hello' });
    await client.register('guest');
    await client.killAgent('guest');

    await expect(client.heartbeat('jean')).rejects.toMatchObject({ code: 'agent.wrong-state' });
    await expect(client.heartbeat('guest')).rejects.toMatchObject({ code: 'agent.wrong-state' });
  });
});

describe('a goal', () => {
  test('is taken by the agent that is named, and is found by the beginning of its id', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    await client.spawn('jean', { model: script(gateway, talk) });

    const goal = { goal: 'Look.', agent: 'jean', priority: 2, budget: ['tool_calls=3'] };
    const submitted = await client.submitGoal(goal);

    expect(submitted).toMatchObject({ agent: 'jean', because: 'agent "jean" was named' });
    const id = submitted.operation;
    await goalIn(gateway, id.slice(0, 20), 'completed');
    expect(await client.goal(id)).toMatchObject({
      ...{ id, goal: 'Look.', owner: 'owner', priority: 2, children: [], parent: null },
      budget: { tool_calls: { limit: 3, used: 1, held: 0 }, tokens: { limit: null } },
    });
    expect((await client.goals({})).items).toMatchObject([{ id, state: 'completed' }]);
    expect((await client.goals({ open: 'true' })).items).toEqual([]);
    expect((await client.goals({ agent: 'nobody' })).items).toEqual([]);
  });

  test('has a journal that is read a page at a time', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    const id = await spawnOn(gateway, talk);
    const { steps } = await goalIn(gateway, id, 'completed');

    const first = await client.steps(id, { limit: 4 });
    const rest = await client.steps(id, { after: first.next ?? 0, limit: 1000 });

    expect(first.items.map(({ seq, kind }) => `${seq} ${kind}`)).toEqual([
      ...['1 begun', '2 asked', '3 answered', '4 results'],
    ]);
    expect(rest).toMatchObject({ next: null });
    expect(first.items.length + rest.items.length).toBe(steps);
    expect(rest.items.at(-1)).toMatchObject({ kind: 'ended', step: { state: 'completed' } });
  });

  test('is shown in the order of the queue, a page at a time, and may be put first', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    await client.spawn('jean', { model: 'scripted:hello' });
    await client.pauseAgent('jean');
    const ids: string[] = [];
    for (const priority of [7, 3, 5]) {
      ids.push((await client.submitGoal({ goal: 'x', agent: 'jean', priority })).operation);
    }
    const [low = '', high = '', middle = ''] = ids;

    const page = await client.goals({ state: 'queued', limit: '2' });
    const next = await client.goals({ state: 'queued', before: page.next ?? '' });
    const put = await client.prioritizeGoal(low, 0);

    expect(page.items.map(({ id }) => id)).toEqual([high, middle]);
    expect(next).toMatchObject({ items: [{ id: low }], next: null });
    expect(put).toMatchObject({ id: low, priority: 0 });
    const after = await client.goals({ state: 'queued' });
    expect(after.items.map(({ id }) => id)).toEqual([low, high, middle]);
    await expect(client.goals({ state: 'queued', before: 'gone' })).rejects.toMatchObject({
      code: 'gateway.bad-request',
    });
  });

  test('is taken back while it is worked on, and is over then', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    const id = await spawnOn(gateway, slow);
    await goalIn(gateway, id, 'running');

    const cancelled = await client.cancelGoal(id, { reason: 'not wanted' });

    expect(cancelled).toMatchObject({ state: 'cancelled', error: { code: 'operation.cancelled' } });
    expect(cancelled.error?.message).toContain('not wanted');
    const over = { code: 'operation.over' };
    await expect(client.cancelGoal(id)).rejects.toMatchObject(over);
    await expect(client.prioritizeGoal(id, 1)).rejects.toMatchObject(over);
  });

  test('is forked at a step, and the fork is worked on', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    const id = await spawnOn(gateway, talk);
    await goalIn(gateway, id, 'completed');

    const fork = await client.retryGoal(id, { from: 4 });

    expect(fork).toMatchObject({ agent: 'jean', from: 4 });
    expect(await goalIn(gateway, fork.operation, 'completed')).toMatchObject({
      result: 'All done.',
    });
    await expect(client.retryGoal(id, { from: 99 })).rejects.toMatchObject({
      code: 'operation.unknown',
    });
  });

  test('is counted by its state', async () => {
    await using gateway = await withRuntime();
    const id = await spawnOn(gateway, slow);
    await goalIn(gateway, id, 'running');

    const metrics = await metricsOf(gateway);

    expect(metrics).toContain('aos_operations{state="running"} 1');
    expect(metrics).toContain('aos_operations{state="queued"} 0');
    expect(metrics).toContain('aos_agents_running 1');
  });

  const refused: readonly [string, Body<'submitGoal'>, string][] = [
    ['for nobody that there is', { goal: 'x', agent: 'nobody' }, 'operation.no-agent'],
    ['for a guest', { goal: 'x', agent: 'guest' }, 'operation.bad-goal'],
    ['without words', { goal: ' ', agent: 'jean' }, 'operation.bad-goal'],
    [
      'with a model for one that has its own',
      { goal: 'x', agent: 'jean', model: 'scripted:hello' },
      'operation.bad-goal',
    ],
    ['with no model at all', { goal: 'x' }, 'model.unknown'],
    ['with a budget that is none', { goal: 'x', agent: 'jean', budget: ['x'] }, 'budget.malformed'],
    [
      'that is due after its deadline',
      { goal: 'x', agent: 'jean', delay_ms: 10, deadline_ms: 5 },
      'operation.bad-goal',
    ],
    [
      'of a priority that is none',
      { goal: 'x', agent: 'jean', priority: 10 },
      'gateway.bad-request',
    ],
  ];

  const looked = openOnce(async () => {
    const gateway = await withRuntime();
    await gateway.client.spawn('jean', { model: 'scripted:hello' });
    await gateway.client.register('guest');
    return gateway;
  });

  test.each(refused)('is refused %s', async (_what, goal, code) => {
    await expect(looked().client.submitGoal(goal)).rejects.toMatchObject({ code });
  });

  test('that is not there is not found', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    const unknown = { code: 'operation.unknown' };
    const id = 'f'.repeat(32);

    await expect(client.goal(id)).rejects.toMatchObject(unknown);
    await expect(client.goal('fff')).rejects.toMatchObject(unknown);
    await expect(client.steps(id)).rejects.toMatchObject(unknown);
    await expect(client.cancelGoal(id)).rejects.toMatchObject(unknown);
    await expect(client.prioritizeGoal(id, 1)).rejects.toMatchObject(unknown);
    await expect(client.retryGoal(id)).rejects.toMatchObject(unknown);
    await expect(client.followGoal(id).next()).rejects.toMatchObject(unknown);
  });

  test('of which several begin alike has to be named further', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    await client.spawn('jean', { model: 'scripted:hello' });
    await client.pauseAgent('jean');
    const { operation } = await client.submitGoal({ goal: 'x', agent: 'jean' });
    await client.submitGoal({ goal: 'y', agent: 'jean' });

    await expect(client.goal(operation.slice(0, 6))).rejects.toMatchObject({
      code: 'id.ambiguous',
    });
  });
});

describe('who follows a goal', () => {
  test('sees every step once, words between them, and the end', async () => {
    await using gateway = await withRuntime();
    const long = 'word '.repeat(200);
    const turns = [
      { say: 'I look.', call: [{ tool: 'tool.list', args: {} }], delay_ms: 200 },
      { say: long, stream: 7, delay_ms: 50 },
    ];
    const id = await spawnOn(gateway, turns);

    const sights = await Array.fromAsync(gateway.client.followGoal(id.slice(0, 24)));

    const { steps, result } = await gateway.client.goal(id);
    expect(seqsOf(sights)).toEqual(Array.from({ length: steps }, (_, place) => place + 1));
    expect(sights.at(-1)).toEqual({ kind: 'end', state: 'completed' });
    const last = sights.findLastIndex((one) => one.kind === 'step' && one.step.kind === 'asked');
    const words = sights.slice(last).map((one) => textIn(one));
    expect(words.join('')).toBe(result);
    // All of them before the step that has them whole.
    const answered = sights.findLastIndex(
      (one) => one.kind === 'step' && one.step.kind === 'answered',
    );
    expect(sights.slice(answered).map(textIn).join('')).toBe('');
  });

  test('sees what happens to one that nobody works on', async () => {
    await using gateway = await withRuntime();
    const { client } = gateway;
    await client.spawn('jean', { model: 'scripted:hello' });
    await client.pauseAgent('jean');
    const { operation } = await client.submitGoal({ goal: 'x', agent: 'jean' });
    const following = client.followGoal(operation);

    const first = await following.next();
    await client.cancelGoal(operation);
    const rest = await Array.fromAsync(following);

    expect(first.value).toEqual({ kind: 'state', state: 'queued', waits_for: null });
    expect(rest).toMatchObject([
      { kind: 'step', step: { kind: 'ended' } },
      { kind: 'state', state: 'cancelled' },
      { kind: 'end', state: 'cancelled' },
    ]);
  });

  test('goes on behind the last step that it has', async () => {
    await using gateway = await withRuntime();
    const id = await spawnOn(gateway, talk);
    const { steps } = await goalIn(gateway, id, 'completed');

    const sights = await Array.fromAsync(gateway.client.followGoal(id, { after: steps - 2 }));

    expect(seqsOf(sights)).toEqual([steps - 1, steps]);
  });

  test('is refused from a step that is not there', async () => {
    await using gateway = await withRuntime();
    const id = await spawnOn(gateway, talk);
    await goalIn(gateway, id, 'completed');

    for (const after of ['99', '-1', 'x']) {
      const answer = await send({
        at: gateway.ownerSocket,
        path: `/api/v1/goals/${id}/follow`,
        headers: { 'last-event-id': after },
      });

      expect(answer, after).toMatchObject({ status: 400, json: { code: 'gateway.bad-request' } });
    }
  });

  test('and leaves is not kept', async () => {
    await using gateway = await withRuntime();
    const id = await spawnOn(gateway, slow);
    const leaving = new AbortController();
    const following = gateway.client.followGoal(id, { signal: leaving.signal });
    await following.next();
    expect(await metricsOf(gateway)).toContain('aos_events_clients 1');

    leaving.abort(new Error('gone'));

    await expect(Array.fromAsync(following)).rejects.toThrow('gone');
    await until(async () => {
      expect(await metricsOf(gateway)).toContain('aos_events_clients 0');
    });
  });

  test('and does not read is cut off', async () => {
    await using gateway = await withRuntime({ limits: { slowReaderMs: 100 } });
    const turns = [{ say: 'much '.repeat(150_000) }];
    const id = await spawnOn(gateway, turns, { max_output_tokens: 1_000_000 });
    await goalIn(gateway, id, 'completed');
    const socket = createConnection(gateway.ownerSocket);
    socket.write(`GET /api/v1/goals/${id}/follow HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    socket.pause();

    await until(async () => {
      expect(await metricsOf(gateway)).toContain('aos_events_cut_off_total 1');
    });

    socket.destroy();
  });

  test('does not keep the daemon from stopping', async () => {
    const gateway = await withRuntime();
    const id = await spawnOn(gateway, slow);
    const leaving = new AbortController();
    const following = gateway.client.followGoal(id, { signal: leaving.signal });
    await following.next();

    await gateway[Symbol.asyncDispose]();

    leaving.abort(new Error('gone'));
    await expect(Array.fromAsync(following)).rejects.toThrow('gone');
  });
});

function seqsOf(sights: readonly GoalEvent[]): number[] {
  return sights.flatMap((sight) => (sight.kind === 'step' ? [sight.step.seq] : []));
}

function textIn(sight: GoalEvent): string {
  return sight.kind === 'delta' && sight.delta.kind === 'text' ? sight.delta.text : '';
}

describe('without a daemon', () => {
  const id = '0'.repeat(32);

  async function withGoals(): Promise<TemporaryGateway> {
    const gateway = await temporaryGateway();
    await gateway.ledger.transact(async (tx) => {
      const facts = { status: 'active', state: 'pending', body: 'model' } as const;
      await insertAgent(tx, { name: 'jean', registered_at: 1, ...facts });
      const goal = { agent: 'jean', owner: 'owner', parent: null, because: 'it was named' };
      const times = { due_at: 1, deadline_at: null, created_at: 1, of_mail: 0 } as const;
      for (const [place, priority] of [5, 2].entries()) {
        const own = { id: id.slice(1) + place, goal: `goal ${place}`, priority };
        await insertOperation(tx, { ...goal, ...times, ...own });
      }
    });
    return gateway;
  }

  const looked = openOnce(withGoals);

  test('what there is can be looked at', async () => {
    const { client } = looked();

    const { items } = await client.goals({ state: 'queued' });

    expect(items.map(({ priority }) => priority)).toEqual([2, 5]);
    expect(await client.goal(id)).toMatchObject({ goal: 'goal 0', model: null, budget: null });
    expect(await client.steps(id)).toEqual({ items: [], next: null });
    expect(await client.agentDetails('jean')).toMatchObject({ operations: [{}, {}] });
  });

  test.each([
    ['spawn', (c) => c.spawn('x', { model: 'scripted:hello' })],
    ['pause', (c) => c.pauseAgent('jean')],
    ['resume', (c) => c.resumeAgent('jean')],
    ['kill', (c) => c.killAgent('jean')],
    ['heartbeat', (c) => c.heartbeat('jean')],
    ['submit', (c) => c.submitGoal({ goal: 'x' })],
    ['prioritize', (c) => c.prioritizeGoal(id, 1)],
    ['cancel', (c) => c.cancelGoal(id)],
    ['retry', (c) => c.retryGoal(id)],
    ['follow, where it is not over,', (c) => c.followGoal(id).next()],
  ] satisfies readonly [string, (client: TemporaryGateway['client']) => Promise<unknown>][])(
    '%s says that it takes one',
    async (_what, work) => {
      await expect(work(looked().client)).rejects.toMatchObject({
        ...{ code: 'agent.not-there', fix: 'aos up --detach' },
      });
    },
  );
});
