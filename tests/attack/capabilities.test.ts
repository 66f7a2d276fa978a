/** What an agent tries with grants: to widen, to keep, to read and to use what is not its own. */
import { describe, expect, test } from 'vitest';
import { webServer } from '../support/http-world.ts';
import { limitMs } from '../support/limits.ts';
import { bearer, send } from '../support/temporary-gateway.ts';
import { type AgentCaller, endOf, sharedToolHome, type ToolHome } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

const agents = sharedToolHome();

const inOneHour = new Date(Date.now() + 3_600_000).toISOString();
const inOneDay = new Date(Date.now() + 86_400_000).toISOString();

/** What jean holds, what of it jean may hand on, and what would be more. */
const widenings: readonly {
  readonly held: string;
  readonly narrower: string;
  readonly wider: readonly string[];
}[] = [
  {
    held: 'file:/data/*:read',
    narrower: 'file:/data/x:read',
    wider: [
      'file:/data/**:read',
      'file:/data:read',
      'file:/data/x/y:read',
      'file:/*/x:read',
      'file:/*/*:read',
      'file:/**:read',
      'file:/data2/x:read',
      'file:/Data/x:read',
      'file:/data/*:write',
      'file:/data/*:read,write',
      'file:/data/*:*',
      'capability://file/data/**?action=read',
      'capability://file/data/*?action=write',
      'capability://file/?action=read',
      'file:/data/../etc/x:read',
      'file:/data/%2E%2E:read',
      'file:/data/x%2Fy:read',
      'file:/data/%2A%2A/x:read',
      'file:/data//x:read',
      'file:/data/./x:read',
      'file:/data/*/**:read',
      'tool:*:call',
      'http:data:443/*:get',
    ],
  },
  {
    held: 'http:api.example.com:8443/v1/*:get',
    narrower: 'http:api.example.com:8443/v1/users:get',
    wider: [
      'http:*:8443/v1/*:get',
      'http:*.example.com:8443/v1/*:get',
      'http:example.com:8443/v1/*:get',
      'http:api.example.com.evil.org:8443/v1/*:get',
      'http:xapi.example.com:8443/v1/*:get',
      'http:api.example.com.:8443/v1/*:get',
      'http:API.example.com:8443/v1/*:get',
      'http:127.0.0.1:8443/v1/*:get',
      'http:api.example.com:443/v1/*:get',
      'http:api.example.com/v1/*:get',
      'http:api.example.com:8443:get',
      'http:api.example.com:8443/*:get',
      'http:api.example.com:8443/v2/*:get',
      'http:api.example.com:8443/v1x:get',
      'http:api.example.com:8443/v1/../v2:get',
      'http:api.example.com:8443/v1/%2E%2E/v2:get',
      'http:api.example.com:8443/v1%2Fx:get',
      'http:api.example.com:8443/v1/*:request',
      'http:api.example.com:8443/v1/*:post',
      'http:api.example.com:8443/v1/*:*',
      'capability://http/api.example.com:8443/*?action=get',
      'capability://http/api.example.com:8443/v1/*?action=request',
    ],
  },
  {
    held: 'http:*.example.com:443/*:get',
    narrower: 'http:a.b.example.com:443/*:get',
    wider: [
      'http:example.com:443/*:get',
      'http:*:443/*:get',
      'http:*.com:443/*:get',
      'http:notexample.com:443/*:get',
      'http:*.notexample.com:443/*:get',
    ],
  },
  {
    held: `tool:file.*:call{max:3,rate:10/min,timeout:30s,size:1KiB,expires:${inOneHour}}`,
    narrower: `tool:file.read:call{max:2,rate:1/min,timeout:1s,size:1B,expires:${inOneHour}}`,
    wider: [
      'tool:file.*:call{max:4}',
      'tool:file.*:call{rate:11/min}',
      'tool:file.*:call{rate:10/sec}',
      'tool:file.*:call{rate:1/sec}',
      'tool:file.*:call{rate:11/hour}',
      'tool:file.*:call{timeout:31s}',
      'tool:file.*:call{timeout:1h}',
      'tool:file.*:call{size:1025B}',
      'tool:file.*:call{size:1MiB}',
      `tool:file.*:call{expires:${inOneDay}}`,
      'capability://tool/file.*?action=call&max=4',
      'capability://tool/file.*?action=call&constraint=max:4',
      'tool:*:call',
      'tool:files.read:call',
      'tool:fil.*:call',
      'tool:file.*:call{max:3,max:9}',
      'tool:file.*:call{max:-1}',
      'tool:file.*:call{max:3.5}',
      'tool:file.*:call{max:}',
      'tool:file.*:call{MAX:9}',
    ],
  },
  {
    held: 'shell:*:execute{allowlist:ls,cat}',
    narrower: 'shell:*:execute{allowlist:ls}',
    wider: [
      'shell:*:execute{allowlist:ls,rm}',
      'shell:*:execute{allowlist:ls,cat,grep}',
      'shell:*:execute{allowlist:}',
      'capability://shell?action=execute&allowlist=rm',
    ],
  },
  {
    held: 'agent:worker:spawn{max:1}',
    narrower: 'agent:worker:spawn{max:0}',
    wider: ['agent:*:spawn', 'agent:worker:spawn{max:2}', 'agent:spawn', 'agent:worker:terminate'],
  },
  {
    held: 'secret:token:use',
    narrower: 'secret:token:use{max:1}',
    wider: ['secret:*:use', 'secret:token2:use', 'secret:tok.*:use'],
  },
  {
    held: 'memory:working/a/*:read',
    narrower: 'memory:working/a/b:read',
    wider: ['memory:*:read', 'memory:working/**:read', 'memory:working/a/*:read,write'],
  },
];

