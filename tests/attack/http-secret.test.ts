/** Getting at a secret: by sending it elsewhere, or by having it echoed. */
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { TLSSocket } from 'node:tls';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  fetchTool,
  grantsFor,
  secretsOf,
  selfMadeIdentity,
  type TestServer,
  webServer,
} from '../support/http-world.ts';
import { isInstalled } from '../support/machine.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runTool } from '../support/tool-call.ts';

const canary = 'Canary/7f3a+b "quoted" &=é'.replace('é', '?');
const use = 'secret:token:use';

/** Every way in which the scrubber promises to know it again. */
const forms: Readonly<Record<string, string>> = {
  plain: canary,
  base64: Buffer.from(canary).toString('base64'),
  'base64 in other bytes': Buffer.from(`x:${canary}:y`).toString('base64'),
  base64url: Buffer.from(`user:${canary}`).toString('base64url'),
  hex: Buffer.from(canary).toString('hex'),
  'url-encoded': encodeURIComponent(canary),
  json: JSON.stringify(canary),
};

function hasCanary(text: string): boolean {
  const inner = Buffer.from(`x:${canary}:y`).toString('base64').slice(8, -8);
  const known = [...Object.values(forms), inner, JSON.stringify(canary).slice(1, -1)];
  return known.some((form) => text.includes(form));
}

interface Asked {
  readonly result: string;
  readonly failure: string;
}

/** Asks `good.test` on that server, whose secret it may use, and gives all that was to be seen. */
async function askWithSecret(
  server: TestServer,
  more: Record<string, unknown> = {},
): Promise<Asked> {
  const { port } = server;
  const secrets = secretsOf({
    name: 'token',
    value: canary,
    host: 'good.test',
    port,
    header: 'authorization',
    prefix: 'Bearer ',
  });
  try {
    const result = await runTool(
      fetchTool({ secrets }),
      { url: `http://good.test:${port}/`, ...more },
      { capabilities: [...grantsFor('good.test', port), use] },
    );
    return { result: JSON.stringify(result), failure: '' };
  } catch (failure) {
    // All of it: words, fix, details, cause and stack.
    const { stack, ...rest } = failure as Error;
    return {
      result: '',
      failure: `${stack}${JSON.stringify(rest)}${String((failure as Error).cause)}`,
    };
  }
}

