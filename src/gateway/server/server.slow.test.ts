import { once } from 'node:events';
import { createConnection } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { openOnce } from '../../../tests/support/open-once.ts';
import {
  bearer,
  send,
  sendRaw,
  temporaryGateway,
  testVersion,
} from '../../../tests/support/temporary-gateway.ts';
import { untilTrue } from '../../../tests/support/until.ts';
import { routes } from '../contract/contract.ts';
import { defaultLimits } from './deps.ts';

/** For those that change nothing. */
const looked = openOnce(() => temporaryGateway());
let lookedTcp: number;
beforeAll(async () => {
  lookedTcp = await looked().gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
});

test("the owner's socket answers without a handle, and says who answers", async () => {
  await using home = await temporaryGateway();

  const answer = await send({ at: home.ownerSocket, path: '/api/v1/status' });

  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ 'x-aos-version': testVersion, 'x-aos-api': '1' });
  expect(routes.status.output.parse(answer.json)).toMatchObject({
    role: 'owner',
    agents: { active: 0, total: 0 },
    ledger: { seq: 1 },
  });
});

test('register() makes an agent with a socket of its own, where only its handle is good', async () => {
  await using home = await temporaryGateway();
  const jean = await home.client.register('jean');
  const jared = await home.client.register('jared');
  const at = home.agentSocket('jean');
  const status = (headers = {}) => send({ at, path: '/api/v1/status', headers });

  const own = await status(bearer(jean.handle));
  const others = await status(bearer(jared.handle));
  const owners = await status(bearer(home.ownerHandle));
  const none = await status();
  const unknown = await status(bearer(`aos_${'x'.repeat(43)}`));

  expect(own.json).toEqual({ role: 'agent', version: testVersion, api: '1', name: 'jean' });
  expect(others).toMatchObject({ status: 403, json: { code: 'handle.wrong-door' } });
  expect(owners).toMatchObject({ status: 403, json: { code: 'handle.wrong-door' } });
  expect(none).toMatchObject({ status: 401, json: { code: 'handle.missing' } });
  expect(unknown).toMatchObject({ status: 401, json: { code: 'handle.unknown' } });
});

test("refusals at an agent's socket are recorded, at most one event a second", async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');

  const at = home.agentSocket('jean');
  for (let index = 0; index < 20; index++) await send({ at, path: '/api/v1/status' });

  const refused = await Array.fromAsync(home.client.events({ kind: 'gateway.refused' }));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(10);
  expect(refused[0]).toMatchObject({
    subject: 'agent:jean',
    data: { code: 'handle.missing', count: 1 },
  });
});

test('TCP wants a handle, as a bearer or as the password that a browser sends', async () => {
  await using home = await temporaryGateway();
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const basic = Buffer.from(`owner:${home.ownerHandle}`).toString('base64');

  const none = await send({ at, path: '/docs' });
  const asBearer = await send({ at, path: '/docs', headers: bearer(home.ownerHandle) });
  const asBasic = await send({ at, path: '/docs', headers: { authorization: `Basic ${basic}` } });
  const open = await send({ at, path: '/livez' });

  expect(none.status).toBe(401);
  expect(none.headers['www-authenticate']).toContain('Basic');
  expect(asBearer.status).toBe(200);
  expect(asBasic).toMatchObject({ status: 200, text: asBearer.text });
  expect(open).toMatchObject({ status: 200, json: { live: true } });
});

test('a handle is refused from the moment it is revoked', async () => {
  await using home = await temporaryGateway();
  const jean = await home.client.register('jean');
  const ask = () =>
    send({ at: home.agentSocket('jean'), path: '/api/v1/status', headers: bearer(jean.handle) });
  expect((await ask()).status).toBe(200);

  const { revokeHandlesOf } = await import('../../ledger/security/principals.ts');
  await home.ledger.transact(async (tx) => {
    await revokeHandlesOf(tx, 'agent:jean', 1);
    await tx.record({ actor: 'owner', kind: 'identity.handle-revoked', subject: 'agent:jean' });
  });

  expect(await ask()).toMatchObject({ status: 401, json: { code: 'handle.unknown' } });
});

