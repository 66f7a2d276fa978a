import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import {
  fetchTool,
  grantsFor,
  rawServer,
  steeredResolver,
  webServer,
} from '../../../tests/support/http-world.ts';
import { limitMs } from '../../../tests/support/limits.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runTool } from '../../../tests/support/tool-call.ts';
import { untilTrue } from '../../../tests/support/until.ts';
import { AosError } from '../../kernel/errors.ts';

const local = (port: number, actions = '*') => [`http:127.0.0.1:${port}/*:${actions}`];

describe('http.fetch gives', () => {
  test('the status, the headers and the text of an answer', async () => {
    await using server = await webServer((_, response) => {
      response.writeHead(201, { 'X-A': ['1', '2'], 'Set-Cookie': ['a=1', 'b=2'] });
      response.end('grüße\n');
    });
    const url = `http://127.0.0.1:${server.port}/a%20b?c=d`;

    const result = await runTool(fetchTool(), { url }, { capabilities: local(server.port, 'get') });

    expect(result).toMatchObject({
      url,
      status: 201,
      headers: { 'x-a': '1, 2', 'set-cookie': ['a=1', 'b=2'] },
      body: 'grüße\n',
      bytes: 8,
      truncated: false,
      redirects: [],
    });
  });

  test('bytes that are no text as base64', async () => {
    await using server = await webServer((_, response) => response.end(Buffer.from([0xff, 0, 1])));
    const url = `http://127.0.0.1:${server.port}/`;

    const result = await runTool(fetchTool(), { url }, { capabilities: local(server.port) });

    expect(result).toMatchObject({ body_base64: '/wAB', bytes: 3 });
    expect(result).not.toHaveProperty('body');
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('what a server packed as %s although nobody asked for it', async (name, pack) => {
    await using server = await webServer((_, response) => {
      response.setHeader('content-encoding', name);
      response.end(pack('unpacked'));
    });
    const url = `http://127.0.0.1:${server.port}/`;

    const result = await runTool(fetchTool(), { url }, { capabilities: local(server.port) });

    expect(result).toMatchObject({ body: 'unpacked', bytes: 8 });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('the head only, for HEAD, whatever it says of a body', async () => {
    await using server = await webServer((_, response) => {
      response.writeHead(200, { 'content-length': 1000, 'content-encoding': 'gzip' }).end();
    });
    const args = { url: `http://127.0.0.1:${server.port}/`, method: 'HEAD' };

    const result = await runTool(fetchTool(), args, { capabilities: local(server.port) });

    expect(result).toMatchObject({ status: 200, body: '', bytes: 0, truncated: false });
  });
});

describe('http.fetch sends', () => {
  test('the method, the headers and the body as they were given', async () => {
    await using server = await webServer((_, response) => response.end());
    const args = {
      url: `http://name.test:${server.port}/x`,
      method: 'PUT',
      headers: { 'X-One': 'a b', 'Content-Type': 'text/plain' },
      body: 'grüße',
    };

    await runTool(fetchTool(), args, { capabilities: grantsFor('name.test', server.port, 'put') });

    expect(server.seen).toMatchObject([
      {
        method: 'PUT',
        url: '/x',
        headers: {
          host: `name.test:${server.port}`,
          'x-one': 'a b',
          'content-type': 'text/plain',
          'content-length': '7',
        },
        body: 'grüße',
      },
    ]);
  });

  test('bytes, and the length of a body that is not there', async () => {
    await using server = await webServer((_, response) => response.end());
    const url = `http://127.0.0.1:${server.port}/`;
    const options = { capabilities: local(server.port) };

    await runTool(fetchTool(), { url, method: 'POST', body_base64: 'YWJj' }, options);
    await runTool(fetchTool(), { url, method: 'POST' }, options);
    await runTool(fetchTool(), { url, method: 'DELETE' }, options);

    const bodies = server.seen.map(({ body, headers }) => [body, headers['content-length']]);
    expect(bodies).toEqual([
      ['abc', '3'],
      ['', '0'],
      ['', undefined],
    ]);
  });

  test('to the next address when the first takes no connection', async () => {
    await using server = await webServer((_, response) => response.end('here'));
    const resolver = steeredResolver({ 'two.test': [['127.0.0.2', '127.0.0.1']] });
    const { port } = server;

    const result = await runTool(
      fetchTool({ resolver }),
      { url: `http://two.test:${port}/` },
      { capabilities: [...grantsFor('two.test', port), `http:127.0.0.2:${port}/*:get`] },
    );

    expect(result).toMatchObject({ body: 'here' });
    expect(resolver.asked).toEqual(['two.test']);
  });
});

describe('an answer that is too long', () => {
  test('is cut at max_bytes, between two characters, and says so', async () => {
    await using server = await webServer((_, response) => response.end('üüüüü'));
    const args = { url: `http://127.0.0.1:${server.port}/`, max_bytes: 5 };

    const result = await runTool(fetchTool(), args, { capabilities: local(server.port) });

    expect(result).toMatchObject({ body: 'üü', bytes: 4, truncated: true });
  });

  test('is cut at what the grant allows', async () => {
    await using server = await webServer((_, response) => response.end('0123456789'));
    const capabilities = [`http:127.0.0.1:${server.port}/*:*{size:4B}`];
    const url = `http://127.0.0.1:${server.port}/`;

    const result = await runTool(fetchTool(), { url }, { capabilities });
    const post = runTool(fetchTool(), { url, method: 'POST', body: '01234' }, { capabilities });

    expect(result).toMatchObject({ body: '0123', truncated: true });
    await expect(post).rejects.toMatchObject({ code: 'http.too-large' });
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    ['text', Buffer.from('x'.repeat(5000))],
    ['text that JSON spells out', Buffer.alloc(5000, 1)],
    ['bytes', Buffer.alloc(5000, 0xff)],
  ])('of %s always fits with its head into the room that is there', async (_, body) => {
    await using server = await webServer((__, response) => response.end(body));
    const url = `http://127.0.0.1:${server.port}/`;

    const result = await runTool(
      fetchTool(),
      { url },
      { capabilities: local(server.port), outputBytes: 1500 },
    );

    expect(result).toMatchObject({ truncated: true });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(1500);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeGreaterThan(1400);
  });
});

describe('save_to', () => {
  const files = (folder: string) => [`file:${folder}/*:write`];

  test('puts the whole body into a file, and not into the result', async () => {
    await using folder = temporaryFolder();
    const body = Buffer.alloc(3_000_000, 'large ');
    await using server = await webServer((_, response) => response.end(body));
    const args = { url: `http://127.0.0.1:${server.port}/`, save_to: folder.at('body') };

    const result = await runTool(fetchTool(), args, {
      capabilities: [...local(server.port), ...files(folder.path)],
    });

    expect(result).toMatchObject({ status: 200, saved_to: folder.at('body'), bytes: body.length });
    expect(result).not.toHaveProperty('body');
    expect(readFileSync(folder.at('body')).equals(body)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['body']);
  });

  test('needs a grant for the file before anybody is asked anything', async () => {
    await using server = await webServer((_, response) => response.end());
    const args = { url: `http://127.0.0.1:${server.port}/`, save_to: '/data/x' };

    const attempt = runTool(fetchTool(), args, { capabilities: local(server.port) });

    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
    expect(server.seen).toEqual([]);
  });

  test('replaces what is there only when that was said', async () => {
    await using folder = temporaryFolder();
    await using server = await webServer((_, response) => response.end('new'));
    writeFileSync(folder.at('body'), 'old');
    const options = { capabilities: [...local(server.port), ...files(folder.path)] };
    const args = { url: `http://127.0.0.1:${server.port}/`, save_to: folder.at('body') };

    const attempt = runTool(fetchTool(), args, options);

    await expect(attempt).rejects.toMatchObject({ code: 'file.exists' });
    expect(readFileSync(folder.at('body'), 'utf8')).toBe('old');
    await runTool(fetchTool(), { ...args, if_exists: 'replace' }, options);
    expect(readFileSync(folder.at('body'), 'utf8')).toBe('new');
  });

  test.each([
    ['with a length', (size: number) => ({ 'content-length': size })],
    ['without a length', () => ({})],
  ])('of an answer %s that is too large leaves no file', async (_, headers) => {
    await using folder = temporaryFolder();
    const body = Buffer.alloc(200_000);
    await using server = await webServer((__, response) => {
      response.writeHead(200, headers(body.length));
      response.write(body);
      response.end();
    });
    const args = {
      url: `http://127.0.0.1:${server.port}/`,
      save_to: folder.at('body'),
      max_bytes: 100_000,
    };

    const attempt = runTool(fetchTool(), args, {
      capabilities: [...local(server.port), ...files(folder.path)],
    });

    await expect(attempt).rejects.toMatchObject({ code: 'http.too-large' });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('saves no page that says what went wrong, but shows it', async () => {
    await using folder = temporaryFolder();
    await using server = await webServer((_, response) => response.writeHead(404).end('not here'));
    const args = { url: `http://127.0.0.1:${server.port}/`, save_to: folder.at('body') };

    const result = await runTool(fetchTool(), args, {
      capabilities: [...local(server.port), ...files(folder.path)],
    });

    expect(result).toMatchObject({ status: 404, body: 'not here' });
    expect(existsSync(folder.at('body'))).toBe(false);
  });
});

describe('a redirect', () => {
  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', 'body'],
    [308, 'PATCH', 'PATCH', 'body'],
    [301, 'PUT', 'PUT', 'body'],
  ])('%i of a %s is a %s', async (status, method, next, body) => {
    await using server = await webServer(({ url }, response) =>
      url === '/b/end'
        ? response.end('end')
        : response.writeHead(status, { location: '../b/./end#part' }).end(),
    );
    const start = `http://127.0.0.1:${server.port}/a/start`;
    const end = `http://127.0.0.1:${server.port}/b/end`;
    const headers = { 'Content-Type': 'text/plain', authorization: 'mine' };

    const result = await runTool(
      fetchTool(),
      { url: start, method, body: 'body', headers },
      { capabilities: local(server.port) },
    );

    expect(result).toMatchObject({ url: end, redirects: [end], status: 200, body: 'end' });
    const [, second] = server.seen;
    expect(second).toMatchObject({ method: next, body, headers: { authorization: 'mine' } });
    expect(second?.headers['content-type']).toBe(body === '' ? undefined : 'text/plain');
  });

  test('of a HEAD stays one, also as 303', async () => {
    await using server = await webServer(({ url }, response) =>
      url === '/end' ? response.end() : response.writeHead(303, { location: '/end' }).end(),
    );
    const args = { url: `http://127.0.0.1:${server.port}/`, method: 'HEAD' };

    await runTool(fetchTool(), args, { capabilities: local(server.port) });

    expect(server.seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });

  test('is the answer itself with max_redirects 0, and without a place to go', async () => {
    await using server = await webServer(({ url }, response) =>
      response.writeHead(302, url === '/to' ? { location: '/x' } : {}).end('moved'),
    );
    const options = { capabilities: local(server.port) };
    const url = `http://127.0.0.1:${server.port}/to`;

    const first = await runTool(fetchTool(), { url, max_redirects: 0 }, options);
    const second = await runTool(fetchTool(), { url: url.replace('/to', '/') }, options);

    expect(first).toMatchObject({ status: 302, headers: { location: '/x' }, body: 'moved' });
    expect(second).toMatchObject({ status: 302, body: 'moved' });
  });
});

describe('in words, and in none of the system,', () => {
  const noSystemWords = expect.not.stringMatching(
    /E[A-Z]{4,}|HPE|Parse Error|socket hang up|node:/,
  );

  test('a host that refuses the connection', async () => {
    const server = await webServer(() => undefined);
    await server[Symbol.asyncDispose]();

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/` },
      { capabilities: local(server.port) },
    );

    await expect(attempt).rejects.toMatchObject({
      code: 'http.unreachable',
      message: `"127.0.0.1:${server.port}" refuses the connection`,
    });
  });

  test.each([
    ['hangs up', '', 'http.unreachable'],
    ['hangs up in the head', 'HTTP/1.1 200 OK\r\nX', 'http.unreachable'],
    ['hangs up in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx', 'http.unreachable'],
    ['speaks something else', 'SSH-2.0-OpenSSH\r\n', 'http.bad-answer'],
    [
      'has two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
      'http.bad-answer',
    ],
    [
      'packs in a way unknown',
      'HTTP/1.1 200 OK\r\nContent-Encoding: zip\r\n\r\nxx',
      'http.bad-answer',
    ],
    ['packs badly', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nxx', 'http.bad-answer'],
    [
      'switches protocols',
      'HTTP/1.1 101 Hi\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'http.unreachable',
    ],
  ])('a host that %s', async (_, words, code) => {
    await using server = await rawServer((socket) => socket.end(words));

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/` },
      { capabilities: local(server.port) },
    );

    await expect(attempt).rejects.toMatchObject({ code, message: noSystemWords });
  });

  test('a host that has no address', async () => {
    const attempt = runTool(
      fetchTool(),
      { url: 'https://nowhere.example/' },
      { capabilities: ['http:nowhere.example:get'] },
    );

    await expect(attempt).rejects.toMatchObject({
      code: 'http.unreachable',
      message: noSystemWords,
    });
  });

  test('a host that has not answered after timeout_ms', async () => {
    const clock = new SimulatedClock();
    await using server = await rawServer(() => undefined);

    const attempt = runTool(
      fetchTool({ clock }),
      { url: `http://127.0.0.1:${server.port}/`, timeout_ms: 700 },
      { capabilities: local(server.port) },
    );
    const refused = expect(attempt).rejects.toMatchObject({
      code: 'http.unreachable',
      message: expect.stringContaining('within 700 ms'),
    });
    await untilTrue(() => server.connections.length === 1);
    await clock.advance(700);

    await refused;
    expect(clock.sleeping).toBe(0);
  });
});

test('a call that is aborted ends at once with its reason, and its connection too', async () => {
  const abort = new AbortController();
  await using server = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\nsome');
  });
  const reason = new AosError('capability.revoked', { message: 'It was revoked' });

  const attempt = runTool(
    fetchTool(),
    { url: `http://127.0.0.1:${server.port}/` },
    { capabilities: local(server.port), signal: abort.signal },
  );
  const refused = expect(attempt).rejects.toBe(reason);
  await untilTrue(() => (server.connections[0]?.bytesWritten ?? 0) > 0);
  abort.abort(reason);

  await refused;
  await untilTrue(() => server.connections[0]?.closed === true, limitMs(1000));
});

describe('before it is run, http.fetch', () => {
  test.each([
    [{}, 'read', 'get'],
    [{ method: 'HEAD' }, 'read', 'head'],
    [{ method: 'OPTIONS' }, 'read', 'options'],
    [{ save_to: '/data/x' }, 'write', 'get'],
    [{ method: 'POST' }, 'external', 'post'],
    [{ method: 'POST', save_to: '/data/x' }, 'external', 'post'],
    [{ method: 'DELETE' }, 'external', 'delete'],
  ])('says of %j that it is a %s', (args, effect, action) => {
    const prepared = fetchTool().prepare({ url: 'https://h/a', ...args });

    expect(prepared.effect).toBe(effect);
    expect(prepared.actions[0]).toEqual({
      resource: 'http',
      action,
      host: 'h',
      port: 443,
      path: ['a'],
    });
    expect(prepared.actions).toHaveLength('save_to' in args ? 2 : 1);
  });

  test.each([
    [{ url: 'https://h/', method: 'get' }, 'tool.bad-arguments'],
    [{ url: 'https://h/', method: 'CONNECT' }, 'tool.bad-arguments'],
    [{ url: 'https://h/', max_redirects: 11 }, 'tool.bad-arguments'],
    [{ url: 'https://h/', timeout_ms: 0 }, 'tool.bad-arguments'],
    [{ url: 'https://h/', proxy: 'http://x/' }, 'tool.bad-arguments'],
    [{ url: 'https://h/', method: 'POST', body_base64: '?' }, 'tool.bad-arguments'],
    [{ url: 'https://h/', method: 'POST', body: '\ud800' }, 'tool.bad-arguments'],
    [{ url: 'https://h/', method: 'POST', body: '', body_base64: '' }, 'http.bad-request'],
    [{ url: 'https://h/', body: 'x' }, 'http.bad-request'],
    [{ url: 'https://h/', method: 'HEAD', save_to: '/x' }, 'http.bad-request'],
    [{ url: 'https://h/', save_to: 'x' }, 'file.bad-path'],
    [{ url: 'https://H/' }, 'http.bad-url'],
  ])('refuses %j', (args, code) => {
    expect(() => fetchTool().prepare(args)).toThrow(expect.objectContaining({ code }));
  });
});
