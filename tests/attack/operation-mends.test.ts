/**
 * What outsiders, and the agents that work for them, can do to a home on purpose or by accident:
 * an operation always ends, what is lost of one stops no other, and nobody keeps others out.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beginReady, Grantee, type GranteeAnswer, type Sendable } from '../support/grantee.ts';
import {
  filesBelow,
  good,
  type OutsiderHome,
  outsiderHome,
  type WireArtifact,
  type WireOperation,
} from '../support/outsider-home.ts';
import { untilTrue } from '../support/until.ts';

let home: OutsiderHome;
const alice = new Grantee();

beforeAll(async () => {
  home = await outsiderHome({ publicUrl: 'https://Agents.example.org' });
  await home.grant(alice);
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

function codeOf({ status, text }: GranteeAnswer): string {
  if (status < 400) return `${status}`;
  // Every refusal is a problem with a code.
  return `${status} ${(JSON.parse(text) as { readonly code: string }).code}`;
}

interface Ended {
  readonly operation: WireOperation;
  readonly workspace: string;
}

/** An operation of hers in whose workspace that is made while its agent waits. */
async function withFiles(
  template: string,
  make: (workspace: string) => void,
  meanwhile: () => void = () => {},
): Promise<Ended> {
  home.template(template, [home.asks(template), { say: 'done' }]);
  const held = home.hold(template);
  const { id } = await home.submit(alice, template);
  const workspace = await held.asked;
  make(workspace);
  meanwhile();
  held.letGo();
  return { operation: await home.settled(alice, id), workspace };
}

