import { expect, test } from 'vitest';
import { openOnce } from '../../../tests/support/open-once.ts';
import {
  bearer,
  send,
  sendRaw,
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import { plainOf, sha256, storedOf } from '../../../tests/support/temporary-transfers.ts';
import type { Client } from '../client/client.ts';

const text = 'what was found';
const digest = sha256(text);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function sendFile(client: Client, as: string, facts: object = {}) {
  const wish = { as, filename: 'report.md', kind: 'file' as const, to: ['jared'], sealed: true };
  const begun = await client.beginUpload({
    ...{ ...wish, size_bytes: text.length, sha256: digest },
    ...facts,
  });
  if (begun.state !== 'open') throw new Error(`it is ${begun.state}`);
  const bytes = storedOf(text, begun.dek);
  await client.uploadBytes(begun.upload, once(bytes), { from: 0, as });
  const end = { stored_bytes: bytes.length, size_bytes: text.length, sha256: digest };
  const { transfers } = await client.finishUpload(begun.upload, { as, ...end });
  return { id: transfers[0]?.id ?? '', bytes };
}

async function gatewayWithTransfer() {
  const gateway = await temporaryGateway();
  const handles = new Map<string, string>();
  for (const name of ['samantha', 'jared', 'jean']) {
    handles.set(name, (await gateway.client.register(name)).handle);
  }
  const sent = await sendFile(gateway.client, 'samantha');
  const as = (name: string, path: string, choices: object = {}) =>
    send({
      ...{ at: gateway.agentSocket(name), path },
      headers: bearer(handles.get(name) ?? ''),
      ...choices,
    });
  return Object.assign(gateway, sent, { as, handles });
}

/** For those that change nothing. */
const looked = openOnce(gatewayWithTransfer);

test('over HTTP a file goes from one to another, and its bytes by parts', async () => {
  await using here = await gatewayWithTransfer();
  const { client, id, bytes } = here;

  const page = await client.transfers({ as: 'jared', status: 'pending' });
  const opened = await client.openTransfer(id.slice(0, 20), { as: 'jared' });
  const whole = await client.transferBytes(id, { as: 'jared' });
  const read = Buffer.concat(await Array.fromAsync(whole.stream));
  const part = await client.transferBytes(id, { as: 'jared', from: 10, to: 20 });
  const some = Buffer.concat(await Array.fromAsync(part.stream));
  const verified = await client.verifyTransfer(id, { as: 'jared' });

  expect(page.items).toMatchObject([{ id, sender: 'samantha' }]);
  expect(opened).toMatchObject({ hash: sha256(bytes), stored_bytes: bytes.length });
  expect(opened.local).toContain('/blobs/');
  expect(whole.sizeBytes).toBe(bytes.length);
  expect(plainOf(read, opened.dek)).toBe(text);
  expect(some).toEqual(Buffer.from(bytes.subarray(10, 20)));
  expect(verified).toMatchObject({ status: 'downloaded', ack: 'verified' });
});

test.each([
  ['bytes=0-3', 206, 'bytes 0-3/94', 4],
  ['bytes=90-', 206, 'bytes 90-93/94', 4],
  ['bytes=-4', 206, 'bytes 90-93/94', 4],
  ['bytes=90-200', 206, 'bytes 90-93/94', 4],
  ['bytes=94-', 416, 'bytes */94', 0],
  ['bytes=0-1,4-5', 200, undefined, 94],
  ['bytes=5-1', 200, undefined, 94],
  ['lines=1-2', 200, undefined, 94],
])('Range: %s is answered with %d', async (range, status, contentRange, length) => {
  const here = looked();

  const answer = await sendRaw(
    here.agentSocket('jared'),
    `GET /api/v1/transfers/${here.id}/bytes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${here.handles.get('jared')}\r\nRange: ${range}\r\nConnection: close\r\n\r\n`,
  );

  const head = answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase();
  expect(head).toContain(`http/1.1 ${status} `);
  expect(/content-range: (.*)/.exec(head)?.[1]).toBe(contentRange);
  expect(head).toContain(`content-length: ${length}`);
  expect(head).toContain(`etag: "${sha256(here.bytes)}"`);
});

test('HEAD tells how many bytes there are, and who has them gets none', async () => {
  const here = looked();
  const path = `/api/v1/transfers/${here.id}/bytes`;
  const etag = `"${sha256(here.bytes)}"`;
  const handle = bearer(here.handles.get('jared') ?? '');

  const head = await here.as('jared', path, { method: 'HEAD' });
  const known = await here.as('jared', path, { headers: { ...handle, 'if-none-match': etag } });

  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers).toMatchObject({ 'content-length': String(here.bytes.length), etag });
  expect(known).toMatchObject({ status: 304, text: '' });
});

