/** http.fetch through the real daemon and the resolver of this machine: what it cannot reach. */
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type TestServer, webServer } from '../support/http-world.ts';
import { sharedToolHome, type ToolHome } from '../support/tool-home.ts';

const agents = sharedToolHome();

interface World extends AsyncDisposable {
  readonly home: ToolHome;
  readonly server: TestServer;
  /** As jean; the codes of the refusals, and `ok` where there is an answer. */
  fetch(url: string, more?: object): Promise<unknown>;
}

/** A server on 127.0.0.1 that nobody may reach yet. */
async function loopbackWorld(): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await webServer((_, response) => response.end('inside')));
  const home = await agents('jean');
  const kept = opened.move();
  return {
    ...{ home, server },
    fetch: async (url, more = {}) => {
      try {
        const args = { url, ...more };
        const { output } = await home.agent('jean').client.callTool('http.fetch', { args });
        return output;
      } catch (failure) {
        return failure instanceof Error && 'code' in failure ? failure.code : failure;
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const loopbackSpellings = [
  '127.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'x.localhost',
  '127.1',
  '127.0.1',
  '0',
  '0.0.0.0',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '127.000.000.001',
  '127.0.0.1.',
  '127.0.0.2',
  '１２７.0.0.1',
  '127。0。0。1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[::1%25lo]',
  'user@127.0.0.1',
  '127.0.0.1:80@127.0.0.1',
  '%31%32%37.0.0.1',
];

describe('a grant with a star for the host', () => {
  test('reaches this machine by no spelling of it', async () => {
    await using world = await loopbackWorld();
    const { home, server } = world;
    await home.grant('jean', `http:*:${server.port}/*:*`);

    const ends = new Map<string, unknown>();
    for (const host of loopbackSpellings) {
      ends.set(host, await world.fetch(`http://${host}:${server.port}/`));
    }

    const refusals = ['capability.denied', 'http.private-address', 'http.bad-url'];
    const passed = [...ends].filter(([, end]) => !refusals.includes(String(end)));
    // A name that this machine does not know leads nowhere.
    expect(passed.filter(([, end]) => end !== 'http.unreachable')).toEqual([]);
    expect(server.seen).toEqual([]);
  });

  test('reaches it by its name, once a grant says so', async () => {
    await using world = await loopbackWorld();
    const { home, server } = world;
    await home.grant('jean', `http:*:${server.port}/*:*`, `http:127.0.0.1:${server.port}/*:get`);

    expect(await world.fetch(`http://127.0.0.1:${server.port}/`)).toMatchObject({ body: 'inside' });
    expect(await world.fetch(`http://localhost:${server.port}/`)).toBe('capability.denied');
    await home.grant('jean', `http:localhost:${server.port}/*:get`);
    expect(await world.fetch(`http://localhost:${server.port}/`)).toMatchObject({ body: 'inside' });
    expect(server.seen).toHaveLength(2);
  });

  test('and every denial is on record in the one spelling', async () => {
    await using world = await loopbackWorld();
    const { home, server } = world;
    await home.grant('jean', `http:*:${server.port}/*:*`);

    await world.fetch(`http://127.0.0.1:${server.port}/a%20b?c=d`);
    await world.fetch(`http://[::1]:${server.port}/`, { method: 'POST' });

    const denied = await home.events('capability.denied');
    const actor = `agent:${home.agent('jean').name}`;
    expect(denied.map(({ actor, subject }) => ({ actor, subject }))).toEqual([
      { actor, subject: `http:127.0.0.1:${server.port}/a%20b:get` },
      { actor, subject: `http:[::1]:${server.port}/:post` },
    ]);
  });
});

test('a grant for one port, path or method of this machine is not one for another', async () => {
  await using world = await loopbackWorld();
  await using other = await webServer((_, response) => response.end('other'));
  const { home, server } = world;
  await home.grant('jean', `http:127.0.0.1:${server.port}/open/*:get`);
  const at = `http://127.0.0.1:${server.port}`;

  const ends = [
    await world.fetch(`http://127.0.0.1:${other.port}/open/x`),
    await world.fetch(`${at}/closed`),
    await world.fetch(`${at}/open/../closed`),
    await world.fetch(`${at}/open/%2e%2e/closed`),
    await world.fetch(`${at}/open%2fx`),
    await world.fetch(`${at}//open/x`),
    await world.fetch(`${at}/open/x`, { method: 'POST' }),
    await world.fetch(`${at}/open/x`, { headers: { host: 'else' } }),
    await world.fetch(`${at}/open/x`, { headers: { 'x-a': 'b\r\nGET /closed HTTP/1.1' } }),
  ];

  expect(new Set(ends)).toEqual(new Set(['capability.denied', 'http.bad-url', 'http.bad-request']));
  expect([...server.seen, ...other.seen]).toEqual([]);
  expect(await world.fetch(`${at}/open/x`)).toMatchObject({ body: 'inside' });
});

describe('a redirect from where an agent may ask', () => {
  test.each([
    ['another port', (port: number) => `http://127.0.0.1:${port}/`],
    ['another name of this machine', (port: number) => `http://localhost:${port}/`],
    ['its address in IPv6', (port: number) => `http://[::1]:${port}/`],
    ['its address in another spelling', (port: number) => `http://2130706433:${port}/`],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a file', () => 'file:///etc/passwd'],
    ['what is no address', (port: number) => `http://a@127.0.0.1:${port}/`],
  ])('to %s is not followed', async (_, target) => {
    await using inner = await webServer((__, response) => response.end('inner'));
    await using outer = await webServer((__, response) =>
      response.writeHead(302, { location: target(inner.port) }).end(),
    );
    await using world = await loopbackWorld();
    await world.home.grant(
      'jean',
      `http:127.0.0.1:${outer.port}/*:get`,
      `http:*:${inner.port}/*:get`,
    );

    const end = await world.fetch(`http://127.0.0.1:${outer.port}/`);

    expect(['capability.denied', 'http.private-address', 'http.bad-answer']).toContain(end);
    expect(outer.seen).toHaveLength(1);
    expect(inner.seen).toEqual([]);
  });

  test('is followed to where the agent may ask too', async () => {
    await using inner = await webServer((_, response) => response.end('inner'));
    await using outer = await webServer((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    );
    await using world = await loopbackWorld();
    for (const { port } of [inner, outer]) {
      await world.home.grant('jean', `http:127.0.0.1:${port}/*:get`);
    }

    const answer = await world.fetch(`http://127.0.0.1:${outer.port}/`);

    expect(answer).toMatchObject({ body: 'inner' });
  });
});

describe('the daemon itself', () => {
  test('is out of reach on its own port without a grant that names it', async () => {
    await using world = await loopbackWorld();
    const { port } = world.home;
    await world.home.grant('jean', `http:*:${port}/*:*`);

    expect(await world.fetch(`http://127.0.0.1:${port}/livez`)).toBe('capability.denied');
    expect(await world.fetch(`http://localhost:${port}/livez`)).toBe('capability.denied');
  });

  test('does not take an agent that reaches it for its owner', async () => {
    await using world = await loopbackWorld();
    const { home } = world;
    const at = `http://127.0.0.1:${home.port}`;
    await home.grant('jean', `http:127.0.0.1:${home.port}/*:*`);
    const authorization = `Bearer ${home.agent('jean').handle}`;
    const grant = {
      method: 'POST',
      body: JSON.stringify({ agent: home.agent('jean').name, capability: 'tool:*:call' }),
    };
    const json = { 'content-type': 'application/json' };

    const open = await world.fetch(`${at}/livez`);
    const nobody = await world.fetch(`${at}/api/v1/status`);
    const asNobody = await world.fetch(`${at}/api/v1/grants`, { ...grant, headers: json });
    const asItself = await world.fetch(`${at}/api/v1/grants`, {
      ...grant,
      headers: { ...json, authorization },
    });
    const otherHost = await world.fetch(`${at}/livez`, { headers: { host: 'evil.example' } });

    expect(open).toMatchObject({ status: 200 });
    expect(nobody).toMatchObject({ status: 401 });
    expect(asNobody).toMatchObject({ status: 401 });
    expect(asItself).toMatchObject({ status: 403 });
    expect(otherHost).toBe('http.bad-request');
    expect(await home.events('capability.granted')).toHaveLength(1);
  });

  test('has no address that leads to its socket', async () => {
    await using world = await loopbackWorld();
    const { home } = world;
    const { socket } = home.daemon;
    await home.grant('jean', `http:*:80/*:*`, `file:${home.folder.path}/**:read`);
    const file = { args: { path: socket } };

    const ends = [
      await world.fetch(`http+unix://${encodeURIComponent(socket)}/api/v1/status`),
      await world.fetch(`http://unix:${socket}:/api/v1/status`),
      await world.fetch(`unix://${socket}`),
    ];
    const read = home.agent('jean').client.callTool('file.read', file);

    expect(ends).toEqual(['http.bad-url', 'http.bad-url', 'http.bad-url']);
    await expect(read).rejects.toMatchObject({
      code: expect.stringMatching(/^(capability|file)\./),
    });
    // It is there, for whoever may reach it by the path.
    expect(await statusOver(socket)).toBe(200);
  });

  test('is not asked by a host that a page names, which is how a browser is turned round', async () => {
    await using world = await loopbackWorld();
    const { port } = world.home;

    expect(await statusOver({ port, host: '127.0.0.1' }, { host: 'evil.example' })).toBe(403);
  });
});

function statusOver(
  where: string | { readonly port: number; readonly host: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const to = typeof where === 'string' ? { socketPath: where } : where;
  return new Promise((resolve, reject) => {
    request({ ...to, path: '/livez', agent: false, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}
