/** Asking for one place and reaching another. */
import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/kernel/capability/capability.ts';
import { fetchTool, grantsFor, steeredResolver, webServer } from '../support/http-world.ts';
import { runTool } from '../support/tool-call.ts';

const everyHost = ['http:*:80/*:*', 'http:*:443/*:*', 'http:*.test:80/*:*'];

describe('a name that is granted leads to', () => {
  test.each([
    ...['127.0.0.1', '169.254.169.254', '10.0.0.5', '192.168.1.1', '172.16.0.1', '100.64.0.1'],
    ...[
      '0.0.0.0',
      '::1',
      '::',
      'fe80::1',
      'fe80::1%eth0',
      'fd00:ec2::254',
      '::ffff:169.254.169.254',
    ],
    ...[
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::1',
      '2002:7f00:1::',
      '::7f00:1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...['2001::1', 'not an address'],
  ])('%s, and is refused before anything is dialled', async (address) => {
    const resolver = steeredResolver({ 'allowed.test': [[address]] });

    const attempt = runTool(
      fetchTool({ resolver }),
      { url: 'http://allowed.test/latest/meta-data/' },
      { capabilities: ['http:allowed.test:80/*:*', ...everyHost] },
    );

    await expect(attempt).rejects.toMatchObject({
      code: 'http.private-address',
      message: expect.stringContaining('"allowed.test"'),
    });
  });

  test('a public address and a private one, and is refused as a whole', async () => {
    const resolver = steeredResolver({ 'allowed.test': [['93.184.216.34', '127.0.0.1']] });

    const attempt = runTool(
      fetchTool({ resolver }),
      { url: 'http://allowed.test/' },
      { capabilities: ['http:allowed.test:80/*:*'] },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'http.private-address' });
  });

  test('a private address, and the refusal says how to grant it', async () => {
    const resolver = steeredResolver({ 'allowed.test': [['10.0.0.5']] });

    const attempt = runTool(
      fetchTool({ resolver }),
      { url: 'http://allowed.test:8080/a/b' },
      { capabilities: ['http:allowed.test:8080/*:get'] },
    );

    await expect(attempt).rejects.toMatchObject({
      message: expect.stringContaining('10.0.0.5'),
      fix: 'aos cap grant jean "http:10.0.0.5:8080/*:get"',
    });
  });

  test('this machine, and is reached when the very address is granted too, for that path', async () => {
    await using server = await webServer((_, response) => response.end('here'));
    const { port } = server;
    const name = `http:allowed.test:${port}/*:*`;
    const ask = (path: string, address: string) =>
      runTool(
        fetchTool(),
        { url: `http://allowed.test:${port}${path}` },
        { capabilities: [name, address] },
      );

    await expect(ask('/a', `http:127.0.0.1:${port}/a:get`)).resolves.toMatchObject({
      body: 'here',
    });
    for (const [path, address] of [
      ['/b', `http:127.0.0.1:${port}/a:get`],
      ['/a', `http:127.0.0.1:${port}/a:post`],
      ['/a', `http:127.0.0.1:${port + 1}/a:get`],
      ['/a', `http:127.0.0.2:${port}/a:get`],
      ['/a', `http:*:${port}/*:get`],
    ] as const) {
      await expect(ask(path, address)).rejects.toMatchObject({ code: 'http.private-address' });
    }
    expect(server.seen).toHaveLength(1);
  });
});

test('a name that answers differently the second time is asked once, and the checked address dialled', async () => {
  await using server = await webServer((_, response) => response.end('the checked one'));
  const resolver = steeredResolver({ 'rebinding.test': [['127.0.0.1'], ['169.254.169.254']] });

  const result = await runTool(
    fetchTool({ resolver }),
    { url: `http://rebinding.test:${server.port}/` },
    { capabilities: grantsFor('rebinding.test', server.port) },
  );

  expect(result).toMatchObject({ body: 'the checked one' });
  expect(resolver.asked).toEqual(['rebinding.test']);
});

test('a name that turns private on a redirect to itself is refused there', async () => {
  await using server = await webServer((_, response) =>
    response.writeHead(302, { location: '/again' }).end(),
  );
  const resolver = steeredResolver({ 'rebinding.test': [['127.0.0.1'], ['127.0.0.3']] });

  const attempt = runTool(
    fetchTool({ resolver }),
    { url: `http://rebinding.test:${server.port}/` },
    { capabilities: grantsFor('rebinding.test', server.port) },
  );

  await expect(attempt).rejects.toMatchObject({
    code: 'http.private-address',
    message: expect.stringContaining('127.0.0.3'),
  });
  expect(server.seen).toHaveLength(1);
});