test('a use of a link is never spent on nothing', async () => {
  await using here = await gatewayWithTransfer();
  const port = await withTcp(here);
  const { path } = await here.client.linkTransfer(here.id, {});
  const headers = { 'if-none-match': '*' };

  const bytes = await send({ at: port, path: `${path.split('#')[0]}/bytes`, headers });

  expect(bytes.status).toBe(200);
  expect(bytes.headers['content-length']).toBe(String(here.bytes.length));
});

const calls = [
  ['GET', ''],
  ['GET', '/bytes'],
  ['POST', '/open'],
  ['POST', '/verified'],
  ['POST', '/accept'],
  ['POST', '/reject'],
  ['POST', '/fail'],
  ['POST', '/share'],
  ['POST', '/revoke'],
  ['POST', '/links'],
] as const;

test.each(calls)(
  'jean learns nothing by %s …%s of what samantha sent to jared',
  async (method, what) => {
    const here = looked();
    const body = {
      '/reject': { reason: 'x' },
      '/fail': { reason: 'x' },
      '/share': { to: ['jean'] },
    };
    const content =
      method === 'GET'
        ? {}
        : { body: JSON.stringify(Object.hasOwn(body, what) ? body[what as '/fail'] : {}) };
    const ask = (id: string) =>
      here.as('jean', `/api/v1/transfers/${id}${what}`, { method, ...content });
    const missing = 'ab'.repeat(16);

    const [theirs, none, start] = [
      await ask(here.id),
      await ask(missing),
      await ask(here.id.slice(0, 8)),
    ];

    expect([theirs.status, none.status, start.status]).toEqual([404, 404, 404]);
    expect(theirs.text.replaceAll(here.id, missing)).toBe(none.text);
    expect(start.json).toMatchObject({ code: 'transfer.unknown' });
  },
);

test('jean sees none in her lists, her metrics and her events, and cannot act for jared', async () => {
  await using here = await gatewayWithTransfer();

  const lists = await Promise.all(
    ['received', 'sent', 'all'].map((box) => here.as('jean', `/api/v1/transfers?box=${box}`)),
  );
  const metrics = await here.as('jean', '/api/v1/transfers/metrics');
  const events = await here.as('jean', '/api/v1/events?kind=transfer.*', {
    headers: { ...bearer(here.handles.get('jean') ?? ''), accept: 'application/json' },
  });
  const asJared = await here.as('jean', '/api/v1/transfers?as=jared');
  const links = await here.as('jean', '/api/v1/transfers/links');

  for (const { json } of lists) expect(json).toEqual({ items: [], next: null });
  expect(metrics.json).toMatchObject({ count: 0, bytes: 0, storage_bytes: 0 });
  expect(events.text).not.toContain(here.id);
  expect(asJared.status).toBe(403);
  expect(links.json).toEqual({ items: [] });
});

test('an agent is told no path, its writer is not believed, and neither is its hash', async () => {
  await using here = await gatewayWithTransfer();
  const wish = {
    ...{ filename: 'x', kind: 'file', to: ['jared'], sealed: false, size_bytes: 1 },
    ...{ sha256: sha256('x'), writer: { pid: 1, started: 'x' } },
  };

  const begun = await here.as('jean', '/api/v1/transfers/uploads', {
    ...{ method: 'POST', body: JSON.stringify(wish) },
  });
  const opened = await here.as('jared', `/api/v1/transfers/${here.id}/open`, {
    ...{ method: 'POST', body: '{}' },
  });

  expect(begun.json).toMatchObject({ state: 'open', local: null });
  expect(opened.json).toMatchObject({ local: null });
  const rows = await here.ledger.committed.all('select writer from transfer_uploads');
  expect(rows).toEqual([{ writer: null }]);
});

test('the owner sees everything of its home, and fetches as who it says', async () => {
  const here = looked();
  const { client, id } = here;

  expect((await client.transfers({ box: 'all' })).items).toHaveLength(1);
  expect((await client.transfers({})).items).toEqual([]);
  expect(await client.transfer(id)).toMatchObject({ id });
  await expect(client.openTransfer(id, {})).rejects.toMatchObject({ code: 'transfer.unknown' });
  await expect(client.transfers({ as: 'nobody' })).rejects.toMatchObject({ code: 'agent.unknown' });
});

test.each([
  ['no object', '[1]'],
  ['no JSON', '{'],
])('a filter by metadata that is %s is refused', async (_what, metadata) => {
  const here = looked();

  await expect(here.client.transfers({ metadata })).rejects.toMatchObject({
    code: 'gateway.bad-request',
  });
});

