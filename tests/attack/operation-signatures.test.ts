/**
 * Outsiders who sign their requests, over the port of a real daemon: what a wallet gets, what
 * everybody else does, and what is left when something of it is changed, repeated or taken back.
 */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realClock } from '../../src/engines/clock.ts';
import { tokenMs } from '../../src/kernel/agent/operation.ts';
import {
  beginReady,
  Grantee,
  type GranteeAnswer,
  type GranteeRequest,
  highTwin,
  type ReadyRequest,
  type Sendable,
  sendReady,
  sha256,
  web3Signed,
} from '../support/grantee.ts';
import { limitMs } from '../support/limits.ts';
import {
  contentsOf,
  filesBelow,
  good,
  type OutsiderHome,
  outsiderHome,
  type WireArtifact,
  type WireOperation,
} from '../support/outsider-home.ts';
import { bearer, temporaryGateway } from '../support/temporary-gateway.ts';
import { untilTrue } from '../support/until.ts';

const report = '# Report\n\nAll is well.\n';
const makesReport = [
  { call: [{ tool: 'artifact.create', args: { name: 'report.md', content: report } }] },
  { say: 'done' },
];

let home: OutsiderHome;
/** Whose operation `own` is, with one artifact. */
const alice = new Grantee();
let own: WireOperation;
let artifact: WireArtifact;