describe('a secret that a server echoes is scrubbed', () => {
  test.each(Object.entries(forms))('from the body: %s', async (_, form) => {
    await using server = await webServer((__, response) => response.end(`<<${form}>>`));

    const { result } = await askWithSecret(server);

    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${canary}`);
    expect(result).toContain('[secret:token]');
    expect(hasCanary(result)).toBe(false);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('from a body packed as %s', async (name, pack) => {
    await using server = await webServer((_, response) =>
      response.writeHead(200, { 'content-encoding': name }).end(pack(`<<${canary}>>`)),
    );

    const { result } = await askWithSecret(server);

    expect(result).toContain('<<[secret:token]>>');
  });

  test('from a body that comes byte by byte, and at the cut', async () => {
    const byByte: RequestListener = (_, response) => {
      let sent = 0;
      const text = `<<${canary}>>${canary}`;
      const next = (): void => {
        if (sent === text.length) response.end();
        else response.write(text.charAt(sent++), () => setImmediate(next));
      };
      response.flushHeaders();
      next();
    };
    await using server = await webServer(byByte);

    const whole = await askWithSecret(server);
    const cut = await askWithSecret(server, { max_bytes: 10 });

    expect(whole.result).toContain('<<[secret:token]>>[secret:token]');
    expect(cut.result).toContain('"<<[secret:"');
  });

  test('from a body that is no text', async () => {
    await using server = await webServer((_, response) =>
      response.end(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(canary)])),
    );

    const { result } = await askWithSecret(server);

    const { body_base64 } = JSON.parse(result) as { body_base64: string };
    expect(Buffer.from(body_base64, 'base64').toString('latin1')).toBe('ÿþ[secret:token]');
  });

  test('from a body that is saved', async () => {
    await using folder = temporaryFolder();
    await using server = await webServer((_, response) => response.end(`<<${canary}>>`));
    const { port } = server;
    const bound = { host: 'good.test', port, header: 'authorization' };

    await runTool(
      fetchTool({ secrets: secretsOf({ ...bound, name: 'token', value: canary }) }),
      { url: `http://good.test:${port}/`, save_to: folder.at('x') },
      { capabilities: [...grantsFor('good.test', port), use, `file:${folder.path}/*:write`] },
    );

    expect(readFileSync(folder.at('x'), 'utf8')).toBe('<<[secret:token]>>');
  });

  test('from headers, cookies and the words of the status', async () => {
    await using server = await webServer((_, response) => {
      response.writeHead(200, canary, {
        'x-echo': `a ${canary}`,
        'x-packed': Buffer.from(canary).toString('base64'),
        'set-cookie': [`a=${encodeURIComponent(canary)}`, 'b=c'],
      });
      response.end();
    });

    const { result } = await askWithSecret(server);

    expect(result).toContain('"x-echo":"a [secret:token]"');
    expect(hasCanary(result)).toBe(false);
  });

  test('from the name of a header, where it could stand', async () => {
    await using server = await webServer((_, response) => {
      response.setHeader(Buffer.from(canary).toString('hex').toUpperCase(), 'x');
      response.end();
    });

    const { result } = await askWithSecret(server);

    expect(hasCanary(result.toUpperCase())).toBe(false);
    expect(result.toLowerCase()).not.toContain(Buffer.from(canary).toString('hex'));
  });

  test.each([
    ['elsewhere', `http://evil.test/?${encodeURIComponent(canary)}`],
    ['in its own place', `/${Buffer.from(canary).toString('base64url')}`],
    ['in what is no address', `http://${encodeURIComponent(canary)}@@[/`],
    ['plainly', `/?a=${canary.replaceAll('"', '')}&${canary}`],
  ])('and a redirect that carries it is not followed: %s', async (_, location) => {
    await using server = await webServer((__, response) =>
      response.writeHead(302, { location }).end(),
    );

    const { failure } = await askWithSecret(server);

    expect(failure).toContain('http.bad-answer');
    expect(hasCanary(failure)).toBe(false);
    expect(server.seen).toHaveLength(1);
  });

  test('and an answer that cannot be read shows none of it', async () => {
    await using server = await webServer((request) => {
      request.socket.end(`${canary} HTTP/1.1 200\r\n${canary}\r\n\r\n`);
    });

    const { failure } = await askWithSecret(server);

    expect(failure).toContain('http.bad-answer');
    expect(hasCanary(failure)).toBe(false);
  });

  test('and from the answer to a redirect that is itself the answer', async () => {
    await using server = await webServer((_, response) =>
      response.writeHead(302, { location: `/?t=${encodeURIComponent(canary)}` }).end(canary),
    );

    const { result } = await askWithSecret(server, { max_redirects: 0 });

    expect(result).toContain('"status":302');
    expect(hasCanary(result)).toBe(false);
  });
});

describe('a secret of one host is not sent', () => {
  test('to another, where its placeholder stays as it was written', async () => {
    await using other = await webServer((_, response) => response.end());
    const secrets = secretsOf({
      name: 'token',
      value: canary,
      host: 'good.test',
      port: other.port,
      header: 'authorization',
    });

    await runTool(
      fetchTool({ secrets }),
      {
        url: `http://other.test:${other.port}/`,
        method: 'POST',
        headers: { authorization: 'Bearer {{secret:token}}' },
        body: '{{secret:token}}',
      },
      { capabilities: [...grantsFor('other.test', other.port), use] },
    );

    expect(other.seen).toMatchObject([
      { headers: { authorization: 'Bearer {{secret:token}}' }, body: '{{secret:token}}' },
    ]);
  });

  test.each([
    ['by a redirect', 'authorization', {}],
    ['by a redirect with its placeholder', 'authorization', { authorization: '{{secret:token}}' }],
    [
      'by a redirect with its placeholder in a header of its own',
      'x-key',
      { 'x-key': '{{secret:token}}' },
    ],
  ])('to another %s', async (_, header, headers) => {
    await using other = await webServer((__, response) => response.end('other'));
    await using server = await webServer((__, response) =>
      response.writeHead(307, { location: `http://other.test:${other.port}/` }).end(),
    );
    const { port } = server;
    const bound = { host: 'good.test', port, header };

    await runTool(
      fetchTool({ secrets: secretsOf({ ...bound, name: 'token', value: canary }) }),
      { url: `http://good.test:${port}/`, headers },
      {
        capabilities: [
          ...grantsFor('good.test', port),
          ...grantsFor('other.test', other.port),
          use,
        ],
      },
    );

    expect(server.seen[0]?.headers[header]).toBe(canary);
    // Not even its placeholder.
    expect(other.seen[0]?.headers).not.toHaveProperty(header);
    expect(hasCanary(JSON.stringify(other.seen))).toBe(false);
  });

  test('in the url, the body or another header', async () => {
    await using server = await webServer((_, response) => response.end());

    await askWithSecret(server, {
      url: `http://good.test:${server.port}/?a=%7B%7Bsecret:token%7D%7D`,
      method: 'POST',
      headers: { 'x-other': '{{secret:token}}' },
      body: '{{secret:token}}',
    });

    const [seen] = server.seen;
    const { authorization, ...others } = seen?.headers ?? {};
    expect(authorization).toBe(`Bearer ${canary}`);
    expect(others).toMatchObject({ 'x-other': '{{secret:token}}' });
    expect(hasCanary(JSON.stringify({ ...seen, headers: others }))).toBe(false);
  });

  test('for a caller who may not use it', async () => {
    await using server = await webServer((_, response) => response.end());
    const { port } = server;
    const bound = { host: 'good.test', port, header: 'authorization' };

    await runTool(
      fetchTool({ secrets: secretsOf({ ...bound, name: 'token', value: canary }) }),
      { url: `http://good.test:${port}/`, headers: { authorization: '{{secret:token}}' } },
      { capabilities: [...grantsFor('good.test', port), 'secret:other:use'] },
    );

    expect(server.seen[0]?.headers.authorization).toBe('{{secret:token}}');
  });
});

