/** What jean can learn of what samantha sends to jared, whichever way she asks: nothing. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bearer, send, type TestAnswer } from '../support/temporary-gateway.ts';
import {
  libraryOf,
  libraryWithHandle,
  type ServedHome,
  sealed,
  sha256,
  sharedServedHome,
  storedFiles,
} from '../support/transfer-ends.ts';
import type { AgentNames } from '../support/transfer-home.ts';

const served = sharedServedHome();

const nobodys = '0'.repeat(31).concat('1');
const secret = 'the plan of samantha';
const filename = 'secret-plan.md';

interface Sent {
  readonly id: string;
  readonly link: { readonly id: string; readonly path: string };
}

async function withSecret(home: ServedHome): Promise<Sent> {
  const { samantha, jared } = home.names;
  writeFileSync(home.folder.at(filename), secret);
  const metadata = { project: 'hidden' };
  const { id } = await libraryOf(home, 'samantha').send(home.folder.at(filename), {
    ...{ to: jared, metadata },
  });
  const { id: link, path } = await home.daemon.client.linkTransfer(id, { as: samantha });
  return { id, link: { id: link, path } };
}

interface Way {
  readonly way: string;
  at(home: ServedHome): string | number;
}

const ways: readonly Way[] = [
  { way: 'over her socket', at: (home) => home.withHandle('jean')['AOS_SOCKET'] ?? '' },
  { way: 'over the port', at: ({ daemon }) => Number(new URL(daemon.url).port) },
];

type Route = readonly [
  method: string,
  path: string,
  body?: object | undefined,
  headers?: Record<string, string>,
];

const handles = new WeakMap<ServedHome, Promise<{ readonly handle: string }>>();

/** One that ends some day, because no other is good on the port. */
async function jeansHandle(home: ServedHome): Promise<string> {
  const known =
    handles.get(home) ?? home.daemon.client.renewHandle(home.names.jean, { expires_ms: 3_600_000 });
  handles.set(home, known);
  return (await known).handle;
}

/** Everything that can be asked about one transfer. */
const routes = (id: string, { jean }: AgentNames): readonly Route[] => [
  ['GET', `/api/v1/transfers/${id}`],
  ['GET', `/api/v1/transfers/${id}?wait_for=verified&wait_ms=1`],
  ['POST', `/api/v1/transfers/${id}/open`, {}],
  ['GET', `/api/v1/transfers/${id}/bytes`],
  ['GET', `/api/v1/transfers/${id}/bytes`, undefined, { range: 'bytes=0-10' }],
  ['GET', `/api/v1/transfers/${id}/bytes`, undefined, { range: 'bytes=-5' }],
  ['GET', `/api/v1/transfers/${id}/bytes`, undefined, { range: 'bytes=999999-' }],
  ['HEAD', `/api/v1/transfers/${id}/bytes`],
  ['POST', `/api/v1/transfers/${id}/verified`, {}],
  ['POST', `/api/v1/transfers/${id}/accept`, {}],
  ['POST', `/api/v1/transfers/${id}/reject`, { reason: 'no' }],
  ['POST', `/api/v1/transfers/${id}/fail`, { reason: 'no' }],
  ['POST', `/api/v1/transfers/${id}/share`, { to: [jean] }],
  ['POST', `/api/v1/transfers/${id}/revoke`, {}],
  ['POST', `/api/v1/transfers/${id}/links`, {}],
];

async function ask(
  home: ServedHome,
  at: string | number,
  [method, path, body, headers = {}]: Route,
) {
  const handle = await jeansHandle(home);
  const more = body === undefined ? {} : { body: JSON.stringify(body) };
  return send({
    at,
    method,
    path,
    headers: { accept: 'application/json', ...headers, ...bearer(handle) },
    ...more,
  });
}

/** Without what differs from request to request. */
function shape({ status, headers, text }: TestAnswer, id: string): object {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(id, 'ID').replace(/req-\w+/, 'REQ') };
}

/** How often something that jean did was written down. */
async function actionsOfJean({ daemon, names }: ServedHome): Promise<number> {
  const actor = `agent:${names.jean}`;
  return (await Array.fromAsync(daemon.client.events({ actor }))).length;
}

