import { expect, test } from 'vitest';
import {
  bearer,
  send,
  sendRaw,
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import { securityHeaders } from '../server/server.ts';

const text = 'ten bytes!';

/** An attachment of ten bytes. */
async function stored(home: TemporaryGateway) {
  const { hash } = await home.client.putAttachment(
    (async function* () {
      yield Buffer.from(text);
    })(),
  );
  const path = `/api/v1/attachments/${hash}`;
  return {
    ...{ hash, path, etag: `"${hash}"` },
    get: (headers: Readonly<Record<string, string>> = {}) =>
      send({ at: home.ownerSocket, path, headers }),
    head: (headers: Readonly<Record<string, string>> = {}) =>
      send({ at: home.ownerSocket, path, method: 'HEAD', headers }),
  };
}

test('HEAD tells what GET would bring, without it', async () => {
  await using home = await temporaryGateway();
  const { get, head, etag } = await stored(home);

  const whole = await get();
  const told = await head();

  const facts = { 'content-length': '10', etag, 'accept-ranges': 'bytes' };
  expect(whole).toMatchObject({ status: 200, text, headers: facts });
  expect(told).toMatchObject({ status: 200, text: '', headers: facts });
  expect(told.headers['content-type']).toBe(whole.headers['content-type']);
});

test('HEAD opens no bytes, and knows no range', async () => {
  let opened = 0;
  await using home = await temporaryGateway({
    attachments: {
      put: async () => ({ hash: '', sizeBytes: 0 }),
      mayRead: async () => true,
      open: async () => ({
        sizeBytes: 7,
        stream: (async function* () {
          opened++;
          yield Buffer.from('7 bytes');
        })(),
      }),
    },
  });
  const path = `/api/v1/attachments/${'0'.repeat(64)}`;

  const headers = { range: 'bytes=0-1' };
  const told = await send({ at: home.ownerSocket, path, method: 'HEAD', headers });

  expect(told).toMatchObject({ status: 200, headers: { 'content-length': '7' } });
  expect(opened).toBe(0);
});

test('who has the bytes already gets none', async () => {
  await using home = await temporaryGateway();
  const { get, head, etag } = await stored(home);

  const answers = [
    await get({ 'if-none-match': etag }),
    await get({ 'if-none-match': `"other", W/${etag}` }),
    await get({ 'if-none-match': '*', range: 'bytes=0-1' }),
    await head({ 'if-none-match': etag }),
  ];

  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 304, text: '', headers: { etag } });
    expect(answer.headers['content-length']).toBeUndefined();
  }
  expect(await get({ 'if-none-match': '"other"' })).toMatchObject({ status: 200, text });
});

test.each([
  ['bytes=0-2', 'ten', 'bytes 0-2/10'],
  ['bytes=-6', 'bytes!', 'bytes 4-9/10'],
  ['bytes=4-', 'bytes!', 'bytes 4-9/10'],
])('%s of an attachment is a part of it', async (range, part, place) => {
  await using home = await temporaryGateway();
  const { get, etag } = await stored(home);

  const answer = await get({ range, 'if-range': etag });

  expect(answer).toMatchObject({ status: 206, text: part, headers: { 'content-range': place } });
  expect(answer.headers['content-length']).toBe(String(part.length));
});

test('a range of other bytes, and several ranges, bring the whole', async () => {
  await using home = await temporaryGateway();
  const { get, etag } = await stored(home);

  const answers = [
    await get({ range: 'bytes=0-1', 'if-range': '"other"' }),
    await get({ range: 'bytes=0-1', 'if-range': `W/${etag}` }),
    await get({ range: 'bytes=0-1', 'if-range': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
    await get({ range: 'bytes=0-1,4-5' }),
  ];

  for (const answer of answers) expect(answer).toMatchObject({ status: 200, text });
});

test('a range behind the end is refused with how much there is', async () => {
  await using home = await temporaryGateway();
  const { get } = await stored(home);

  const answer = await get({ range: 'bytes=10-' });

  expect(answer).toMatchObject({ status: 416, headers: { 'content-range': 'bytes */10' } });
});

test('who may not read an attachment does not learn by HEAD that it is there', async () => {
  await using home = await temporaryGateway();
  const { path, etag } = await stored(home);
  const { handle } = await home.client.register('jean');
  const at = home.agentSocket('jean');
  const method = 'HEAD';

  const there = await send({ at, path, method, headers: bearer(handle) });
  const known = await send({
    ...{ at, path },
    headers: { ...bearer(handle), 'if-none-match': etag },
  });
  const nowhere = `/api/v1/attachments/${'0'.repeat(64)}`;
  const missing = await send({ at, path: nowhere, method, headers: bearer(handle) });

  expect([there.status, known.status, missing.status]).toEqual([404, 404, 404]);
  expect(there.headers.etag).toBeUndefined();
  expect(there.headers['content-length']).toBe(missing.headers['content-length']);
});

test('a body of a kind that is not taken is refused with 415, and a broken one with 400', async () => {
  await using home = await temporaryGateway();
  const at = home.ownerSocket;
  const post = (path: string, type: string, body: string) =>
    send({ at, path, method: 'POST', body, headers: { 'content-type': type } });

  const answers = [
    await post('/api/v1/agents', 'text/plain', '{"name":"jean"}'),
    await post('/api/v1/agents', 'no type', '{"name":"jean"}'),
    await post('/api/v1/attachments', 'application/json', '{}'),
    await post('/api/v1/agents', 'application/json', '{'),
  ];

  expect(answers).toMatchObject([
    { status: 415, json: { code: 'gateway.bad-media' } },
    { status: 415, json: { code: 'gateway.bad-media' } },
    { status: 415, json: { code: 'gateway.bad-media' } },
    { status: 400, json: { code: 'gateway.bad-request' } },
  ]);
});

test('a body that comes with DELETE is ignored where it is JSON, and else refused in words', async () => {
  await using home = await temporaryGateway();
  const remove = (type: string, body: string) =>
    send({
      ...{ at: home.ownerSocket, path: '/api/v1/operations/none/artifacts/x', method: 'DELETE' },
      ...{ body, headers: { 'content-type': type, 'content-length': String(body.length) } },
    });

  const json = await remove('application/json', '{"a":1}');
  const empty = await remove('application/json', '');
  const other = await remove('text/plain', 'x');

  expect(json).toMatchObject({ status: 404, json: { code: 'operation.unknown' } });
  expect(empty).toMatchObject({ status: 400, json: { code: 'gateway.bad-request' } });
  expect(other).toMatchObject({ status: 415, json: { code: 'gateway.bad-media' } });
});

test('a method that a path does not have is refused with those that it has', async () => {
  await using home = await temporaryGateway();
  const at = home.ownerSocket;
  const path = `/api/v1/attachments/${'0'.repeat(64)}`;

  const answer = await send({ at, path, method: 'POST', body: '{}' });
  const both = await send({ at, path: '/api/v1/agents', method: 'DELETE' });

  expect(answer).toMatchObject({ status: 405, json: { code: 'gateway.wrong-method' } });
  expect(answer.text).toContain('is not there for POST, only for GET and HEAD');
  expect(answer.headers.allow).toBe('GET, HEAD');
  expect(both.headers.allow).toBe('POST, GET');
});

test('whoever has no handle does not learn which methods there are', async () => {
  await using home = await temporaryGateway();
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });

  const known = await send({ at, path: '/api/v1/status', method: 'DELETE' });
  const odd = await send({ at, path: '/api/v1/status', method: 'PROPFIND' });

  expect(known.status).toBe(401);
  expect(known.headers.allow).toBeUndefined();
  expect(odd.text).not.toContain('GET');
});