test.each([
  ['another host', { host: 'evil.example:7717' }, 'gateway.foreign-host'],
  ['this machine with another port', { host: '127.0.0.1:1' }, 'gateway.foreign-host'],
  ['no port', { host: '127.0.0.1' }, 'gateway.foreign-host'],
  ['a page of another site', { origin: 'https://evil.example' }, 'gateway.foreign-origin'],
  ['a page without an origin', { origin: 'null' }, 'gateway.foreign-origin'],
  ['a cross-site request', { 'sec-fetch-site': 'cross-site' }, 'gateway.foreign-origin'],
])('TCP refuses %s, also where no handle is needed', async (_what, headers, code) => {
  const answer = await send({ at: lookedTcp, path: '/livez', headers });

  expect(answer).toMatchObject({ status: 403, json: { code } });
});

describe('a request that a proxy could read in another way is refused:', () => {
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const json = 'Content-Type: application/json\r\n';
  const chunks = '2\r\n{}\r\n0\r\n\r\n';
  test.each([
    ['two Hosts', 'GET /livez', 'Host: evil.example\r\n\r\n', '"host\\" is there twice'],
    ['two Authorizations', 'GET /livez', 'authorization: a\r\nAuthorization: b\r\n\r\n', 'twice'],
    ['two Origins', 'GET /livez', 'Origin: a\r\nOrigin: a\r\n\r\n', 'twice'],
    ['two keys', 'POST /x', 'Idempotency-Key: a\r\nIdempotency-Key: a\r\n\r\n', 'twice'],
    ['two kinds of body', 'POST /x', `${json}${json}Content-Length: 0\r\n\r\n`, 'twice'],
    ['two lengths', 'POST /x', `Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, 'not a valid'],
    ['a length and chunks', 'POST /x', `Content-Length: 2\r\n${chunked}\r\n${chunks}`, 'valid'],
    ['chunks twice', 'POST /x', `${chunked}${chunked}\r\n${chunks}`, 'not a valid'],
    [
      'an unknown coding before chunks',
      'POST /x',
      `Transfer-Encoding: identity, chunked\r\n\r\n${chunks}`,
      'a coding that is not known',
    ],
    ['a folded line', 'GET /livez', 'X-A: b\r\n c\r\n\r\n', 'not a valid'],
    ['a letter as a number', 'GET /liv%65z', '\r\n', 'has \\"e\\" written as %65'],
    ['dots as numbers', 'GET /api/v1/agents/%2e%2e', '\r\n', 'has \\".\\" written as %2e'],
    ['a dash as a number', 'GET /a%2Db', '\r\n', 'has \\"-\\" written as %2D'],
  ])('%s', async (_what, line, rest, says) => {
    const text = await sendRaw(
      lookedTcp,
      `${line} HTTP/1.1\r\nHost: 127.0.0.1:${lookedTcp}\r\nConnection: close\r\n${rest}`,
    );

    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('gateway.bad-request');
    expect(text).toContain(says);
  });
});

describe('connections that ask for nothing', () => {
  const most = 4;

  async function crowded() {
    const home = await temporaryGateway({ limits: { connectionsPerDoor: most } });
    const jean = await home.client.register('jean');
    const tcp = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
    const doors = { TCP: tcp, 'the owner': home.ownerSocket, 'an agent': home.agentSocket('jean') };
    return Object.assign(home, { jean, doors });
  }

  async function connections(at: string | number, count: number, bytes: string) {
    const sockets = Array.from({ length: count }, () =>
      typeof at === 'number' ? createConnection(at, '127.0.0.1') : createConnection(at),
    );
    for (const socket of sockets) socket.on('error', () => {}).write(bytes);
    await Promise.all(sockets.map((socket) => socket.connecting && once(socket, 'connect')));
    return {
      sockets,
      [Symbol.dispose]() {
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  test.each(['TCP', 'the owner', 'an agent'] as const)(
    'make room for the next one that does: %s',
    async (door) => {
      await using home = await crowded();
      const at = home.doors[door];
      using _half = await connections(at, 3 * most, 'GET /livez HTTP/1.1\r\nHost: loc');

      const answers = [
        await send({ at, path: '/livez' }),
        await send({ at, path: '/livez' }),
        await send({ at, path: '/livez' }),
      ];

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    },
  );

  test('close none that is being answered', async () => {
    await using home = await crowded();
    const at = home.doors['the owner'];
    const head =
      'GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n';
    using served = await connections(at, most, head);
    await Promise.all(served.sockets.map((socket) => once(socket, 'data')));

    using more = await connections(at, 2 * most, 'GET /livez HTTP/1.1\r\nHost: loc');
    await untilTrue(() => more.sockets.every((socket) => socket.resume().closed));

    expect(served.sockets.map(({ readyState }) => readyState)).toEqual(Array(most).fill('open'));
  });
});

describe('requests that are sent before the answers to earlier ones', () => {
  const most = defaultLimits.requestsUnderWay;

  /** Sends so many at once, in one write, and reads whatever comes. */
  function pipelined(at: string | number, count: number) {
    const socket =
      typeof at === 'number' ? createConnection(at, '127.0.0.1') : createConnection(at);
    const host = typeof at === 'number' ? `127.0.0.1:${at}` : 'localhost';
    let text = '';
    socket
      .on('error', () => {})
      .on('data', (part) => {
        text += part;
      });
    const ask = (more: number) =>
      socket.write(`GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(more));
    ask(count);
    return {
      socket,
      ask,
      answered: () => text.split('HTTP/1.1 200 OK').length - 1,
      [Symbol.dispose]: () => void socket.destroy(),
    };
  }

  async function allDoors() {
    const home = await temporaryGateway();
    await home.client.register('jean');
    const tcp = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
    const doors = { TCP: tcp, 'the owner': home.ownerSocket, 'an agent': home.agentSocket('jean') };
    return Object.assign(home, { doors });
  }

  test.each(['TCP', 'the owner', 'an agent'] as const)(
    'are answered, a few at a time: %s',
    async (door) => {
      await using home = await allDoors();

      using client = pipelined(home.doors[door], most);
      await untilTrue(() => client.answered() === most);
      client.ask(most);
      await untilTrue(() => client.answered() === 2 * most);

      expect(client.socket.readyState).toBe('open');
    },
  );

  test.each(['TCP', 'the owner', 'an agent'] as const)(
    'end the connection where they are too many, and no other: %s',
    async (door) => {
      await using home = await allDoors();
      const at = home.doors[door];
      using other = pipelined(at, 1);

      using client = pipelined(at, 2000);
      await untilTrue(() => client.socket.closed);

      expect(client.answered()).toBeLessThanOrEqual(most);
      await untilTrue(() => other.answered() === 1);
      other.ask(1);
      await untilTrue(() => other.answered() === 2);
    },
  );
});

describe('who is refused while a body is still being sent', () => {
  const part = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

  /** Waits for the answer, and sends so many parts before it ends the body. */
  async function stream(at: string | number, path: string, { more }: { readonly more: number }) {
    const socket =
      typeof at === 'number' ? createConnection(at, '127.0.0.1') : createConnection(at);
    let answer = '';
    let failure: string | undefined;
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      failure = error.code;
    });
    const host = typeof at === 'number' ? `127.0.0.1:${at}` : 'localhost';
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    await untilTrue(() => answer.includes('\r\n\r\n{') && answer.endsWith('}'));
    let sent = 0;
    for (; sent < more && !socket.destroyed; sent++) {
      if (!socket.write(part)) await untilTrue(() => socket.destroyed || !socket.writableNeedDrain);
    }
    if (!socket.destroyed) socket.write('0\r\n\r\n');
    await untilTrue(() => socket.closed);
    return { answer, failure, sent };
  }

  test.each(['TCP', 'the owner'])(
    'reads the answer, and is hung up on when all has come: %s',
    async (door) => {
      const at = door === 'TCP' ? lookedTcp : looked().ownerSocket;

      const end = await stream(at, '/api/v1/memory/import?of=nobody', { more: 50 });

      expect(end.answer).toMatch(/^HTTP\/1\.1 40[14] /);
      expect(end).toMatchObject({ sent: 50, failure: undefined });
    },
  );

  test('is cut off when it goes on for longer than a request may take', async () => {
    await using home = await temporaryGateway({ limits: { requestTimeoutMs: 50 } });

    const path = '/api/v1/memory/import?of=nobody';
    const { answer, failure } = await stream(home.ownerSocket, path, { more: 1e9 });

    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(failure).toMatch(/EPIPE|ECONNRESET/);
  });
});