describe('an agent cannot widen by delegation', () => {
  test.each(widenings)('what is $held', async ({ held, narrower, wider }) => {
    const home = await agents('jean', 'sam');
    await home.grant('jean', held);
    const { client } = home.agent('jean');
    const to = home.agent('sam').name;

    const ends = new Map<string, unknown>();
    for (const capability of wider) {
      ends.set(capability, await endOf(client.delegate({ to, capability })));
    }

    const passed = [...ends].filter(
      ([, end]) => end !== 'capability.not-narrower' && end !== 'capability.bad',
    );
    expect(passed).toEqual([]);
    expect(await home.events('capability.delegated')).toEqual([]);
    // What is narrower passes, so none of these was refused for another reason.
    await client.delegate({ to, capability: narrower });
    const { items } = await home.client.grants({ agent: to });
    expect(items.filter(({ origin }) => origin === 'delegation')).toHaveLength(1);
  });

  test('what it leaves unsaid is as the giver has it', async () => {
    const home = await agents('jean', 'sam');
    await home.grant('jean', 'tool:file.*:call{max:3,timeout:30s}');

    const given = await home
      .agent('jean')
      .client.delegate({ to: home.agent('sam').name, capability: 'tool:file.read:call' });

    expect(given.capability).toBe('tool:file.read:call{max:3,timeout:30s}');
  });

  test('and two grants do not add up to one that is wider', async () => {
    const home = await agents('jean', 'sam');
    await home.grant('jean', 'file:/data/a:read', 'file:/data/a:write', 'file:/data/b:read');
    const { client } = home.agent('jean');
    const to = home.agent('sam').name;

    const both = endOf(client.delegate({ to, capability: 'file:/data/a:read,write' }));
    const all = endOf(client.delegate({ to, capability: 'file:/data/*:read' }));

    expect([await both, await all]).toEqual(['capability.not-narrower', 'capability.not-narrower']);
  });
});

