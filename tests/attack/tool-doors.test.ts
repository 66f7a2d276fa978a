/** Who is let in where tools are called, and as whom: on agents' sockets and on the port. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ownerHandlePath } from '../../src/security/owner.ts';
import { limitMs } from '../support/limits.ts';
import { bearer, send } from '../support/temporary-gateway.ts';
import { endOf, sharedToolHome, type ToolHome } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

const agents = sharedToolHome();

const id = '0'.repeat(32);

type Request = readonly [method: string, path: string, body?: object];

/** Every route of grants, secrets, tools, calls and approvals, for the good of that agent. */
const routesFor = (agent: string): readonly Request[] => [
  ['GET', '/api/v1/grants'],
  ['POST', '/api/v1/grants', { agent, capability: 'tool:*:call' }],
  ['POST', '/api/v1/grants/delegate', { to: 'sam', capability: 'tool:*:call' }],
  ['POST', `/api/v1/grants/${id}/revoke`],
  ['POST', '/api/v1/grants/check', { action: 'call', resource: 'tool:*' }],
  ['GET', '/api/v1/secrets'],
  ['POST', '/api/v1/secrets', { name: 'mine', value: 'a value of mine' }],
  ['POST', '/api/v1/secrets/mine/remove'],
  ['GET', '/api/v1/tools'],
  ['POST', '/api/v1/tools/tool.list/call', { args: {} }],
  ['GET', '/api/v1/calls'],
  ['GET', `/api/v1/calls/${id}`],
  ['POST', `/api/v1/calls/${id}/resolve`, { as: 'done' }],
  ['GET', '/api/v1/approvals'],
  ['GET', `/api/v1/approvals/${id}`],
  ['POST', `/api/v1/approvals/${id}/approve`, { hash: id, scope: 'always' }],
  ['POST', `/api/v1/approvals/${id}/deny`, { hash: id, reason: 'no' }],
];

interface Refused {
  readonly route: string;
  readonly status: number;
  readonly code: unknown;
}

/** What each route answers to that handle, and to none when it is undefined. */
async function tryAll(
  home: ToolHome,
  at: string | number,
  handle: string | undefined,
): Promise<Refused[]> {
  const answers: Refused[] = [];
  for (const [method, path, body] of routesFor(home.agent('jean').name)) {
    const headers = handle === undefined ? {} : bearer(handle);
    const more = method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) };
    const { status, json } = await send({ at, method, path, headers, ...more });
    const { code } = { code: undefined, ...(json as object) };
    answers.push({ route: `${method} ${path}`, status, code });
  }
  return answers;
}

const everywhere = (status: number, code: string): Refused[] =>
  routesFor('jean').map(([method, path]) => ({ route: `${method} ${path}`, status, code }));

const forgeries: readonly ((handle: string) => string)[] = [
  () => `aos_${'A'.repeat(43)}`,
  (handle) => handle.slice(0, -1),
  (handle) => `${handle}A`,
  (handle) => `aos_${handle.slice(4).toLowerCase()}`,
  (handle) => `AOS_${handle.slice(4)}`,
  () => 'jean',
];

async function nothingHappened({ client, events, agent }: ToolHome): Promise<void> {
  expect((await client.secrets()).items).toEqual([]);
  expect((await client.calls({ agent: agent('jean').name })).items).toEqual([]);
  const { items } = await client.grants({ agent: agent('jean').name });
  expect(items.map(({ origin }) => origin)).toEqual(items.map(() => 'default'));
  for (const kind of ['capability.granted', 'capability.delegated', 'tool.*']) {
    expect(await events(kind)).toEqual([]);
  }
}