test('TCP takes a page of its own', async () => {
  await using home = await temporaryGateway();
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });

  const answer = await send({
    at,
    path: '/livez',
    headers: { host: `localhost:${at}`, origin: `http://localhost:${at}` },
  });

  expect(answer.status).toBe(200);
});

test('a unix socket refuses whatever comes from a page', async () => {
  await using home = await temporaryGateway();

  const answer = await send({
    at: home.ownerSocket,
    path: '/livez',
    headers: { origin: 'http://localhost' },
  });

  expect(answer).toMatchObject({ status: 403, json: { code: 'gateway.foreign-origin' } });
});

test('a door that is not of this machine is not opened', async () => {
  await using home = await temporaryGateway();

  const attempt = home.gateway.openTcpDoor({ host: '0.0.0.0', port: 0 });

  await expect(attempt).rejects.toMatchObject({ code: 'gateway.no-door' });
});

test('a port that is taken, a file in place of a socket and a path too long are said in words', async () => {
  await using home = await temporaryGateway();
  const port = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });

  const taken = home.gateway.openTcpDoor({ host: '127.0.0.1', port });
  const file = home.gateway.openAgentDoor('jean', home.home.at('ledger.db'));
  const long = home.gateway.openAgentDoor('jean', home.home.at('x'.repeat(200)));

  await expect(taken).rejects.toMatchObject({ code: 'gateway.no-door' });
  await expect(file).rejects.toMatchObject({ code: 'gateway.no-door' });
  await expect(long).rejects.toMatchObject({ code: 'gateway.no-door' });
});

