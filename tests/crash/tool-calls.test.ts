/** SIGKILL between what a call starts and what is written down of its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import type { WireCall } from '../../src/gateway/contract/contract.ts';
import { integerBelow, seededRandom } from '../sim/random.ts';
import { type TestServer, webServer } from '../support/http-world.ts';
import { MortalHome } from '../support/mortal-home.ts';
import { isFull, part, runSeed, times } from '../support/tier.ts';
import { endOf } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

interface HeldServer extends TestServer {
  /** Answers from now on; until then it takes requests and says nothing. */
  letGo(): void;
}

async function holdingServer(): Promise<HeldServer> {
  let isHolding = true;
  const server = await webServer(({ url }, response) => {
    if (!isHolding || url === '/now') response.end('done');
  });
  return Object.assign(server, {
    letGo: () => {
      isHolding = false;
    },
  });
}

interface World extends AsyncDisposable {
  readonly home: MortalHome;
  readonly server: HeldServer;
  /** Makes the call as jean; its end, or why there was none. */
  fetch(method: string, path: string, key?: string): Promise<unknown>;
  /** What the server was asked for, as `POST /x`. */
  asked(): readonly string[];
}

async function heldWorld(constraint = ''): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await holdingServer());
  const home = opened.use(await MortalHome.withAgents('jean', 'sam'));
  await home.grant('jean', `http:127.0.0.1:${server.port}/*:request${constraint}`);
  const kept = opened.move();
  return {
    ...{ home, server },
    fetch: (method, path, key) => {
      const args = { method, url: `http://127.0.0.1:${server.port}${path}` };
      return endOf(home.as('jean').callTool('http.fetch', { args }, { key }));
    },
    asked: () => server.seen.map(({ method, url }) => `${method} ${url}`),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Makes these calls and kills the daemon when the server has them all. */
async function killInTheMiddle(
  { home, server, fetch }: World,
  method: string,
  paths: readonly string[],
): Promise<void> {
  const ends = paths.map((path) => fetch(method, path, `key of ${path}`));
  await until(() => expect(server.seen).toHaveLength(paths.length));
  await home.daemon.kill();
  expect(await Promise.all(ends)).toEqual(paths.map(() => 'daemon.down'));
  await home.start();
}

async function callFor(client: Client, path: string): Promise<WireCall> {
  const { items } = await client.calls({});
  const found = items.find(({ idempotency_key }) => idempotency_key === `key of ${path}`);
  if (found === undefined) throw new Error(`no call has the key of ${path}`);
  return client.toolCall(found.call_id);
}

/**
 * Whatever the daemon had begun by itself when it started has reached the server before
 * this request does, and the answer to it is waited for.
 */
async function barrier({ fetch }: World): Promise<void> {
  expect(await fetch('OPTIONS', '/now')).toMatchObject({ state: 'answered' });
}

const withoutBarriers = (asked: readonly string[]) => asked.filter((it) => it !== 'OPTIONS /now');

const bodiesOf = async (client: Client, name: string): Promise<readonly string[]> =>
  (await client.inbox(name, { limit: 100 })).map(({ body }) => body);

describe('an external call that the daemon died in', () => {
  test('is unsure, and not run again by any of the next starts', async () => {
    await using world = await heldWorld();
    const { home } = world;

    await killInTheMiddle(world, 'POST', ['/pay']);
    world.server.letGo();

    for (let start = 0; start < 3; start++) {
      await barrier(world);
      expect(await callFor(home.client, '/pay')).toMatchObject({
        state: 'unsure',
        runs: 1,
        error: { code: 'tool.unsure' },
      });
      expect(withoutBarriers(world.asked())).toEqual(['POST /pay']);
      await home.killAndStart();
    }
  });

  test('is told once to the owner, with what to do, and once to who called', async () => {
    await using world = await heldWorld();
    const { home } = world;

    await killInTheMiddle(world, 'POST', ['/pay']);
    await home.killAndStart();
    await home.killAndStart();

    const { call_id } = await callFor(home.client, '/pay');
    const told = await until(async () => {
      const both = await Promise.all(['owner', 'jean'].map((name) => bodiesOf(home.client, name)));
      expect(both.flat()).toHaveLength(2);
      return both;
    });
    expect(told).toEqual([
      [expect.stringContaining(`aos resolve ${call_id} redo`)],
      [expect.stringMatching(new RegExp(`^CALL: ${call_id}\n.*"code":"tool.unsure"`, 's'))],
    ]);
  });

  test('asked for again under its key is not made, and its end is that nobody knows', async () => {
    await using world = await heldWorld();
    await killInTheMiddle(world, 'POST', ['/pay']);
    world.server.letGo();

    const again = await world.fetch('POST', '/pay', 'key of /pay');

    expect(again).toBe('tool.unsure');
    await barrier(world);
    expect(withoutBarriers(world.asked())).toEqual(['POST /pay']);
  });

  test('ends as a human resolves it: done, to be done again, or failed', async () => {
    await using world = await heldWorld();
    const { home } = world;
    await killInTheMiddle(world, 'POST', ['/done', '/redo', '/fail']);
    world.server.letGo();

    for (const as of ['done', 'redo', 'fail'] as const) {
      const { call_id } = await callFor(home.client, `/${as}`);
      await home.client.resolveCall(call_id, as);
    }

    await until(async () => {
      expect(await callFor(home.client, '/redo')).toMatchObject({
        ...{ state: 'answered', runs: 2, output: { status: 200, body: 'done' } },
      });
    });
    expect(await callFor(home.client, '/done')).toMatchObject({ state: 'answered', runs: 1 });
    expect(await callFor(home.client, '/fail')).toMatchObject({ state: 'failed', runs: 1 });
    const asked = withoutBarriers(world.asked());
    expect(asked.toSorted()).toEqual(['POST /done', 'POST /fail', 'POST /redo', 'POST /redo']);
    const { call_id } = await callFor(home.client, '/redo');
    await expect(home.client.resolveCall(call_id, 'redo')).rejects.toMatchObject({
      code: 'tool.not-unsure',
    });
  });

  test('and dies in once more when it is done again is unsure again', async () => {
    await using world = await heldWorld();
    const { home } = world;
    await killInTheMiddle(world, 'POST', ['/pay']);
    const { call_id } = await callFor(home.client, '/pay');

    await home.client.resolveCall(call_id, 'redo');
    await until(() => expect(world.asked()).toHaveLength(2));
    await home.killAndStart();

    await barrier(world);
    expect(await callFor(home.client, '/pay')).toMatchObject({ state: 'unsure', runs: 2 });
    expect(withoutBarriers(world.asked())).toEqual(['POST /pay', 'POST /pay']);
  });
});

describe('a call that only reads and that the daemon died in', () => {
  test('is run again by itself, and whoever asks again gets its result', async () => {
    await using world = await heldWorld();
    const { home, server } = world;
    await killInTheMiddle(world, 'GET', ['/page']);

    await until(() => expect(server.seen).toHaveLength(2));
    server.letGo();
    await home.killAndStart();
    await until(async () => {
      expect(await callFor(home.client, '/page')).toMatchObject({ state: 'answered', runs: 3 });
    });
    const again = await world.fetch('GET', '/page', 'key of /page');

    expect(again).toMatchObject({ state: 'answered', output: { body: 'done' } });
    await barrier(world);
    expect(withoutBarriers(world.asked())).toEqual(['GET /page', 'GET /page', 'GET /page']);
    await until(async () => {
      const told = await bodiesOf(home.client, 'jean');
      expect(told).toEqual([expect.stringContaining('STATE: answered')]);
    });
  });

  test('is given up when the daemon dies in it again and again', async () => {
    await using world = await heldWorld();
    const { home } = world;
    await killInTheMiddle(world, 'GET', ['/page']);

    for (const times of [2, 3]) {
      await until(() => expect(world.asked()).toHaveLength(times));
      await home.killAndStart();
    }

    await barrier(world);
    expect(await callFor(home.client, '/page')).toMatchObject({
      state: 'failed',
      error: { code: 'tool.failed' },
    });
    expect(withoutBarriers(world.asked())).toHaveLength(3);
  });

  test('is one use of its grant, however often it is run', async () => {
    await using world = await heldWorld('{max:1}');
    const { home, server } = world;
    await killInTheMiddle(world, 'GET', ['/page']);
    await until(() => expect(server.seen).toHaveLength(2));
    server.letGo();

    await home.killAndStart();

    await until(async () =>
      expect(await callFor(home.client, '/page')).toMatchObject({ state: 'answered', runs: 3 }),
    );
    expect(world.asked()).toEqual(['GET /page', 'GET /page', 'GET /page']);
  });
});

describe('a call that waits for a human', () => {
  const asking = async (): Promise<World> => {
    const world = await heldWorld();
    world.server.letGo();
    const capability = `http:127.0.0.1:${world.server.port}/asked:post`;
    const { items } = await world.home.client.grants({ agent: 'jean' });
    for (const { id, capability: held } of items) {
      if (held.startsWith('http:')) await world.home.client.revoke(id);
    }
    await world.home.client.grant({ agent: 'jean', capability, ask: true });
    return world;
  };

  test('waits on after a kill, and runs once when it is approved', async () => {
    await using world = await asking();
    const { home } = world;
    const waiting = await world.fetch('POST', '/asked', 'key of /asked');
    await home.killAndStart();

    const [approval] = (await home.client.approvals({})).items;
    const again = await world.fetch('POST', '/asked', 'key of /asked');
    await home.client.approve(approval?.id ?? '', { hash: approval?.hash ?? '', scope: 'once' });

    expect(waiting).toMatchObject({ state: 'waiting', approval: approval?.id });
    expect(again).toMatchObject({ state: 'waiting', approval: approval?.id });
    await until(async () => {
      expect(await callFor(home.client, '/asked')).toMatchObject({ state: 'answered', runs: 1 });
    });
    expect(world.asked()).toEqual(['POST /asked']);
    await until(async () => {
      const told = await bodiesOf(home.client, 'jean');
      expect(told).toEqual([expect.stringContaining('STATE: answered')]);
    });
    const asked = (await bodiesOf(home.client, 'owner')).filter((body) =>
      body.includes('approval'),
    );
    expect(asked).toHaveLength(1);
  });

  test('is over after a kill when it is denied', async () => {
    await using world = await asking();
    const { home } = world;
    await world.fetch('POST', '/asked', 'key of /asked');
    await home.killAndStart();

    const [approval] = (await home.client.approvals({})).items;
    await home.client.deny(approval?.id ?? '', { hash: approval?.hash ?? '', reason: 'no' });

    expect(await world.fetch('POST', '/asked', 'key of /asked')).toBe('approval.denied');
    await home.killAndStart();
    expect(await callFor(home.client, '/asked')).toMatchObject({ state: 'denied' });
    expect(world.asked()).toEqual([]);
  });
});

const rounds = times({ fast: 3, full: 300 });
const longestLifeMs = 60;
const answerAfterMs = 8;

test('what callers were told holds through many kills in the middle of their calls', async () => {
  // Slow, so that most kills find a call in the middle.
  await using server = await webServer((_, response) => {
    const timer = setTimeout(() => response.end('seen'), answerAfterMs);
    response.on('close', () => clearTimeout(timer));
  });
  await using home = await MortalHome.withAgents('jean', 'sam');
  await home.grant('jean', `http:127.0.0.1:${server.port}/*:request`, 'memory:**:write');
  const random = seededRandom(`tool-calls/${runSeed}/${part.number}`);
  const history = new CallHistory(server.port);

  for (let round = 0; round < rounds; round++) {
    const calling = Promise.all(
      callKinds.map((kind) => callUntilDown(home.as('jean'), history, { kind, round })),
    );
    // In every second life somebody is answered before it ends, however slow the machine is.
    const before = history.answered.size;
    if (round % 2 === 1) await until(() => expect(history.answered.size).not.toBe(before));
    // Not a wait for something to happen: the moment of the kill is chosen by chance.
    await sleep(integerBelow(random, longestLifeMs));
    await home.daemon.kill();
    await calling;
    await home.start();
  }
  await until(async () => {
    expect((await home.client.calls({ state: 'started' })).items).toEqual([]);
  });
  const lost: string[] = [];
  for (const [key, id] of history.answered) {
    const { state } = await home.client.toolCall(id);
    if (state !== 'answered') lost.push(`${key} is ${state}`);
  }
  // Whoever was not answered asks again under the same key.
  const again = new Map<string, unknown>();
  for (const call of history.unanswered()) again.set(call.key, await endOf(makeCall(home, call)));

  expect(history.answered.size).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
  // Of few kills chance decides whether one hits a call.
  if (isFull) expect([...again.values()]).toContain('tool.unsure');
  expect(lost).toEqual([]);
  const sent = await takeAll(home.client, 'sam');
  expect(history.ofKind('send').filter(({ key }) => count(sent, key) !== 1)).toEqual([]);
  const posted = server.seen.filter(({ method }) => method === 'POST').map(({ url }) => url);
  const wrong = history.ofKind('post').filter(({ key }) => {
    const times = count(posted, `/${key}`);
    // Nobody knows whether it had been made; and it was not made again.
    return again.get(key) === 'tool.unsure' ? times > 1 : times !== 1;
  });
  expect(wrong).toEqual([]);
  const isEnd = (end: unknown): boolean => end === 'tool.unsure' || typeof end === 'object';
  expect([...again].filter(([, end]) => !isEnd(end))).toEqual([]);
  expect(await home.client.auditVerify()).toMatchObject({ kind: 'whole' });
});

const callKinds = ['send', 'get', 'post', 'store'] as const;
type CallKind = (typeof callKinds)[number];

interface MadeCall {
  readonly kind: CallKind;
  readonly key: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What was asked for, and what the answers said. */
class CallHistory {
  readonly #port: number;
  readonly #made: MadeCall[] = [];
  /** The id of the call by its key. */
  readonly answered = new Map<string, string>();

  constructor(port: number) {
    this.#port = port;
  }

  begin(kind: CallKind, key: string): MadeCall {
    const url = `http://127.0.0.1:${this.#port}/${key}`;
    const { tool, args } = {
      send: { tool: 'message.send', args: { to: 'sam', body: key } },
      get: { tool: 'http.fetch', args: { url } },
      post: { tool: 'http.fetch', args: { url, method: 'POST' } },
      store: { tool: 'memory.store', args: { key: 'last', value: key } },
    }[kind];
    const call = { kind, key, tool, args };
    this.#made.push(call);
    return call;
  }

  ofKind(wanted: CallKind): readonly MadeCall[] {
    return this.#made.filter(({ kind }) => kind === wanted);
  }

  unanswered(): readonly MadeCall[] {
    return this.#made.filter(({ key }) => !this.answered.has(key));
  }
}

async function callUntilDown(
  client: Client,
  history: CallHistory,
  { kind, round }: { readonly kind: CallKind; readonly round: number },
): Promise<void> {
  for (let number = 0; ; number++) {
    const { key, tool, args } = history.begin(kind, `${kind}-${round}-${number}`);
    const end = await endOf(client.callTool(tool, { args }, { key }));
    if (end === 'daemon.down') return;
    // Anything else was not to be expected, and fails with its own words.
    expect(end).toMatchObject({ state: 'answered' });
    history.answered.set(key, (end as { readonly call_id: string }).call_id);
  }
}

function makeCall(home: MortalHome, { tool, args, key }: MadeCall): Promise<unknown> {
  return home.as('jean').callTool(tool, { args }, { key });
}

async function takeAll(client: Client, name: string): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const items = await client.takeInbox(name, { limit: 100 });
    if (items.length === 0) return bodies;
    bodies.push(...items.map(({ body }) => body));
  }
}

function count<T>(all: readonly T[], one: T): number {
  return all.filter((each) => each === one).length;
}
