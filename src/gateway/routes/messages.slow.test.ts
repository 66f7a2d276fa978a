import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import {
  bearer,
  send,
  sendRaw,
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import { until } from '../../../tests/support/until.ts';
import { realClock } from '../../engines/clock.ts';

const sha256 = (bytes: Buffer): string => hash('sha256', bytes);

async function withAgents(...names: readonly string[]) {
  const gateway = await temporaryGateway();
  const handles: Record<string, string> = {};
  for (const name of names) handles[name] = (await gateway.client.register(name)).handle;
  const as = (name: string, method: string, path: string, body?: unknown) =>
    send({
      at: gateway.agentSocket(name),
      method,
      path: `/api/v1${path}`,
      headers: bearer(handles[name] ?? ''),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return Object.assign(gateway, { as, handles });
}

const post = (
  { ownerSocket }: TemporaryGateway,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  send({
    at: ownerSocket,
    method: 'POST',
    path: `/api/v1${path}`,
    headers,
    body: JSON.stringify(body),
  });

describe('sending', () => {
  test('a message of the owner is accepted with its id and found in the inbox', async () => {
    await using gateway = await withAgents('jean');

    const sent = await gateway.client.send({ to: 'jean', body: 'hello', thread: 't' });

    expect(sent).toMatchObject({ state: 'accepted', recipients: 1 });
    const items = await gateway.client.inbox('jean', {});
    expect(items).toMatchObject([
      { id: sent.id, from: 'owner', to: 'jean', body: 'hello', thread: 't', re: null },
    ]);
  });

  test('Idempotency-Key makes two requests one message', async () => {
    await using gateway = await withAgents('jean');
    const key = { 'idempotency-key': 'once' };

    const first = await post(gateway, '/messages', { to: 'jean' }, key);
    const second = await post(gateway, '/messages', { to: 'jean' }, key);

    expect(first).toMatchObject({ status: 202, json: { state: 'accepted' } });
    expect(second).toMatchObject({ status: 202, json: { state: 'duplicate', recipients: null } });
  });

  test('a key in the header and another in the body are refused', async () => {
    await using gateway = await withAgents('jean');

    const answer = await post(
      gateway,
      '/messages',
      { to: 'jean', dedup_key: 'a' },
      { 'idempotency-key': 'b' },
    );

    expect(answer).toMatchObject({ status: 400, json: { code: 'gateway.bad-request' } });
  });

  test('an agent sends as itself and as nobody else', async () => {
    await using gateway = await withAgents('jean', 'jared');

    const own = await gateway.as('jean', 'POST', '/messages', { to: 'jared' });
    const forged = await gateway.as('jean', 'POST', '/messages', { to: 'jared', from: 'jared' });

    expect(own.status).toBe(202);
    expect(forged).toMatchObject({ status: 403, json: { code: 'message.denied' } });
    expect(await gateway.client.inbox('jared', {})).toMatchObject([{ from: 'jean' }]);
  });

  test('the owner sends for an agent, and not for one that is not there', async () => {
    await using gateway = await withAgents('jean');

    const sent = await post(gateway, '/messages', { to: 'owner', from: 'jean' });
    const unknown = await post(gateway, '/messages', { to: 'jean', from: 'nobody' });

    expect(sent.status).toBe(202);
    expect(unknown).toMatchObject({ status: 404, json: { code: 'agent.unknown' } });
  });

  test('what the relay refuses is answered with its error', async () => {
    await using gateway = await withAgents('jean');

    const answer = await post(gateway, '/messages', { to: 'nobody' });

    expect(answer).toMatchObject({ status: 404, json: { code: 'message.no-recipient' } });
  });

  test.each([
    ['a header with a line end', { headers: { X: 'a\nFROM: owner' } }, 'message.malformed'],
    ['a thread with a line end', { thread: 'a\nFROM: owner' }, 'message.malformed'],
    ['a priority that there is not', { priority: 10 }, 'gateway.bad-request'],
    ['a field that there is not', { origin: 'x' }, 'gateway.bad-request'],
  ])('%s is refused', async (_what, fields, code) => {
    await using gateway = await withAgents('jean');

    const answer = await post(gateway, '/messages', { to: 'jean', ...fields });

    expect(answer).toMatchObject({ status: 400, json: { code } });
  });

  test('a text of one megabyte that JSON makes longer arrives', async () => {
    await using gateway = await withAgents('jean');
    const body = '"'.repeat(1024 * 1024 - 1000);

    await gateway.client.send({ to: 'jean', body });

    const [item] = await gateway.client.inbox('jean', {});
    expect(item?.body).toBe(body);
  });
});

describe('an inbox', () => {
  test('is the agent’s own: others do not learn that it is there', async () => {
    await using gateway = await withAgents('jean', 'jared');

    const foreign = await gateway.as('jean', 'GET', '/agents/jared/inbox');
    const owners = await gateway.as('jean', 'GET', '/agents/owner/inbox');

    expect(foreign).toMatchObject({ status: 404, json: { code: 'agent.unknown' } });
    expect(owners).toMatchObject({ status: 404, json: { code: 'agent.unknown' } });
  });

  test('take hands each message out once', async () => {
    await using gateway = await withAgents('jean');
    await gateway.client.send({ to: 'jean', body: 'a' });

    const first = await gateway.client.takeInbox('jean', {});
    const second = await gateway.client.takeInbox('jean', {});

    expect(first).toMatchObject([{ body: 'a' }]);
    expect(second).toEqual([]);
  });

  test('take waits until something comes', async () => {
    await using gateway = await withAgents('jean');

    const taking = gateway.client.takeInbox('jean', { wait_ms: 20_000 });
    await gateway.client.send({ to: 'jean', body: 'late' });

    expect(await taking).toMatchObject([{ body: 'late' }]);
  });

  test('whoever hangs up while waiting takes nothing', async () => {
    await using gateway = await withAgents('jean');
    const wait = vi.spyOn(gateway.relay.mailboxes, 'wait');
    const text = JSON.stringify({ wait_ms: 20_000 });
    const connection = createConnection(gateway.ownerSocket);
    connection.write(
      `POST /api/v1/agents/jean/inbox/take HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    await until(() => expect(wait).toHaveBeenCalled());

    connection.destroy();
    await until(() => expect(wait.mock.lastCall?.[2]?.aborted).toBe(true));
    await gateway.client.send({ to: 'jean', body: 'kept' });

    expect(await gateway.client.inbox('jean', {})).toMatchObject([{ body: 'kept' }]);
  });

  test('a gateway that closes lets nobody wait', async () => {
    const gateway = await withAgents('jean');
    const wait = vi.spyOn(gateway.relay.mailboxes, 'wait');
    const taking = gateway.client.takeInbox('jean', { wait_ms: 20_000 });
    await until(() => expect(wait).toHaveBeenCalled());

    await gateway[Symbol.asyncDispose]();

    expect(await taking).toEqual([]);
  });

  test('read says which were unread', async () => {
    await using gateway = await withAgents('jean');
    const { id } = await gateway.client.send({ to: 'jean', body: 'a' });

    const first = await gateway.client.readInbox('jean', [id, 'unknown']);
    const again = await gateway.client.readInbox('jean', [id]);

    expect([first, again]).toEqual([{ read: [id] }, { read: [] }]);
  });
});

describe('the path of a message', () => {
  test('is shown to sender, recipients and owner, and to nobody else', async () => {
    await using gateway = await withAgents('jean', 'jared', 'samantha');
    const { id } = await gateway.client.send({ to: 'jared', from: 'jean', body: 'a' });

    const answers = await Promise.all(
      ['jean', 'jared', 'samantha'].map((name) => gateway.as(name, 'GET', `/messages/${id}`)),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(answers[2]?.json).toMatchObject({ code: 'message.unknown' });
    expect(await gateway.client.message(id)).toMatchObject({ id, from: 'jean', to: 'jared' });
  });

  test('is found by a unique beginning, of which an agent’s own messages decide', async () => {
    await using gateway = await withAgents('jean', 'jared');
    const own = await gateway.client.send({ to: 'jared', from: 'jean' });
    await gateway.client.send({ to: 'jared' });

    const start = own.id.slice(0, 4);
    const mine = await gateway.as('jean', 'GET', `/messages/${start}`);
    const all = await send({ at: gateway.ownerSocket, path: `/api/v1/messages/${start}` });
    const short = await send({ at: gateway.ownerSocket, path: '/api/v1/messages/01a' });

    expect(mine).toMatchObject({ status: 200, json: { id: own.id } });
    expect(all).toMatchObject({ status: 409, json: { code: 'id.ambiguous' } });
    expect(short).toMatchObject({ status: 404, json: { code: 'message.unknown' } });
  });
});

describe('settling', () => {
  test('an ack tells the sender', async () => {
    await using gateway = await withAgents('jean');
    const { id } = await gateway.client.send({ to: 'jean', body: 'do it' });

    const settled = await gateway.as('jean', 'POST', `/messages/${id}/ack`, { body: 'done' });

    expect(settled).toMatchObject({ status: 200, json: { id, state: 'acked' } });
    expect(await gateway.client.inbox('owner', {})).toMatchObject([
      { kind: 'ack', re: id, body: 'done' },
    ]);
  });

  test('only a recipient may', async () => {
    await using gateway = await withAgents('jean');
    const { id } = await gateway.client.send({ to: 'owner', from: 'jean' });

    const attempt = gateway.client.nack(id, { as: 'jean', reason: 'no' });

    await expect(attempt).rejects.toMatchObject({ code: 'message.not-recipient' });
  });
});

describe('a request', () => {
  const answering = async (
    gateway: Awaited<ReturnType<typeof withAgents>>,
    answer: (id: string) => Promise<unknown>,
  ) => {
    const [item] = await gateway.client.takeInbox('jean', { wait_ms: 20_000 });
    await answer(item?.id ?? '');
  };

  test('is answered with the response', async () => {
    await using gateway = await withAgents('jean');

    const [answer] = await Promise.all([
      gateway.client.request({ to: 'jean', body: 'how much?' }),
      answering(gateway, (re) =>
        gateway.client.send({
          ...{ to: 'owner', from: 'jean', kind: 'response' },
          ...{ re, body: '42' },
        }),
      ),
    ]);

    expect(answer.response).toMatchObject({ kind: 'response', from: 'jean', body: '42' });
  });

  test('that is refused says why', async () => {
    await using gateway = await withAgents('jean');

    const [answer] = await Promise.allSettled([
      gateway.client.request({ to: 'jean', body: 'how much?' }),
      answering(gateway, (id) => gateway.client.nack(id, { as: 'jean', reason: 'too busy' })),
    ]);

    expect(answer).toMatchObject({
      reason: { code: 'message.refused', message: '"jean" refuses the request: too busy' },
    });
  });

  test('that nobody answers ends at its deadline', async () => {
    await using gateway = await withAgents('jean');

    const attempt = gateway.client.request({ to: 'jean', body: 'hello?', timeout_ms: 50 });

    await expect(attempt).rejects.toMatchObject({ code: 'message.no-answer' });
  });
});

describe('channels, Lead and subscriptions', () => {
  test('an agent joins by itself and sees the channels that it has joined', async () => {
    await using gateway = await withAgents('jean', 'jared');
    await gateway.client.joinChannel('#ops', 'jared');

    const joined = await gateway.as('jean', 'POST', '/channels/news/join', {});
    const foreign = await gateway.as('jean', 'POST', '/channels/news/join', { agent: 'jared' });
    const seen = await gateway.as('jean', 'GET', '/channels');

    expect(joined).toMatchObject({ json: { channel: '#news', agent: 'jean', joined: true } });
    expect(foreign).toMatchObject({ status: 403, json: { code: 'message.denied' } });
    expect(seen.json).toEqual({ items: [{ channel: '#news', agents: ['jean'] }] });
    expect((await gateway.client.channels()).items).toHaveLength(2);
  });

  test('the owner has to say who joins', async () => {
    await using gateway = await withAgents();

    const attempt = gateway.client.joinChannel('#news', undefined);

    await expect(attempt).rejects.toMatchObject({ code: 'gateway.bad-request' });
  });

  test('only the owner says who is Lead', async () => {
    await using gateway = await withAgents('jean');

    const denied = await gateway.as('jean', 'POST', '/lead', { name: 'jean' });
    const before = await gateway.client.lead();
    await gateway.client.setLead('jean');

    expect(denied).toMatchObject({ status: 403, json: { code: 'gateway.owner-only' } });
    expect([before, await gateway.client.lead()]).toEqual([{ name: null }, { name: 'jean' }]);
  });

  test('a subscription is made once and removed once', async () => {
    await using gateway = await withAgents('jean');
    const request = { agent: 'jean', event_type: 'build.done' };

    await gateway.client.subscribe(request);
    await gateway.client.subscribe(request);
    const { items } = await gateway.client.subscriptions('jean');
    const removed = await gateway.client.unsubscribe(request);

    expect(items).toMatchObject([{ agent: 'jean', event_type: 'build.done' }]);
    expect(removed).toEqual({ removed: true });
    expect(await gateway.client.unsubscribe(request)).toEqual({ removed: false });
  });
});

describe('attachments', () => {
  const upload = (at: string, body: Uint8Array, headers: Record<string, string> = {}) =>
    send({
      at,
      method: 'POST',
      path: '/api/v1/attachments',
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body,
    });

  test('bytes beyond the limit of other bodies come back as they were', async () => {
    await using gateway = await withAgents();
    const bytes = Buffer.alloc(3_000_000, 'x');

    const stored = await upload(gateway.ownerSocket, bytes);

    expect(stored).toMatchObject({ status: 201, json: { bytes: 3_000_000 } });
    const digest = sha256(bytes);
    const got = await send({ at: gateway.ownerSocket, path: `/api/v1/attachments/${digest}` });
    expect(got.headers['content-type']).toBe('application/octet-stream');
    expect(got.text).toBe(bytes.toString());
  });

  test('an agent gets those that it may read, and does not learn of others', async () => {
    await using gateway = await withAgents('jean');
    const [own, foreign] = [Buffer.from('jean may read this'), Buffer.from('nobody may')].map(
      sha256,
    );
    await upload(gateway.ownerSocket, Buffer.from('jean may read this'));
    await upload(gateway.ownerSocket, Buffer.from('nobody may'));
    await gateway.client.send({ to: 'jean', body: '', attachments: [own ?? ''] });

    const allowed = await gateway.as('jean', 'GET', `/attachments/${own}`);
    const denied = await gateway.as('jean', 'GET', `/attachments/${foreign}`);

    expect(allowed).toMatchObject({ status: 200, text: 'jean may read this' });
    expect(denied).toMatchObject({ status: 404, json: { code: 'message.no-attachment' } });
  });

  test('an agent cannot attach what it only knows the hash of, and so read it', async () => {
    await using gateway = await withAgents('jean', 'sam');
    const bytes = Buffer.from('topsecret');
    const digest = sha256(bytes);
    await upload(gateway.ownerSocket, bytes);
    await gateway.client.send({ to: 'sam', body: '', attachments: [digest] });

    const sent = await gateway.as('jean', 'POST', '/messages', {
      to: 'jean',
      attachments: [digest],
    });
    const got = await gateway.as('jean', 'GET', `/attachments/${digest}`);

    expect(sent).toMatchObject({ status: 404, json: { code: 'message.no-attachment' } });
    expect(got).toMatchObject({ status: 404, json: { code: 'message.no-attachment' } });
  });

  test('bytes that are not those of the hash break the connection off', async () => {
    await using gateway = await withAgents();
    const bytes = Buffer.alloc(3_000_000, 'a');
    const digest = sha256(bytes);
    await upload(gateway.ownerSocket, bytes);
    writeFileSync(
      gateway.home.at('attachments', digest.slice(0, 2), digest),
      bytes.fill('b', 2_999_999),
    );

    const attempt = send({ at: gateway.ownerSocket, path: `/api/v1/attachments/${digest}` });

    await expect(attempt).rejects.toThrow('aborted');
  });

  test.each([
    ['JSON', 'application/json'],
    ['a form', 'multipart/form-data'],
  ])('%s is not taken for bytes', async (_what, type) => {
    await using gateway = await withAgents();

    const answer = await upload(gateway.ownerSocket, Buffer.from('{}'), { 'content-type': type });

    expect(answer).toMatchObject({ status: 415, json: { code: 'gateway.bad-media' } });
  });

  test('an upload may take longer than a request, as long as bytes keep coming', async () => {
    await using gateway = await temporaryGateway({ limits: { requestTimeoutMs: 200 } });
    const connection = createConnection(gateway.ownerSocket);
    let answer = '';
    connection.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    connection.write(
      'POST /api/v1/attachments HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n',
    );

    for (let part = 0; part < 12; part++) {
      connection.write('1\r\nx\r\n');
      await realClock.sleep(50);
    }
    connection.write('0\r\n\r\n');

    await until(() => expect(answer).toMatch(/^HTTP\/1.1 201 .*"bytes":12/s));
  });

  test('an upload of which nothing more comes is refused', async () => {
    await using gateway = await temporaryGateway({ limits: { requestTimeoutMs: 50 } });

    const answer = await sendRaw(
      gateway.ownerSocket,
      'POST /api/v1/attachments HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/octet-stream\r\ncontent-length: 5\r\n\r\nx',
    );

    expect(answer).toContain('gateway.slow-request');
  });
});
