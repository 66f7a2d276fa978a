/** The feed over real sockets: server-sent events, the WebSocket, and the client that follows. */
import { createConnection, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import {
  bearer,
  send,
  sendRaw,
  type TemporaryGateway,
  temporaryGateway,
  testVersion,
} from '../../../tests/support/temporary-gateway.ts';
import { untilTrue } from '../../../tests/support/until.ts';
import { realClock } from '../../engines/clock.ts';
import { deleteEventsThrough } from '../../ledger/events.ts';
import { revokeHandlesOf } from '../../ledger/security/principals.ts';
import { createClient, type FollowedItem } from '../client/client.ts';
import { connectionTransport } from '../client/transport.ts';
import { routes } from '../contract/contract.ts';

/** A reader that shows the raw text of the stream. */
function readStream(at: string, { path = '/api/v1/events', headers = '' } = {}) {
  const socket = createConnection(at);
  const reader = { text: '', closed: false, socket };
  socket.setEncoding('utf8').on('data', (part: string) => {
    reader.text += part;
  });
  socket.on('close', () => {
    reader.closed = true;
  });
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  return reader;
}

async function feedClients(home: TemporaryGateway): Promise<number> {
  const status = await home.client.status();
  return status.role === 'owner' ? status.feed_clients : 0;
}

test('a page of events has the filters, the order and the limit that are asked for', async () => {
  await using home = await temporaryGateway();
  await home.record('a.one', ['x', 'y', 'z']);
  await home.record('b.two', ['x']);
  const page = async (query: string) => {
    const path = `/api/v1/events?${query}`;
    const answer = await send({
      at: home.ownerSocket,
      path,
      headers: { accept: 'application/json' },
    });
    const { items, next } = routes.events.output.parse(answer.json);
    return { seqs: items.map(({ seq }) => seq), next };
  };

  expect(await page('')).toEqual({ seqs: [1, 2, 3, 4, 5], next: null });
  expect(await page('limit=2')).toEqual({ seqs: [1, 2], next: 2 });
  expect(await page('limit=2&after=3')).toEqual({ seqs: [4, 5], next: null });
  expect(await page('limit=2&order=newest-first')).toEqual({ seqs: [5, 4], next: 4 });
  expect(await page('before=3')).toEqual({ seqs: [1, 2], next: null });
  expect(await page('kind=a.*&subject=y')).toEqual({ seqs: [3], next: null });
  expect(await page('until=2000-01-01')).toEqual({ seqs: [], next: null });
  expect(await page('since=0&actor=owner')).toEqual({ seqs: [2, 3, 4, 5], next: null });
});

test.each([
  ['limit=1001', 'gateway.bad-request'],
  ['after=-1', 'gateway.bad-request'],
  ['after=x', 'gateway.bad-request'],
  ['after=99', 'events.unknown-position'],
  ['since=2030-99-99', 'gateway.bad-request'],
  ['order=best-first', 'gateway.bad-request'],
  ['kind=%27%20or%201', 'gateway.bad-request'],
  ['strange=1', 'gateway.bad-request'],
  ['after=1&after=2', 'gateway.bad-request'],
])('a page with "%s" is refused', async (query, code) => {
  await using home = await temporaryGateway();

  const answer = await send({
    at: home.ownerSocket,
    path: `/api/v1/events?${query}`,
    headers: { accept: 'application/json' },
  });

  expect(answer).toMatchObject({ status: 400, json: { code } });
});

test('the client reads all pages, in either order', async () => {
  await using home = await temporaryGateway();
  await home.record(
    'a.one',
    Array.from({ length: 2500 }, () => 'x'),
  );

  const oldest = await Array.fromAsync(home.client.events({ kind: 'a.one' }));
  const newest = await Array.fromAsync(home.client.events({ order: 'newest-first', limit: 1500 }));

  expect(oldest.map(({ seq }) => seq)).toEqual(Array.from({ length: 2500 }, (_, i) => i + 2));
  expect(newest.map(({ seq }) => seq)).toEqual(Array.from({ length: 1500 }, (_, i) => 2501 - i));
});

test('pages over what is rare are short, go on, and leave nothing out', async () => {
  await using home = await temporaryGateway({ limits: { scanEvents: 10 } });
  for (let round = 0; round < 5; round++) {
    await home.record(
      'a.common',
      Array.from({ length: 17 }, () => 'x'),
    );
    await home.record('b.rare', ['x', 'y']);
  }
  await home.ledger.transact((tx) => deleteEventsThrough(tx, 30));
  const headers = { accept: 'application/json' };

  const first = await send({ at: home.ownerSocket, path: '/api/v1/events?kind=b.rare', headers });
  const up = await Array.fromAsync(home.client.events({ kind: 'b.rare' }));
  const down = await Array.fromAsync(
    home.client.events({ kind: 'b.rare', order: 'newest-first', after: '39' }),
  );

  expect(first.json).toMatchObject({ items: [{ seq: 38 }, { seq: 39 }], next: 40 });
  expect(up.map(({ seq }) => seq)).toEqual([38, 39, 57, 58, 76, 77, 95, 96]);
  expect(down.map(({ seq }) => seq)).toEqual([96, 95, 77, 76, 58, 57]);
});

test('a stream begins with its place, gives each event with its number, and goes on from one', async () => {
  await using home = await temporaryGateway();
  const first = readStream(home.ownerSocket);
  await untilTrue(() => first.text.includes('id: 1\n: still here'));

  await home.record('a.one', ['x', 'y']);
  await untilTrue(() => first.text.includes('id: 3'));
  first.socket.destroy();
  await home.record('a.one', ['z']);
  const second = readStream(home.ownerSocket, { headers: 'Last-Event-ID: 2\r\n' });
  await untilTrue(() => second.text.includes('id: 4'));
  second.socket.destroy();

  expect(first.text).toContain('content-type: text/event-stream');
  expect(first.text).toMatch(/id: 2\nevent: a\.one\ndata: \{"seq":2,.*\}\n\n/);
  expect(second.text).toContain('id: 3\nevent: a.one');
  expect(second.text).toContain('id: 4\nevent: a.one');
  expect(second.text.match(/event: /g)).toHaveLength(2);
});

test('a stream from before the oldest event says what is missing', async () => {
  await using home = await temporaryGateway();
  await home.record('a.one', ['x', 'y', 'z']);
  await home.ledger.transact((tx) => deleteEventsThrough(tx, 3));

  const reader = readStream(home.ownerSocket, { path: '/api/v1/events?after=1' });
  await untilTrue(() => reader.text.includes('id: 4'));
  reader.socket.destroy();

  expect(reader.text).toContain('id: 3\nevent: pruned\ndata: {"from":2,"to":3}\n\nid: 4\n');
});

test.each([
  ['a place that is not there', 'Last-Event-ID: 99\r\n', 'events.unknown-position'],
  ['a place that is none', 'Last-Event-ID: x\r\n', 'gateway.bad-request'],
])('a stream from %s is refused', async (_what, header, code) => {
  await using home = await temporaryGateway();

  const text = await sendRaw(
    home.ownerSocket,
    `GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${header}\r\n`,
  );

  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain(code);
});

test('an agent sees only what concerns it', async () => {
  await using home = await temporaryGateway();
  const jean = await home.client.register('jean');
  await home.client.register('jared');
  const at = home.agentSocket('jean');
  await home.record('a.one', ['agent:jared', 'agent:jean', 'agent:jean2']);
  const headers = { accept: 'application/json', ...bearer(jean.handle) };

  const answer = await send({ at, path: '/api/v1/events?subject=agent:jared', headers });
  const own = await send({ at, path: '/api/v1/events', headers });
  const stream = readStream(at, {
    path: '/api/v1/events?after=0',
    headers: `Authorization: Bearer ${jean.handle}\r\n`,
  });
  await untilTrue(() => stream.text.includes('event: a.one'));
  stream.socket.destroy();

  expect(answer.json).toEqual({ items: [], next: null });
  const { items } = routes.events.output.parse(own.json);
  expect(items.map(({ subject }) => subject)).toEqual(['agent:jean', 'agent:jean']);
  expect(stream.text).not.toContain('jared');
});

test('a stream ends when the handle that opened it is revoked', async () => {
  await using home = await temporaryGateway();
  const jean = await home.client.register('jean');
  const stream = readStream(home.agentSocket('jean'), {
    headers: `Authorization: Bearer ${jean.handle}\r\n`,
  });
  await untilTrue(() => stream.text.includes('still here'));

  await home.ledger.transact(async (tx) => {
    await revokeHandlesOf(tx, 'agent:jean', 1);
    await tx.record({ actor: 'owner', kind: 'identity.handle-revoked', subject: 'agent:jean' });
  });
  await untilTrue(() => stream.closed);

  expect(stream.text).not.toContain('identity.handle-revoked');
});

test('a stream without news is kept alive, and its place moves', async () => {
  await using home = await temporaryGateway({ limits: { pollMs: 10, heartbeatMs: 20 } });
  const reader = readStream(home.ownerSocket, { path: '/api/v1/events?kind=never.this' });
  await untilTrue(() => reader.text.includes('id: 1\n: still here'));

  await home.record('a.one', ['x', 'y']);
  await untilTrue(() => reader.text.includes('id: 3\n: still here'));
  reader.socket.destroy();

  expect(reader.text).not.toContain('event:');
});

const upgradeHeaders =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

test.each([
  ['stream', '/api/v1/events?after=0', ''],
  ['WebSocket', '/api/v1/ws?after=0', upgradeHeaders],
])(
  'the reader of a %s who does not read is cut off, and holds no more than a page meanwhile',
  async (_what, path, headers) => {
    await using home = await temporaryGateway({ limits: { slowReaderMs: 300, pageEvents: 100 } });
    const long = 'x'.repeat(20_000);
    const fill = (count: number) =>
      home.ledger.transact(async (tx) => {
        for (let index = 0; index < count; index++) {
          await tx.record({ actor: 'owner', kind: 'a.long', subject: 'x', data: { long } });
        }
      });
    // 60 MB in the ledger, of which a socket takes less than one.
    for (let round = 0; round < 6; round++) await fill(500);
    const socket: Socket = createConnection(home.ownerSocket);
    socket.pause();
    socket.on('error', () => {});
    const before = process.memoryUsage().rss;

    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
    await untilTrue(async () => (await feedClients(home)) === 1);
    await untilTrue(async () => (await feedClients(home)) === 0);

    const { text } = await send({ at: home.ownerSocket, path: '/metrics' });
    expect(text).toContain('aos_events_cut_off_total 1');
    expect(process.memoryUsage().rss - before).toBeLessThan(30_000_000);
    socket.destroy();
  },
);

function openWebSocket(at: string, query = '', headers: Record<string, string> = {}) {
  const socket = new WebSocket(`ws+unix:${at}:/api/v1/ws${query}`, { headers });
  const reader = { messages: [] as Record<string, unknown>[], closed: 0, refused: 0, socket };
  socket.on('message', (data) => reader.messages.push(JSON.parse(data.toString())));
  socket.on('close', (code) => {
    reader.closed = code;
  });
  socket.on('unexpected-response', (_request, response) => {
    reader.refused = response.statusCode ?? 0;
    response.destroy();
  });
  socket.on('error', () => {});
  return reader;
}

test('a WebSocket carries the same events, and answers a ping', async () => {
  await using home = await temporaryGateway();
  await home.record('a.one', ['x', 'y']);
  const reader = openWebSocket(home.ownerSocket, '?after=1&subject=y');
  await untilTrue(() => reader.messages.length === 1);

  reader.socket.send('{"type":"ping"}');
  reader.socket.send('{"type":"dance"}');
  reader.socket.send('no JSON');
  await untilTrue(() => reader.messages.length === 4);
  reader.socket.close();
  await untilTrue(() => reader.closed > 0);

  const [event, pong, ...errors] = reader.messages;
  const [same] = await Array.fromAsync(home.client.events({ subject: 'y' }));
  expect(event).toEqual({ type: 'event', ...same });
  expect(pong).toEqual({ type: 'pong' });
  for (const error of errors) {
    expect(error).toMatchObject({ type: 'error', problem: { code: 'gateway.bad-request' } });
  }
});

test('a WebSocket is refused like any request', async () => {
  await using home = await temporaryGateway();
  const jean = await home.client.register('jean');
  const at = home.agentSocket('jean');
  const readers = {
    none: openWebSocket(at),
    other: openWebSocket(at, '', bearer(home.ownerHandle)),
    origin: openWebSocket(at, '', { ...bearer(jean.handle), origin: 'https://evil.example' }),
    query: openWebSocket(at, '?strange=1', bearer(jean.handle)),
    twice: openWebSocket(at, '?after=1&after=1', bearer(jean.handle)),
    beyond: openWebSocket(at, '?after=99', bearer(jean.handle)),
  };
  await untilTrue(() => Object.values(readers).every(({ refused }) => refused > 0));

  const statuses = Object.entries(readers).map(([name, { refused }]) => [name, refused]);

  expect(Object.fromEntries(statuses)).toEqual({
    ...{ none: 401, other: 403, origin: 403, query: 400, twice: 400, beyond: 400 },
  });
});

test('a WebSocket elsewhere, and one that does not know how, are refused', async () => {
  await using home = await temporaryGateway();
  const ask = (path: string) =>
    sendRaw(
      home.ownerSocket,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );

  const problem = 'HTTP\\/1\\.1 400 [\\s\\S]*application/problem\\+json[\\s\\S]*Sec-WebSocket-Key';
  expect(await ask('/api/v1/other')).toMatch(/^HTTP\/1\.1 404 /);
  expect(await ask('/api/v1/ws')).toMatch(new RegExp(`^${problem}`));
});

test('a WebSocket that sends a large message or too many is closed with a reason', async () => {
  await using home = await temporaryGateway({
    limits: { requestsPerSecond: 0.1, requestBurst: 5 },
  });
  const jean = await home.client.register('jean');
  const at = home.agentSocket('jean');
  const large = openWebSocket(home.ownerSocket);
  const many = openWebSocket(at, '', bearer(jean.handle));
  await untilTrue(() => large.socket.readyState === 1 && many.socket.readyState === 1);

  large.socket.send('x'.repeat(8_000_000));
  for (let index = 0; index < 20; index++) many.socket.send('{"type":"ping"}');
  await untilTrue(() => large.closed > 0 && many.closed > 0);

  expect(large.closed).toBe(1009);
  expect(many.closed).toBe(1008);
});

test('a row with a number that cannot be read is said to be damage, by a page and by a feed', async () => {
  await using home = await temporaryGateway();
  await home.record('a.one', ['x', 'y', 'z']);
  const { client } = home;
  const live = readStream(home.ownerSocket, { headers: 'Last-Event-ID: 1\r\n' });
  await untilTrue(() => live.text.includes('id: 4'));
  using ledger = new DatabaseSync(home.home.at('ledger.db'));
  ledger.exec('update events set at = 9000000000000000000 where seq = 3');
  await home.record('a.one', ['x']);

  const page = Array.fromAsync(client.events({}));
  const feed = client.follow({}, { after: 1 }).next();
  const webSocket = openWebSocket(home.ownerSocket, '?after=1');

  const damage = { code: 'ledger.corrupt', message: expect.stringContaining('is damaged') };
  await expect(page).rejects.toMatchObject(damage);
  await expect(feed).rejects.toMatchObject(damage);
  await untilTrue(() => webSocket.refused === 503);
  expect(await client.auditVerify()).toMatchObject({ kind: 'broken', seq: 3 });
  // A reader behind it is not disturbed, and nothing of this is a bug.
  await untilTrue(() => live.text.includes('id: 5'));
  expect(home.logged).toEqual([]);
});

test('a feed that comes to a row with a number that cannot be read ends, and says why at the next', async () => {
  await using home = await temporaryGateway();
  const live = readStream(home.ownerSocket, { headers: 'Last-Event-ID: 1\r\n' });
  await untilTrue(() => live.text.includes('id: 1'));
  await home.ledger.transact(async (tx) => {
    await tx.record({ actor: 'owner', kind: 'a.one', subject: 'x' });
    await tx.run('update events set at = 9000000000000000000 where seq = 2');
  });

  await untilTrue(() => live.closed);

  const next = home.client.follow({}, { after: 1 }).next();
  await expect(next).rejects.toMatchObject({ code: 'ledger.corrupt' });
  expect(home.logged).toEqual([]);
});

test('closing the gateway ends streams and WebSockets', async () => {
  await using home = await temporaryGateway();
  const stream = readStream(home.ownerSocket);
  const socket = openWebSocket(home.ownerSocket);
  await untilTrue(() => stream.text.includes('still here') && socket.socket.readyState === 1);

  await home.gateway.close();

  await untilTrue(() => stream.closed && socket.closed > 0);
  expect(socket.closed).toBe(1001);
});

function embeddedClient(home: TemporaryGateway) {
  const connect = () => home.gateway.connect();
  const transport = connectionTransport({ clock: realClock, connect });
  return createClient({ transport, clock: realClock, version: testVersion });
}

test('inside the same process the client needs no socket', async () => {
  await using home = await temporaryGateway();
  const client = embeddedClient(home);

  const { name } = await client.register('jean');
  const events = await Array.fromAsync(client.events({ kind: 'agent.*' }));

  expect(name).toBe('jean');
  expect(events).toMatchObject([{ subject: 'agent:jean' }]);
});

test('follow() goes over lost connections: no gap and nothing twice', async () => {
  await using home = await temporaryGateway();
  const stop = new AbortController();
  const clock = new SimulatedClock();
  let isDown = false;
  let connections: Duplex[] = [];
  const connect = (): Duplex => {
    const connection = isDown ? createConnection(home.home.at('none')) : home.gateway.connect();
    connections.push(connection);
    return connection;
  };
  const transport = connectionTransport({ clock: realClock, connect });
  const client = createClient({ transport, clock, version: testVersion });
  const seen: number[] = [];
  const following = (async () => {
    for await (const item of client.follow({ kind: 'a.*' }, { after: 0, signal: stop.signal })) {
      if (item.kind === 'event') seen.push(item.event.seq);
    }
  })();
  following.catch(() => {});

  for (let round = 1; round <= 50; round++) {
    await home.record('a.one', ['x', 'y', 'z']);
    await home.record('b.two', ['x']);
    // Sometimes in the middle of a page, sometimes behind it.
    if (round % 2 === 0) await untilTrue(() => seen.length === round * 3);
    isDown = round % 3 === 0;
    for (const connection of connections) connection.destroy();
    connections = [];
    await untilTrue(() => clock.sleeping === 1);
    await clock.advance(5000);
    if (isDown) await untilTrue(() => clock.sleeping === 1);
    isDown = false;
    await clock.advance(5000);
  }
  await untilTrue(() => seen.length === 150);
  stop.abort(new Error('enough'));

  await expect(following).rejects.toThrow('enough');
  const expected = await Array.fromAsync(home.client.events({ kind: 'a.*' }));
  expect(seen).toEqual(expected.map(({ seq }) => seq));
});

test('follow() without a place begins now and misses nothing from then on', async () => {
  await using home = await temporaryGateway();
  await home.record('a.early', ['x']);
  const stop = new AbortController();
  const items: FollowedItem[] = [];
  const following = (async () => {
    for await (const item of home.client.follow({}, { signal: stop.signal })) items.push(item);
  })();
  following.catch(() => {});
  await untilTrue(async () => (await feedClients(home)) === 1);

  await home.record('a.late', ['y']);
  await untilTrue(() => items.length > 0);
  stop.abort(new Error('enough'));

  await expect(following).rejects.toThrow('enough');
  expect(items).toMatchObject([{ kind: 'event', event: { kind: 'a.late' } }]);
});

test('follow() tells of a place that is not there, and does not try for ever', async () => {
  await using home = await temporaryGateway();

  const attempt = home.client.follow({}, { after: 99 }).next();

  await expect(attempt).rejects.toMatchObject({ code: 'events.unknown-position' });
});

/** A frame from a client, with the mask 0. */
function frame(opcode: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}

test.each([
  ['messages', frame(1, '{"type":"ping"}')],
  ['pings of the protocol', frame(9, 'x'.repeat(125))],
])('a WebSocket that sends %s and does not read the answers is cut off', async (_what, one) => {
  await using home = await temporaryGateway();
  const socket: Socket = createConnection(home.ownerSocket);
  socket.pause();
  let isClosed = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  socket.write(`GET /api/v1/ws HTTP/1.1\r\nHost: localhost\r\n${upgradeHeaders}\r\n`);
  await untilTrue(async () => (await feedClients(home)) === 1);
  const flood = Buffer.concat(Array.from({ length: 1000 }, () => one));

  await untilTrue(() => {
    if (socket.writable && socket.writableLength < 1_000_000) socket.write(flood);
    return isClosed;
  });

  await untilTrue(async () => (await feedClients(home)) === 0);
  const { text: metrics } = await send({ at: home.ownerSocket, path: '/metrics' });
  expect(metrics).toContain('aos_events_cut_off_total 1\n');
  socket.destroy();
});
