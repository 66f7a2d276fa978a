/** Requests that no program of ours would make. */
import { createConnection } from 'node:net';
import { describe, expect, test } from 'vitest';
import { bearer, send, type TestAnswer } from '../support/temporary-gateway.ts';
import {
  libraryOf,
  once,
  type ServedHome,
  sealed,
  sendByHand,
  sha256,
  sharedServedHome,
  storedFiles,
} from '../support/transfer-ends.ts';
import { until } from '../support/until.ts';

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

const served = sharedServedHome();

const plain = 'ten bytes!';
const wishTo = (jared: string) => ({
  ...{ filename: 'x.txt', kind: 'file' as const, to: [jared], size_bytes: plain.length },
  ...{ sha256: sha256(plain), sealed: true },
});

/** As samantha, with her handle, over her socket. */
function post(home: ServedHome, path: string, body: unknown): Promise<TestAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { AOS_SOCKET: at = '', AOS_HANDLE: handle = '' } = home.withHandle('samantha');
  return send({ at, method: 'POST', path, headers: bearer(handle), body: text });
}

function postBytes(home: ServedHome, upload: string, bytes: Uint8Array, from: string | number) {
  const { AOS_SOCKET: at = '', AOS_HANDLE: handle = '' } = home.withHandle('samantha');
  const headers = { ...bearer(handle), 'content-type': 'application/octet-stream' };
  const path = `/api/v1/transfers/uploads/${upload}/bytes?from=${from}`;
  return send({ at, method: 'POST', path, headers, body: bytes });
}

interface Opened {
  readonly upload: string;
  readonly bytes: Uint8Array;
}

async function begin(home: ServedHome, more: object = {}): Promise<Opened> {
  const { json } = await post(home, '/api/v1/transfers/uploads', {
    ...{ ...wishTo(home.names.jared), ...more },
  });
  const { upload, dek } = json as { readonly upload: string; readonly dek: string };
  return { upload, bytes: sealed(Buffer.from(plain), dek) };
}

const finish = (home: ServedHome, upload: string, more: object = {}) =>
  post(home, `/api/v1/transfers/uploads/${upload}/finish`, {
    ...{ stored_bytes: 90, size_bytes: plain.length, sha256: sha256(plain), ...more },
  });