test('a body of 10 MB is refused with 413 and the answer can be read', async () => {
  await using home = await temporaryGateway();
  const post = { at: home.ownerSocket, path: '/api/v1/agents', method: 'POST' };

  const counted = await send({ ...post, body: Buffer.alloc(10_000_000, 0x20) });
  const chunked = await send({
    ...post,
    headers: { 'transfer-encoding': 'chunked' },
    body: Buffer.alloc(10_000_000, 0x20),
  });

  expect(counted).toMatchObject({ status: 413, json: { code: 'gateway.too-large' } });
  expect(chunked).toMatchObject({ status: 413, json: { code: 'gateway.too-large' } });
});

test.each([
  ['malformed JSON', '{"name":'],
  ['an empty body', ''],
  ['a body that would change what objects are', '{"name":"jean","__proto__":{"a":1}}'],
  ['a constructor in the body', '{"name":"jean","constructor":{"prototype":{"a":1}}}'],
  ['a deep body', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ['a deep field', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['a field too many', '{"name":"jean","more":1}'],
  ['a number for a text', '{"name":5}'],
  ['no object', '"jean"'],
])('%s is refused with 400 and a problem', async (_what, body) => {
  const home = looked();

  const answer = await send({
    at: home.ownerSocket,
    path: '/api/v1/agents',
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });

  expect(answer).toMatchObject({ status: 400, json: { code: 'gateway.bad-request' } });
  expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(({} as Record<string, unknown>)['a']).toBeUndefined();
});

test('a body that is no JSON by its type is refused with 415', async () => {
  await using home = await temporaryGateway();

  const answer = await send({
    at: home.ownerSocket,
    path: '/api/v1/agents',
    method: 'POST',
    body: 'name=jean',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

  expect(answer).toMatchObject({ status: 415, json: { code: 'gateway.bad-media' } });
});

test.each([
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
  ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a strange coding', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
  ['a folded header', 'A: b\r\n c\r\nB\r\n\r\n'],
  ['a bare line feed', 'A: b\nContent-Length: 2\r\n\r\n{}'],
])('a request with %s is refused and the connection ends', async (_what, rest) => {
  const home = looked();
  const smuggled = 'GET /api/v1/status HTTP/1.1\r\nHost: a\r\n\r\n';

  const text = await sendRaw(
    home.ownerSocket,
    `POST /api/v1/shutdown HTTP/1.1\r\nHost: localhost\r\n${rest}${smuggled}`,
  );

  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).not.toContain('"role":"owner"');
});

test('headers that are too large are refused with 413', async () => {
  await using home = await temporaryGateway();

  const text = await sendRaw(
    home.ownerSocket,
    `GET /livez HTTP/1.1\r\nHost: localhost\r\nA: ${'x'.repeat(40_000)}\r\n\r\n`,
  );

  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  expect(text).toContain('gateway.too-large');
});

test('a request that never ends is cut off', async () => {
  await using home = await temporaryGateway({
    limits: { headersTimeoutMs: 50, requestTimeoutMs: 50 },
  });

  const text = await sendRaw(home.ownerSocket, 'GET /livez HTTP/1.1\r\nHost: loc');

  expect(text).toMatch(/^HTTP\/1\.1 504 /);
});

test.each(['a body', 'its headers'])(
  'whoever leaves in the middle of %s is neither logged as a failure nor counted as a bad request',
  async (what) => {
    await using home = await temporaryGateway();
    const half = what === 'a body' ? 'Content-Length: 100\r\n\r\n{"name":' : 'Content-Ty';

    for (let index = 0; index < 5; index++) {
      const socket = createConnection(home.ownerSocket);
      await once(socket, 'connect');
      const head = 'POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
      socket.end(`${head}${half}`);
      socket.resume();
      await once(socket, 'close');
      await home.client.status();
    }

    const { text } = await send({ at: home.ownerSocket, path: '/metrics' });
    expect(home.logged).toEqual([]);
    expect(text).not.toContain('status="500"');
  },
);

test('a connection that is reset in the middle of a request is not counted as a bad request', async () => {
  await using home = await temporaryGateway();
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const socket = createConnection(at, '127.0.0.1');
  await once(socket, 'connect');
  const head = `POST /api/v1/agents HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\nContent-Type: application/json\r\n`;
  const handle = `Authorization: Bearer ${home.ownerHandle}\r\n`;
  socket.write(`${head}${handle}Content-Length: 100\r\n\r\n{"name":`);
  await home.client.status();

  socket.resetAndDestroy();
  await once(socket, 'close');
  await home.client.status();

  const { text } = await send({ at: home.ownerSocket, path: '/metrics' });
  expect(home.logged).toEqual([]);
  expect(text).not.toContain('gateway.bad-request');
  expect(text).not.toContain('status="500"');
});

test.each(['the owner', 'TCP'])(
  'a request without a Host is answered with a problem: %s',
  async (door) => {
    const at = door === 'TCP' ? lookedTcp : looked().ownerSocket;

    const text = await sendRaw(at, 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n');

    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*no \\"Host\\"/);
  },
);

test('a request of HTTP 1.0 needs no Host where nobody else can call', async () => {
  await using home = await temporaryGateway();
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });

  expect(await sendRaw(home.ownerSocket, 'GET /livez HTTP/1.0\r\n\r\n')).toContain('"live":true');
  expect(await sendRaw(at, 'GET /livez HTTP/1.0\r\n\r\n')).toContain('gateway.foreign-host');
});

test('a target for a proxy is refused', async () => {
  await using home = await temporaryGateway();

  const text = await sendRaw(
    home.ownerSocket,
    'GET http://localhost/livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  );

  expect(text).toMatch(/^HTTP\/1\.1 400 /);
});

test.each([
  '/api/v1/agents/..%2f..%2fkeys%2fowner.key',
  '/api/v1/agents/jean%00',
  '/api/v1/agents/__proto__',
])('%s finds no agent', async (path) => {
  const home = looked();

  const answer = await send({ at: home.ownerSocket, path });

  expect(answer).toMatchObject({ status: 404, json: { code: 'agent.unknown' } });
});

test.each(['', 'a'.repeat(300), 'ä'])(
  'the name %j is refused by the rules of names',
  async (name) => {
    const home = looked();

    await expect(home.client.register(name)).rejects.toMatchObject({ code: 'agent.bad-name' });
  },
);

test('an agent that does not fit the rules of names is not registered', async () => {
  await using home = await temporaryGateway();

  const attempt = home.client.register('../keys/jean');

  await expect(attempt).rejects.toMatchObject({ code: 'agent.bad-name' });
});

test('an agent sees itself and nobody else, and may not do what is for the owner', async () => {
  await using home = await temporaryGateway();
  const jean = await home.client.register('jean');
  await home.client.register('jared');
  const ask = (path: string, method = 'GET', body?: string) =>
    send({
      at: home.agentSocket('jean'),
      path,
      method,
      headers: bearer(jean.handle),
      ...(body === undefined ? {} : { body }),
    });

  const list = await ask('/api/v1/agents');
  const other = await ask('/api/v1/agents/jared');
  const own = await ask('/api/v1/agents/jean');

  expect(list.json).toMatchObject({ items: [{ name: 'jean', address: jean.address }], next: null });
  expect(other.json).toMatchObject({ code: 'agent.unknown' });
  expect(routes.agent.output.parse(own.json)).toMatchObject({ name: 'jean', status: 'active' });
  for (const [method, path, body] of [
    ['GET', '/metrics'],
    ['POST', '/api/v1/shutdown', '{}'],
    ['POST', '/api/v1/agents', '{"name":"x"}'],
    ['GET', '/api/v1/audit/head'],
    ['POST', '/api/v1/audit/verify', '{}'],
    ['POST', '/api/v1/backup', '{"path":"/x"}'],
    ['GET', '/api/v1/usage'],
    ['POST', '/api/v1/gc', '{"dry_run":true}'],
  ] as const) {
    expect(await ask(path, method, body)).toMatchObject({
      status: 403,
      json: { code: 'gateway.owner-only' },
    });
  }
});

test('agents() goes through all pages', async () => {
  await using home = await temporaryGateway();
  for (const name of ['a', 'b', 'c']) await home.client.register(name);

  const first = await send({ at: home.ownerSocket, path: '/api/v1/agents?limit=2' });
  const second = await send({ at: home.ownerSocket, path: '/api/v1/agents?limit=2&after=b' });
  const all = await Array.fromAsync(home.client.agents());

  expect(first.json).toMatchObject({ items: [{ name: 'a' }, { name: 'b' }], next: 'b' });
  expect(second.json).toMatchObject({ items: [{ name: 'c' }], next: null });
  expect(all.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test.each(['0', '1001', '-1', '1e3', '', 'x'])('a page of "%s" is refused', async (limit) => {
  const home = looked();

  const answer = await send({ at: home.ownerSocket, path: `/api/v1/agents?limit=${limit}` });

  expect(answer).toMatchObject({ status: 400, json: { code: 'gateway.bad-request' } });
});

test('what is not there is said with what was perhaps meant', async () => {
  await using home = await temporaryGateway();

  const near = await send({ at: home.ownerSocket, path: '/api/v1/statsu' });
  const method = await send({ at: home.ownerSocket, path: '/api/v1/status', method: 'DELETE' });
  const odd = await send({ at: home.ownerSocket, path: '/api/v1/status', method: 'PROPFIND' });

  expect(near).toMatchObject({ status: 404, json: { code: 'gateway.unknown-route' } });
  expect(near.text).toContain('/api/v1/status');
  expect(method).toMatchObject({ status: 405, json: { code: 'gateway.wrong-method' } });
  expect(method.headers.allow).toBe('GET');
  expect(odd).toMatchObject({ status: 404, json: { code: 'gateway.unknown-route' } });
});

test('whoever has no handle does not learn which routes there are', async () => {
  await using home = await temporaryGateway();
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });

  expect((await send({ at, path: '/api/v1/statsu' })).status).toBe(401);
});

test('no route of the contract answers without a handle, but for those that are open', async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');
  const port = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const closed = Object.values(routes).filter(({ who }) => who !== 'open');

  for (const at of [port, home.agentSocket('jean')]) {
    for (const { method, path } of closed) {
      const { status } = await send({ at, method, path: path.replaceAll(/[{}]/g, '') });
      expect({ method, path, status }).toEqual({ method, path, status: 401 });
    }
  }
});

test('a caller over the limit is told when to come again', async () => {
  await using home = await temporaryGateway({
    limits: { requestsPerSecond: 0.5, requestBurst: 2 },
  });
  const jean = await home.client.register('jean');
  const at = home.agentSocket('jean');
  const ask = () => send({ at, path: '/api/v1/status', headers: bearer(jean.handle) });
  await ask();
  await ask();

  const third = await ask();

  expect(third).toMatchObject({ status: 429, json: { code: 'gateway.too-many' } });
  expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
});

test('those who try handles over TCP are slowed down, and the owner is not', async () => {
  await using home = await temporaryGateway({
    limits: { requestsPerSecond: 0.5, requestBurst: 2 },
  });
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const guess = () =>
    send({ at, path: '/api/v1/status', headers: bearer(`aos_${'x'.repeat(43)}`) });
  await guess();
  await guess();

  const third = await guess();
  const owner = await send({ at, path: '/api/v1/status', headers: bearer(home.ownerHandle) });

  expect(third.status).toBe(429);
  expect(owner.status).toBe(200);
});

test('a client of another major version is refused, but can see and stop the daemon', async () => {
  await using home = await temporaryGateway();
  const ask = (path: string, version: string) =>
    send({ at: home.ownerSocket, path, headers: { 'x-aos-client': version } });

  const newer = await ask('/api/v1/agents', '2.0.0');
  const older = await ask('/api/v1/agents', '0.9.0');
  const none = await ask('/api/v1/agents', 'x');
  const near = await ask('/api/v1/agents', '1.99.0-beta.1');
  const status = await ask('/api/v1/status', '2.0.0');

  expect(newer).toMatchObject({ status: 409, json: { fix: 'aos down && aos up --detach' } });
  expect(newer.text).toContain('the daemon is the older one');
  expect(older.text).toContain('the client is the older one');
  expect(none.status).toBe(409);
  expect(near.status).toBe(200);
  expect(status.status).toBe(200);
});

test('shutdown() answers first and then stops', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using home = await temporaryGateway({ shutdown: resolve });

  const answer = await home.client.shutdown();

  expect(answer).toEqual({ stopping: true });
  await promise;
});

test('readyz says no while the daemon takes no work', async () => {
  await using home = await temporaryGateway({ ready: () => false });

  const answer = await send({ at: home.ownerSocket, path: '/readyz' });

  expect(answer).toMatchObject({ status: 503, json: { code: 'gateway.not-ready' } });
});

test('a bug tells the caller a number to look for and nothing else', async () => {
  await using home = await temporaryGateway({
    usage: () => Promise.reject(new Error('secret at /home/x/keys')),
  });

  const answer = await send({ at: home.ownerSocket, path: '/api/v1/usage' });

  expect(answer).toMatchObject({ status: 500, json: { code: 'internal.bug' } });
  expect(answer.text).not.toContain('secret');
  expect(home.logged).toMatchObject([{ request_id: answer.headers['x-request-id'] }]);
});

test('metrics count what was answered and what was refused', async () => {
  await using home = await temporaryGateway();
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  await send({ at, path: '/livez' });
  await send({ at, path: '/api/v1/status' });

  const { text } = await send({ at: home.ownerSocket, path: '/metrics' });

  expect(text).toContain('aos_http_requests_total{route="/livez",method="GET",status="200"} 1');
  expect(text).toContain('aos_http_refused_total{why="handle.missing"} 1');
  expect(text).toContain('aos_ledger_seq 1');
});

test('audit: a head is signed, and the chain is whole against it', async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');

  const { head } = await home.client.auditHead();
  if (head === null) throw new Error('no head');
  const whole = await home.client.auditVerify(head);
  const forged = home.client.auditVerify({ ...head, seq: head.seq + 1 });

  expect(routes.auditVerify.output.parse(whole)).toMatchObject({ kind: 'whole', events: head.seq });
  await expect(forged).rejects.toMatchObject({ code: 'audit.bad-head' });
});