const latin1 = (folder: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/caf\xe9', 'latin1')]);

describe('an operation ends, and its workspace is gone,', () => {
  test('where names in it are no UTF-8', async () => {
    const { operation, workspace } = await withFiles('latin1', (path) => {
      writeFileSync(latin1(path), 'text');
      const folder = latin1(join(path, 'nested'));
      mkdirSync(latin1(folder), { recursive: true });
      writeFileSync(latin1(latin1(folder)), 'text');
    });

    expect(operation).toMatchObject({ status: 'succeeded', result: { summary: 'done' } });
    expect(existsSync(workspace)).toBe(false);
  });

  test('where an artifact has such a name, which is refused', async () => {
    const { operation, workspace } = await withFiles('latin1-artifact', (path) => {
      mkdirSync(join(path, 'artifacts'), { recursive: true });
      writeFileSync(latin1(join(path, 'artifacts')), 'text');
    });

    expect(operation).toMatchObject({ status: 'failed', artifacts: { count: 0 } });
    expect(operation.result?.summary).toMatch(/^artifact\.bad-name: /);
    expect(existsSync(workspace)).toBe(false);
  });

  test('where such names hide that it holds too much', async () => {
    const { operation, workspace } = await withFiles('latin1-large', (path) => {
      writeFileSync(latin1(path), '');
      truncateSync(latin1(path), 1_000_000_001);
    });

    expect(operation.result?.summary).toMatch(/^operation\.over-limit: /);
    expect(existsSync(workspace)).toBe(false);
  });

  test('where folders are nested deeper than the daemon can have files open', async () => {
    const depth = 1500;
    const limitFiles = (most: number) =>
      execFileSync('prlimit', [`--pid=${home.daemon.pid}`, `--nofile=${most}:`]);

    const { operation, workspace } = await withFiles(
      'deep',
      (path) => renameSync(nested(home.folder.at('deep'), depth), join(path, 'deep')),
      () => limitFiles(depth / 3),
    );
    limitFiles(4096);

    expect(operation.result?.summary).toMatch(/^operation\.over-limit: .* nested deeper than/);
    expect(existsSync(workspace)).toBe(false);
  });
});

/** From the inside out: no path is ever longer than the system takes. */
function nested(path: string, depth: number): string {
  let inner = `${path}-${depth}`;
  mkdirSync(inner);
  for (let level = depth - 1; level >= 0; level--) {
    const outer = `${path}-${level}`;
    mkdirSync(outer);
    renameSync(inner, join(outer, 'in'));
    inner = outer;
  }
  return inner;
}

/** One operation of hers with that many artifacts of that size. */
async function artifactsOf(
  template: string,
  { count, sizeBytes }: { readonly count: number; readonly sizeBytes: number },
): Promise<readonly WireArtifact[]> {
  const { operation } = await withFiles(template, (workspace) => {
    mkdirSync(join(workspace, 'artifacts'), { recursive: true });
    for (let number = 0; number < count; number++) {
      writeFileSync(join(workspace, 'artifacts', `f${number}`), Buffer.alloc(sizeBytes, number));
    }
  });
  const { artifacts } = operation.artifacts;
  if (artifacts.length !== count) throw new Error(JSON.stringify(operation));
  return artifacts;
}

const errorsInLog = (): readonly string[] =>
  filesBelow(join(home.home, 'logs'))
    .flatMap((file) => readFileSync(join(home.home, 'logs', file), 'utf8').split('\n'))
    .filter((line) => line.includes('"level":"error"') && line.includes('stored bytes broke off'));

describe('an artifact', () => {
  test('whose bytes are gone is not there, in words for outsiders', async () => {
    const [artifact] = await artifactsOf('bytes-gone', { count: 1, sizeBytes: 10 });
    if (artifact === undefined) throw new Error('it is not there');
    const { headers } = await alice.call(home.base, { method: 'HEAD', uri: artifact.download_url });
    const hash = String(headers['x-artifact-checksum']).replace('sha256:', '');
    const blobs = join(home.home, 'blobs');
    const file = filesBelow(blobs).find((name) => name.endsWith(hash));
    rmSync(join(blobs, file ?? ''));

    const answer = await home.download(alice, artifact);

    expect(codeOf(answer)).toBe('404 artifact.unknown');
    expect(answer.text).not.toContain(hash);
  });

  test('that is deleted while it is downloaded comes whole, or breaks off, or is not there', async () => {
    const artifacts = await artifactsOf('deleted', { count: 12, sizeBytes: 300_000 });

    const ends = await Promise.all(
      artifacts.map(async (artifact) => {
        const get = () => home.download(alice, artifact).then(codeOf, () => 'broken off');
        const uri = artifact.download_url;
        const deleting = alice.call(home.base, { method: 'DELETE', uri }).then(codeOf);
        return await Promise.all([get(), deleting, get(), get()]);
      }),
    );

    const downloads = new Set(ends.flatMap(([first, , ...more]) => [first, ...more]));
    expect(['200', 'broken off', '404 artifact.unknown']).toEqual(
      expect.arrayContaining([...downloads]),
    );
    expect(ends.map(([, deleting]) => deleting)).toEqual(ends.map(() => '204'));
  });

  test('whose reader leaves, or may have it no more, is no error in the log', async () => {
    const bob = new Grantee();
    const grant = await home.grant(bob);
    home.template('left', [home.asks('left'), { say: 'done' }]);
    const held = home.hold('left');
    const { id } = await home.submit(bob, 'left');
    const folder = join(await held.asked, 'artifacts');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'large'), Buffer.alloc(30_000_000));
    held.letGo();
    const [artifact] = (await home.settled(bob, id)).artifacts.artifacts;
    const begin = async () =>
      beginReady(home.base, await bob.sign(home.base, { uri: artifact?.download_url ?? '' }));
    const [leaving, staying] = [await begin(), await begin()];
    const logged = errorsInLog().length;

    leaving.destroy();
    await home.daemon.client.revoke(grant);
    const rest = await Array.fromAsync(staying).then(
      () => 'whole',
      () => 'broken off',
    );
    // Whatever is to be told of them is told before this is answered.
    await home.daemon.client.status();

    expect([leaving.statusCode, staying.statusCode, rest]).toEqual([200, 200, 'broken off']);
    expect(errorsInLog()).toHaveLength(logged);
  });
});