describe.each(ways)('jean $way', ({ at }) => {
  test('gets the same answers for a transfer of others as for none', async () => {
    const home = await served();
    const { id } = await withSecret(home);
    await jeansHandle(home);
    const before = await actionsOfJean(home);

    const [ofNobody, ofStart] = [nobodys, id.slice(0, 20)].map((some) => routes(some, home.names));
    for (const [index, route] of routes(id, home.names).entries()) {
      const theirs = await ask(home, at(home), route);
      const missing = await ask(home, at(home), ofNobody?.[index] ?? route);
      const start = await ask(home, at(home), ofStart?.[index] ?? route);

      expect(theirs.status, route.join(' ')).toBe(404);
      expect(shape(theirs, id), route.join(' ')).toEqual(shape(missing, nobodys));
      expect(start.status, route.join(' ')).toBe(404);
      if (route[0] !== 'HEAD') expect(theirs.json).toMatchObject({ code: 'transfer.unknown' });
    }
    // Nothing was written down for either, by which somebody could tell them apart.
    expect(await actionsOfJean(home)).toBe(before);
    expect(await home.daemon.client.transfer(id)).toMatchObject({
      ack: 'announced',
      status: 'pending',
    });
  });

  test('sees nothing of it in any list, count or page', async () => {
    const home = await served();
    const { id, link } = await withSecret(home);
    const { samantha, jared, jean } = home.names;
    const paths = [
      ...['received', 'sent', 'all'].map((box) => `/api/v1/transfers?box=${box}`),
      ...[`?from=${samantha}`, `?to=${jared}&box=all`, '?filename=*', '?box=all&before=9.9'].map(
        (query) => `/api/v1/transfers${query}`,
      ),
      `/api/v1/transfers?box=all&metadata=${encodeURIComponent('{"project":"hidden"}')}`,
      ...[
        '/api/v1/transfers/metrics',
        '/api/v1/transfers/links',
        '/api/v1/messages',
        `/api/v1/agents/${jean}/inbox`,
        '/api/v1/events',
      ],
      ...[
        `/api/v1/events?subject=transfer:${id}`,
        '/metrics',
        '/api/v1/status',
        '/api/v1/agents',
        '/api/v1/audit/head',
        `/api/v1/why/${id}`,
      ],
    ];

    for (const path of paths) {
      const { status, text } = await ask(home, at(home), ['GET', path]);

      expect(text, `${path} ${status}`).not.toContain(filename);
      expect(text, path).not.toContain(link.id);
      expect(text.replace(path, '').replace(`/api/v1/why/${id}`, ''), path).not.toContain(id);
      expect(text, path).not.toContain('hidden');
      if (path.endsWith('transfers/metrics')) {
        expect(JSON.parse(text)).toMatchObject({ count: 0, bytes: 0, storage_bytes: 0, days: [] });
      }
    }
  });

  test('cannot act for anybody else, whatever she asks for', async () => {
    const home = await served();
    const { id } = await withSecret(home);
    const { samantha, jared } = home.names;
    const as = { as: jared };
    const asked: Route[] = [
      ['GET', `/api/v1/transfers?as=${jared}`],
      ['GET', `/api/v1/transfers/${id}?as=${jared}`],
      ['GET', `/api/v1/transfers/${id}/bytes?as=${jared}`],
      ['GET', `/api/v1/transfers/metrics?as=${samantha}`],
      ['GET', `/api/v1/transfers/links?as=${samantha}`],
      ['POST', `/api/v1/transfers/${id}/open`, as],
      ['POST', '/api/v1/transfers/upload-links', as],
      ['POST', '/api/v1/transfers/cleanup', as],
      ['POST', '/api/v1/transfers/uploads', { ...wish(home, 'x'), as: samantha }],
    ];

    for (const route of asked) {
      const { status, json, text } = await ask(home, at(home), route);

      expect(status, `${route.join(' ')}: ${text}`).toBe(403);
      expect(json).toMatchObject({ code: 'message.denied' });
    }
  });

  test('can neither add to, nor end, what samantha is uploading', async () => {
    const home = await served();
    const { client } = home.daemon;
    const asked = { ...wish(home, 'half'), as: home.names.samantha };
    const begun = await client.beginUpload(asked);
    const upload = begun.state === 'open' ? begun.upload : '';
    const uploads = (id: string): Route[] => [
      [
        'POST',
        `/api/v1/transfers/uploads/${id}/bytes?from=0`,
        undefined,
        { 'content-type': 'application/octet-stream' },
      ],
      [
        'POST',
        `/api/v1/transfers/uploads/${id}/finish`,
        { stored_bytes: 0, size_bytes: 4, sha256: sha256('half') },
      ],
      ['POST', `/api/v1/transfers/uploads/${id}/fail`, { reason: 'no' }],
    ];

    for (const [index, route] of uploads(upload).entries()) {
      const theirs = await ask(home, at(home), route);
      const missing = await ask(home, at(home), uploads(nobodys)[index] ?? route);

      expect(theirs.status, route.join(' ')).toBe(404);
      expect(shape(theirs, upload)).toEqual(shape(missing, nobodys));
    }
    expect(await client.beginUpload(asked)).toMatchObject({ state: 'busy' });
  });

  test('is told no path, and no process or hash of hers is believed', async () => {
    const home = await served();
    const handle = await jeansHandle(home);
    const writer = { pid: process.pid, started: '1' };
    const opened = await ask(home, at(home), [
      'POST',
      '/api/v1/transfers/uploads',
      { ...wish(home, 'mine'), writer },
    ]);
    const {
      upload = '',
      dek = '',
      local,
    } = opened.json as { upload?: string; dek?: string; local?: unknown };
    const bytes = sealed(Buffer.from('mine'), dek);
    const headers = { ...bearer(handle), 'content-type': 'application/octet-stream' };
    const path = `/api/v1/transfers/uploads/${upload}/bytes?from=0`;
    await send({ at: at(home), method: 'POST', path, headers, body: bytes });
    const lie = 'f'.repeat(64);
    const end = { stored_bytes: bytes.length, size_bytes: 4, sha256: sha256('mine'), hash: lie };

    const finished = await ask(home, at(home), [
      'POST',
      `/api/v1/transfers/uploads/${upload}/finish`,
      end,
    ]);

    expect(local).toBeNull();
    expect(finished.status, finished.text).toBe(200);
    expect(storedFiles(home).map((file) => file.slice(-64))).toEqual([sha256(bytes)]);
    const { items } = (await ask(home, at(home), ['GET', '/api/v1/transfers?box=sent'])).json as {
      items: { id: string }[];
    };
    const opening = await ask(home, at(home), [
      'POST',
      `/api/v1/transfers/${items[0]?.id}/open`,
      {},
    ]);
    expect(opening.status).toBe(404);
  });
});