describe.each([['socket'], ['port']])('on the %s', (where) => {
  const doorOf = (home: ToolHome): string | number =>
    where === 'port' ? home.port : home.agent('jean').socket;

  test('no route of tools answers without a handle', async () => {
    const home = await agents('jean');

    const answers = await tryAll(home, doorOf(home), undefined);

    expect(answers).toEqual(everywhere(401, 'handle.missing'));
    await nothingHappened(home);
  });

  test('none answers to a handle that is forged', async () => {
    const home = await agents('jean');

    for (const forge of forgeries) {
      const answers = await tryAll(home, doorOf(home), forge(home.agent('jean').handle));
      expect(answers).toEqual(everywhere(401, 'handle.unknown'));
    }

    await nothingHappened(home);
  });

  test('none answers to a handle that was replaced, also one that was just used', async () => {
    const home = await agents('jean');
    const { handle } = home.agent('jean');
    const before = await send({ at: doorOf(home), path: '/api/v1/tools', headers: bearer(handle) });
    await home.client.renewHandle(home.agent('jean').name);

    const answers = await tryAll(home, doorOf(home), handle);

    expect(before.status).toBe(200);
    expect(answers).toEqual(everywhere(401, 'handle.unknown'));
  });

  test('an agent may not do what is the owner’s: grant, keep secrets, resolve', async () => {
    const home = await agents('jean');

    const answers = await tryAll(home, doorOf(home), home.agent('jean').handle);

    const owners = answers.filter(({ code }) => code === 'gateway.owner-only');
    expect(owners).toEqual(
      [
        'POST /api/v1/grants',
        'GET /api/v1/secrets',
        'POST /api/v1/secrets',
        'POST /api/v1/secrets/mine/remove',
        `POST /api/v1/calls/${id}/resolve`,
      ].map((route) => ({ route, status: 403, code: 'gateway.owner-only' })),
    );
    expect(await home.events('capability.granted')).toEqual([]);
    expect((await home.client.secrets()).items).toEqual([]);
  });

  test('an agent acts for nobody else, the owner included', async () => {
    const home = await agents('jean', 'sam');
    await home.grant('sam', 'memory:**:write', 'tool:x:call');
    const headers = bearer(home.agent('jean').handle);
    const [jean, sam] = [home.agent('jean').name, home.agent('sam').name];
    const asSomebody: readonly (readonly [path: string, body: object])[] = [
      ['tools/memory.store/call', { args: { key: 'k', value: 'v' }, as: sam }],
      ['tools/memory.store/call', { args: { key: 'k', value: 'v' }, as: 'owner' }],
      ['tools/memory.store/call', { args: { key: 'k', value: 'v' }, as: `agent:${sam}` }],
      ['grants/delegate', { from: sam, to: jean, capability: 'tool:x:call' }],
      ['grants/delegate', { from: 'owner', to: jean, capability: 'tool:x:call' }],
      ['grants/check', { agent: sam, action: 'call', resource: 'tool:x' }],
    ];
    const before = await home.client.calls({});

    const answers = [];
    for (const [path, body] of asSomebody) {
      const request = { path: `/api/v1/${path}`, method: 'POST', headers };
      answers.push(await send({ at: doorOf(home), ...request, body: JSON.stringify(body) }));
    }

    for (const { status, json } of answers) {
      expect({ status, json }).toMatchObject({ status: 403, json: { code: 'message.denied' } });
    }
    expect(await home.client.calls({})).toEqual(before);
    expect(await home.events('capability.delegated')).toEqual([]);
    const denied = await home.events('capability.denied', { actor: `agent:${jean}` });
    expect(denied.map(({ data }) => data)).toEqual(
      asSomebody.map(() => ({ nearest: 'not-oneself' })),
    );
  });
});

test('no door answers to a handle from its end on, also one that was just used', async () => {
  const home = await agents('jean');
  const { name, socket } = home.agent('jean');
  const { handle } = await home.client.renewHandle(name, { expires_ms: limitMs(1000) });
  const statuses = (): Promise<number[]> =>
    Promise.all(
      [socket, home.port].map(async (at) => {
        const request = { at, path: '/api/v1/tools', headers: bearer(handle) };
        return (await send(request)).status;
      }),
    );

  expect(await statuses()).toEqual([200, 200]);

  // What is remembered of a handle may be so for a second.
  await until(async () => expect(await statuses()).toEqual([401, 401]), limitMs(2500));
  for (const at of [socket, home.port]) {
    expect(await tryAll(home, at, handle)).toEqual(everywhere(401, 'handle.unknown'));
  }
});

test('a handle without an end is good on the socket of its agent, and not on the port', async () => {
  const home = await agents('jean');
  const { handle } = await home.client.renewHandle(home.agent('jean').name);

  const answers = await tryAll(home, home.port, handle);

  expect(answers).toEqual(everywhere(403, 'handle.wrong-door'));
  await nothingHappened(home);
  const { socket: at } = home.agent('jean');
  const onSocket = await send({ at, path: '/api/v1/tools', headers: bearer(handle) });
  expect(onSocket.status).toBe(200);
});

describe('what is refused at the door of an agent is on record', () => {
  const attempts: readonly (readonly [
    what: string,
    code: string,
    attempt: (home: ToolHome) => Promise<unknown>,
  ])[] = [
    [
      'a forged handle',
      'handle.unknown',
      (home) => tryOne(home.agent('jean').socket, `aos_${'A'.repeat(43)}`),
    ],
    [
      'the handle of another agent',
      'handle.wrong-door',
      (home) => tryOne(home.agent('jean').socket, home.agent('sam').handle),
    ],
    [
      'the handle of the owner',
      'handle.wrong-door',
      (home) =>
        tryOne(home.agent('jean').socket, readFileSync(ownerHandlePath(home.home), 'utf8').trim()),
    ],
    [
      'an agent that grants',
      'gateway.owner-only',
      (home) => {
        const { name: agent, client } = home.agent('jean');
        return endOf(client.grant({ agent, capability: 'tool:*:call' }));
      },
    ],
  ];
  const tryOne = async (at: string, handle: string): Promise<unknown> => {
    const { json } = await send({ at, path: '/api/v1/grants', headers: bearer(handle) });
    return (json as { readonly code: unknown }).code;
  };

  test.each(attempts)('%s: %s', async (_, code, attempt) => {
    const home = await agents('jean', 'sam');

    expect(await attempt(home)).toBe(code);

    // It is written down a while later, and so is what other tests were refused.
    const subject = `agent:${home.agent('jean').name}`;
    await until(async () => {
      const all = await home.events('gateway.refused');
      const refused = all.filter((event) => event.subject === subject);
      expect(refused).toMatchObject([{ data: { code } }]);
    });
  });
});
