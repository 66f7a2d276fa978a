/** Calls that run on while what allows them ends: revoked, used up, out of time. */
import { mkdtempSync, readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type TestServer, webServer } from '../support/http-world.ts';
import { limitMs } from '../support/limits.ts';
import { endOf, sharedToolHome, type ToolHome, tally } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

const everyMs = 50;

// One daemon for all: `jean` is another agent in each test.
const toolHome = sharedToolHome();

interface EndlessServer extends TestServer {
  /** The paths that are being answered now. */
  readonly open: ReadonlySet<string>;
}

/** Answers each request with a line after the other, for ever. */
async function endlessServer(): Promise<EndlessServer> {
  const open = new Set<string>();
  const answer: RequestListener = ({ url = '' }, response) => {
    open.add(url);
    const timer = setInterval(() => response.write('one more line\n'), everyMs);
    response.on('close', () => {
      clearInterval(timer);
      open.delete(url);
    });
    response.write('the first line\n');
  };
  return Object.assign(await webServer(answer), { open });
}

/** How it ended, and when that was heard. */
async function timedEnd(work: Promise<unknown>): Promise<{ end: unknown; at: number }> {
  const end = await endOf(work);
  return { end, at: performance.now() };
}

interface Chain extends AsyncDisposable {
  readonly home: ToolHome;
  readonly server: EndlessServer;
  /** The grants for the server, from the owner's to lead down to the one of grand. */
  readonly grants: { readonly lead: string; readonly child: string; readonly grand: string };
  /** What a fetch of theirs is saved to. */
  readonly saved: string;
  fetch(agent: string): Promise<unknown>;
}