describe.skipIf(!isInstalled('openssl'))('over TLS', () => {
  test('a secret is sent to a host that proves its name, which it is told', async () => {
    const identity = await selfMadeIdentity('DNS:good.test');
    let servername: unknown;
    await using server = await webServer(({ socket }, response) => {
      servername = socket instanceof TLSSocket ? socket.servername : undefined;
      response.end('safe');
    }, identity);
    const { port } = server;
    const bound = { host: 'good.test', port, header: 'x-key' };

    const result = await runTool(
      fetchTool({
        authorities: [identity.cert],
        secrets: secretsOf({ ...bound, name: 'token', value: canary }),
      }),
      { url: `https://good.test:${port}/` },
      { capabilities: [...grantsFor('good.test', port), use] },
    );

    expect(result).toMatchObject({ body: 'safe' });
    expect(servername).toBe('good.test');
    expect(server.seen[0]?.headers).toMatchObject({ 'x-key': canary, host: `good.test:${port}` });
  });

  test.each([
    ['of another name', 'DNS:other.test', true],
    ['that nobody vouches for', 'DNS:good.test', false],
    ['of its address only', 'IP:127.0.0.1', true],
  ])('nothing is sent to a host with a certificate %s', async (_, names, isKnown) => {
    const identity = await selfMadeIdentity(names);
    await using server = await webServer((__, response) => response.end(), identity);

    const attempt = runTool(
      fetchTool(isKnown ? { authorities: [identity.cert] } : {}),
      { url: `https://good.test:${server.port}/` },
      { capabilities: grantsFor('good.test', server.port) },
    );

    await expect(attempt).rejects.toMatchObject({
      code: 'http.unreachable',
      message: expect.stringContaining('certificate'),
    });
    expect(server.seen).toEqual([]);
  });

  test('an address is proved by a certificate for that address', async () => {
    const identity = await selfMadeIdentity('IP:127.0.0.1');
    await using server = await webServer((_, response) => response.end('safe'), identity);

    const result = await runTool(
      fetchTool({ authorities: [identity.cert] }),
      { url: `https://127.0.0.1:${server.port}/` },
      { capabilities: [`http:127.0.0.1:${server.port}:get`] },
    );

    expect(result).toMatchObject({ body: 'safe' });
  });

  test('a host that does not speak it is refused in words', async () => {
    await using server = await webServer((_, response) => response.end());

    const attempt = runTool(
      fetchTool(),
      { url: `https://127.0.0.1:${server.port}/` },
      { capabilities: [`http:127.0.0.1:${server.port}:get`] },
    );

    await expect(attempt).rejects.toMatchObject({
      code: 'http.unreachable',
      message: expect.stringMatching(/does not speak TLS|breaks the connection off/),
    });
  });
});
