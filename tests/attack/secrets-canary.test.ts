/**
 * A secret goes to the one server that it is for, and nowhere else: not into what an agent
 * gets, whatever that server answers, nor into any file, log, event, process or backup.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { filesWith, formsIn, formsOf, newCanary, seenFromOutside } from '../support/canary.ts';
import { type TestServer, webServer } from '../support/http-world.ts';
import { MortalHome } from '../support/mortal-home.ts';
import { runAos } from '../support/run-aos.ts';
import { bearer, send } from '../support/temporary-gateway.ts';
import { callerOn, sharedToolHome } from '../support/tool-home.ts';

const agents = sharedToolHome();

const prefix = 'Bearer ';

/** The ways in which the server gives back what it was sent, by the path. */
const echoes: Readonly<
  Record<string, (value: string, response: Parameters<RequestListener>[1]) => void>
> = {
  '/body': (value, response) => response.end(`<<${value}>>`),
  '/bare': (value, response) => response.end(value),
  '/twice': (value, response) => response.end(value + value),
  '/status': (value, response) => response.writeHead(200, value).end('ok'),
  '/headers': (value, response) =>
    response
      .writeHead(200, {
        'x-echo': value,
        'x-packed': Buffer.from(value).toString('base64'),
        'set-cookie': [`a=${encodeURIComponent(value)}`, `b=${value}`],
        etag: `"${Buffer.from(value).toString('hex')}"`,
      })
      .end('ok'),
  '/redirect': (value, response) =>
    response.writeHead(302, { location: `/body?t=${encodeURIComponent(value)}` }).end(value),
  '/base64': (value, response) =>
    response.end(
      ['', 'x', 'xy']
        .map((before) => Buffer.from(`${before}${value}`).toString('base64'))
        .join('\n'),
    ),
  '/base64url': (value, response) => response.end(Buffer.from(value).toString('base64url')),
  '/url': (value, response) => response.end(encodeURIComponent(value)),
  '/hex': (value, response) => response.end(Buffer.from(value).toString('hex')),
  '/json': (value, response) => response.end(JSON.stringify({ inner: JSON.stringify({ value }) })),
  '/gzip': (value, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`<<${value}>>`)),
  '/error': (value, response) => response.writeHead(500).end(`cannot do that with ${value}`),
  '/denied': (value, response) =>
    response
      .writeHead(401, {
        'www-authenticate': `Bearer error="${value.replaceAll(/["\\]/g, '\\$&')}"`,
      })
      .end(value),
  '/bytes': (value, response) =>
    response.end(Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(value)])),
  '/broken': (value, response) =>
    response.socket?.end(`${value} HTTP/1.1 200\r\n${value}\r\n\r\n${value}`),
  '/cut': (value, response) => {
    response.writeHead(200, { 'content-length': '100000' }).write(value, () => response.destroy());
  },
};

interface World extends AsyncDisposable {
  readonly canary: string;
  readonly home: MortalHome;
  readonly server: TestServer;
  /** The text of the answer to one call of jean's, whether good or bad. */
  call(tool: string, args: object): Promise<string>;
  urlOf(path: string): string;
}