beforeAll(async () => {
  home = await outsiderHome();
  home.template('writer', makesReport);
  await home.grant(alice);
  own = await home.run(alice, 'writer');
  const [made] = own.artifacts.artifacts;
  if (made === undefined) throw new Error(`there is no artifact: ${JSON.stringify(own)}`);
  artifact = made;
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

const submission: GranteeRequest = {
  method: 'POST',
  uri: '/api/v1/operations',
  body: { goal: 'write the report', agent: 'writer' },
};

const countOf = async (grantee: Grantee): Promise<number> => {
  const answer = await grantee.call(home.base, { uri: '/api/v1/operations?limit=1000' });
  return good<{ items: unknown[] }>(answer, 200).items.length;
};

interface Problem {
  readonly code: string;
}

function codeOf({ status, text }: GranteeAnswer): string {
  // Problems have one; what has none is shown by its status.
  const { code } = text === '' ? { code: '' } : (JSON.parse(text) as Problem);
  return `${status} ${code}`;
}

test('a wallet signs, has its operation done, and opens what it has downloaded', async () => {
  const head = await alice.call(home.base, { method: 'HEAD', uri: artifact.download_url });
  const answer = await home.download(alice, artifact);
  const key = String(answer.headers['x-artifact-key']);
  const plain = alice.open({ bytes: answer.bytes, key, id: artifact.id });

  expect(own).toMatchObject({ status: 'succeeded', result: { status: 'ok', summary: 'done' } });
  expect(own.artifacts).toMatchObject({ count: 1, total_size: report.length });
  expect(artifact).toMatchObject({
    ...{ name: 'report.md', size: report.length, e2e: true, encryption_key_encrypted: key },
    ...{ checksum: `sha256:${sha256(report)}`, content_type: 'text/markdown' },
  });
  expect(plain.toString()).toBe(report);
  expect(answer.headers).toMatchObject({
    'x-artifact-checksum': `sha256:${sha256(answer.bytes)}`,
    'content-length': String(answer.bytes.length),
    etag: `"${sha256(answer.bytes)}"`,
  });
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers['content-length']).toBe(answer.headers['content-length']);
});

/** All that there is of one operation. */
function requestsFor(id: string, name: string): readonly GranteeRequest[] {
  const of = `/api/v1/operations/${id}`;
  return [
    { uri: of },
    { uri: `${of}/result` },
    { uri: `${of}/logs` },
    { uri: `${of}/logs`, headers: { accept: 'text/event-stream' } },
    { uri: `${of}/artifacts` },
    { uri: `${of}/artifacts/${name}` },
    { uri: `${of}/artifacts/${name}`, headers: { range: 'bytes=0-9' } },
    { uri: `${of}/artifacts/${name}`, headers: { 'if-none-match': '*' } },
    { uri: `${of}/artifacts/nothing.md` },
    { method: 'HEAD', uri: `${of}/artifacts/${name}` },
    { method: 'DELETE', uri: `${of}/artifacts/${name}` },
    { method: 'POST', uri: `${of}/cancel`, body: {} },
  ];
}

/** Without what differs from one request to the next. */
function shape({ status, headers, text }: GranteeAnswer, id: string): unknown {
  const { 'x-request-id': _id, date: _date, ...kept } = headers;
  return { status, headers: { ...kept, 'content-length': '' }, text: text.replaceAll(id, 'ID') };
}

describe('somebody else', () => {
  const others: Readonly<Record<string, () => Promise<Grantee>>> = {
    'with a grant and an operation of their own': async () => {
      const bob = new Grantee();
      await home.grant(bob);
      await home.run(bob, 'writer');
      return bob;
    },
    'whose only grant was revoked': async () => {
      const bob = new Grantee();
      await home.daemon.client.revoke(await home.grant(bob));
      return bob;
    },
    'who holds grants on other things': async () => {
      const bob = new Grantee();
      await home.grant(bob, 'operation:another:read,cancel');
      return bob;
    },
  };

  test.each(Object.entries(others))(
    '%s hears of an operation what is said of none',
    async (_who, make) => {
      const bob = await make();
      const missing = `0${own.id.slice(1, -4)}0000`;
      const [there, nowhere] = await Promise.all(
        [own.id, missing].map(async (id) => {
          const requests = requestsFor(id, artifact.name);
          const answers = [];
          for (const request of requests) {
            answers.push(shape(await bob.call(home.base, request), id));
          }
          return answers;
        }),
      );

      expect(there).toEqual(nowhere);
      for (const answer of there ?? []) expect(answer).toMatchObject({ status: 404 });
      expect((await home.read(alice, artifact)).toString()).toBe(report);
    },
  );

  test('of whom nobody has heard is told so, and leaves no trace', async () => {
    const stranger = new Grantee();
    const ready = await stranger.sign(home.base, submission);

    const answers = [
      await sendReady(home.base, ready),
      await sendReady(home.base, ready),
      await stranger.call(home.base, { method: 'POST', uri: '/api/v1/tokens', body: {} }),
      await stranger.call(home.base, { uri: `/api/v1/operations/${own.id}` }),
    ];

    expect(answers.map(codeOf)).toEqual(Array(4).fill('401 signature.unknown'));
    for (const file of ['ledger.db', 'ledger.db-wal']) {
      const bytes = readFileSync(join(home.home, file)).toString('latin1').toLowerCase();
      expect({ file, isThere: bytes.includes(stranger.address.toLowerCase()) }).toEqual({
        ...{ file, isThere: false },
      });
    }
  });

  test('who may read an operation sees it, and nothing of its artifacts', async () => {
    const reader = new Grantee();
    await home.grant(reader, `operation:${own.id}:read`);
    const of = `/api/v1/operations/${own.id}`;

    const seen = await reader.call(home.base, { uri: of });
    const result = await reader.call(home.base, { uri: `${of}/result` });
    const refused: GranteeAnswer[] = [];
    for (const request of requestsFor(own.id, artifact.name).slice(4)) {
      refused.push(await reader.call(home.base, request));
    }

    const operation = good<WireOperation>(seen, 200);
    expect(operation).toMatchObject({
      status: 'succeeded',
      artifacts: { count: 0, artifacts: [] },
    });
    expect(result.status).toBe(200);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(codeOf(refused[0] ?? seen)).toBe('403 operation.not-yours');
    expect(seen.text).not.toContain(artifact.id);
  });
});

describe('a signed request counts once:', () => {
  test('of twenty at once, one', async () => {
    const before = await countOf(alice);
    const ready = await alice.sign(home.base, submission);

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendReady(home.base, ready)),
    );

    const codes = answers.filter(({ status }) => status !== 201).map(codeOf);
    expect(codes).toEqual(Array(19).fill('401 signature.replayed'));
    expect(await countOf(alice)).toBe(before + 1);
  });

  test('also a read, and whichever of two connections it comes by', async () => {
    const ready = await alice.sign(home.base, { uri: artifact.download_url });

    const first = await sendReady(home.base, ready);
    const second = await sendReady(home.base, ready);

    expect(first.status).toBe(200);
    expect(codeOf(second)).toBe('401 signature.replayed');
  });

  test('and its twins are not others', async () => {
    const ready = await alice.sign(home.base, { uri: '/api/v1/operations' });
    const { payload, signature } = ready;
    const other = (as: Readonly<Record<string, string>>): Sendable => ({
      ...{ ...ready, headers: { ...ready.headers, ...as } },
    });
    const v = signature.endsWith('1b') ? 0 : 1;
    const twins = {
      'high s': web3Signed(payload, highTwin(signature)),
      'high s, v as it was': web3Signed(
        payload,
        `${highTwin(signature).slice(0, -2)}${signature.slice(-2)}`,
      ),
      'v 0 or 1': web3Signed(payload, `${signature.slice(0, -2)}0${v}`),
      'v of EIP-155': web3Signed(payload, `${signature.slice(0, -2)}2${5 + v}`),
      'large hex': web3Signed(payload, `0x${signature.slice(2).toUpperCase()}`),
      'large hex with 0X': web3Signed(payload, signature.toUpperCase().replace('0X', '0X')),
      'no 0x': web3Signed(payload, signature.slice(2)),
      'a byte more': web3Signed(payload, `${signature}00`),
      padding: web3Signed(`${payload}=`, signature),
      'the scheme in small letters': { authorization: `web3signed ${payload}.${signature}` },
      'the scheme in large letters': { authorization: `WEB3SIGNED ${payload}.${signature}` },
      'a space more': { authorization: `Web3Signed  ${payload}.${signature}` },
    };

    // Before the good one comes as well: none of them may use it up.
    const early = await sendReady(home.base, other(twins['high s']));
    const good = await sendReady(home.base, ready);
    const late: Record<string, string> = {};
    for (const [name, header] of Object.entries(twins)) {
      late[name] = codeOf(await sendReady(home.base, other(header)));
    }

    expect(codeOf(early)).toBe('401 signature.bad');
    expect(good.status).toBe(200);
    for (const [name, code] of Object.entries(late)) {
      expect({ name, code }).toEqual({ name, code: expect.stringMatching(/^401 signature\./) });
    }
    expect(late).toMatchObject({
      ...{ 'high s': '401 signature.bad', 'v 0 or 1': '401 signature.bad' },
      ...{ 'large hex': '401 signature.replayed' },
    });
  });
});