describe('where a proxy shows the gateway as https://agents.example.org,', () => {
  const [own, name] = ['https://agents.example.org', 'agents.example.org'];

  const asked = async (aud: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    const request = { uri: '/api/v1/operations', headers, claims: { aud } };
    return codeOf(await alice.call(home.base, request));
  };

  test.each([
    ['itself', own, '200'],
    ['itself in large letters', 'https://AGENTS.example.org', '200'],
    ['its twin without encryption', 'http://agents.example.org', '403 gateway.foreign-origin'],
    ['its twin on another port', 'https://agents.example.org:8443', '403 gateway.foreign-origin'],
    ['another', 'https://evil.example.org', '403 gateway.foreign-origin'],
    ['one that goes on', 'https://agents.example.org.evil.org', '403 gateway.foreign-origin'],
    ['none that can be told', 'null', '403 gateway.foreign-origin'],
  ])('a page of %s is answered as it should be', async (_whose, origin, answer) => {
    expect(await asked(own, { host: name, origin })).toBe(answer);
  });

  test('a page of this machine is still one of ours, but not over https', async () => {
    const { host } = new URL(home.base);

    const answers = [
      await asked(home.base, { host, origin: home.base }),
      await asked(home.base, { host, origin: `https://${host}` }),
    ];

    expect(answers).toEqual(['200', '403 gateway.foreign-origin']);
  });

  test.each([
    [name, '200'],
    ['AGENTS.example.org', '200'],
    [`${name}:443`, '200'],
    [`${name}:80`, '403 gateway.foreign-host'],
    [`${name}.`, '403 gateway.foreign-host'],
    ['evil.example.org', '403 gateway.foreign-host'],
  ])('a request to the Host %s is answered as it should be', async (host, answer) => {
    expect(await asked(own, { host })).toBe(answer);
  });

  test('what is signed is for the name under which it comes, and for no other', async () => {
    const { host, port } = new URL(home.base);
    const bad = '401 signature.bad';

    const answers = {
      'loopback by the public name': await asked(home.base, { host: name }),
      'loopback by the public name and its port': await asked(home.base, { host: `${name}:443` }),
      'the public name without encryption': await asked(`http://${name}`, { host: name }),
      'the public name by loopback': await asked(own, { host }),
      'localhost by 127.0.0.1': await asked(`http://localhost:${port}`, { host }),
      'localhost by localhost': await asked(`http://localhost:${port}`, {
        host: `localhost:${port}`,
      }),
      'loopback by loopback': await asked(home.base, { host }),
    };

    expect(answers).toEqual({
      'loopback by the public name': bad,
      'loopback by the public name and its port': bad,
      'the public name without encryption': bad,
      'the public name by loopback': bad,
      'localhost by 127.0.0.1': bad,
      'localhost by localhost': '200',
      'loopback by loopback': '200',
    });
  });
});

const streamsOfEach = 16;

/** Streams of one outsider, who has a token for them. */
class Streams implements Disposable {
  readonly #headers: Readonly<Record<string, string>>;
  readonly open: IncomingMessage[] = [];

  private constructor(token: string) {
    this.#headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  }

  static async of(grantee: Grantee): Promise<Streams> {
    const request = { method: 'POST', uri: '/api/v1/tokens', body: {} };
    const { token } = good<{ token: string }>(await grantee.call(home.base, request), 201);
    return new Streams(token);
  }

  ready(uri: string): Sendable {
    return { method: 'GET', uri, headers: this.#headers, body: undefined };
  }

  async begin(uri: string): Promise<IncomingMessage> {
    const stream = await beginReady(home.base, this.ready(uri));
    this.open.push(stream);
    return stream;
  }

  [Symbol.dispose](): void {
    for (const stream of this.open) stream.destroy();
  }
}

const events = '/api/v1/events';

describe('of streams', () => {
  test('an outsider holds so many, of whatever; others come in all the same', async () => {
    const bob = new Grantee();
    await home.grant(bob);
    home.template('streamed', [home.asks('streamed'), { say: 'done' }]);
    const held = home.hold('streamed');
    const { id } = await home.submit(alice, 'streamed');
    const logs = `/api/v1/operations/${id}/logs`;
    using hers = await Streams.of(alice);
    using his = await Streams.of(bob);

    for (let count = 0; count < streamsOfEach; count++) await hers.begin(count % 2 ? logs : events);
    const more = [await hers.begin(logs), await hers.begin(events)];
    const other = await his.begin(events);
    const read = await alice.call(home.base, { uri: logs });
    const { length } = await Array.fromAsync(home.daemon.client.agents());

    held.letGo();
    expect(hers.open.slice(0, streamsOfEach).map(({ statusCode }) => statusCode)).toEqual(
      Array(streamsOfEach).fill(200),
    );
    for (const { statusCode, headers } of more) {
      expect({ statusCode, wait: Number(headers['retry-after']) }).toEqual({
        ...{ statusCode: 429, wait: 5 },
      });
    }
    expect(other.statusCode).toBe(200);
    expect(read.status).toBe(200);
    expect(length).toBeGreaterThan(0);
  });

  test('one that is left makes room for another', async () => {
    const bob = new Grantee();
    await home.grant(bob);
    using his = await Streams.of(bob);
    for (let count = 0; count < streamsOfEach; count++) await his.begin(events);
    const full = await his.begin(events);

    his.open[0]?.destroy();

    expect(full.statusCode).toBe(429);
    await untilTrue(async () => (await his.begin(events)).statusCode === 200);
  });

  test('one that is left before it has begun leaves no place taken', async () => {
    const bob = new Grantee();
    await home.grant(bob);
    using his = await Streams.of(bob);

    await Promise.all(
      Array.from({ length: 20 * streamsOfEach }, (_, number) =>
        leaveEarly(his.ready(events), number),
      ),
    );

    await untilTrue(async () => (await his.begin(events)).statusCode === 200);
  });
});

/** Sends the request, and is gone a moment later, whatever has come by then. */
function leaveEarly({ method, uri, headers }: Sendable, number: number): Promise<void> {
  const { hostname, port, host } = new URL(home.base);
  const head = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', reject).on('close', () => resolve());
    socket.write([`${method} ${uri} HTTP/1.1`, ...head, '', ''].join('\r\n'), () =>
      // From at once to a few turns of the loop later.
      laterBy(number % 5, () => socket.resetAndDestroy()),
    );
  });
}

