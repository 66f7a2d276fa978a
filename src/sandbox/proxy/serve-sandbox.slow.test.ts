import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { rawServer, steeredResolver, webServer } from '../../../tests/support/http-world.ts';
import { limitMs } from '../../../tests/support/limits.ts';
import { echoServer, type ProxyWorld, proxyWorld } from '../../../tests/support/proxy-world.ts';
import { until, untilTrue } from '../../../tests/support/until.ts';
import { setPresence } from '../../ledger/agents.ts';
import { proxyLimits } from './passage.ts';

const get = (url: string, ...headers: readonly string[]) =>
  ['GET', url, 'HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'].join(' ') +
  `${headers.map((header) => `${header}\r\n`).join('')}\r\n`;
const tunnelTo = (place: string) => `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`;
const established = 'HTTP/1.1 200 Connection established\r\n\r\n';
const statusOf = (answer: string) => Number(answer.split(' ')[1]);

describe('a request in plain text', () => {
  test('goes on with its body, and its answer comes back', async () => {
    await using server = await webServer((_, response) => {
      response.writeHead(201, {
        'x-a': ['1', '2'],
        'keep-alive': 'x',
        connection: 'x-b',
        'x-b': '',
      });
      response.end('made');
    });
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/v1/*:put`);

    const answer = await world.say(
      `PUT http://127.0.0.1:${server.port}/v1/a%20b?c=d HTTP/1.1\r\nHost: elsewhere\r\n` +
        'Proxy-Authorization: x\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nX-End: 2\r\nTE: trailers\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    );

    expect(server.seen).toMatchObject([{ method: 'PUT', url: '/v1/a%20b?c=d', body: 'abc' }]);
    const { headers } = server.seen[0] ?? {};
    expect(headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      'x-end': '2',
      connection: 'close',
      'transfer-encoding': 'chunked',
    });
    expect(answer).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    expect(answer).toMatch(/x-a: 1\r\nx-a: 2\r\n/);
    expect(answer).not.toMatch(/x-b|keep-alive: x/i);
    expect(answer).toMatch(/\r\n\r\n4\r\nmade\r\n0\r\n\r\n$/);
    expect(await world.home.events('capability.used')).toMatchObject([
      { actor: 'agent:jean', subject: `http:127.0.0.1:${server.port}/v1/a%20b:put` },
    ]);
  });

  test('and the next ones share a connection, each asked for by itself', async () => {
    await using server = await webServer(({ url }, response) => response.end(`at ${url}`));
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/a/*:get`);
    const client = world.connect();
    const ask = (path: string) =>
      client.socket.write(`GET http://127.0.0.1:${server.port}${path} HTTP/1.1\r\nHost: x\r\n\r\n`);

    ask('/a/1');
    await client.until('at /a/1');
    ask('/b');
    await client.until('aos cap grant');
    ask('/a/2');
    await client.until('at /a/2');

    expect(client.heard).toContain('HTTP/1.1 403 Forbidden');
    expect(server.seen.map(({ url }) => url)).toEqual(['/a/1', '/a/2']);
  });

  test('may follow another as soon as that was answered', async () => {
    await using server = await webServer((_, response) => response.end('ok'));
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:get`);
    const client = world.connect();
    const times = 200;

    for (let asked = 1; asked <= times; asked++) {
      client.socket.write(
        `GET http://127.0.0.1:${server.port}/${asked} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
      await client.times('ok', asked);
    }

    expect(server.seen).toHaveLength(times);
  });

  test('whose answer comes before all of its body leaves the connection usable', async () => {
    await using server = await rawServer((socket) =>
      socket.end('HTTP/1.1 403 No\r\nContent-Length: 5\r\n\r\nearly'),
    );
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const client = world.connect();
    const place = `http://127.0.0.1:${server.port}/`;

    client.socket.write(`POST ${place} HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n`);
    client.socket.write('x'.repeat(1000));
    await client.until('early');
    client.socket.write('x'.repeat(1_999_000));
    client.socket.write(get(place));
    const heard = await client.all();

    expect(heard.match(/early/g)).toHaveLength(2);
  });

  test('waits for its body until it is permitted, where the client asks', async () => {
    await using server = await webServer((_, response) => response.end('ok'));
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:post`);
    const post = (path: string) =>
      `POST http://127.0.0.1:${server.port}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
      'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n';
    const client = world.connect();

    client.socket.write(post('/'));
    await client.until('100 Continue');
    client.socket.write('hi');
    const answer = await client.all();

    expect(answer).toMatch(/\r\n\r\nok$/);
    expect(server.seen).toMatchObject([{ body: 'hi' }]);
    expect(server.seen[0]?.headers).not.toHaveProperty('expect');
  });

  test('gets a redirect as it is', async () => {
    await using server = await webServer((_, response) =>
      response.writeHead(302, { location: 'http://evil.test/' }).end(),
    );
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:get`);

    const answer = await world.say(get(`http://127.0.0.1:${server.port}/`));

    expect(answer).toMatch(/^HTTP\/1\.1 302 .*location: http:\/\/evil\.test\/\r\n/is);
  });

  test('of another method needs a grant for every one', async () => {
    await using server = await webServer((_, response) => response.end('ok'));
    await using world = await proxyWorld();
    const ask = () =>
      world.say(
        `PROPFIND http://127.0.0.1:${server.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
    await world.grant(`http:127.0.0.1:${server.port}/*:get`);
    const before = await ask();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const after = await ask();

    expect([before, after].map(statusOf)).toEqual([403, 200]);
  });

  test('is limited to the size of its grant, both ways', async () => {
    await using server = await webServer(({ url }, response) => {
      if (url === '/stream') response.flushHeaders();
      response.end('x'.repeat(url === '/' ? 1 : 5000));
    });
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request{size:1KiB}`);
    const place = `http://127.0.0.1:${server.port}`;
    const head = `POST ${place}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;

    const told = await world.say(`${head}Content-Length: 1025\r\n\r\n`, 'does not allow');
    const flowed = await world.say(
      `${head}Transfer-Encoding: chunked\r\n\r\n401\r\n${'x'.repeat(1025)}\r\n`,
      'does not allow',
    );
    const answered = await world.say(get(`${place}/long`));
    const streamed = await world.say(get(`${place}/stream`));

    expect([told, flowed].map(statusOf)).toEqual([413, 413]);
    expect(statusOf(answered)).toBe(413);
    expect(streamed).not.toContain('x'.repeat(1025));
    expect(statusOf(await world.say(get(`${place}/`)))).toBe(200);
  });
});

describe('nothing is dialled for', () => {
  async function refused(world: ProxyWorld, bytes: string): Promise<number> {
    return statusOf(await world.say(bytes));
  }

  test.each<readonly [string, (port: number) => string, number]>([
    ['a path that is not granted', (port) => get(`http://127.0.0.1:${port}/v2`), 403],
    ['a way around it', (port) => get(`http://127.0.0.1:${port}/v1/../v2`), 400],
    ['an encoded way around it', (port) => get(`http://127.0.0.1:${port}/v1/%2e%2e/v2`), 400],
    ['an encoded slash', (port) => get(`http://127.0.0.1:${port}/v1/..%2fv2`), 400],
    ['another port', (port) => get(`http://127.0.0.1:${port + 1}/v1/a`), 403],
    ['an allowed name before an @', (port) => get(`http://allowed.test@127.0.0.1:${port}/`), 400],
    ['a tunnel with one', (port) => tunnelTo(`allowed.test@127.0.0.1:${port}`), 400],
    ['a path of its own', () => get('/v1/a'), 400],
    ['the star', () => get('*').replace('GET', 'OPTIONS'), 400],
    ['https:// without a tunnel', (port) => get(`https://127.0.0.1:${port}/v1/a`), 400],
    ['another way to write an address', (port) => get(`http://2130706433:${port}/v1/a`), 400],
    ['an upgrade', (port) => get(`http://127.0.0.1:${port}/v1/a`, 'Upgrade: websocket'), 501],
    ['two hosts', (port) => get(`http://127.0.0.1:${port}/v1/a`, 'Host: y'), 400],
    [
      'two lengths',
      (port) =>
        get(`http://127.0.0.1:${port}/v1/a`, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      400,
    ],
    [
      'the same length twice',
      (port) => get(`http://127.0.0.1:${port}/v1/a`, 'Content-Length: 0', 'Content-Length: 0'),
      400,
    ],
    ['a folded line', (port) => get(`http://127.0.0.1:${port}/v1/a`, 'X-A: b\r\n c'), 400],
    [
      'another coding',
      (port) => get(`http://127.0.0.1:${port}/v1/a`, 'Transfer-Encoding: gzip, chunked'),
      501,
    ],
    ['a head without end', () => get('http://x/', `X-A: ${'x'.repeat(20_000)}`), 431],
    ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a tunnel, by a grant for a part', (port) => tunnelTo(`127.0.0.1:${port}`), 403],
    ['a tunnel to port 22', () => tunnelTo('allowed.test:22'), 403],
    ['a tunnel to nowhere', () => tunnelTo('allowed.test'), 400],
    ['a tunnel to a path', (port) => tunnelTo(`127.0.0.1:${port}/v1`), 400],
    ['a tunnel in capitals', () => tunnelTo('ALLOWED.test:443'), 400],
  ])('%s', async (_, bytes, status) => {
    await using server = await rawServer(() => undefined);
    const resolver = steeredResolver({});
    await using world = await proxyWorld(resolver);
    await world.grant(`http:127.0.0.1:${server.port}/v1/*:request`, 'http:allowed.test:request');

    const answer = await refused(world, bytes(server.port));

    expect(answer).toBe(status);
    expect(server.connections).toEqual([]);
    expect(resolver.asked).toEqual([]);
    expect(world.broken).toEqual([]);
  });

  test('who is not granted: 403 with the command, on record', async () => {
    await using world = await proxyWorld(steeredResolver({}));

    const plain = await world.say(get('http://other.test/a'));
    const tunnel = await world.say(tunnelTo('other.test:443'));

    expect([plain, tunnel].map(statusOf)).toEqual([403, 403]);
    expect(plain).toContain("aos cap grant jean 'http:other.test:80/a:get'");
    expect(tunnel).toContain("aos cap grant jean 'http:other.test:443/*:request'");
    const denials = await world.home.events('capability.denied');
    expect(denials).toMatchObject([
      { actor: 'agent:jean', subject: 'http:other.test:80/a:get' },
      { actor: 'agent:jean', subject: 'http:other.test:443/*:request' },
    ]);
    expect(denials.map(({ data }) => JSON.parse(data))).toEqual([
      { via: 'sandbox' },
      { via: 'sandbox' },
    ]);
  });

  test('who is paused or terminated, whatever it holds', async () => {
    await using server = await echoServer();
    await using world = await proxyWorld();
    const { home } = world;
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const ask = () => world.say(tunnelTo(`127.0.0.1:${server.port}`));

    home.grants.setPaused('agent:jean', true);
    const paused = await ask();
    home.grants.setPaused('agent:jean', false);
    await home.ledger.transact((tx) => setPresence(tx, 'jean', 'terminated'));
    const terminated = await ask();

    expect([paused, terminated].map(statusOf)).toEqual([403, 403]);
    expect(paused).toContain('is paused');
    expect(terminated).toContain('was terminated');
    expect(server.connections).toEqual([]);
  });

  test('a grant that asks before each use', async () => {
    await using server = await echoServer();
    await using world = await proxyWorld();
    const capability = `http:127.0.0.1:${server.port}/*:request`;
    await world.home.capabilities.grant({ agent: 'jean', capability, asks: true }, 'owner');

    const answer = await world.say(tunnelTo(`127.0.0.1:${server.port}`));

    expect(statusOf(answer)).toBe(403);
    expect(server.connections).toEqual([]);
  });
});

describe('the address of a name', () => {
  test('of this machine or its network has to be granted too', async () => {
    await using server = await echoServer();
    const names = { 'meta.test': [['169.254.169.254']], 'in.test': [['10.0.0.1', '127.0.0.1']] };
    await using world = await proxyWorld(steeredResolver(names));
    await world.grant('http:*:80/*:request', `http:*:${server.port}/*:request`);

    const answers = [
      await world.say(get('http://meta.test/')),
      await world.say(tunnelTo('meta.test:80')),
      await world.say(tunnelTo(`in.test:${server.port}`)),
      await world.say(tunnelTo(`127.0.0.1:${server.port}`)),
      await world.say(tunnelTo(`localhost:${server.port}`)),
      await world.say(tunnelTo(`[::ffff:7f00:1]:${server.port}`)),
    ];

    expect(answers.map(statusOf)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(answers[1]).toContain('aos cap grant jean "http:169.254.169.254:80/*:request"');
    expect(server.connections).toEqual([]);
  });

  test('is asked for once, and what was checked is dialled', async () => {
    await using server = await echoServer();
    const resolver = steeredResolver({ 'back.test': [['127.0.0.1'], ['169.254.169.254']] });
    await using world = await proxyWorld(resolver);
    await world.grant(
      `http:back.test:${server.port}/*:request`,
      `http:127.0.0.1:${server.port}/*:request`,
    );

    const answer = await world.say(tunnelTo(`back.test:${server.port}`), established);

    expect(answer).toBe(established);
    expect(resolver.asked).toEqual(['back.test']);
  });
});

describe('a tunnel', () => {
  test('carries bytes both ways, and one side may be done first', async () => {
    await using server = await echoServer();
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const client = world.connect();
    const bytes = 'x'.repeat(3_000_000);

    // What comes behind the head is not lost.
    client.socket.write(`${tunnelTo(`127.0.0.1:${server.port}`)}first`);
    await client.until('first');
    client.socket.end(bytes);
    const heard = await client.all();

    expect(heard.length).toBe(`${established}first`.length + bytes.length);
    expect(await world.home.events('capability.used')).toHaveLength(1);
    expect(world.broken).toEqual([]);
  });

  test('takes no more from a server than its client takes', async () => {
    let sentBytes = 0;
    await using server = await rawServer((socket) => {
      const piece = Buffer.alloc(64 * 1024);
      const fill = () => {
        while (!socket.destroyed && socket.write(piece)) sentBytes += piece.length;
      };
      socket.on('drain', fill);
      fill();
    });
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const client = world.connect();
    client.socket.write(tunnelTo(`127.0.0.1:${server.port}`));
    await client.until(established);

    client.socket.pause();
    client.socket.write('go');
    await untilTrue(async () => {
      const before = sentBytes;
      await sleep(100);
      return before > 0 && sentBytes === before;
    });

    // What the buffers of two sockets hold, and not what a server can send.
    expect(sentBytes).toBeLessThan(40_000_000);
  });

  test.each(['grant', 'delegation'])('ends at once when its %s is revoked', async (kind) => {
    await using server = await rawServer((socket) => {
      const flow = () => {
        if (!socket.destroyed) socket.write('tick', () => setImmediate(flow));
      };
      flow();
    });
    await using world = await proxyWorld();
    const { home } = world;
    const capability = `http:127.0.0.1:${server.port}/*:request`;
    const agent = kind === 'grant' ? 'jean' : 'sam';
    const { id } = await home.capabilities.grant({ agent, capability }, 'owner');
    if (kind === 'delegation') {
      await home.capabilities.delegate({ from: 'sam', agent: 'jean', capability }, 'agent:sam');
    }
    const client = world.connect();
    client.socket.write(tunnelTo(`127.0.0.1:${server.port}`));
    await client.until(established);
    client.socket.write('go');
    await client.until('tick');

    const before = performance.now();
    await home.capabilities.revoke(id, 'owner');
    await client.closed;
    const tookMs = performance.now() - before;

    expect(tookMs).toBeLessThan(limitMs(1000));
    await until(() => expect(server.connections.every(({ destroyed }) => destroyed)).toBe(true));
    await world.close();
    const [event, ...others] = await home.events('sandbox.connection-closed');
    expect(others).toEqual([]);
    expect(event).toMatchObject({ actor: 'system', subject: 'agent:jean' });
    expect(JSON.parse(event?.data ?? '')).toMatchObject({
      ...{ host: '127.0.0.1', port: server.port, why: 'revoked' },
    });
  });

  test('stays when another grant is revoked', async () => {
    await using server = await echoServer();
    await using world = await proxyWorld();
    const other = await world.grant('http:other.test:request');
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const client = world.connect();
    client.socket.write(tunnelTo(`127.0.0.1:${server.port}`));
    await client.until(established);

    await world.home.capabilities.revoke(other, 'owner');
    client.socket.write('still here');

    await client.until('still here');
  });

  test.each([
    ['timeout:30s', 30_000],
    ['expires:2030-01-01T00:01:00Z', 60_000],
  ])('ends with the time of its grant: %s', async (constraint, afterMs) => {
    await using server = await echoServer();
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request{${constraint}}`);
    const client = world.connect();
    client.socket.write(tunnelTo(`127.0.0.1:${server.port}`));
    await client.until(established);

    await world.home.clock.advance(afterMs - 1);
    const isOpen = !client.socket.destroyed;
    await world.home.clock.advance(1);
    await client.closed;

    expect(isOpen).toBe(true);
    await world.close();
    const [event] = await world.home.events('sandbox.connection-closed');
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ why: 'time-over' });
  });

  test('ends when nothing has flowed for long', async () => {
    await using server = await echoServer();
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const client = world.connect();
    client.socket.write(tunnelTo(`127.0.0.1:${server.port}`));
    await client.until(established);
    await world.home.clock.advance(proxyLimits.idleMs - 1);
    client.socket.write('busy');
    await client.until('busy');

    await world.home.clock.advance(proxyLimits.idleMs - 1);
    const isOpen = !client.socket.destroyed;
    await world.home.clock.advance(1);
    await client.closed;

    expect(isOpen).toBe(true);
    expect(await world.home.events('sandbox.connection-closed')).toEqual([]);
  });

  test('is one use, and a grant that is used up opens none', async () => {
    await using server = await echoServer();
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request{max:1}`);
    const ask = tunnelTo(`127.0.0.1:${server.port}`);

    const first = await world.say(ask, established);
    const second = await world.say(ask);

    expect(first).toBe(established);
    expect(statusOf(second)).toBe(429);
  });
});

describe('a server that', () => {
  test('is not there is 502', async () => {
    const gone = await echoServer();
    await gone[Symbol.asyncDispose]();
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${gone.port}/*:request`, 'http:nowhere.example:80/*:request');

    const answers = [
      await world.say(get(`http://127.0.0.1:${gone.port}/`)),
      await world.say(tunnelTo(`127.0.0.1:${gone.port}`)),
      await world.say(get('http://nowhere.example/')),
    ];

    expect(answers.map(statusOf)).toEqual([502, 502, 502]);
    expect(world.broken).toEqual([]);
  });

  test('does not answer is 504', async () => {
    await using server = await rawServer(() => undefined);
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);

    const asking = world.say(get(`http://127.0.0.1:${server.port}/`));
    await until(() => expect(server.connections.length).toBe(1));
    await until(() => expect(server.connections[0]?.bytesRead).toBeGreaterThan(0));
    await world.home.clock.advance(proxyLimits.answerHeadMs);

    expect(statusOf(await asking)).toBe(504);
  });

  test('cannot be resolved in time is 504', async () => {
    await using world = await proxyWorld({ resolve: () => new Promise(() => undefined) });
    await world.grant('http:slow.test:80/*:request');

    const asking = world.say(tunnelTo('slow.test:80'));
    await until(async () => expect(await world.home.events('capability.used')).toHaveLength(1));
    await until(() => expect(world.home.clock.sleeping).toBe(1));
    await world.home.clock.advance(proxyLimits.reachMs);

    expect(statusOf(await asking)).toBe(504);
  });

  test.each([
    ['speaks no HTTP', 'nonsense\r\n\r\n'],
    [
      'switches protocols unasked',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    [
      'sends two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['has a head without end', `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(40_000)}`],
  ])('%s is 502', async (_, words) => {
    await using server = await rawServer((socket) => socket.end(words));
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);

    const answer = await world.say(get(`http://127.0.0.1:${server.port}/`));

    expect(statusOf(answer)).toBe(502);
    expect(world.broken).toEqual([]);
  });

  test('breaks off in the middle of its answer breaks it off for the client', async () => {
    await using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
      socket.end();
    });
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);

    const answer = await world.say(get(`http://127.0.0.1:${server.port}/`));

    expect(answer).toMatch(/Content-Length: 100/);
    expect(answer.length).toBeLessThan(200);
    expect(world.broken).toEqual([]);
  });
});

describe('a client that', () => {
  test('takes its time over the head of a request is cut off', async () => {
    await using world = await proxyWorld();
    const client = world.connect();
    client.socket.write('GET http://slow.te');
    await until(() => expect(world.home.clock.sleeping).toBe(1));

    await world.home.clock.advance(proxyLimits.headMs - 1);
    client.socket.write('s');
    const isOpen = !client.socket.destroyed;
    await world.home.clock.advance(1);

    expect(isOpen).toBe(true);
    expect(await client.all()).toBe('');
    expect(world.home.clock.sleeping).toBe(0);
  });

  test('does not wait for its answer is cut off', async () => {
    await using server = await rawServer(() => undefined);
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const one = `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`;

    const answer = await world.say(one.repeat(1000));

    expect(answer).toBe('');
    expect(server.connections.length).toBeLessThan(2);
  });

  test('goes away takes its connection to the server with it', async () => {
    await using server = await rawServer(() => undefined);
    await using world = await proxyWorld();
    await world.grant(`http:127.0.0.1:${server.port}/*:request`);
    const clients = [world.connect(), world.connect()];
    clients[0]?.socket.write(get(`http://127.0.0.1:${server.port}/`));
    clients[1]?.socket.write(tunnelTo(`127.0.0.1:${server.port}`));
    await clients[1]?.until(established);
    await until(() => expect(server.connections.length).toBe(2));

    for (const { socket } of clients) socket.destroy();

    await until(() => expect(server.connections.every(({ destroyed }) => destroyed)).toBe(true));
  });

  test('is refused again and again is on record no more than so often', async () => {
    await using world = await proxyWorld(steeredResolver({}));
    const client = world.connect();
    const statuses: number[] = [];
    for (let asked = 1; asked <= 100; asked++) {
      client.socket.write(`GET http://no.test/${asked} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await client.times('HTTP/1.1 ', asked);
    }
    statuses.push(
      ...client.heard
        .split('HTTP/1.1 ')
        .slice(1)
        .map((each) => Number.parseInt(each, 10)),
    );

    expect(statuses.filter((status) => status === 403)).toHaveLength(proxyLimits.refusals.burst);
    expect(statuses.filter((status) => status === 429)).toHaveLength(80);
    expect(await world.home.events('capability.denied')).toHaveLength(20);
    await world.close();
    const overruns = await world.home.events('sandbox.overrun');
    expect(overruns.map(({ data }) => JSON.parse(data))).toEqual([
      { refusals: 1 },
      { refusals: 79 },
    ]);
  });

  test('asks too often is told so', async () => {
    await using world = await proxyWorld(steeredResolver({}));
    const client = world.connect();
    for (let asked = 1; asked <= proxyLimits.requests.burst + 1; asked++) {
      client.socket.write('GET http://x@no.test/ HTTP/1.1\r\nHost: x\r\n\r\n');
      await client.times('HTTP/1.1 ', asked);
    }

    expect(client.heard.split('HTTP/1.1 ').at(-1)).toMatch(/^429 /);
  });
});

test('of 1,000 connections at once some are served, the others closed, and it is told once', async () => {
  await using server = await webServer((_, response) => response.end('ok'));
  await using world = await proxyWorld();
  await world.grant(`http:127.0.0.1:${server.port}/*:request`);
  const clients = Array.from({ length: 1000 }, () => world.connect());

  const closed = clients.map(async ({ closed }, index) => {
    await closed;
    return index;
  });
  let gone = 0;
  for (const each of closed) void each.then(() => gone++);
  await until(() => expect(gone).toBe(1000 - proxyLimits.connections));
  const left = clients.filter(({ socket }) => !socket.destroyed);
  for (const { socket } of left) socket.write(get(`http://127.0.0.1:${server.port}/`));
  const answers = await Promise.all(left.map((client) => client.all()));

  expect(answers.map(statusOf)).toEqual(left.map(() => 200));
  expect(statusOf(await world.say(get(`http://127.0.0.1:${server.port}/`)))).toBe(200);
  await world.close();
  const overruns = await world.home.events('sandbox.overrun');
  const counts = overruns.map(({ data }) => JSON.parse(data).connections);
  expect(counts).toEqual([1, 1000 - proxyLimits.connections - 1]);
});

test('when it is disposed of, the listener and every connection are closed', async () => {
  await using server = await echoServer();
  await using world = await proxyWorld();
  await world.grant(`http:127.0.0.1:${server.port}/*:request`);
  const [waiting, open] = [world.connect(), world.connect()];
  open.socket.write(tunnelTo(`127.0.0.1:${server.port}`));
  await open.until(established);

  await world.close();
  await Promise.all([waiting.closed, open.closed]);
  const late = world.connect();
  await late.closed;

  expect(late.heard).toBe('');
  expect(world.home.clock.sleeping).toBe(0);
  expect(await world.home.events('sandbox.%')).toEqual([]);
  expect(world.broken).toEqual([]);
});