/** Lead holds what the owner gave, child what lead gave on, and grand what child did. */
async function streamingChain(): Promise<Chain> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await endlessServer());
  const home = await toolHome('lead', 'child', 'grand');
  const saved = mkdtempSync(home.folder.at('saved-'));
  const capability = `http:127.0.0.1:${server.port}/*:get`;
  const files = `file:${saved}/*:write`;
  const [lead = ''] = await home.grant('lead', capability, files);
  const handOn = async (from: string, called: string): Promise<string> => {
    const { client } = home.agent(from);
    const to = home.agent(called).name;
    await client.delegate({ to, capability: files });
    return (await client.delegate({ to, capability })).id;
  };
  const child = await handOn('lead', 'child');
  const grand = await handOn('child', 'grand');
  const kept = opened.move();
  return {
    ...{ home, server, saved, grants: { lead, child, grand } },
    fetch: (agent) =>
      home.agent(agent).client.callTool('http.fetch', {
        args: {
          url: `http://127.0.0.1:${server.port}/${agent}`,
          save_to: `${saved}/${agent}.txt`,
        },
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const filesIn = (folder: string): readonly string[] => readdirSync(folder);

describe('a grant that is revoked while calls stream', () => {
  test('ends those of a child and of a grandchild within a second', async () => {
    await using chain = await streamingChain();
    const { home, server, grants } = chain;
    const calls = ['child', 'grand'].map((agent) => timedEnd(chain.fetch(agent)));
    await until(() => expect(server.open.size).toBe(2));
    await until(() => expect(filesIn(chain.saved)).toHaveLength(2));

    await home.client.revoke(grants.lead);

    const revokedAt = performance.now();
    const ends = await Promise.all(calls);
    expect(ends.map(({ end }) => end)).toEqual(['capability.revoked', 'capability.revoked']);
    expect(Math.max(...ends.map(({ at }) => at)) - revokedAt).toBeLessThan(limitMs(1000));
    await until(() => expect(server.open.size).toBe(0));
    expect(performance.now() - revokedAt).toBeLessThan(limitMs(1000));
    await until(() => expect(filesIn(chain.saved)).toEqual([]));
  });

  test('is what the events and the journal say of their end', async () => {
    await using chain = await streamingChain();
    const { home, server, grants } = chain;
    const calls = ['child', 'grand'].map((agent) => endOf(chain.fetch(agent)));
    await until(() => expect(server.open.size).toBe(2));

    await home.client.revoke(grants.lead);
    await Promise.all(calls);

    const failed = await home.events('tool.failed');
    expect(failed.map(({ actor, data }) => ({ actor, data }))).toEqual(
      expect.arrayContaining(
        ['child', 'grand'].map((called) => ({
          actor: `agent:${home.agent(called).name}`,
          data: expect.objectContaining({ code: 'capability.revoked' }),
        })),
      ),
    );
    for (const called of ['child', 'grand']) {
      const { items } = await home.client.calls({ agent: home.agent(called).name });
      expect(items).toMatchObject([{ state: 'failed', error: { code: 'capability.revoked' } }]);
    }
    const [revoked] = await home.events('capability.revoked');
    expect(revoked).toMatchObject({ actor: 'owner', data: { grant: grants.lead, below: 2 } });
  });

  test('leaves alone what does not rest on it', async () => {
    await using chain = await streamingChain();
    const { home, server, grants } = chain;
    const calls = ['lead', 'child', 'grand'].map((agent) => endOf(chain.fetch(agent)));
    await until(() => expect(server.open.size).toBe(3));

    await home.agent('lead').client.revoke(grants.child);

    expect(await Promise.all(calls.slice(1))).toEqual(['capability.revoked', 'capability.revoked']);
    await until(() => expect([...server.open]).toEqual(['/lead']));
    // It streams on: what it saves has a name of its own still.
    await until(() => expect(filesIn(chain.saved)).toHaveLength(1));
    await home.client.revoke(grants.lead);
    expect(await calls[0]).toBe('capability.revoked');
  });

  test('allows nothing that is called afterwards', async () => {
    await using chain = await streamingChain();
    const { home, server, grants } = chain;

    await home.client.revoke(grants.lead);

    expect(
      await Promise.all(['lead', 'child', 'grand'].map((name) => endOf(chain.fetch(name)))),
    ).toEqual(['capability.denied', 'capability.denied', 'capability.denied']);
    expect(server.seen).toEqual([]);
  });
});

const parallel = 10;

async function countingHome(...agents: readonly string[]) {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await webServer((_, response) => response.end('counted')));
  const home = await toolHome(...agents);
  const kept = opened.move();
  return {
    ...{ home, server },
    capability: (constraint: string) => `http:127.0.0.1:${server.port}/*:get${constraint}`,
    fetch: (agent: string) =>
      home.agent(agent).client.callTool('http.fetch', {
        args: { url: `http://127.0.0.1:${server.port}/${agent}` },
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

describe('of 10 calls at once', () => {
  test.each([['{max:3}'], ['{rate:3/hour}'], ['{max:7,rate:3/day}']])(
    'exactly 3 reach the server under %s',
    async (constraint) => {
      await using world = await countingHome('jean');
      const { home, server } = world;
      await home.grant('jean', world.capability(constraint));

      const ends = await Promise.all(
        Array.from({ length: parallel }, () => endOf(world.fetch('jean'))),
      );

      expect(tally(ends)).toEqual({ ok: 3, 'capability.used-up': 7 });
      expect(server.seen).toHaveLength(3);
      expect(await home.events('capability.denied')).toHaveLength(7);
    },
  );

  test.each([['{max:3}'], ['{rate:3/hour}']])(
    'exactly 3 reach the server under %s of a tree of delegations',
    async (constraint) => {
      const names = ['lead', 'left', 'right', 'leaf'];
      await using world = await countingHome(...names);
      const { home, server } = world;
      await home.grant('lead', world.capability(constraint));
      const handOn = (from: string, to: string) =>
        home
          .agent(from)
          .client.delegate({ to: home.agent(to).name, capability: world.capability('') });
      await handOn('lead', 'left');
      await handOn('lead', 'right');
      await handOn('left', 'leaf');

      const ends = await Promise.all(
        Array.from({ length: parallel }, (_, turn) => endOf(world.fetch(names[turn % 4] ?? ''))),
      );

      expect(tally(ends)).toEqual({ ok: 3, 'capability.used-up': 7 });
      expect(server.seen).toHaveLength(3);
    },
  );
});

test('a rate gives back what it took once its time is over', async () => {
  await using world = await countingHome('jean');
  const { home, server } = world;
  await home.grant('jean', world.capability('{rate:2/sec}'));
  const beganAt = performance.now();

  const first = await Promise.all(Array.from({ length: 4 }, () => endOf(world.fetch('jean'))));
  await until(async () =>
    expect(await endOf(world.fetch('jean'))).toMatchObject({ state: 'answered' }),
  );

  expect(tally(first)).toEqual({ ok: 2, 'capability.used-up': 2 });
  expect(performance.now() - beganAt).toBeGreaterThan(900);
  expect(server.seen).toHaveLength(3);
});

describe('a call under a grant with a timeout', () => {
  test.each([
    ['the one that it was given', 'lead', {}],
    ['the one above it, of which it says nothing', 'child', {}],
    ['its own, though it asks for more', 'lead', { timeout_ms: 60_000 }],
  ])('is ended after %s', async (_, agent, more) => {
    await using server = await endlessServer();
    const home = await toolHome('lead', 'child');
    const capability = `http:127.0.0.1:${server.port}/*:get`;
    await home.grant('lead', `${capability}{timeout:400ms}`);
    await home.agent('lead').client.delegate({ to: home.agent('child').name, capability });
    const args = { url: `http://127.0.0.1:${server.port}/` };
    const beganAt = performance.now();

    const end = await endOf(home.agent(agent).client.callTool('http.fetch', { args, ...more }));

    const tookMs = performance.now() - beganAt;
    expect(end).toBe('tool.timeout');
    expect(tookMs).toBeGreaterThan(390);
    expect(tookMs).toBeLessThan(limitMs(3000));
    await until(() => expect(server.open.size).toBe(0));
  });
});