test('what breaks off on the way goes on where it was', async () => {
  await using here = await gatewayWithTransfer();
  const large = 'x'.repeat(3_000_000);
  const wish = {
    ...{ as: 'samantha', filename: 'l', kind: 'file' as const },
    ...{ to: ['jared'], sealed: false },
  };
  const begun = await here.client.beginUpload({
    ...{ ...wish, size_bytes: large.length, sha256: sha256(large) },
  });
  if (begun.state !== 'open') throw new Error('it is new');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(large.slice(0, 1_000_000));
    throw new Error('pulled the plug');
  }

  const attempt = here.client.uploadBytes(begun.upload, broken(), { from: 0, as: 'samantha' });
  await expect(attempt).rejects.toThrow();
  const gap = here.client.uploadBytes(begun.upload, once(Buffer.from('x')), {
    ...{ from: 2_000_000, as: 'samantha' },
  });
  const refusal = await gap.catch((error: unknown) => error);

  expect(refusal).toMatchObject({
    code: expect.stringMatching(/^transfer\.(?:wrong-state|busy)$/),
  });
});

async function withTcp(here: TemporaryGateway): Promise<number> {
  return here.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
}

test('a link is opened over TCP without a handle, and by nobody at the door of an agent', async () => {
  await using here = await gatewayWithTransfer();
  const without = await here.client.linkTransfer(here.id, { most_uses: 2 });
  const port = await withTcp(here);
  const link = await here.client.linkTransfer(here.id, { most_uses: 2 });
  const [path = '', key = ''] = link.path.split('#');

  const page = await send({ at: port, path });
  const facts = await send({ at: port, path: `${path}/facts` });
  const bytes = await send({ at: port, path: `${path}/bytes`, headers: { range: 'bytes=0-1' } });
  const atDoor = await here.as('jean', `${path}/facts`);

  expect(without.url).toBeNull();
  expect(link.url).toBe(`http://127.0.0.1:${port}${link.path}`);
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['referrer-policy']).toBe('no-referrer');
  expect(page.text).not.toContain(key);
  expect(facts.json).toMatchObject({ filename: 'report.md', uses_left: 2 });
  expect(bytes.status).toBe(200);
  expect(bytes.headers['content-disposition']).toBe('attachment');
  expect(bytes.headers['content-length']).toBe(String(here.bytes.length));
  expect(atDoor.status).toBe(404);
  expect((await send({ at: port, path: `${path}/facts` })).json).toMatchObject({ uses_left: 1 });
});

test('links that are unknown, revoked and used up are the same 404', async () => {
  await using here = await gatewayWithTransfer();
  const port = await withTcp(here);
  const used = (await here.client.linkTransfer(here.id, {})).path.split('#')[0] ?? '';
  await send({ at: port, path: `${used}/bytes` });
  const revoked = await here.client.linkTransfer(here.id, {});
  await here.client.revokeLink(revoked.id.slice(0, 20), {});

  const answers = await Promise.all(
    [used, revoked.path.split('#')[0] ?? '', `/l/${'x'.repeat(43)}`].flatMap((path) => [
      send({ at: port, path: `${path}/facts` }),
      send({ at: port, path: `${path}/bytes` }),
    ]),
  );

  expect(new Set(answers.map(({ status, text: said }) => `${status} ${said}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(404);
});

test('a page of another site cannot send through an upload link', async () => {
  await using here = await gatewayWithTransfer();
  const port = await withTcp(here);
  const link = await here.client.uploadLink({ as: 'jared' });
  const [path = '', key = ''] = link.path.split('#');
  const body = storedOf(text, Buffer.from(key, 'base64url').toString('hex'));
  const query = `filename=photo.jpg&sha256=${digest}`;
  const upload = (headers: Readonly<Record<string, string>>) =>
    send({
      ...{ at: port, path: `${path}/bytes?${query}`, method: 'POST', body },
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });

  const foreign = await upload({ origin: 'https://evil.example' });
  const own = await upload({ origin: `http://127.0.0.1:${port}` });
  const again = await upload({});

  expect(foreign.status).toBe(403);
  expect(own.json).toMatchObject({ recipient: 'jared', file_size_bytes: text.length });
  expect(again.status).toBe(404);
  const { items } = await here.client.transfers({ as: 'jared' });
  expect(items[0]).toMatchObject({ sender: 'owner', filename: 'photo.jpg' });
});

test('what was sent is counted in /metrics', async () => {
  await using here = await gatewayWithTransfer();
  await here.client.verifyTransfer(here.id, { as: 'jared' });

  const { text: shown } = await send({ at: here.ownerSocket, path: '/metrics' });

  expect(shown).toContain(`aos_transfer_bytes_total ${text.length}`);
  expect(shown).toContain('aos_transfers_total{status="pending"} 1');
  expect(shown).toContain('aos_transfers_total{status="downloaded"} 1');
  expect(shown).toContain('aos_transfer_failed_total 0');
  expect(shown).toContain(`aos_transfer_storage_bytes ${here.bytes.length}`);
});