/** The same with one character of the claims changed, and the signature that it had. */
function withClaims(ready: ReadyRequest, change: (json: string) => string): Sendable {
  const json = Buffer.from(ready.payload, 'base64url').toString();
  const changed = change(json);
  if (changed === json) throw new Error('nothing was changed');
  const payload = Buffer.from(changed).toString('base64url');
  return { ...ready, headers: { ...ready.headers, ...web3Signed(payload, ready.signature) } };
}

function otherDigit(digit: string): string {
  return digit === '1' ? '2' : '1';
}

describe('one byte that is changed', () => {
  const read: GranteeRequest = { uri: '/api/v1/operations?limit=15' };
  type Change = (ready: ReadyRequest) => Sendable;
  const changes: readonly (readonly [string, GranteeRequest, Change])[] = [
    [
      'in the path',
      { uri: '/api/v1/operations/aaaa' },
      (r) => ({ ...r, uri: `${r.uri.slice(0, -1)}b` }),
    ],
    ['in how the query is written', read, (r) => ({ ...r, uri: r.uri.replace('15', '1%35') })],
    ['in the query', read, (r) => ({ ...r, uri: r.uri.replace('15', '16') })],
    ['behind the query', read, (r) => ({ ...r, uri: `${r.uri}&` })],
    ['in the body', submission, (r) => ({ ...r, body: r.body?.replace('report', 'repart') ?? '' })],
    [
      'in the body, which is no JSON then',
      submission,
      (r) => ({ ...r, body: r.body?.replace('{', '[') ?? '' }),
    ],
    ['behind the body', submission, (r) => ({ ...r, body: `${r.body} ` })],
    [
      'by leaving the body out',
      submission,
      (r) => ({ ...r, body: undefined, headers: web3Signed(r.payload, r.signature) }),
    ],
    ['in the method', read, (r) => ({ ...r, method: 'HEAD' })],
    [
      'in the nonce',
      read,
      (r) =>
        withClaims(r, (t) =>
          t.replace(/"nonce":"(.)/, (_, d: string) => `"nonce":"${otherDigit(d)}`),
        ),
    ],
    [
      'in the time it begins',
      read,
      (r) =>
        withClaims(r, (t) => t.replace(/"iat":(\d+)/, (_, n: string) => `"iat":${Number(n) - 1}`)),
    ],
    [
      'in the time it ends',
      read,
      (r) =>
        withClaims(r, (t) => t.replace(/"exp":(\d+)/, (_, n: string) => `"exp":${Number(n) + 1}`)),
    ],
    ['in where it goes', read, (r) => withClaims(r, (t) => t.replace('127.0.0.1', 'localhost'))],
    [
      'in the hash of the body',
      read,
      (r) =>
        withClaims(r, (t) =>
          t.replace(/"bodyHash":"(.)/, (_, d: string) => `"bodyHash":"${otherDigit(d)}`),
        ),
    ],
    [
      'in the first half of the signature',
      read,
      (r) => ({
        ...r,
        headers: web3Signed(
          r.payload,
          r.signature.replace(
            /^0x(.{10})(.)/,
            (_, a: string, d: string) => `0x${a}${otherDigit(d)}`,
          ),
        ),
      }),
    ],
    [
      'in the second half of the signature',
      read,
      (r) => ({
        ...r,
        headers: web3Signed(
          r.payload,
          r.signature.replace(/(.)(.{10})$/, (_, d: string, b: string) => `${otherDigit(d)}${b}`),
        ),
      }),
    ],
    [
      'in the end of the signature',
      read,
      (r) => ({
        ...r,
        headers: web3Signed(
          r.payload,
          r.signature.replace(/1(b|c)$/, (_, d: string) => `1${d === 'b' ? 'c' : 'b'}`),
        ),
      }),
    ],
  ];

  test.each(changes)(
    '%s is refused, and the request is good afterwards',
    async (_what, request, change) => {
      const before = await countOf(alice);
      const ready = await alice.sign(home.base, request);

      const changed = await sendReady(home.base, change(ready));
      const count = await countOf(alice);
      const whole = await sendReady(home.base, ready);

      expect({ status: changed.status, text: changed.text }).toMatchObject({ status: 401 });
      expect(count).toBe(before);
      expect(whole.status).not.toBe(401);
    },
  );
});

describe('a time or a place that is not now and here is refused:', () => {
  const now = (): number => Math.floor(Date.now() / 1000);
  const times: Readonly<Record<string, (at: number) => GranteeRequest['claims']>> = {
    'it has ended': (at) => ({ iat: at - 61, exp: at - 1 }),
    'it ends this second': (at) => ({ iat: at - 60, exp: at }),
    'it begins too late': (at) => ({ iat: at + 65, exp: at + 90 }),
    'it is good for 301 seconds': (at) => ({ iat: at - 100, exp: at + 201 }),
    'it ends when it begins': (at) => ({ iat: at + 10, exp: at + 10 }),
  };
  const places: Readonly<Record<string, (port: string) => GranteeRequest['claims']>> = {
    'another port': (port) => ({ aud: `http://127.0.0.1:${Number(port) + 1}` }),
    'another host': (port) => ({ aud: `http://example.org:${port}` }),
    https: (port) => ({ aud: `https://127.0.0.1:${port}` }),
    'a slash at the end': (port) => ({ aud: `http://127.0.0.1:${port}/` }),
    'no port': () => ({ aud: 'http://127.0.0.1' }),
    'another name of this machine': (port) => ({ aud: `http://localhost:${port}` }),
  };
  const forms: Readonly<Record<string, GranteeRequest['claims']>> = {
    'a nonce that is too short': { nonce: '0123456789abcdef' },
    'a time with a fraction': { iat: now() + 0.5 },
    'a method in small letters': { method: 'get' },
  };

  test.each(Object.entries(times))('%s', async (_what, claims) => {
    const answer = await alice.call(home.base, {
      uri: '/api/v1/operations',
      claims: claims(now()) ?? {},
    });

    expect(codeOf(answer)).toBe('401 signature.expired');
  });

  test.each(Object.entries(places))('it is for %s', async (_what, claims) => {
    const { port } = new URL(home.base);
    const signed = { uri: '/api/v1/operations', claims: claims(port) ?? {} };

    expect(codeOf(await alice.call(home.base, signed))).toBe('401 signature.bad');
  });

  test.each(Object.entries(forms))('it has %s', async (_what, claims) => {
    const answer = await alice.call(home.base, { uri: '/api/v1/operations', claims: claims ?? {} });

    expect(codeOf(answer)).toBe('401 signature.bad');
  });

  test('and what is just within is taken', async () => {
    const at = now();
    const within = [
      { iat: at + 58, exp: at + 100 },
      { iat: at - 200, exp: at + 100 },
      { bodyHash: '' },
      { bodyHash: `sha256:${sha256('')}` },
      { aud: home.base.toUpperCase() },
    ];

    for (const claims of within) {
      const { status } = await alice.call(home.base, { uri: '/api/v1/operations', claims });
      expect({ claims, status }).toEqual({ claims, status: 200 });
    }
  });
});

test('under its other name this machine is signed for by that name', async () => {
  const { port } = new URL(home.base);
  const headers = { host: `localhost:${port}` };
  const uri = '/api/v1/operations';

  const fitting = await alice.call(home.base, {
    ...{ uri, headers, claims: { aud: `http://localhost:${port}` } },
  });
  const other = await alice.call(home.base, { uri, headers });

  expect(fitting.status).toBe(200);
  expect(codeOf(other)).toBe('401 signature.bad');
});

test('bytes that are streamed cannot be signed for', async () => {
  const ready = await alice.sign(home.base, {
    ...{ method: 'POST', uri: '/api/v1/attachments', body: 'bytes' },
    headers: { 'content-type': 'application/octet-stream' },
  });

  const answer = await sendReady(home.base, ready);

  expect(codeOf(answer)).toBe('400 gateway.bad-request');
  expect(answer.text).toContain('not signed');
});

test('an outsider reaches nothing but operations', async () => {
  const uris = ['/api/v1/agents', '/api/v1/grants', '/api/v1/goals', '/api/v1/status'];

  for (const uri of uris) {
    const { status } = await alice.call(home.base, { uri });
    expect({ uri, status }).toEqual({ uri, status: 403 });
  }
});

test('an outsider who follows the events hears of nobody else', async () => {
  const bob = new Grantee();
  await home.grant(bob);
  await home.run(bob, 'writer');
  const ready = await bob.sign(home.base, { uri: '/api/v1/events?after=0' });
  const response = await beginReady(home.base, ready);

  let heard = '';
  for await (const bytes of response) {
    heard += String(bytes);
    if (heard.includes('operation.finished')) break;
  }

  const kinds = [...heard.matchAll(/^event: (.+)$/gm)].map(([, kind = '']) => kind);
  expect(response.statusCode).toBe(200);
  expect(
    kinds.filter((kind) => !/^(?:operation|artifact|capability|identity)\./.test(kind)),
  ).toEqual([]);
  expect(kinds).toContain('artifact.stored');
  expect(heard).toContain(bob.address);
  expect(heard).not.toContain(alice.address);
  expect(heard).not.toContain(own.id);
});

describe('a token', () => {
  const buying: GranteeRequest = { method: 'POST', uri: '/api/v1/tokens', body: {} };

  interface Bought {
    readonly token: string;
    readonly expires_at: string;
  }

  test('is bought with a signature, reads what its buyer may, and buys no other', async () => {
    const { token, expires_at } = good<Bought>(await alice.call(home.base, buying), 201);
    const by = (method: string, uri: string, body?: string): Promise<GranteeAnswer> =>
      sendReady(home.base, {
        ...{ method, uri, body },
        headers: { ...bearer(token), 'content-type': 'application/json' },
      });

    const seen = await by('GET', `/api/v1/operations/${own.id}`);
    const sealed = await by('GET', artifact.download_url);
    const another = await by('POST', '/api/v1/tokens', '{}');
    const unsigned = await sendReady(home.base, {
      ...{ method: 'POST', uri: '/api/v1/tokens', body: '{}' },
      headers: { 'content-type': 'application/json' },
    });

    expect(seen.status).toBe(200);
    expect(seen.text).toContain(artifact.encryption_key_encrypted);
    const key = String(sealed.headers['x-artifact-key']);
    const plain = alice.open({ bytes: sealed.bytes, key, id: artifact.id });
    expect(plain.toString()).toBe(report);
    expect(codeOf(another)).toBe('400 gateway.bad-request');
    expect(unsigned.status).toBe(401);
    const lifeMs = Date.parse(expires_at) - Date.now();
    expect(lifeMs).toBeLessThanOrEqual(tokenMs);
    expect(lifeMs).toBeGreaterThan(tokenMs - 60_000);
  });

  test('is nowhere in the home, and its number is not shown twice', async () => {
    const ready = await alice.sign(home.base, buying);
    const { token } = good<Bought>(await sendReady(home.base, ready), 201);

    const again = await sendReady(home.base, ready);

    expect(codeOf(again)).toBe('401 signature.replayed');
    for (const [file, bytes] of contentsOf(home.home)) {
      const isThere = bytes.includes(token);
      expect({ file, isThere }).toEqual({ file, isThere: false });
    }
  });

  test('ends after a quarter of an hour', async () => {
    let aheadMs = 0;
    const clock = {
      ...realClock,
      now: () => realClock.now() + aheadMs,
      monotonicMs: () => realClock.monotonicMs() + aheadMs,
    };
    await using gateway = await temporaryGateway({ clock });
    const port = await gateway.gateway.openTcpDoor({ host: '127.0.0.1', port: 0 });
    const base = `http://127.0.0.1:${port}`;
    await gateway.client.grant({ agent: alice.address, capability: 'operation:*:start' });
    const { token } = good<Bought>(await alice.call(base, buying), 201);
    const uri = '/api/v1/operations';
    const read = () =>
      sendReady(base, { method: 'GET', uri, headers: bearer(token), body: undefined });

    aheadMs = tokenMs - 5000;
    const before = await read();
    aheadMs = tokenMs + 1000;
    const after = await read();

    expect(before.status).toBe(200);
    expect(codeOf(after)).toBe('401 handle.unknown');
  });
});

describe('what ends', () => {
  test('when the grant is revoked: access at once, what runs, and a download under way', async () => {
    const carol = new Grantee();
    const grant = await home.grant(carol);
    home.template('large', [home.asks('large'), { say: 'done' }]);
    home.template('waiting', [home.asks('waiting'), { say: 'never' }]);
    const large = home.hold('large');
    const waiting = home.hold('waiting');
    const done = await home.submit(carol, 'large');
    const path = join(await large.asked, 'artifacts', 'large.bin');
    writeFileSync(path, 'x');
    truncateSync(path, 60_000_000);
    large.letGo();
    const [made] = (await home.settled(carol, done.id)).artifacts.artifacts;
    const running = await home.submit(carol, 'waiting');
    await waiting.asked;
    const uri = made?.download_url ?? '';
    const underWay = await beginReady(home.base, await carol.sign(home.base, { uri }));

    await home.daemon.client.revoke(grant);

    const answers = [];
    for (const id of [done.id, running.id]) {
      answers.push(await carol.call(home.base, { uri: `/api/v1/operations/${id}` }));
    }
    answers.push(await carol.call(home.base, { uri }));
    answers.push(await carol.call(home.base, submission));
    expect(answers.map(codeOf)).toEqual(Array(4).fill('403 capability.denied'));
    expect(await readAll(underWay)).toMatchObject({ isWhole: false });
    const stateOf = async () => (await home.daemon.client.goal(running.id)).state;
    await untilTrue(async () => (await stateOf()) === 'cancelled');
    waiting.letGo();
    expect(await countOf(carol)).toBe(0);
  });

  test('with the grant: gone to its owner, unknown to others, and its bytes off the disk', async () => {
    const dave = new Grantee();
    const bob = new Grantee();
    await home.grant(bob);
    const end = Math.ceil((Date.now() + limitMs(1000)) / 1000) * 1000;
    const expires = new Date(end).toISOString().replace('.000', '');
    await home.grant(dave, `operation:*:start{expires:${expires}}`);
    const { id, artifacts } = await home.run(dave, 'writer');
    const [made] = artifacts.artifacts;
    const uri = made?.download_url ?? '';
    const { headers } = await dave.call(home.base, { uri });
    const hash = String(headers['x-artifact-checksum']).replace('sha256:', '');
    const left = () =>
      ['blobs', `artifacts/operations/${id}/artifacts`]
        .flatMap((folder) => filesBelow(join(home.home, folder)))
        .filter((name) => name.includes(hash) || name === 'report.md.enc');
    const before = left();
    await untilTrue(() => Date.now() > end);

    const after = await dave.call(home.base, { uri });
    const others = await bob.call(home.base, { uri });
    const listed = await dave.call(home.base, { uri: `/api/v1/operations/${id}/artifacts` });
    const again = await dave.call(home.base, { ...submission });

    expect(made?.expires_at).toBe(new Date(end).toISOString());
    expect(before).toHaveLength(2);
    expect(codeOf(after)).toBe('410 artifact.expired');
    expect(codeOf(others)).toBe('404 operation.unknown');
    expect(left()).toEqual([]);
    expect(good<{ count: number }>(listed, 200).count).toBe(0);
    expect(codeOf(again)).toBe('403 capability.denied');
  });

  test('by the wish of its owner, with its bytes', async () => {
    const { id, artifacts } = await home.run(alice, 'writer');
    const uri = artifacts.artifacts[0]?.download_url ?? '';
    const folder = join(home.home, 'artifacts', 'operations', id, 'artifacts');
    const before = filesBelow(folder);

    const deleted = await alice.call(home.base, { method: 'DELETE', uri });
    const after = await alice.call(home.base, { uri });

    expect(before).toEqual(['report.md.enc']);
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expect(codeOf(after)).toBe('404 artifact.unknown');
    expect(filesBelow(folder)).toEqual([]);
  });
});

async function readAll(response: IncomingMessage): Promise<{ readonly isWhole: boolean }> {
  try {
    const bytes = Buffer.concat(await Array.fromAsync<Buffer>(response));
    return { isWhole: bytes.length === Number(response.headers['content-length']) };
  } catch {
    // The connection was cut.
    return { isWhole: false };
  }
}

/** What signs the operation and nothing else. */
async function weaklySigned(grantee: Grantee, uri: string): Promise<Sendable> {
  const signature = await grantee.signText(JSON.stringify({ operation_id: own.id }));
  return { method: 'GET', uri, headers: { signature }, body: undefined };
}

describe('the weak signature of one operation', () => {
  test('is not taken', async () => {
    for (const uri of [artifact.download_url, `/api/v1/operations/${own.id}/artifacts`]) {
      const answer = await sendReady(home.base, await weaklySigned(alice, uri));
      expect({ uri, code: codeOf(answer) }).toEqual({ uri, code: '401 signature.bad' });
    }
  });
});

// The last ones: they start the daemon anew.
describe('after the daemon was killed', () => {
  let seen: ReadyRequest;
  let unseen: ReadyRequest;

  beforeAll(async () => {
    seen = await alice.sign(home.base, submission);
    unseen = await alice.sign(home.base, { uri: '/api/v1/operations' });
    good(await sendReady(home.base, seen), 201);
    await home.daemon.kill();
    await home.start({ legacySignatures: true });
  });

  test('what was signed before has come before', async () => {
    const again = await sendReady(home.base, seen);
    const first = await sendReady(home.base, unseen);

    expect(codeOf(again)).toBe('401 signature.replayed');
    expect(first.status).toBe(200);
    expect((await home.read(alice, artifact)).toString()).toBe(report);
  });

  test('and with legacySignatures set, the weak form reads, and is told of as weak', async () => {
    const bob = new Grantee();
    await home.grant(bob);
    const list = `/api/v1/operations/${own.id}/artifacts`;

    const listed = await sendReady(home.base, await weaklySigned(alice, list));
    const sealed = await sendReady(home.base, await weaklySigned(alice, artifact.download_url));
    const others = await sendReady(home.base, await weaklySigned(bob, list));
    const elsewhere = await weaklySigned(alice, `/api/v1/operations/${own.id}`);
    const operation = await sendReady(home.base, elsewhere);

    expect(good<{ count: number }>(listed, 200).count).toBe(1);
    const key = String(sealed.headers['x-artifact-key']);
    expect(alice.open({ bytes: sealed.bytes, key, id: artifact.id }).toString()).toBe(report);
    expect(codeOf(others)).toBe('404 operation.unknown');
    expect(operation.status).toBe(401);
    const reading = await weaklySigned(alice, artifact.download_url);
    expect((await sendReady(home.base, { ...reading, method: 'DELETE' })).status).toBe(401);
    expect((await home.read(alice, artifact)).toString()).toBe(report);
    const logs = readdirSync(join(home.home, 'logs'))
      .filter((name) => name.endsWith('.log'))
      .map((name) => readFileSync(join(home.home, 'logs', name), 'utf8'));
    const lines = logs
      .join('')
      .split('\n')
      .filter((line) => line.includes('weak signature'));
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines[0]).toContain(alice.address);
    const events = await Array.fromAsync(
      home.daemon.client.events({ kind: 'artifact.downloaded' }),
    );
    expect(events.filter(({ data }) => JSON.stringify(data).includes('"weak":true'))).toHaveLength(
      1,
    );
  });
});