function laterBy(turns: number, work: () => void): void {
  if (turns === 0) work();
  else setImmediate(() => laterBy(turns - 1, work));
}

describe('where the key of the server is lost', () => {
  test('what it had sealed is lost, and nothing else', async () => {
    await using lost = await outsiderHome();
    const carol = new Grantee();
    const [late, later] = [new Grantee(), new Grantee()];
    const content = { name: 'a.txt', content: 'text' };
    for (const name of ['one', 'two', 'three', 'four']) {
      const turns = [{ call: [{ tool: 'artifact.create', args: content }] }, { say: 'done' }];
      lost.template(name, turns);
    }
    await lost.grant(carol);
    const known = await lost.run(carol, 'one');
    const sealed = await submittedFor(lost, late, 'two');
    await lost.daemon.stop();
    rmSync(join(lost.home, 'keys', 'server.key'));
    await lost.start();
    const after = await submittedFor(lost, later, 'three');

    const rotated = [await lost.daemon.client.rotateKeys(), await lost.daemon.client.rotateKeys()];
    const first = await late.call(lost.base, { uri: `/api/v1/operations/${sealed.id}` });
    const firstLater = await later.call(lost.base, { uri: `/api/v1/operations/${after.id}` });
    const again = await lost.daemon.client.rotateKeys();

    expect(rotated.map(({ rewrapped }) => rewrapped)).toEqual([1, 1]);
    expect(again.rewrapped).toBe(0);
    expect(first.status).toBe(200);
    expect(good<WireOperation>(first, 200).artifacts.artifacts).toMatchObject([{ e2e: false }]);
    expect(await textOf(lost, carol, known)).toBe('text');
    expect(await textOf(lost, later, good(firstLater, 200))).toBe('text');
    expect(await textOf(lost, late, await submittedFor(lost, late, 'four'))).toBe('text');
    const ring = JSON.parse(readFileSync(join(lost.home, 'keys', 'server.key'), 'utf8'));
    expect(ring.keys).toMatchObject([{ id: again.key }]);
  });
});

/** By the owner, for somebody of whom only the address is known; when it is over. */
async function submittedFor(
  { daemon: { client } }: OutsiderHome,
  { address }: Grantee,
  agent: string,
): Promise<WireOperation> {
  const order = { goal: 'write', agent, grantee_address: address };
  const { id } = await client.submitOperation(order);
  await untilTrue(async () => (await client.operation(id)).status === 'succeeded');
  return await client.operation(id);
}

async function textOf(
  from: OutsiderHome,
  grantee: Grantee,
  { artifacts: { artifacts } }: WireOperation,
): Promise<string> {
  const [artifact] = artifacts;
  if (artifact === undefined) throw new Error('there is no artifact');
  return (await from.read(grantee, artifact)).toString();
}