describe('of what cannot be sent', () => {
  type Wish = ReturnType<typeof wishTo>;
  type Wrong = readonly [what: string, body: unknown, status: number];

  const wrongs = (wish: Wish): readonly Wrong[] => [
    ['metadata of a megabyte', { ...wish, metadata: { a: 'x'.repeat(1_000_000) } }, 400],
    ['metadata of 20 KB', { ...wish, metadata: { a: 'x'.repeat(20_000) } }, 400],
    ['metadata that is deep', JSON.stringify(wish).replace(/}$/, `,"metadata":${nested(9)}}`), 400],
    [
      'metadata deeper than any stack',
      JSON.stringify(wish).replace(/}$/, `,"metadata":${nested(20_000)}}`),
      400,
    ],
    [
      'metadata that poisons',
      JSON.stringify(wish).replace(/}$/, ',"metadata":{"__proto__":{"evil":1}}}'),
      400,
    ],
    ['metadata that is a list', { ...wish, metadata: [1] }, 400],
    ['metadata that is text', { ...wish, metadata: 'x' }, 400],
    ['what is not JSON', '{"filename":', 400],
    ['nobody to send it to', { ...wish, to: [] }, 400],
    ['101 recipients', { ...wish, to: Array.from({ length: 101 }, (_, n) => `a${n}`) }, 400],
    ['a recipient that is nobody', { ...wish, to: ['jarde'] }, 404],
    ['a recipient like SQL', { ...wish, to: ["'; drop table agents; --"] }, 404],
    ['a recipient like a path', { ...wish, to: ['../jared'] }, 404],
    ['a negative size', { ...wish, size_bytes: -1 }, 400],
    ['half a byte', { ...wish, size_bytes: 1.5 }, 400],
    ['a size beyond all room', { ...wish, size_bytes: Number.MAX_SAFE_INTEGER }, 413],
    [
      'a size beyond all numbers',
      JSON.stringify(wish).replace('"size_bytes":10', '"size_bytes":1e400'),
      400,
    ],
    ['a hash that is none', { ...wish, sha256: 'x' }, 400],
    ['no time at all', { ...wish, expires_ms: 0 }, 400],
    ['a negative time', { ...wish, expires_ms: -1 }, 400],
    ['a time without end', { ...wish, expires_ms: Number.MAX_SAFE_INTEGER }, 400],
    ['a kind that there is not', { ...wish, kind: 'device' }, 400],
    ['more than is known', { ...wish, local: '/etc/passwd' }, 400],
  ];

  test('everything is refused with words, and nothing is begun', async () => {
    const home = await served();

    for (const [what, body, status] of wrongs(wishTo(home.names.jared))) {
      const answer = await post(home, '/api/v1/transfers/uploads', body);

      expect(answer.status, `${what}: ${answer.text.slice(0, 300)}`).toBe(status);
      expect(answer.json, what).toMatchObject({
        status,
        detail: expect.stringMatching(/^\S.{5,}/),
      });
      expect(answer.text.length, what).toBeLessThan(3000);
    }
    expect(await libraryOf(home, 'samantha').listSent()).toEqual([]);
  });

  test('metadata with names of JavaScript is data like any other', async () => {
    const home = await served();
    const metadata = '{"constructor":"x","toString":"y","hasOwnProperty":"z"}';
    const begun = await post(
      home,
      '/api/v1/transfers/uploads',
      JSON.stringify(wishTo(home.names.jared)).replace(/}$/, `,"metadata":${metadata}}`),
    );
    const { upload, dek } = begun.json as { upload: string; dek: string };
    await postBytes(home, upload, sealed(Buffer.from(plain), dek), 0);
    await finish(home, upload);

    const [found] = await libraryOf(home, 'jared').listPending();
    const none = await libraryOf(home, 'jared').listPending({ metadata: { valueOf: 1 } });

    expect(found?.metadata).toMatchObject({ constructor: 'x', toString: 'y' });
    expect(Object.getPrototypeOf(found?.metadata)).toBe(Object.prototype);
    expect(none).toEqual([]);
  });

  test('the command says what is wrong before anything is sent', async () => {
    const home = await served();
    const lines: readonly (readonly [line: string, code: number, words: string])[] = [
      [
        `send bin/aos --to jarde${home.names.jared.slice(5)}`,
        4,
        `Did you mean "${home.names.jared}"?`,
      ],
      ['send bin/aos --to $jared --expires 0', 2, '--expires'],
      ['send bin/aos --to $jared --expires -1', 2, '--expires'],
      ['send bin/aos --to $jared --expires 99999999d', 2, '--expires'],
      ["send bin/aos --to $jared --metadata '{'", 2, '--metadata'],
      ["send bin/aos --to $jared --metadata '[1]'", 2, '--metadata'],
      ['send bin/aos --to ,', 2, '--to'],
      ['send nothing-there --to $jared', 4, 'nothing-there'],
      ['status "../../etc"', 2, 'is no id of a transfer'],
      ['status "\' or 1=1 --"', 2, 'is no id of a transfer'],
    ];

    const runs = await Promise.all(
      lines.map(([line]) => home.type('samantha', `agent-transfer ${line}`)),
    );

    for (const [index, [line, code, words]] of lines.entries()) {
      expect(runs[index]?.stderr, line).toContain(words);
      expect(runs[index]?.code, `${line}: ${runs[index]?.stderr}`).toBe(code);
      expect(runs[index]?.stderr, line).not.toMatch(/\n\s+at |broke where/);
    }
    expect(await libraryOf(home, 'samantha').listSent()).toEqual([]);
  });

  test('a recipient that is named twice gets it once', async () => {
    const home = await served();
    const { samantha: as, jared } = home.names;
    const to = [jared, jared, 'owner', jared];

    await sendByHand(home.daemon.client, Buffer.from(plain), { to, as });

    const sent = await libraryOf(home, 'samantha').listSent();
    expect(sent.map(({ recipient }) => recipient).sort()).toEqual([jared, 'owner']);
  });
});

