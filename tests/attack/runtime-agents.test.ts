/** What agents with a handle, and children, try against the lives of others. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import { agentNames, resultsOf, runOnce, writeScript } from '../support/runtime-home.ts';
import { bearer, send } from '../support/temporary-gateway.ts';
import { endOf, sharedToolHome } from '../support/tool-home.ts';

const agents = sharedToolHome();

const id = '0'.repeat(32);

describe('an agent with a handle', () => {
  test('is let to no route that is about the lives and goals of others', async () => {
    const home = await agents('jean', 'sam');
    const { name: jean, socket, handle, client } = home.agent('jean');
    const sam = home.agent('sam').name;
    const before = await agentNames(home.client);
    const routes: readonly (readonly [string, string, object?])[] = [
      ['POST', '/api/v1/agents/worker/spawn', { cli: ['true'] }],
      ['POST', `/api/v1/agents/${sam}/pause`, {}],
      ['POST', `/api/v1/agents/${jean}/pause`, {}],
      ['POST', `/api/v1/agents/${sam}/resume`, {}],
      ['POST', `/api/v1/agents/${sam}/kill`, {}],
      ['POST', '/api/v1/goals', { goal: 'x', agent: sam }],
      ['GET', '/api/v1/goals'],
      ['GET', `/api/v1/goals/${id}`],
      ['GET', `/api/v1/goals/${id}/steps`],
      ['GET', `/api/v1/goals/${id}/follow`],
      ['POST', `/api/v1/goals/${id}/priority`, { priority: 0 }],
      ['POST', `/api/v1/goals/${id}/cancel`, {}],
      ['POST', `/api/v1/goals/${id}/retry`, {}],
    ];

    for (const [method, path, body] of routes) {
      const more = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await send({ at: socket, method, path, headers: bearer(handle), ...more });
      expect({ path, status: answer.status, json: answer.json }).toMatchObject({
        ...{ path, status: 403, json: { code: 'gateway.owner-only' } },
      });
    }

    expect(await agentNames(home.client)).toEqual(before);
    expect(await home.client.agentDetails(sam)).toMatchObject({ state: 'pending' });
    expect(await endOf(client.agentDetails(sam))).toBe('agent.unknown');
    expect(await endOf(client.heartbeat(sam))).toMatch(/^(agent|gateway)\./);
  });

  test('ends nobody without the grant, and makes nobody', async () => {
    const home = await agents('jean', 'sam');
    const jean = home.agent('jean').client;
    const { name } = home.agent('sam');

    const ended = await endOf(jean.callTool('agent.terminate', { args: { name } }));
    const made = await endOf(jean.callTool('agent.spawn', { args: { name: 'x', goal: 'y' } }));

    expect([ended, made]).toEqual(['capability.denied', 'capability.denied']);
    expect(await home.client.agentDetails(name)).toMatchObject({ state: 'pending' });
  });

  test('that is paused is denied every action, and heard again when it is resumed', async () => {
    const home = await agents('jean');
    const path = home.folder.at('note.txt');
    writeFileSync(path, 'hello');
    await home.grant('jean', `file:${path}:read`, 'memory:**:write');
    const { name, client } = home.agent('jean');
    const read = () => endOf(client.callTool('file.read', { args: { path } }));

    await home.client.pauseAgent(name);
    const paused = await read();
    await home.client.resumeAgent(name);

    expect(paused).toBe('capability.denied');
    expect(await read()).toMatchObject({ state: 'answered' });
  });
});

describe('a child', () => {
  const newNames = async (client: Client, before: readonly string[]): Promise<string[]> =>
    (await agentNames(client)).filter((name) => !before.includes(name)).toSorted();

  test('gets no grant that is wider than its parent’s, and is not made without it', async () => {
    const home = await agents();
    const { client, folder } = home;
    const before = await agentNames(client);
    mkdirSync(folder.at('in'));
    const wide = [
      'file:/**:read',
      `file:${folder.path}/**:read`,
      `file:${folder.at('in')}/**:write`,
      `file:${folder.at('in')}/../**:read`,
      'http:*:request',
      'agent:*:release',
      'secret:*:use',
      'tool:*:call',
      'nonsense',
    ];
    const calls = wide.map((grant, place) => ({
      tool: 'agent.spawn',
      args: { name: `child-${place}`, goal: 'x', grants: [grant] },
    }));
    const good = { name: 'good', goal: 'x', grants: [`file:${folder.at('in')}/a:read`] };
    const model = writeScript(folder, 'giving', {
      rules: [{ when: { goal_matches: 'x' }, say: 'here' }],
      turns: [{ call: [...calls, { tool: 'agent.spawn', args: good }] }, { say: 'done' }],
    });
    const grants = [`file:${folder.at('in')}/**:read`, 'agent:*:spawn'];

    const goal = await runOnce(client, 'giving', { model, grants });

    const results = await resultsOf(client, goal.id);
    expect(results.slice(0, -1).map((text) => text.split(':')[0])).toEqual(
      wide.map(() => expect.stringMatching(/^capability\./)),
    );
    expect(results.at(-1)).toContain('good');
    expect(await newNames(client, before)).toEqual(['giving', 'good']);
  });

  test('gets no larger budget than its parent’s, nor one that is not said', async () => {
    const home = await agents();
    const { client, folder } = home;
    const before = await agentNames(client);
    const budgets = [
      ['tokens=900000'],
      ['tokens=100', 'children=9'],
      [],
      ['tokens=-5'],
      ['tokens=1e3'],
      ['tokens=1', 'tokens=2'],
      ['tokens=99999999999999999999'],
      ['cost=1'],
    ];
    const calls = budgets.map((budget, place) => ({
      tool: 'agent.spawn',
      args: { name: `child-${place}`, goal: 'x', budget },
    }));
    const model = writeScript(folder, 'paying', {
      rules: [{ when: { goal_matches: 'x' }, say: 'here' }],
      turns: [{ call: calls }, { say: 'done' }],
    });
    const grants = ['agent:*:spawn'];

    const goal = await runOnce(client, 'paying', {
      ...{ model, grants, budget: ['tokens=20000', 'children=5'] },
    });

    const codes = (await resultsOf(client, goal.id)).map((text) => text.split(':')[0]);
    expect(codes).toEqual(budgets.map(() => expect.stringMatching(/^budget\./)));
    expect(await newNames(client, before)).toEqual(['paying']);
    expect((await client.agentDetails('paying')).budget?.children).toMatchObject({
      used: 0,
      held: 0,
    });
  });

  test('has a name that nobody has and that is one', async () => {
    const home = await agents('jean');
    const { client, folder } = home;
    const before = await agentNames(client);
    const names = [
      ...['naming', 'Naming', home.agent('jean').name, 'owner', '__orchestrator__', 'system'],
      ...[
        '',
        '..',
        '../x',
        'a/b',
        'a\nb',
        'a b',
        'é',
        '-rf',
        'x'.repeat(64),
        '__proto__',
        'a\u0000b',
      ],
    ];
    const calls = names.map((name) => ({ tool: 'agent.spawn', args: { name, goal: 'x' } }));
    const model = writeScript(folder, 'naming', { turns: [{ call: calls }, { say: 'done' }] });

    const goal = await runOnce(client, 'naming', { model, grants: ['agent:*:spawn'] });

    const results = await resultsOf(client, goal.id);
    expect(results.filter((text) => text.startsWith('{'))).toEqual([]);
    expect(results).toHaveLength(names.length);
    expect(await newNames(client, before)).toEqual(['naming']);
  });
});
