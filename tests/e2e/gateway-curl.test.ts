/** The gateway as curl sees it, over TCP: nothing of ours on the other side. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GatewayLimits } from '../../src/gateway/server/deps.ts';
import { isInstalled } from '../support/machine.ts';
import { temporaryGateway } from '../support/temporary-gateway.ts';

interface Curled {
  readonly exitCode: number | null;
  readonly status: number;
  /** Of the last answer, with small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A gateway with bytes in it that curl has sent. */
async function curlHome(limits: Partial<GatewayLimits> = {}) {
  const home = await temporaryGateway({ limits });
  const port = await home.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
  const [head, sent] = [home.home.at('head'), home.home.at('sent')];
  const start = (path: string, ...options: readonly string[]) =>
    // Without a file of settings of whoever runs the tests.
    spawn('curl', [
      ...['--disable', '--silent', '--max-time', '20', '--dump-header', head],
      ...['--header', `Authorization: Bearer ${home.ownerHandle}`, ...options],
      `http://127.0.0.1:${port}${path}`,
    ]);
  const curl = (path: string, ...options: readonly string[]): Promise<Curled> =>
    answerTo(start(path, ...options), head);
  return {
    ...{ start, curl, at: (name: string) => home.home.at(name) },
    put: async (bytes: Uint8Array): Promise<string> => {
      writeFileSync(sent, bytes);
      const { body } = await curl('/api/v1/attachments', ...bytesType, '--data-binary', `@${sent}`);
      const { hash }: { hash: string } = JSON.parse(body);
      return `/api/v1/attachments/${hash}`;
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

const bytesType = ['--header', 'Content-Type: application/octet-stream'];
const jsonType = ['--header', 'Content-Type: application/json'];

function answerTo(curl: ChildProcessWithoutNullStreams, head: string): Promise<Curled> {
  return new Promise((resolve, reject) => {
    let body = '';
    curl.stdout.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    curl.stderr.resume();
    curl.once('error', reject);
    curl.once('close', (exitCode) =>
      resolve({ exitCode, body, ...headOf(readFileSync(head, 'utf8')) }),
    );
  });
}

/** Of the last answer: one that says to go on comes before. */
function headOf(text: string): Pick<Curled, 'status' | 'headers'> {
  const last = text.trimEnd().split('\r\n\r\n').at(-1) ?? '';
  const [first = '', ...lines] = last.split('\r\n');
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(' ')[1]), headers: new Map(pairs) };
}

/** Bytes of which no two parts look alike. */
function manyBytes(sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let place = 0; place + 4 <= sizeBytes; place += 4) bytes.writeUInt32LE(place, place);
  return bytes;
}