describe('of an upload', () => {
  test('a gap, a byte too many and another size are refused, and it is still good', async () => {
    const home = await served();
    const { upload, bytes } = await begin(home);

    const answers = [
      await postBytes(home, upload, bytes, 5),
      await postBytes(home, upload, bytes, -1),
      await postBytes(home, upload, bytes, '1e3'),
      await postBytes(home, upload, Buffer.concat([bytes, bytes]), 0),
      await finish(home, upload),
      await finish(home, upload, { stored_bytes: bytes.length + 1 }),
      await finish(home, upload, { size_bytes: plain.length + 1 }),
      await finish(home, upload, { sha256: sha256('other') }),
    ];
    await postBytes(home, upload, bytes, 0);
    const good = await finish(home, upload);

    expect(answers.map(({ status }) => status)).toEqual([409, 400, 400, 409, 409, 409, 409, 409]);
    expect(good.status, good.text).toBe(200);
    expect(storedFiles(home)).toHaveLength(1);
  });

  test('an end that is said twice sends once', async () => {
    const home = await served();
    const { upload, bytes } = await begin(home);
    await postBytes(home, upload, bytes, 0);

    const answers = await Promise.all([
      finish(home, upload),
      finish(home, upload),
      finish(home, upload),
    ]);
    const late = await finish(home, upload);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    expect(late.status).toBe(404);
    expect(await libraryOf(home, 'samantha').listSent()).toHaveLength(1);
  });

  test('what was not sealed is stored, and refused by whoever opens it', async () => {
    const home = await served();
    const { upload, bytes } = await begin(home);
    await postBytes(home, upload, new Uint8Array(bytes.length), 0);
    await finish(home, upload);
    const [pending] = await libraryOf(home, 'jared').listPending();

    const attempt = libraryOf(home, 'jared').download(pending?.id ?? '', {
      dest: home.folder.at('got'),
    });

    await expect(attempt).rejects.toMatchObject({ code: 'transfer.corrupt' });
  });

  test('who stops in the middle and holds the line keeps nobody else from anything', async () => {
    const home = await served();
    const { upload, bytes } = await begin(home);
    const { AOS_SOCKET: path = '', AOS_HANDLE: handle = '' } = home.withHandle('samantha');
    const connection = createConnection({ path });
    connection.on('error', () => {});
    connection.write(
      `POST /api/v1/transfers/uploads/${upload}/bytes?from=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${handle}\r\nContent-Type: application/octet-stream\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    connection.write(bytes.subarray(0, 20));

    const other = await sendByHand(home.daemon.client, Buffer.from('other'), {
      ...{ to: [home.names.jared], as: home.names.jean },
    });
    const listed = await libraryOf(home, 'jared').listPending();
    connection.destroy();
    // What came before it hung up is there, and can be gone on with.
    await until(async () =>
      expect((await postBytes(home, upload, bytes.subarray(20), 20)).status).toBe(200),
    );
    const end = await finish(home, upload);

    expect(listed.map(({ id }) => id)).toEqual([other]);
    expect(end.status, end.text).toBe(200);
  });

  test('ids of uploads lead nowhere but to uploads', async () => {
    const home = await served();

    for (const id of ['..%2F..%2Fledger.db', '%00', 'x'.repeat(200), "'%20or%201=1", '..']) {
      const answers = [
        await postBytes(home, id, Buffer.from('x'), 0),
        await finish(home, id),
        await post(home, `/api/v1/transfers/uploads/${id}/fail`, { reason: 'no' }),
      ];

      for (const { status, text } of answers) {
        expect([400, 404], `${id}: ${text}`).toContain(status);
      }
    }
  });
});

test('a Range beyond all reason gives a part, the whole, or nothing; never an error', async () => {
  const home = await served();
  const { samantha: as, jared } = home.names;
  const id = await sendByHand(home.daemon.client, Buffer.from(plain), { to: [jared], as });
  const { AOS_SOCKET: at = '', AOS_HANDLE: handle = '' } = home.withHandle('jared');
  const ranges: readonly (readonly [range: string, status: number])[] = [
    ['bytes=0-0', 206],
    ['bytes=-1', 206],
    ['bytes=0-999999999999999', 206],
    ['bytes=5-2', 200],
    ['bytes=-0', 416],
    ['bytes=90-', 416],
    ['bytes=999999999999999-', 416],
    ['bytes=99999999999999999999999-', 200],
    ['bytes=0-1,2-3', 200],
    ['bytes=--1', 200],
    ['bytes=a-b', 200],
    ['lines=1-2', 200],
    [`bytes=${'0-1,'.repeat(1000)}`, 200],
    ['', 200],
  ];

  for (const [range, status] of ranges) {
    const path = `/api/v1/transfers/${id}/bytes`;
    const answer = await send({ at, path, headers: { ...bearer(handle), range } });

    expect(answer.status, range.slice(0, 40)).toBe(status);
  }
});

test('a list takes no query for more than it says', async () => {
  const home = await served();
  const { samantha: as, jared } = home.names;
  await sendByHand(home.daemon.client, Buffer.from(plain), { to: [jared], as });
  const { AOS_SOCKET: at = '', AOS_HANDLE: handle = '' } = home.withHandle('jared');
  const queries: readonly (readonly [query: string, status: number])[] = [
    ['limit=0', 400],
    ['limit=99999999', 400],
    ['limit=-1', 400],
    ['before=x', 200],
    ['before=9e99.x', 200],
    ["before=1.'--", 200],
    [`filename=${'*'.repeat(300)}`, 200],
    [`filename=${encodeURIComponent(`${'a*'.repeat(149)}b`)}`, 200],
    ['metadata=%5B1%5D', 400],
    ['metadata=%7B', 400],
    ['status=gone', 400],
    ['box=theirs', 400],
    ['wait_ms=x', 400],
    ['unknown=1', 400],
  ];

  for (const [query, status] of queries) {
    const answer = await send({ at, path: `/api/v1/transfers?${query}`, headers: bearer(handle) });

    expect(answer.status, `${query.slice(0, 60)}: ${answer.text.slice(0, 200)}`).toBe(status);
  }
});

test('the room of an upload that was given up is free again, and it is over', async () => {
  const home = await served();
  const { client } = home.daemon;
  const { samantha: as, jared } = home.names;
  const unknown = { kind: 'stream' as const, size_bytes: null, sha256: null };
  const asked = { ...wishTo(jared), ...unknown, as };
  const begun = await client.beginUpload(asked);
  const upload = begun.state === 'open' ? begun.upload : '';

  const { stored_bytes: stored } = await client.uploadBytes(
    upload,
    once(new Uint8Array(3_000_000)),
    { as, from: 0 },
  );
  await client.failUpload(upload, { as, reason: 'enough' });
  const again = await client
    .failUpload(upload, { as, reason: 'enough' })
    .catch((failure) => failure);

  expect(stored).toBe(3_000_000);
  expect(again).toMatchObject({ code: 'transfer.unknown' });
  expect(await client.transferMetrics({ as })).toMatchObject({ storage_bytes: 0 });
});