test('to jean the beginning of ids of others never fits several', async () => {
  const home = await served();
  const [samantha, to] = [libraryOf(home, 'samantha'), home.names.jared];
  const ids = [];
  for (const text of ['one', 'two', 'three']) {
    ids.push((await samantha.sendBuffer(Buffer.from(text), 'x', { to })).id);
  }
  const [at] = ways.map((way) => way.at(home));

  const [short] = [ids[0]?.slice(0, 6) ?? ''];
  const forJared = await home.type('jared', `agent-transfer status ${short}`);
  const answer = await ask(home, at ?? '', ['GET', `/api/v1/transfers/${short}`]);

  expect(forJared.stderr).toContain('fits several');
  expect(answer.json).toMatchObject({ status: 404, code: 'transfer.unknown' });
});

test('the library with her handle finds nothing of others', async () => {
  const home = await served();
  const { id } = await withSecret(home);
  const jean = libraryWithHandle(home, 'jean');

  expect(await jean.listPending()).toEqual([]);
  expect(await jean.listReceived({ to: home.names.jared })).toEqual([]);
  expect(await jean.listSent({ from: home.names.samantha })).toEqual([]);
  for (const which of [id, id.slice(0, 20), nobodys]) {
    const unknown = {
      code: 'transfer.unknown',
      message: `There is no transfer "${which}" of yours`,
    };
    await expect(jean.status(which)).rejects.toMatchObject(unknown);
    await expect(jean.download(which, { dest: home.folder.at('got') })).rejects.toMatchObject(
      unknown,
    );
    await expect(jean.downloadTo(which, async () => {})).rejects.toMatchObject(unknown);
    await expect(jean.waitFor(which, 'verified', { timeoutMs: 1 })).rejects.toMatchObject(unknown);
  }
});

test('through her own door a link leads nowhere, good or not', async () => {
  const home = await served();
  const { link } = await withSecret(home);
  const [at] = ways.map((way) => way.at(home));
  const token = link.path.slice('/l/'.length).split('#')[0] ?? '';

  for (const path of ['', '/facts', '/bytes']) {
    const theirs = await ask(home, at ?? '', ['GET', `/l/${token}${path}`]);
    const missing = await ask(home, at ?? '', ['GET', `/l/${'A'.repeat(43)}${path}`]);

    expect(shape(theirs, token)).toEqual(shape(missing, 'A'.repeat(43)));
    expect(theirs.text).not.toContain(filename);
  }
});

test('the owner who acts as jean sees no more than she does', async () => {
  const home = await served();
  const { id } = await withSecret(home);

  for (const line of [`status ${id}`, `download ${id}`, `revoke ${id}`, `share ${id} --to $jean`]) {
    const run = await home.type('jean', `agent-transfer ${line}`);

    expect(run.code, line).toBe(4);
    expect(run.stderr, line).toContain(`There is no transfer "${id}" of yours`);
  }
  expect((await home.type('jean', 'agent-transfer list --all')).stdout).not.toContain(filename);
});

test('who was terminated neither sends nor receives any more', async () => {
  const home = await served();
  const { id } = await withSecret(home);
  const { samantha, jared, jean } = home.names;
  for (const name of [jared, samantha]) await home.daemon.client.killAgent(name);

  const received = await home.typeIn(
    home.withHandle('jared'),
    `agent-transfer download ${id} --dest got`,
  );
  const sent = await home.typeIn(
    home.withHandle('samantha'),
    `agent-transfer send ${filename} --to ${jean}`,
  );
  const to = await home.type('jean', `agent-transfer send ${filename} --to ${jared}`);

  expect(received.code).not.toBe(0);
  expect(sent.code).not.toBe(0);
  expect(to).toMatchObject({ code: 4 });
  expect(to.stderr).toContain(`Nobody is registered as "${jared}"`);
});

function wish({ names }: ServedHome, text: string) {
  return {
    ...{ filename: 'mine.txt', kind: 'file' as const, to: [names.jared], size_bytes: text.length },
    ...{ sha256: sha256(text), sealed: true },
  };
}