async function secretWorld(): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const canary = newCanary();
  const server = opened.use(await echoServer());
  const home = opened.use(await MortalHome.withAgents('sam'));
  const { handle } = await home.client.register('jean');
  await home.client.setSecret({
    ...{ name: 'token', value: canary, host: '127.0.0.1', port: server.port },
    ...{ header: 'Authorization', prefix },
  });
  await home.grant(
    'jean',
    `http:127.0.0.1:${server.port}/*:*`,
    'secret:token:use',
    `file:${home.folder.path}/saved/*:read,write`,
    'memory:**:read,write',
  );
  const kept = opened.move();
  return {
    ...{ canary, home, server },
    urlOf: (path) => `http://127.0.0.1:${server.port}${path}`,
    call(tool, args) {
      const { socket: at } = callerOn(home.daemon, 'jean', handle);
      return callTool({ at, handle }, tool, args);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function echoServer(): Promise<TestServer> {
  return webServer(({ headers, url = '' }, response) => {
    const value = (headers.authorization ?? '').replace(prefix, '');
    const echo = echoes[new URL(url, 'http://x').pathname];
    if (echo === undefined) response.end('nothing');
    else echo(value, response);
  });
}

interface Caller {
  readonly at: string;
  readonly handle: string;
}

/** Everything of the answer, whether good or bad. */
async function callTool({ at, handle }: Caller, tool: string, args: object): Promise<string> {
  const path = `/api/v1/tools/${tool}/call`;
  const body = JSON.stringify({ args });
  const answer = await send({ at, path, method: 'POST', headers: bearer(handle), body });
  return `${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text}`;
}

interface Searched {
  readonly canary: string;
  readonly home: Pick<MortalHome, 'client' | 'daemon' | 'folder' | 'path'> & {
    readonly sam?: string;
  };
}

/** Everything outside of `keys/` that is of this daemon, with the forms that are in it. */
async function whereFound(
  { canary, home }: Searched,
  answers: readonly string[],
): Promise<string[]> {
  const { client, daemon, folder } = home;
  const { sam = 'sam' } = home;
  const events = await Array.fromAsync(client.events({}));
  const seen = new Map([
    ['answers', answers.join('\n')],
    ['events', JSON.stringify(events)],
    ['calls', JSON.stringify(await client.calls({ limit: '1000' }))],
    ['approvals', JSON.stringify(await client.approvals({ all: 'true' }))],
    ['secrets', JSON.stringify(await client.secrets())],
    ['inboxes', JSON.stringify([await client.inbox(sam, {}), await client.inbox('owner', {})])],
    ['process', seenFromOutside(daemon.pid)],
  ]);
  const outside = [...seen].flatMap(([where, text]) =>
    formsIn(canary, text).map((form) => `${where}: ${form}`),
  );
  const files = filesWith(canary, folder.path, (path) => path.startsWith(`${home.path}/keys/`));
  return [...outside, ...files];
}

test('the search itself finds every form, and a file that holds one', async () => {
  const canary = newCanary();
  const home = await agents('sam');
  for (const [name, form] of formsOf(canary)) {
    writeFileSync(home.folder.at(`as ${name.replaceAll(' ', '-')}`), `..${form}..`);
  }
  await home.client.send({ to: 'owner', body: `a message with ${canary} in it` });

  const searched = { ...home, path: home.home, sam: home.agent('sam').name };
  const found = await whereFound({ canary, home: searched }, [canary]);

  const where = new Set(found.map((line) => line.split(': ')[0]));
  expect(formsOf(canary).size).toBeGreaterThanOrEqual(11);
  expect([...where].filter((path) => path?.startsWith('/as '))).toHaveLength(formsOf(canary).size);
  expect(where).toContain('answers');
  expect(where).toContain('inboxes');
  expect([...where].some((path) => path?.startsWith('/home/ledger.db'))).toBe(true);
});

test('a secret that its server echoes in every way is nowhere else afterwards', async () => {
  await using world = await secretWorld();
  const { canary, home, server, call, urlOf } = world;
  const { client } = home;
  const answers: string[] = [];
  const ask = async (tool: string, args: object): Promise<string> => {
    const answer = await call(tool, args);
    answers.push(answer);
    return answer;
  };
  mkdirSync(home.folder.at('saved'));

  for (const path of Object.keys(echoes)) {
    const answer = await ask('http.fetch', { url: urlOf(path) });
    await ask('http.fetch', { url: urlOf(path), max_bytes: 20, max_redirects: 0 });
    const save_to = home.folder.at('saved', path.slice(1));
    await ask('http.fetch', { url: urlOf(path), save_to });
    await ask('message.send', { to: 'sam', body: answer });
    await ask('memory.store', { key: `result${path}`, value: answer });
  }
  // Where it fails on the way, and where a human is asked.
  await ask('http.fetch', { url: urlOf('/body'), method: 'POST', timeout_ms: 1 });
  await ask('http.fetch', {
    url: urlOf('/body'),
    headers: { authorization: '{{secret:token}}\n' },
  });
  await ask('file.read', { path: home.folder.at('saved', 'body') });
  await ask('memory.get', { key: 'result/body' });
  await client.grant({ agent: 'sam', capability: `http:127.0.0.1:${server.port}/*:*`, ask: true });
  await client.grant({ agent: 'sam', capability: 'secret:token:use' });
  const asked = await client.callTool('http.fetch', {
    ...{
      as: 'sam',
      args: { url: urlOf('/body'), headers: { authorization: 'Bearer {{secret:token}}' } },
    },
  });
  const { hash } = await client.approval(asked.approval ?? '');
  await client.approve(asked.approval ?? '', { hash, scope: 'once' });
  const approved = await client.toolCall(asked.call_id, { waitMs: 5000 });

  // The server had it each time: what follows is not for lack of it.
  const withIt = server.seen.filter(({ headers }) => headers.authorization === prefix + canary);
  expect(withIt.length).toBeGreaterThan(Object.keys(echoes).length * 3);
  expect(server.seen.filter(({ headers }) => headers.authorization !== prefix + canary)).toEqual(
    [],
  );
  expect(approved).toMatchObject({ state: 'answered' });
  expect(answers.filter((answer) => answer.includes('[secret:token]')).length).toBeGreaterThan(20);
  expect(readFileSync(home.folder.at('saved', 'body'), 'utf8')).toBe('<<[secret:token]>>');
  expect(await whereFound(world, answers)).toEqual([]);

  // Nor does it come out when the daemon is killed, stopped, started, or copied.
  await home.killAndStart();
  answers.push(await call('http.fetch', { url: urlOf('/body') }));
  await home.daemon.stop();
  await home.start();
  answers.push(await call('http.fetch', { url: urlOf('/json') }));
  const backup = await runAos(['--home', home.path, 'backup', home.folder.at('backup')]);
  expect(backup).toMatchObject({ code: 0 });
  expect(server.seen.at(-1)?.headers.authorization).toBe(prefix + canary);
  expect(await whereFound(world, [...answers, backup.stdout, backup.stderr])).toEqual([]);
});

describe('a secret of one place is not sent', () => {
  const withEcho = async () => webServer((_, response) => response.end('other'));

  /** As `secretWorld`, on the daemon that all of these use. */
  async function sharedWorld() {
    await using opened = new AsyncDisposableStack();
    const canary = newCanary();
    const server = opened.use(await echoServer());
    const home = await agents('jean', 'sam');
    const name = home.agent('jean').name.replace('jean', 'token');
    const bound = (port: number) => ({
      ...{ name, value: canary, host: '127.0.0.1', port, header: 'Authorization', prefix },
    });
    await home.client.setSecret(bound(server.port));
    await home.grant('jean', `http:127.0.0.1:${server.port}/*:*`, `secret:${name}:use`);
    const { socket: at, handle } = home.agent('jean');
    const kept = opened.move();
    return {
      ...{ canary, home, server, name, bound },
      /** What stands for the secret in a call. */
      placeholder: `{{secret:${name}}}`,
      urlOf: (path: string) => `http://127.0.0.1:${server.port}${path}`,
      fetch: (args: object) => callTool({ at, handle }, 'http.fetch', args),
      [Symbol.asyncDispose]: () => kept.disposeAsync(),
    };
  }

  test('to another port of its host, where its placeholder stays', async () => {
    await using world = await sharedWorld();
    await using other = await withEcho();
    const { home, placeholder } = world;
    await home.grant('jean', `http:127.0.0.1:${other.port}/*:*`);

    await world.fetch({
      ...{
        url: `http://127.0.0.1:${other.port}/?t=${placeholder.replaceAll(/[{}]/g, encodeURIComponent)}`,
      },
      ...{ method: 'POST', body: placeholder },
      headers: { authorization: `Bearer ${placeholder}`, 'x-other': placeholder },
    });

    expect(other.seen).toMatchObject([
      {
        headers: { authorization: `Bearer ${placeholder}`, 'x-other': placeholder },
        body: placeholder,
      },
    ]);
  });

  test('to its port under another name of the same machine', async () => {
    await using world = await sharedWorld();
    const { home, server } = world;
    await home.grant('jean', `http:localhost:${server.port}/*:*`);

    await world.fetch({ url: `http://localhost:${server.port}/body` });

    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('in another header, in the url or in the body', async () => {
    await using world = await sharedWorld();
    const { placeholder } = world;
    const query = `/x?t=${placeholder.replaceAll(/[{}]/g, encodeURIComponent)}`;

    await world.fetch({
      ...{ url: world.urlOf(query), method: 'POST' },
      ...{ body: placeholder, headers: { 'x-other': placeholder } },
    });

    const [seen] = world.server.seen;
    expect(seen).toMatchObject({
      ...{ body: placeholder, url: query },
      headers: { 'x-other': placeholder, authorization: prefix + world.canary },
    });
  });

  test('to where its host sends on, however it does', async () => {
    await using world = await sharedWorld();
    await using other = await withEcho();
    let status = 0;
    await using sending = await webServer((_, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${other.port}/` }).end(),
    );
    const { home, canary, placeholder } = world;
    for (const { port } of [other, sending]) {
      await home.grant('jean', `http:127.0.0.1:${port}/*:*`);
    }
    await home.client.setSecret(world.bound(sending.port));

    for (status of [301, 302, 303, 307, 308]) {
      const answer = await world.fetch({
        ...{ url: `http://127.0.0.1:${sending.port}/` },
        headers: { authorization: `Bearer ${placeholder}` },
      });
      expect(answer).toContain('"body":"other"');
    }

    const sent = sending.seen.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(sending.seen.map(() => prefix + canary));
    expect(other.seen).toHaveLength(5);
    expect(other.seen.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
    expect(formsIn(canary, JSON.stringify(other.seen))).toEqual([]);
  });

  test('for an agent that may reach the host and not use the secret', async () => {
    await using world = await sharedWorld();
    const { home, server, placeholder } = world;
    await home.grant('sam', `http:127.0.0.1:${server.port}/*:*`, 'secret:other:use');

    await home.agent('sam').client.callTool('http.fetch', {
      args: { url: world.urlOf('/body'), headers: { authorization: `Bearer ${placeholder}` } },
    });

    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${placeholder}`);
  });

  test('from the moment on that the grant to use it was revoked', async () => {
    await using world = await sharedWorld();
    const { home, server } = world;
    const { items } = await home.client.grants({ agent: home.agent('jean').name });
    const use = items.find(({ capability }) => capability === `secret:${world.name}:use`);
    await home.client.revoke(use?.id ?? '');

    await world.fetch({ url: world.urlOf('/body') });

    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('once it was removed; and what it was is blacked out still', async () => {
    await using world = await sharedWorld();
    const { home, server, canary } = world;
    await using leaking = await webServer((_, response) => response.end(`it was ${canary}`));
    await home.grant('jean', `http:127.0.0.1:${leaking.port}/*:get`);
    await home.client.removeSecret(world.name);

    await world.fetch({ url: world.urlOf('/body') });
    const answer = await world.fetch({ url: `http://127.0.0.1:${leaking.port}/` });

    expect(server.seen[0]?.headers.authorization).toBeUndefined();
    expect(formsIn(canary, answer)).toEqual([]);
  });
});