test('backup, usage and gc are what the daemon supplies, in the form of the contract', async () => {
  await using home = await temporaryGateway();

  const backup = await home.client.backup({ path: '/tmp/a' });
  const usage = await home.client.usage();
  const gc = await home.client.gc({ dry_run: true });

  expect(routes.backup.output.parse(backup)).toMatchObject({ keys: 'left out' });
  expect(routes.usage.output.parse(usage)).toMatchObject({ total_bytes: 5 });
  expect(routes.gc.output.parse(gc)).toEqual({ items: [], freed_bytes: 0, failed: [] });
  await expect(home.client.backup({ path: 'relative' })).rejects.toMatchObject({
    code: 'gateway.bad-request',
  });
});

test('a socket that a dead daemon left is taken over', async () => {
  await using home = await temporaryGateway();
  const path = home.agentSocket('jean');
  const { spawnSync } = await import('node:child_process');
  const listen = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', listen]);

  await home.gateway.openAgentDoor('jean', path);

  expect((await send({ at: path, path: '/livez' })).status).toBe(200);
});

test('a door that was closed is no longer there', async () => {
  await using home = await temporaryGateway();
  await home.client.register('jean');

  await home.gateway.closeAgentDoor('jean');

  await expect(send({ at: home.agentSocket('jean'), path: '/livez' })).rejects.toThrow('ENOENT');
});

test('a door that is opened and closed many times at once is open once, and then not', async () => {
  await using home = await temporaryGateway();
  const path = home.agentSocket('jean');
  const open = () => home.gateway.openAgentDoor('jean', path);

  await Promise.all([open(), open(), home.gateway.closeAgentDoor('jean'), open()]);
  const answer = await send({ at: path, path: '/livez' });
  await home.gateway.close();

  expect(answer.status).toBe(200);
  await expect(open()).rejects.toMatchObject({ code: 'gateway.no-door' });
});

test.each(['%zz', 'x'.repeat(400), '%ff'])(
  'the agent "%s" is refused and nothing breaks',
  async (name) => {
    await using home = await temporaryGateway();

    const answer = await send({ at: home.ownerSocket, path: `/api/v1/agents/${name}` });

    expect([400, 404]).toContain(answer.status);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(home.logged).toEqual([]);
  },
);