describe('an agent cannot delegate', () => {
  const capability = 'tool:file.read:call';
  const delegate = (from: AgentCaller, to: string, parent?: string): Promise<unknown> =>
    endOf(from.client.delegate({ to, capability, parent }));

  test('what was revoked, by its own id or above it', async () => {
    const home = await agents('lead', 'jean', 'sam');
    const [top = ''] = await home.grant('lead', capability);
    const [lead, jean] = [home.agent('lead'), home.agent('jean')];
    const sam = home.agent('sam').name;
    const { id } = await lead.client.delegate({ to: jean.name, capability });
    await home.client.revoke(top);

    expect(await delegate(jean, sam)).toBe('capability.not-narrower');
    expect(await delegate(jean, sam, id)).toBe('capability.unknown');
    expect(await delegate(lead, sam, top)).toBe('capability.unknown');
  });

  test('to itself, or to nobody', async () => {
    const home = await agents('jean');
    await home.grant('jean', capability);

    const jean = home.agent('jean');
    expect(await delegate(jean, jean.name)).toBe('capability.not-narrower');
    expect(await delegate(jean, 'nobody')).toBe('agent.unknown');
    expect(await delegate(jean, 'owner')).toBe('agent.unknown');
  });

  test('by the grant of another, which looks as if there were none', async () => {
    const home = await agents('lead', 'jean', 'sam');
    const [lead = ''] = await home.grant('lead', capability);
    await home.grant('jean', 'tool:other:call');
    const to = home.agent('sam').name;
    const body = (parent: string) => JSON.stringify({ to, capability, parent });
    const { socket: at, handle } = home.agent('jean');
    const request = {
      at,
      path: '/api/v1/grants/delegate',
      method: 'POST',
      headers: bearer(handle),
    };

    const known = await send({ ...request, body: body(lead) });
    const made = await send({ ...request, body: body('f'.repeat(32)) });

    expect(known.status).toBe(404);
    expect(known.text.replace(lead, 'ID')).toBe(made.text.replace('f'.repeat(32), 'ID'));
  });

  test('for the 17th time in a chain', async () => {
    const names = Array.from({ length: 18 }, (_, place) => `agent-${place}`);
    const home = await agents(...names);
    await home.grant('agent-0', capability);

    const ends: unknown[] = [];
    for (const [place, name] of names.slice(1).entries()) {
      ends.push(await delegate(home.agent(`agent-${place}`), home.agent(name).name));
    }

    const refused = ends.findIndex((end) => typeof end === 'string');
    expect(refused).toBe(15);
    expect(ends.slice(refused)).toEqual(['capability.too-many', 'capability.not-narrower']);
  });

  test('in a circle, to get more than was given', async () => {
    const home = await agents('jean', 'sam');
    await home.grant('jean', `${capability}{max:2}`);
    const [jean, sam] = [home.agent('jean'), home.agent('sam')];
    await jean.client.delegate({ to: sam.name, capability });
    await sam.client.delegate({ to: jean.name, capability });

    const { items } = await home.client.grants({ agent: jean.name });

    const caps = items.filter(({ origin }) => origin !== 'default').map((it) => it.capability);
    expect(caps).toEqual([`${capability}{max:2}`, `${capability}{max:2}`]);
  });
});

const asked = { action: 'call', resource: 'tool:file.read' };

describe('a grant that is over allows nothing', () => {
  test('from its very moment on, also to whom it was delegated, and ends what runs', async () => {
    await using server = await webServer((_, response) => void response.write('endless'));
    const home = await agents('jean', 'sam');
    const expires = new Date(Date.now() + limitMs(1500));
    const capability = `http:127.0.0.1:${server.port}/*:get`;
    await home.grant('jean', `${capability}{expires:${expires.toISOString()}}`);
    const to = home.agent('sam').name;
    await home.agent('jean').client.delegate({ to, capability });
    const fetch = (agent: string) =>
      endOf(
        home.agent(agent).client.callTool('http.fetch', {
          args: { url: `http://127.0.0.1:${server.port}/${agent}` },
        }),
      );

    const running = [fetch('jean'), fetch('sam')];
    await until(() => expect(server.seen).toHaveLength(2));
    const ends = await Promise.all(running);
    const endedAt = Date.now();
    const later = await Promise.all([fetch('jean'), fetch('sam')]);
    const handedOn = await endOf(home.agent('jean').client.delegate({ to, capability }));

    expect(ends).toEqual(['tool.timeout', 'tool.timeout']);
    expect(endedAt).toBeGreaterThanOrEqual(expires.getTime());
    expect(endedAt - expires.getTime()).toBeLessThan(limitMs(3000));
    expect(later).toEqual(['capability.denied', 'capability.denied']);
    expect(handedOn).toBe('capability.not-narrower');
    expect(server.seen).toHaveLength(2);
    const denied = await home.events('capability.denied');
    expect(denied.map(({ data }) => data)).toMatchObject([
      { nearest: 'expired' },
      { nearest: 'expired' },
    ]);
  });
});