describe('a grant with a star in the place of the host does not reach', () => {
  test.each([
    '127.0.0.1',
    '[::1]',
    '169.254.169.254',
    '0.0.0.0',
    '[::ffff:7f00:1]',
    'localhost',
    'x.localhost',
  ])('%s', async (host) => {
    const resolver = steeredResolver({ [host]: [['127.0.0.1']] });

    const attempt = runTool(
      fetchTool({ resolver }),
      { url: `http://${host}/` },
      { capabilities: [...everyHost, 'http:*.localhost:80/*:*'] },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
    expect(resolver.asked).toEqual([]);
  });

  test('localhost, which a grant that names it does; but only this machine', async () => {
    await using server = await webServer((_, response) => response.end('here'));
    const resolver = steeredResolver({ localhost: [['127.0.0.1'], ['10.0.0.1']] });
    const tool = fetchTool({ resolver });
    const url = `http://localhost:${server.port}/`;
    const options = { capabilities: [`http:localhost:${server.port}/*:get`] };

    const first = await runTool(tool, { url }, options);
    const second = runTool(tool, { url }, options);

    expect(first).toMatchObject({ body: 'here' });
    await expect(second).rejects.toMatchObject({ code: 'http.private-address' });
  });
});

describe('what is not granted', () => {
  test.each([
    ['another host', 'http://evil.test/'],
    ['a host below', 'http://x.allowed.test/'],
    ['a host that only ends so', 'http://evilallowed.test/'],
    ['a host that only begins so', 'http://allowed.test.evil.test/'],
    ['another port', 'http://allowed.test:22/'],
    ['the port of https', 'https://allowed.test/'],
    ['the same name in punycode', 'http://xn--llowed-9ta.test/'],
    ['a path beside', 'http://allowed.test/apix'],
    ['a path above', 'http://allowed.test/'],
    ['a path that two slashes begin', 'http://allowed.test//api/x'],
    ['a path that is encoded twice', 'http://allowed.test/%2561pi/x'],
  ])('is denied before its name is resolved: %s', async (_, url) => {
    const actions: [Action, boolean][] = [];
    const resolver = steeredResolver({});

    const attempt = runTool(
      fetchTool({ resolver }),
      { url },
      {
        capabilities: ['http:allowed.test:80/api/*:get', 'http:127.0.0.1:80/*:get'],
        onAction: (action, allowed) => actions.push([action, allowed]),
      },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
    expect(actions).toEqual([[expect.objectContaining({ resource: 'http' }), false]]);
    expect(resolver.asked).toEqual([]);
  });

  test('is another method', async () => {
    const attempt = runTool(
      fetchTool(),
      { url: 'http://allowed.test/', method: 'POST' },
      { capabilities: ['http:allowed.test:80/*:get'] },
    );

    await expect(attempt).rejects.toMatchObject({ code: 'capability.denied' });
  });
});

describe('an address that could be read in two ways is refused:', () => {
  test.each([
    ...[
      'http://allowed.test@evil.test/',
      'http://allowed.test:80@evil.test/',
      'http://evil.test\\@allowed.test/',
    ],
    ...[
      'http://evil.test#@allowed.test/',
      'http://allowed.test./',
      'http://ALLOWED.test/',
      'http://allowed。test/',
    ],
    ...[
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0x7f.1/',
      'http://127.1/',
      'http://0177.0.0.1/',
    ],
    ...[
      'http://127.0.0.1./',
      'http://[::ffff:127.0.0.1]/',
      'http://[0:0:0:0:0:0:0:1]/',
      'http://①②⑦.0.0.1/',
    ],
    ...[
      'http://аllowed.test/',
      'http://allowed.test%2eevil.test/',
      'http://allowed.test%00.evil.test/',
    ],
    ...[
      'http://allowed.test/api%2F..%2Fadmin',
      'http://allowed.test/api/../admin',
      'http://allowed.test/api/%2e%2e/admin',
    ],
    ...[
      'http://allowed.test/api/..;/admin',
      'http://allowed.test/api\\..\\admin',
      'http://allowed.test/api%5c..%5cadmin',
    ],
    ...[
      'http://allowed.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n',
      'http://allowed.test/\tx',
      'gopher://allowed.test/',
    ],
    ...[
      'file:///etc/passwd',
      'http:allowed.test',
      '//allowed.test/',
      'http://allowed.test:080/',
      'http://allowed.test:/',
    ],
  ])('%j', (url) => {
    expect(() => fetchTool().prepare({ url })).toThrow(
      expect.objectContaining({ code: 'http.bad-url' }),
    );
  });
});
