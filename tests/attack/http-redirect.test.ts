/** Redirects that lead where the caller may not go. */
import { describe, expect, test } from 'vitest';
import {
  fetchTool,
  grantsFor,
  selfMadeIdentity,
  steeredResolver,
  type TestServer,
  webServer,
} from '../support/http-world.ts';
import { isInstalled } from '../support/machine.ts';
import { runTool } from '../support/tool-call.ts';

function redirecting(location: (port: number) => string): Promise<TestServer> {
  return webServer((request, response) => {
    const port = request.socket.localPort ?? 0;
    response.writeHead(302, { location: location(port) }).end();
  });
}

describe('a redirect to', () => {
  test.each([
    ['an unlisted host', () => 'http://evil.test/', 'capability.denied'],
    ['an unlisted host, without its scheme', () => '//evil.test/', 'capability.denied'],
    ['another port', () => 'http://good.test:22/', 'capability.denied'],
    ['this machine by number', () => 'http://2130706433/', 'http.private-address'],
    ['this machine by its short form', () => 'http://127.1/', 'http.private-address'],
    ['this machine in IPv6', () => 'http://[::ffff:127.0.0.1]/', 'http.private-address'],
    ['the metadata of the cloud', () => 'http://169.254.169.254/', 'http.private-address'],
    ['localhost', () => 'http://localhost/', 'http.private-address'],
    [
      'a user at a host',
      (port: number) => `http://good.test:${port}@evil.test/`,
      'http.bad-answer',
    ],
    ['a host with a dot at its end', () => 'http://good.test./', 'http.bad-answer'],
    ['a file', () => 'file:///etc/passwd', 'http.bad-answer'],
    ['a script', () => 'javascript:alert(1)', 'http.bad-answer'],
    ['bytes', () => 'data:text/plain,x', 'http.bad-answer'],
    ['an encoded slash', () => '/a%2Fb', 'http.bad-answer'],
    ['a wrong encoding', () => '/%zz', 'http.bad-answer'],
    ['no host', () => 'http://', 'http.bad-answer'],
  ])('%s is a new request, and refused before it is resolved', async (_, location, code) => {
    await using server = await redirecting(location);
    const resolver = steeredResolver({ 'good.test': [['127.0.0.1']] });

    const attempt = runTool(
      fetchTool({ resolver }),
      { url: `http://good.test:${server.port}/` },
      {
        capabilities: [
          ...grantsFor('good.test', server.port),
          'http:*:443/*:*',
          'http:*.good.test:80:*',
        ],
      },
    );

    await expect(attempt).rejects.toMatchObject({ code });
    expect(resolver.asked).toEqual(['good.test']);
    expect(server.seen).toHaveLength(1);
  });

  test('a path outside of the grant is refused, however it is written', async () => {
    for (const location of [
      '/admin',
      '../admin',
      '/api/../admin',
      '/api/%2e%2e/admin',
      '/api/.%2E/admin',
    ]) {
      await using server = await redirecting(() => location);

      const attempt = runTool(
        fetchTool(),
        { url: `http://127.0.0.1:${server.port}/api/x` },
        { capabilities: [`http:127.0.0.1:${server.port}/api/*:get`] },
      );

      await expect(attempt).rejects.toMatchObject({
        code: expect.stringMatching(/private|denied/),
      });
      expect(server.seen).toHaveLength(1);
    }
  });

  test('a granted name that leads to a private address is refused', async () => {
    await using server = await redirecting((port) => `http://inner.test:${port}/`);
    const resolver = steeredResolver({
      'good.test': [['127.0.0.1']],
      'inner.test': [['10.0.0.5']],
    });

    const attempt = runTool(
      fetchTool({ resolver }),
      { url: `http://good.test:${server.port}/` },
      {
        capabilities: [
          ...grantsFor('good.test', server.port),
          `http:inner.test:${server.port}:get`,
        ],
      },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'http.private-address' });
  });

  test('another method is held against the grant for that method', async () => {
    await using server = await webServer((_, response) =>
      response.writeHead(303, { location: '/next' }).end(),
    );

    const attempt = runTool(
      fetchTool(),
      { url: `http://127.0.0.1:${server.port}/`, method: 'POST', body: 'x' },
      { capabilities: [`http:127.0.0.1:${server.port}/*:post`] },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'http.private-address' });
    expect(server.seen).toHaveLength(1);
  });
});

test.each([
  ['to itself', '/'],
  ['to ever new places', undefined],
])('redirects %s end', async (_, location) => {
  let count = 0;
  await using server = await webServer((__, response) =>
    response.writeHead(302, { location: location ?? `/${count++}` }).end(),
  );

  const attempt = runTool(
    fetchTool(),
    { url: `http://127.0.0.1:${server.port}/`, max_redirects: 4 },
    { capabilities: [`http:127.0.0.1:${server.port}/*:get`] },
  );

  await expect(attempt).rejects.toMatchObject({ code: 'http.too-many-redirects' });
  expect(server.seen).toHaveLength(5);
});

test('what is personal stays with the host that it was for, also on the way back', async () => {
  await using other = await webServer((request, response) =>
    response
      .writeHead(302, { location: `http://good.test:${request.headers['x-back']}/end` })
      .end(),
  );
  await using server = await webServer(({ url }, response) =>
    url === '/end'
      ? response.end('end')
      : response.writeHead(307, { location: `http://other.test:${other.port}/` }).end(),
  );
  const headers = { Authorization: 'mine', COOKIE: 'a=b', 'x-back': String(server.port) };

  const result = await runTool(
    fetchTool(),
    { url: `http://good.test:${server.port}/`, headers },
    {
      capabilities: [
        ...grantsFor('good.test', server.port),
        ...grantsFor('other.test', other.port),
      ],
    },
  );

  expect(result).toMatchObject({ body: 'end' });
  const seen = [...server.seen, ...other.seen].map(({ headers: sent }) => [
    sent.authorization,
    sent.cookie,
    sent['x-back'],
  ]);
  expect(seen).toEqual([
    ['mine', 'a=b', String(server.port)],
    [undefined, undefined, String(server.port)],
    [undefined, undefined, String(server.port)],
  ]);
});

test.skipIf(!isInstalled('openssl'))('a redirect from https to http is refused', async () => {
  const identity = await selfMadeIdentity('DNS:good.test');
  await using plain = await webServer((_, response) => response.end());
  await using server = await webServer(
    (_, response) => response.writeHead(302, { location: `http://good.test:${plain.port}/` }).end(),
    identity,
  );

  const attempt = runTool(
    fetchTool({ authorities: [identity.cert] }),
    { url: `https://good.test:${server.port}/` },
    {
      capabilities: [...grantsFor('good.test', server.port), ...grantsFor('good.test', plain.port)],
    },
  );

  await expect(attempt).rejects.toMatchObject({ code: 'http.bad-answer' });
  expect(server.seen).toHaveLength(1);
  expect(plain.seen).toEqual([]);
});
