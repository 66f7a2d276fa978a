/** Messages over a real WebSocket to a real relay, and the library on top of it. */
import { createConnection, createServer, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  bearer,
  type TemporaryGateway,
  temporaryGateway,
  testVersion,
} from '../../../tests/support/temporary-gateway.ts';
import { wholeMessage } from '../../../tests/support/temporary-relay.ts';
import { until } from '../../../tests/support/until.ts';
import { realClock, realEventLoop, realRandom } from '../../engines/clock.ts';
import { AosError } from '../../kernel/errors.ts';
import { revokeHandlesOf } from '../../ledger/security/principals.ts';
import type { WireItem } from '../contract/contract.ts';
import { MessageBus } from './message-bus.ts';
import { MessageConnection } from './message-client.ts';

const deps = {
  clock: realClock,
  random: realRandom,
  eventLoop: realEventLoop,
  version: testVersion,
};

async function withAgents(...names: readonly string[]) {
  const gateway = await temporaryGateway({}, { messagesPerSecond: 1e6, messageBurst: 1e6 });
  const handles: Record<string, string> = {};
  for (const name of names) handles[name] = (await gateway.client.register(name)).handle;
  return Object.assign(gateway, { handles });
}

/** A way to the owner's socket that can be cut, as by a daemon that is killed. */
async function cuttable({ home, ownerSocket }: TemporaryGateway) {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(ownerSocket);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const socketPath = home.at('run', 'cuttable.sock');
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    connect: () => new MessageConnection(deps, { socketPath }),
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function connect({ ownerSocket }: TemporaryGateway): MessageConnection {
  return new MessageConnection(deps, { socketPath: ownerSocket });
}

/** A plain WebSocket, for what a good client would not do. */
async function openSocket(at: string, headers: Record<string, string> = {}) {
  const heard: Record<string, unknown>[] = [];
  const socket = new WebSocket(`ws+unix:${at}:/api/v1/ws?events=no`, { headers });
  socket.on('message', (data) => heard.push(JSON.parse(data.toString())));
  let closed = 0;
  socket.on('close', (code) => {
    closed = code;
  });
  socket.on('error', () => {});
  await until(() => expect(socket.readyState).toBe(1));
  return {
    heard,
    say: (message: unknown) => socket.send(JSON.stringify(message)),
    get closed() {
      return closed;
    },
    socket,
    [Symbol.dispose]: () => socket.terminate(),
  };
}

describe('sending over a WebSocket', () => {
  test('all messages of one turn are one frame, and each has its answer', async () => {
    await using gateway = await withAgents('jean');
    await using connection = connect(gateway);
    const accept = vi.spyOn(gateway.relay, 'accept');

    const sent = await Promise.allSettled([
      connection.send({ to: 'jean', body: 'a' }),
      connection.send({ to: 'nobody', body: 'b' }),
      connection.send({ to: 'jean', body: 'c', priority: 3 }),
      connection.send({ to: 'jean', thread: 'a\nb' }),
    ]);

    expect(sent).toMatchObject([
      { value: { state: 'accepted', recipients: 1 } },
      { reason: { code: 'message.no-recipient' } },
      { value: { state: 'accepted' } },
      { reason: { code: 'message.malformed' } },
    ]);
    expect(accept).toHaveBeenCalledTimes(1);
    await until(() => expect(gateway.inboxes.texts('jean')).toHaveLength(2));
  });

  test('keeps the order of thousands over many frames', async () => {
    await using gateway = await withAgents('jean');
    await using connection = connect(gateway);
    const bodies = Array.from({ length: 3000 }, (_, index) => String(index));

    await Promise.all(bodies.map((body) => connection.send({ to: 'jean', body })));

    await until(() => expect(gateway.inboxes.texts('jean')).toHaveLength(3000));
    const texts = gateway.inboxes.texts('jean').map((text) => text.split('\n\n')[1]);
    expect(texts).toEqual(bodies);
  });

  test('a sender above its rate is slowed down, and nothing is dropped', async () => {
    await using gateway = await temporaryGateway({}, { messagesPerSecond: 500, messageBurst: 10 });
    await gateway.client.register('jean');
    await using connection = connect(gateway);
    const start = realClock.monotonicMs();

    const sent = await Promise.all(
      Array.from({ length: 110 }, (_, index) => connection.send({ to: 'jean', body: `${index}` })),
    );

    expect(sent).toHaveLength(110);
    expect(realClock.monotonicMs() - start).toBeGreaterThan(150);
  });

  test('what a full disk refused is sent again, in order', async () => {
    await using gateway = await withAgents('jean');
    await using connection = connect(gateway);
    const full = new AosError('ledger.full', { message: 'The disk is full' });
    vi.spyOn(gateway.relay, 'accept').mockRejectedValueOnce(full);

    await Promise.all(['a', 'b'].map((body) => connection.send({ to: 'jean', body })));

    await until(() => expect(gateway.inboxes.texts('jean')).toHaveLength(2));
    expect(gateway.inboxes.texts('jean').map((text) => text.at(-1))).toEqual(['a', 'b']);
  });

  test('an answer that was lost with the connection makes no second message', async () => {
    await using gateway = await withAgents('jean');
    await using way = await cuttable(gateway);
    await using connection = way.connect();
    const accept = gateway.relay.accept.bind(gateway.relay);
    vi.spyOn(gateway.relay, 'accept').mockImplementationOnce(async (batch) => {
      const accepted = await accept(batch);
      way.cut();
      return accepted;
    });

    const sent = await connection.send({ to: 'jean', body: 'once' });

    expect(sent.state).toBe('duplicate');
    expect(await gateway.client.inbox('jean', {})).toHaveLength(1);
  });

  test('a bad handle ends it with the reason', async () => {
    await using gateway = await withAgents('jean');
    const address = { socketPath: gateway.agentSocket('jean'), handle: `aos_${'x'.repeat(43)}` };
    await using connection = new MessageConnection(deps, address);

    const attempt = connection.send({ to: 'jean', body: 'a' });

    await expect(attempt).rejects.toMatchObject({ code: 'handle.unknown' });
    await expect(connection.send({ to: 'jean' })).rejects.toMatchObject({
      code: 'handle.unknown',
    });
  });

  test('a handle that is revoked ends the connection', async () => {
    await using gateway = await withAgents('jean', 'jared');
    const at = gateway.agentSocket('jean');
    using socket = await openSocket(at, bearer(gateway.handles['jean'] ?? ''));
    await gateway.ledger.transact(async (tx) => {
      await revokeHandlesOf(tx, 'agent:jean', realClock.now());
      await tx.record({ actor: 'owner', kind: 'identity.handle-renewed', subject: 'agent:jean' });
    });

    socket.say({ type: 'send', ref: 1, messages: [{ to: 'jared', body: 'a' }] });

    await until(() => expect(socket.closed).toBe(1006));
    expect(await gateway.client.inbox('jared', {})).toEqual([]);
  });

  test('an agent sends as itself only', async () => {
    await using gateway = await withAgents('jean', 'jared');
    using socket = await openSocket(
      gateway.agentSocket('jean'),
      bearer(gateway.handles['jean'] ?? ''),
    );

    socket.say({
      type: 'send',
      ref: 'x',
      messages: [{ to: 'jared', from: 'jared' }, { to: 'jared' }],
    });
    socket.say({ type: 'attach', ref: 2, as: 'jared' });

    await until(() => expect(socket.heard).toHaveLength(2));
    expect(socket.heard).toEqual(
      expect.arrayContaining([
        {
          type: 'accepted',
          ref: 'x',
          results: [
            { problem: expect.objectContaining({ code: 'message.denied' }) },
            expect.objectContaining({ state: 'accepted' }),
          ],
        },
        expect.objectContaining({
          type: 'error',
          ref: 2,
          problem: expect.objectContaining({ code: 'message.denied' }),
        }),
      ]),
    );
  });

  test.each([
    ['no JSON', 'x'],
    ['a type that there is not', '{"type":"fly"}'],
    ['no messages', '{"type":"send","messages":[]}'],
    ['too many messages', JSON.stringify({ type: 'send', messages: Array(257).fill({ to: 'a' }) })],
    ['a field that there is not', '{"type":"attach","who":"x"}'],
    ['reading before attaching', '{"type":"read","ids":["1"]}'],
  ])('%s is refused, and the connection stays', async (_what, text) => {
    await using gateway = await withAgents();
    using connection = await openSocket(gateway.ownerSocket);

    connection.socket.send(text);
    connection.say({ type: 'ping' });

    await until(() => expect(connection.heard).toHaveLength(2));
    expect(connection.heard).toMatchObject([
      { type: 'error', problem: { code: 'gateway.bad-request' } },
      { type: 'pong' },
    ]);
  });
});

describe('mail over a WebSocket', () => {
  test('comes as it is sent, and is read when the callback is done', async () => {
    await using gateway = await withAgents('jean');
    await using connection = connect(gateway);
    const bodies: string[] = [];
    await using _mail = await connection.attach({
      as: 'jean',
      onMail: (item) => void bodies.push(item.body),
    });

    const { id } = await connection.send({ to: 'jean', body: 'hello' });

    await until(() => expect(bodies).toEqual(['hello']));
    await until(async () => {
      const { deliveries } = await gateway.client.message(id);
      expect(deliveries).toMatchObject([{ state: 'read', via: 'push' }]);
    });
    expect(gateway.inboxes.texts('jean')).toEqual([]);
  });

  test('what a callback fails at stays unread and goes to the inbox when it leaves', async () => {
    await using gateway = await withAgents('jean');
    const failures: unknown[] = [];
    {
      await using connection = connect(gateway);
      await connection.attach({
        as: 'jean',
        onMail: () => Promise.reject(new Error('not today')),
        onFailure: (failure) => void failures.push(failure),
      });
      await connection.send({ to: 'jean', body: 'hello' });
      await until(() => expect(failures).toHaveLength(1));
    }

    await until(() => expect(gateway.inboxes.texts('jean')).toHaveLength(1));
  });

  test('over lost connections nothing is missed and nothing comes twice', async () => {
    await using gateway = await withAgents('jean');
    await using way = await cuttable(gateway);
    await using sender = way.connect();
    await using receiver = way.connect();
    const bodies: string[] = [];
    await receiver.attach({
      as: 'jean',
      onMail: async (item) => {
        await realClock.sleep(1);
        bodies.push(item.body);
      },
    });

    const expected: string[] = [];
    for (let round = 0; round < 5; round++) {
      const sending = Array.from({ length: 100 }, (_, index) => `${round}-${index}`);
      expected.push(...sending);
      const sent = sending.map((body) => sender.send({ to: 'jean', body }));
      await realClock.sleep(round * 3);
      way.cut();
      await Promise.all(sent);
    }

    await until(() => expect(bodies.length).toBeGreaterThanOrEqual(500));
    await until(async () => expect(await gateway.client.inbox('jean', {})).toEqual([]));
    expect(bodies.toSorted()).toEqual(expected.toSorted());
  });

  test('a burst beyond everything that may be under way at once arrives in order', async () => {
    await using gateway = await withAgents('jean');
    await using sender = connect(gateway);
    await using receiver = connect(gateway);
    const bodies: string[] = [];
    await receiver.attach({ as: 'jean', onMail: ({ body }) => void bodies.push(body) });
    const expected = Array.from({ length: 6000 }, (_, index) => String(index));

    await Promise.all(expected.map((body) => sender.send({ to: 'jean', body })));

    await until(() => expect(bodies).toHaveLength(6000));
    expect(bodies).toEqual(expected);
  });

  test('of a reader who marks nothing no more than a thousand are pushed', async () => {
    await using gateway = await withAgents('jean');
    await using connection = connect(gateway);
    using reader = await openSocket(gateway.ownerSocket);
    reader.say({ type: 'attach', as: 'jean' });
    await until(() => expect(reader.heard).toMatchObject([{ type: 'attached', as: 'jean' }]));
    const pushed = () =>
      reader.heard.flatMap(({ items }) => (Array.isArray(items) ? (items as WireItem[]) : []));

    await Promise.all(
      Array.from({ length: 1500 }, (_, index) => connection.send({ to: 'jean', body: `${index}` })),
    );
    await until(() => expect(pushed()).toHaveLength(1000));
    const first = pushed().map(({ id }) => id);
    reader.say({ type: 'read', as: 'jean', ids: first });

    await until(() => expect(pushed()).toHaveLength(1500));
    expect(pushed().map(({ body }) => body)).toEqual(
      Array.from({ length: 1500 }, (_, index) => `${index}`),
    );
  });

  test('a connection that only wants mail gets no events', async () => {
    await using gateway = await withAgents('jean');
    using socket = await openSocket(gateway.ownerSocket);

    await gateway.record('a.one', ['x']);
    socket.say({ type: 'ping' });

    await until(() => expect(socket.heard).toEqual([{ type: 'pong' }]));
  });

  test('detach lets mail go to the inbox folder again', async () => {
    await using gateway = await withAgents('jean');
    await using connection = connect(gateway);
    const mail = await connection.attach({ as: 'jean', onMail: () => {} });

    await mail[Symbol.asyncDispose]();
    await connection.send({ to: 'jean', body: 'hello' });

    await until(() => expect(gateway.inboxes.texts('jean')).toHaveLength(1));
  });

  test('events of a type nobody subscribed to cannot be attached to', async () => {
    await using gateway = await withAgents('jean');
    await using connection = connect(gateway);

    const attempt = connection.attach({ as: 'jean', eventTypes: ['a.b'], onMail: () => {} });

    await expect(attempt).rejects.toMatchObject({ code: 'gateway.bad-request' });
  });
});

describe('MessageBus', () => {
  function busOf(gateway: TemporaryGateway, connection: MessageConnection) {
    const failures: unknown[] = [];
    const onFailure = (failure: unknown): void => void failures.push(failure);
    const bus = new MessageBus({ connection, client: gateway.client, ...deps, onFailure });
    return Object.assign(bus, { failures });
  }

  test('messages() gives what send() sent, and marks it when the next is asked for', async () => {
    await using gateway = await withAgents('jean', 'jared');
    await using connection = connect(gateway);
    await using bus = busOf(gateway, connection);
    await bus.send('jean', 'jared', 'one');
    await bus.send('jean', 'jared', { body: 'two', thread: 't' });

    const seen: string[] = [];
    for await (const { from, body } of bus.messages('jared')) {
      seen.push(`${from} ${body}`);
      if (seen.length === 2) break;
    }

    expect(seen).toEqual(['jean one', 'jean two']);
    await until(() => expect(gateway.inboxes.texts('jared')).toHaveLength(1));
  });

  test('broadcast() reaches those who subscribed to the type', async () => {
    await using gateway = await withAgents('jean', 'jared', 'samantha');
    await using connection = connect(gateway);
    await using bus = busOf(gateway, connection);
    const heard: string[] = [];
    const note = (who: string) => (event: WireItem) => void heard.push(`${who} ${event.body}`);
    await bus.subscribe('jared', 'build.done', note('jared'));
    await bus.subscribe('samantha', 'build.failed', note('samantha'));

    const reached = await bus.broadcast('jean', { type: 'build.done', body: '7' });

    expect(reached).toBe(1);
    await until(() => expect(heard).toEqual(['jared 7']));
  });

  test('an event that a callback throws at is there for the next program', async () => {
    await using gateway = await withAgents('jean', 'jared');
    {
      await using connection = connect(gateway);
      await using bus = busOf(gateway, connection);
      await bus.subscribe('jared', 'build.done', () => {
        throw new Error('not today');
      });
      await bus.broadcast('jean', { type: 'build.done', body: '7' });
      await until(() => expect(bus.failures).toHaveLength(1));
    }
    await using connection = connect(gateway);
    await using bus = busOf(gateway, connection);
    const heard: string[] = [];

    await bus.subscribe('jared', 'build.done', ({ body }) => void heard.push(body));

    await until(() => expect(heard).toEqual(['7']));
  });

  test('unsubscribe() ends the subscription', async () => {
    await using gateway = await withAgents('jean', 'jared');
    await using connection = connect(gateway);
    await using bus = busOf(gateway, connection);
    const subscription = await bus.subscribe('jared', 'build.done', () => {});

    await subscription.unsubscribe();

    expect(await gateway.client.subscriptions('jared')).toEqual({ items: [] });
  });

  test('request() resolves to the response of whoever reads messages()', async () => {
    await using gateway = await withAgents('jean', 'jared');
    await using connection = connect(gateway);
    await using bus = busOf(gateway, connection);
    const answering = async (): Promise<void> => {
      for await (const { id, from } of bus.messages('jared')) {
        await bus.send('jared', from, { kind: 'response', re: id, body: '42' });
        return;
      }
    };

    const [response] = await Promise.all([
      bus.request('jean', 'jared', 'how much?', { timeoutMs: 10_000 }),
      answering(),
    ]);

    expect(response).toMatchObject({ from: 'jared', body: '42' });
  });

  test('request() that nobody answers is refused at its deadline', async () => {
    await using gateway = await withAgents('jean', 'jared');
    await using connection = connect(gateway);
    await using bus = busOf(gateway, connection);

    const attempt = bus.request('jean', 'jared', 'hello?', { timeoutMs: 30 });

    await expect(attempt).rejects.toMatchObject({ code: 'message.no-answer' });
  });

  test('stream() arrives in order, and waits for a reader who is slow', async () => {
    await using gateway = await withAgents('jean', 'jared');
    await using connection = connect(gateway);
    await using bus = busOf(gateway, connection);
    const stream = bus.stream('jean', 'jared');
    let written = 0;

    const writing = (async () => {
      for (let index = 0; index < 200; index++) {
        await stream.write(`${index} `);
        written = index + 1;
      }
      await stream.end();
    })();
    await until(() => expect(written).toBe(64));
    let text = '';
    for await (const { body, chunk } of bus.messages('jared')) {
      text += body;
      if (chunk?.end === true) break;
    }
    await writing;

    expect(text).toBe(Array.from({ length: 200 }, (_, index) => `${index} `).join(''));
  });
});

test('what is pushed and not read does not keep what waits behind it from expiring', async () => {
  let aheadMs = 0;
  const clock = { ...realClock, now: () => realClock.now() + aheadMs };
  await using gateway = await temporaryGateway({ clock });
  await gateway.client.register('jean');
  using reader = await openSocket(gateway.ownerSocket);
  const mail = () => reader.heard.flatMap(({ type, items }) => (type === 'mail' ? [items] : []));
  const pushed = () => mail().flat() as { readonly id: string; readonly body: string }[];
  reader.say({ type: 'attach', as: 'jean' });
  await until(() => expect(reader.heard).toMatchObject([{ type: 'attached' }]));
  const message = wholeMessage({ to: 'jean', ttlMs: 60_000 });
  await gateway.relay.accept(Array.from({ length: 1100 }, () => ({ sender: 'owner', message })));
  await until(() => expect(pushed()).toHaveLength(1000));

  aheadMs = 66_000;

  const expired = `select count(*) as count from deliveries where state = 'expired'`;
  await until(async () => {
    expect(await gateway.ledger.committed.get(expired)).toEqual({ count: 1100 });
  });
  const told = await gateway.relay.mailboxes.list('owner', { limit: 2000 });
  expect(told.filter(({ kind }) => kind === 'nack')).toHaveLength(1100);
  reader.say({ type: 'read', as: 'jean', ids: pushed().map(({ id }) => id) });
  await gateway.client.send({ to: 'jean', body: 'new' });
  await until(() => expect(pushed().at(-1)?.body).toBe('new'));
  expect(pushed()).toHaveLength(1001);
});