test('every answer tells browsers to do nothing with it', async () => {
  await using home = await temporaryGateway();
  const at = home.ownerSocket;
  const port = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });

  const answers = [
    await send({ at, path: '/api/v1/status' }),
    await send({ at, path: '/nothing' }),
    await send({ at, path: '/api/v1/agents', method: 'POST', body: '{' }),
    await send({ at, path: '/%zz' }),
    await send({ at, path: '/api/v1/status', method: 'PROPFIND' }),
    await send({ at: port, path: '/api/v1/status' }),
    await send({ at: port, path: '/livez', headers: { host: 'evil.example' } }),
  ];

  for (const { headers } of answers) expect(headers).toMatchObject(securityHeaders);
  const raw = (await sendRaw(port, 'no request\r\n\r\n')).toLowerCase();
  for (const [name, value] of Object.entries(securityHeaders)) {
    expect(raw).toContain(`${name}: ${value.toLowerCase()}`);
  }
});

test.each(['/docs', '/l/none'])(
  'the page at %s may do what it needs, and no more',
  async (path) => {
    await using home = await temporaryGateway();

    const { status, headers } = await send({ at: home.ownerSocket, path });

    expect(status).toBe(200);
    const { 'content-security-policy': usual, ...others } = securityHeaders;
    expect(headers).toMatchObject(others);
    expect(headers['content-security-policy']).not.toBe(usual);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
  },
);

test('no other origin is ever let in', async () => {
  await using home = await temporaryGateway();
  const at = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const wish = { 'access-control-request-method': 'POST' };

  for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${at}`]) {
    for (const handle of [{}, bearer(home.ownerHandle)]) {
      const headers = { origin, ...wish, ...handle };
      const asked = await send({ at, path: '/api/v1/agents', method: 'OPTIONS', headers });
      const read = await send({ at, path: '/livez', headers });

      expect(asked.status).toBeGreaterThanOrEqual(400);
      const names = [...Object.keys(asked.headers), ...Object.keys(read.headers)];
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  }
});

test('a request is called what its client calls it, where that is a plain word', async () => {
  await using home = await temporaryGateway();
  const at = home.ownerSocket;
  const port = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const own = { 'x-request-id': 'Trace_1.a-b' };
  const idOf = async (request: Parameters<typeof send>[0]) =>
    (await send(request)).headers['x-request-id'];

  const taken = [
    await idOf({ at, path: '/livez', headers: own }),
    await idOf({ at, path: '/nothing', headers: own }),
    await idOf({ at, path: '/%zz', headers: own }),
    await idOf({ at: port, path: '/livez', headers: { ...own, host: 'evil.example' } }),
  ];
  const numbers = [
    await idOf({ at, path: '/livez' }),
    await idOf({ at, path: '/livez', headers: { 'x-request-id': 'two words' } }),
    await idOf({ at, path: '/livez', headers: { 'x-request-id': 'x'.repeat(101) } }),
    await idOf({ at: port, path: '/livez', headers: { host: 'evil.example' } }),
  ];

  expect(new Set(taken)).toEqual(new Set(['Trace_1.a-b']));
  for (const number of numbers) expect(number).toMatch(/^req-\w+$/);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(await sendRaw(port, 'no request\r\n\r\n')).toMatch(/^x-request-id: req-\w+\r$/m);
});