describe('an agent does not learn of what is not its own:', () => {
  interface Strange {
    readonly home: ToolHome;
    readonly grant: string;
    readonly call: string;
    readonly approval: string;
  }

  /** Sam has a grant, a call and an approval; jean looks. */
  async function strangers(): Promise<Strange> {
    const home = await agents('jean', 'sam');
    const { name: agent, client } = home.agent('sam');
    const capability = 'memory:working/*:write';
    const { id } = await home.client.grant({ agent, capability, ask: true });
    const args = { key: 'k', value: 'hidden words' };
    const waiting = await client.callTool('memory.store', { args });
    return { home, grant: id, call: waiting.call_id, approval: waiting.approval ?? '' };
  }

  const looks: readonly (readonly [
    what: string,
    idOf: (strange: Strange) => string,
    path: (id: string) => string,
    body: object | undefined,
  ])[] = [
    ['to revoke a grant', ({ grant }) => grant, (id) => `grants/${id}/revoke`, {}],
    ['to see a call', ({ call }) => call, (id) => `calls/${id}`, undefined],
    ['to wait for a call', ({ call }) => call, (id) => `calls/${id}?wait_ms=1`, undefined],
    ['to see an approval', ({ approval }) => approval, (id) => `approvals/${id}`, undefined],
    [
      'to approve',
      ({ approval }) => approval,
      (id) => `approvals/${id}/approve`,
      { hash: '0', scope: 'once' },
    ],
    [
      'to deny',
      ({ approval }) => approval,
      (id) => `approvals/${id}/deny`,
      { hash: '0', reason: 'x' },
    ],
  ];

  test.each(looks)('%s is answered as if there were none', async (_, idOf, path, body) => {
    const strange = await strangers();
    const { socket: at, handle } = strange.home.agent('jean');
    const ask = (id: string) =>
      send({
        ...{ at, path: `/api/v1/${path(id)}`, headers: bearer(handle) },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
    const real = idOf(strange);

    for (const length of [32, 31, 12, 4]) {
      const start = real.slice(0, length);
      const made = 'f'.repeat(length);
      const [known, unknown] = [await ask(start), await ask(made)];
      expect(known.status).toBe(404);
      expect(known.text.replaceAll(start, 'ID')).toBe(unknown.text.replaceAll(made, 'ID'));
    }
    expect(await strange.home.events('capability.revoked')).toEqual([]);
    expect((await strange.home.client.approval(strange.approval)).state).toBe('waiting');
  });

  test('lists show an agent its own, and none of whom else it asks for', async () => {
    const { home } = await strangers();
    const [jean, sam] = [home.agent('jean'), home.agent('sam')];

    const seen = [
      ...(await jean.client.grants({ all: 'true' })).items,
      ...(await jean.client.calls({})).items,
      ...(await jean.client.approvals({ all: 'true' })).items,
    ];
    const events = await Array.fromAsync(jean.client.events({}));

    expect(seen.filter(({ agent }) => agent !== jean.name)).toEqual([]);
    expect(await endOf(jean.client.grants({ agent: sam.name }))).toBe('message.denied');
    expect(await endOf(jean.client.calls({ agent: sam.name }))).toBe('message.denied');
    expect(JSON.stringify(events)).not.toMatch(/sam|hidden/);
    // The owner sees them, so there was something to be hidden.
    expect((await home.client.calls({ agent: sam.name })).items).toHaveLength(1);
    const { items } = await home.client.approvals({});
    expect(items.filter(({ agent }) => agent === sam.name)).toHaveLength(1);
  });

  test('the same key of another agent is another call', async () => {
    const home = await agents('jean', 'sam');
    for (const name of ['jean', 'sam']) await home.grant(name, 'memory:**:read,write');
    const store = (name: string, value: string) =>
      home
        .agent(name)
        .client.callTool('memory.store', { args: { key: 'k', value } }, { key: 'the key' });
    const get = async (name: string) =>
      (await home.agent(name).client.callTool('memory.get', { args: { key: 'k' } })).output;

    const first = await store('sam', 'of sam');
    const second = await store('jean', 'of jean');
    const again = await store('sam', 'of sam');

    expect(second.call_id).not.toBe(first.call_id);
    expect(again.call_id).toBe(first.call_id);
    expect(await get('sam')).toMatchObject({ value: 'of sam', version: 1 });
    expect(await get('jean')).toMatchObject({ value: 'of jean', version: 1 });
    expect(await endOf(store('jean', 'else'))).toBe('tool.key-used');
  });

  test('an agent may revoke what it handed on, and nobody else may', async () => {
    const home = await agents('lead', 'jean', 'sam');
    const capability = 'tool:file.read:call';
    const [top = ''] = await home.grant('lead', capability);
    const [lead, jean] = [home.agent('lead'), home.agent('jean')];
    const { id } = await lead.client.delegate({ to: jean.name, capability });

    const bySam = await endOf(home.agent('sam').client.revoke(id));
    const above = await endOf(jean.client.revoke(top));
    const before = await home.client.checkGrant({ agent: jean.name, ...asked });
    await lead.client.revoke(id);

    expect([bySam, above]).toEqual(['capability.unknown', 'capability.unknown']);
    expect(before.allowed).toBe(true);
    expect(await home.client.checkGrant({ agent: jean.name, ...asked })).toMatchObject({
      allowed: false,
      nearest: { why: 'revoked' },
    });
    expect(await home.client.checkGrant({ agent: lead.name, ...asked })).toMatchObject({
      allowed: true,
    });
  });
});

describe('a question to a human is answered by no agent:', () => {
  const capability = 'memory:working/*:write';
  const store = { args: { key: 'k', value: 'v' } };

  test.each([
    ['jean', 'its own'],
    ['lead', 'that of who it gave the grant'],
  ])('%s does not approve %s', async (name) => {
    const home = await agents('lead', 'jean');
    const [lead, jean] = [home.agent('lead'), home.agent('jean')];
    await home.client.grant({ agent: lead.name, capability, ask: true });
    await lead.client.delegate({ to: jean.name, capability });
    const { approval } = await jean.client.callTool('memory.store', store);
    const { hash } = await home.client.approval(approval ?? '');
    const { client, name: full } = home.agent(name);

    const ends = [
      await endOf(client.approve(approval ?? '', { hash, scope: 'always' })),
      await endOf(client.deny(approval ?? '', { hash, reason: 'mine' })),
    ];

    const refusal = name === 'jean' ? 'approval.not-yours' : 'approval.unknown';
    expect(ends).toEqual([refusal, refusal]);
    expect(await home.client.approval(approval ?? '')).toMatchObject({ state: 'waiting' });
    const refused = await home.events('approval.refused');
    expect(refused).toMatchObject([
      { actor: `agent:${full}`, subject: `approval:${approval}` },
      { actor: `agent:${full}`, subject: `approval:${approval}` },
    ]);
  });

  test('nor by the grant that lets a human', async () => {
    const home = await agents('jean', 'sam');
    const { name: agent, client } = home.agent('jean');
    await home.client.grant({ agent, capability, ask: true });
    await home.grant('jean', 'tool:approval.answer:call', 'tool:*:call');
    const { approval } = await client.callTool('memory.store', store);
    const { hash } = await home.client.approval(approval ?? '');

    const end = await endOf(client.approve(approval ?? '', { hash, scope: 'once' }));

    expect(end).toBe('approval.not-yours');
  });
});