describe.skipIf(!isInstalled('curl'))('with curl', () => {
  let home: Awaited<ReturnType<typeof curlHome>>;

  beforeAll(async () => {
    home = await curlHome();
    // Here: an agent opens a socket, which stays.
    await home.curl('/api/v1/agents', '--data', '{"name":"jean"}', ...jsonType);
  });

  afterAll(async () => {
    await home?.[Symbol.asyncDispose]();
  });

  test('HEAD and GET agree', async () => {
    const path = await home.put(manyBytes(100_000));

    const head = await home.curl(path, '--head');
    const get = await home.curl(path, '--output', home.at('got'));

    expect(head).toMatchObject({ exitCode: 0, status: 200 });
    for (const name of ['content-length', 'etag', 'accept-ranges', 'content-type']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect(head.headers.get('content-length')).toBe('100000');
    expect(readFileSync(home.at('got'))).toEqual(manyBytes(100_000));
  });

  test('what was fetched once is not fetched again', async () => {
    const path = await home.put(manyBytes(1000));
    const tag = home.at('tag');
    const save = ['--etag-save', tag, '--output', home.at('got')];

    const first = await home.curl(path, ...save);
    const again = await home.curl(path, '--etag-compare', tag);

    expect(first.status).toBe(200);
    expect(again).toMatchObject({ exitCode: 0, status: 304, body: '' });
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  test('a range is a part', async () => {
    const path = await home.put(Buffer.from('ten bytes!'));

    const answer = await home.curl(path, '--range', '4-8');

    expect(answer).toMatchObject({ exitCode: 0, status: 206, body: 'bytes' });
    expect(answer.headers.get('content-range')).toBe('bytes 4-8/10');
  });

  test('a download that was cut off goes on where it ended, to the same bytes', async () => {
    const bytes = manyBytes(5_000_000);
    const path = await home.put(bytes);
    const got = home.at('got');
    // Into a pipe, whose writer waits for its reader: of its own accord it does not get far.
    const cut = home.start(path);
    const [part]: Buffer[] = await once(cut.stdout, 'data');
    cut.kill('SIGKILL');
    await once(cut, 'close');
    writeFileSync(got, part ?? '');
    const had = statSync(got).size;

    const rest = await home.curl(path, '--continue-at', '-', '--output', got);

    expect(had).toBeGreaterThan(0);
    expect(had).toBeLessThan(bytes.length);
    expect(rest).toMatchObject({ exitCode: 0, status: 206 });
    expect(rest.headers.get('content-range')).toBe(`bytes ${had}-4999999/5000000`);
    expect(readFileSync(got).equals(bytes)).toBe(true);
  });

  test('to go on behind the end is refused with 416, and adds nothing', async () => {
    const path = await home.put(manyBytes(1000));
    const got = home.at('got');
    writeFileSync(got, manyBytes(1000));

    const whole = await home.curl(path, '--continue-at', '-', '--output', got);
    const beyond = await home.curl(path, '--range', '1000-');

    expect(whole.status).toBe(416);
    expect(readFileSync(got)).toEqual(manyBytes(1000));
    expect(beyond).toMatchObject({ status: 416, body: '' });
    expect(beyond.headers.get('content-range')).toBe('bytes */1000');
  });

  test('a body that is too large is refused with 413, however it comes', async () => {
    const file = home.at('large');
    writeFileSync(file, JSON.stringify({ name: 'x'.repeat(3_000_000) }));
    const send = ['--data-binary', `@${file}`, ...jsonType];

    const expecting = await home.curl('/api/v1/agents', ...send);
    const atOnce = await home.curl('/api/v1/agents', ...send, '--header', 'Expect:');
    const chunked = ['--header', 'Transfer-Encoding: chunked', '--header', 'Expect:'];
    const inChunks = await home.curl('/api/v1/agents', ...send, ...chunked);

    for (const answer of [expecting, atOnce, inChunks]) {
      expect(answer).toMatchObject({ exitCode: 0, status: 413 });
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'gateway.too-large' });
    }
  });

  test('a body of another kind is refused with 415', async () => {
    const form = await home.curl('/api/v1/agents', '--data', 'name=jean');
    const json = await home.curl('/api/v1/attachments', '--data', '{}', ...jsonType);

    for (const answer of [form, json]) {
      expect(answer).toMatchObject({ exitCode: 0, status: 415 });
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'gateway.bad-media' });
    }
  });

  test('a flood is refused with 429 and told when to come again', async () => {
    await using slow = await curlHome({ requestsPerSecond: 0.1, requestBurst: 5 });

    const flood = [];
    for (let number = 0; number < 8; number++) flood.push(await slow.curl('/api/v1/status'));

    expect(flood.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(Number(flood.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(flood.at(-1)?.headers.get('retry-after'))).toBeLessThanOrEqual(10);
  });

  test('what is sent again with its key is done once', async () => {
    const join = ['--data', '{"agent":"jean"}', ...jsonType, '--header', 'Idempotency-Key: 7f3a'];

    const first = await home.curl('/api/v1/channels/builds/join', ...join);
    const again = await home.curl('/api/v1/channels/builds/join', ...join);
    const other = await home.curl('/api/v1/channels/builds/leave', ...join);

    expect(JSON.parse(first.body)).toMatchObject({ joined: true });
    expect(again.body).toBe(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(other.status).toBe(409);
  });
});
