/** SIGKILL of the real daemon at random moments while model agents work. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import type { WireGoalSummary } from '../../src/gateway/contract/contract.ts';
import type { Random } from '../../src/kernel/ports.ts';
import { integerBelow, seededRandom } from '../sim/random.ts';
import { type TestServer, webServer } from '../support/http-world.ts';
import { limitMs } from '../support/limits.ts';
import { MortalHome } from '../support/mortal-home.ts';
import { launcher } from '../support/run-aos.ts';
import { liarsIn, writeScript } from '../support/runtime-home.ts';
import { isFull, seeds } from '../support/tier.ts';
import { until } from '../support/until.ts';

// Two homes at a time, because two cores are what the slowest machine has. In full there
// are 1,000 kills.
const killsPerHome = isFull ? 50 : 4;
const pairs = seeds('runtime-chaos', { fast: 1, full: 10 }).map((n) => [2 * n - 1, 2 * n] as const);
// As much as this machine gets done in 200 ms without other load.
const longestLifeMs = limitMs(200);
const longestStartMs = limitMs(400);
/** Of each home, so that there is something to look at. */
const leastCompleted = killsPerHome / 25;
const answerAfterMs = 5;
const agents = ['walker-1', 'walker-2', 'walker-3', 'walker-4'];
const mostOpenGoals = 8;

test.each(pairs)(
  'no effect comes twice and no goal is lost through many kills each of two homes (seeds %d, %d)',
  async (...pair) => {
    const findings = await Promise.all(pair.map((seed) => killOften(seed)));

    expect(findings).toEqual([[], []]);
  },
);

interface Chaos {
  readonly home: MortalHome;
  readonly server: TestServer;
  readonly random: Random;
  /** By call: what a human said of it, each time that nobody was sure. */
  readonly resolved: Map<string, string[]>;
  submitted: number;
}

async function killOften(seed: number): Promise<string[]> {
  // Slow, so that many kills find a call in the middle.
  await using server = await webServer((_, response) => {
    const timer = setTimeout(() => response.end('seen'), answerAfterMs);
    response.on('close', () => clearTimeout(timer));
  });
  await using home = await MortalHome.withAgents('sam');
  const random = seededRandom(`runtime-chaos/${seed}`);
  const chaos: Chaos = { home, server, random, resolved: new Map(), submitted: 0 };
  await populate(chaos);
  const lies: string[] = [];
  for (let kill = 0; kill < killsPerHome; kill++) {
    // One in five does not live to be ready: a start is a place to die, too.
    if (integerBelow(random, 5) === 0) {
      await home.daemon.kill();
      await killWhileStarting(home.path, integerBelow(random, longestStartMs));
      kill++;
    } else {
      const work = askForMore(chaos).catch(unlessDown);
      // Not a wait for something to happen: the moment of the kill is chosen by chance.
      await sleep(integerBelow(random, longestLifeMs));
      lies.push(...liarsIn(home.path));
      await home.daemon.kill();
      await work;
    }
    lies.push(...liarsIn(home.path));
    await home.start();
  }
  await untilQuiet(home.client);
  await completeSome(chaos);
  return [...lies.map((name) => `${name} ran without a lease`), ...(await findingsOf(chaos))];
}

function unlessDown(failure: unknown): void {
  if (failure instanceof Error && 'code' in failure && failure.code === 'daemon.down') return;
  throw failure;
}

async function populate({ home, server }: Chaos): Promise<void> {
  const { folder, client } = home;
  mkdirSync(folder.at('written'));
  const url = `http://127.0.0.1:${server.port}/{{goal}}`;
  const post = (place: number) => ({
    call: [{ tool: 'http.fetch', args: { method: 'POST', url: `${url}/${place}` } }],
  });
  const write = { path: `${folder.at('written')}/{{goal}}`, content: '{{goal}}' };
  const model = writeScript(folder, 'walker', {
    turns: [
      { call: [{ tool: 'http.fetch', args: { url: `${url}/look` } }], delay_ms: 5 },
      post(1),
      { call: [{ tool: 'message.send', args: { to: 'sam', body: '{{goal}}' } }], delay_ms: 5 },
      { call: [...post(2).call, { tool: 'file.write', args: write }, ...post(3).call] },
      { say: 'walked {{goal}}' },
    ],
  });
  const grants = [
    `http:127.0.0.1:${server.port}/*:request`,
    `file:${folder.at('written')}/*:write`,
    'message:*:send',
  ];
  for (const name of agents) await client.spawn(name, { model, grants, standing: true });
}

/** Keeps them busy, and says what became of calls that nobody is sure of. */
async function askForMore(chaos: Chaos): Promise<void> {
  const { home, random, resolved } = chaos;
  const { client } = home;
  const { items } = await client.goals({ open: 'true' });
  for (let open = items.length; open < mostOpenGoals; open++) {
    const agent = agents[chaos.submitted % agents.length] ?? '';
    await client.submitGoal({ goal: `goal-${chaos.submitted++}`, agent });
  }
  for (const { call_id } of (await client.calls({ state: 'unsure' })).items) {
    const as = (['done', 'redo', 'fail'] as const)[integerBelow(random, 4)];
    if (as === undefined) continue;
    resolved.set(call_id, [...(resolved.get(call_id) ?? []), as]);
    await client.resolveCall(call_id, as);
  }
}

async function killWhileStarting(home: string, lifeMs: number): Promise<void> {
  const words = [launcher, '--home', home, 'up', '--port', '0'];
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  const ended = once(child, 'close');
  await sleep(lifeMs);
  child.kill('SIGKILL');
  await ended;
}

/** Until whatever is still open waits for a human. */
async function untilQuiet(client: Client): Promise<void> {
  await until(async () => {
    const { items } = await client.goals({ open: 'true', limit: '1000' });
    const busy = items.filter(
      ({ state, waits_for }) => state !== 'waiting' || waits_for === 'mail',
    );
    // Others of an agent whose goal waits come after that one.
    const waiting = new Set(items.filter((one) => !busy.includes(one)).map(({ agent }) => agent));
    expect(busy.filter(({ agent }) => !waiting.has(agent))).toEqual([]);
  }, limitMs(60_000));
}

/** On a busy machine no life may have been long enough for a whole goal: a last one is. */
async function completeSome(chaos: Chaos): Promise<void> {
  const { client } = chaos.home;
  await until(async () => {
    await askForMore(chaos);
    await untilQuiet(client);
    const { items } = await client.goals({ limit: '1000' });
    const completed = items.filter(({ state }) => state === 'completed').length;
    expect(completed).toBeGreaterThanOrEqual(leastCompleted);
  }, limitMs(60_000));
}

async function findingsOf(chaos: Chaos): Promise<string[]> {
  const { client } = chaos.home;
  const { items } = await client.goals({ limit: '1000' });
  const calls = await allCalls(client);
  const facts: Facts = {
    idOf: new Map(calls.map(({ call_id, idempotency_key }) => [idempotency_key, call_id])),
    told: await takeAll(client, 'sam'),
    written: new Set(readdirSync(chaos.home.folder.at('written'))),
  };
  return [
    ...items.flatMap((goal) => findingsOn(chaos, goal, facts)),
    // Of few kills chance decides whether one hits a call.
    ...(calls.some(({ runs }) => runs > 1) || !isFull ? [] : ['nothing was ever run again']),
    ...((await client.auditVerify()).kind === 'whole' ? [] : ['the chain is broken']),
  ];
}

interface Facts {
  /** Of calls, by their keys. */
  readonly idOf: ReadonlyMap<string, string>;
  readonly told: readonly string[];
  readonly written: ReadonlySet<string>;
}

function findingsOn(
  { server, resolved }: Chaos,
  { id, goal, state, error }: WireGoalSummary,
  { idOf, told, written }: Facts,
): string[] {
  const saidOf = (place: string) => resolved.get(idOf.get(`run:${id}/${place}`) ?? '') ?? [];
  const isDone = state === 'completed';
  const found: string[] = [];
  if (!isDone && error !== null) found.push(`${goal} is ${state}: ${error.message}`);
  const sent = told.filter((body) => body === goal).length;
  if (sent > 1 || (isDone && sent === 0)) found.push(`${goal} was sent ${sent} times`);
  if (isDone && saidOf('4/1').length === 0 && !written.has(goal)) found.push(`${goal} is no file`);
  for (const [number, place] of ['2/0', '4/0', '4/2'].entries()) {
    const url = `/${goal}/${number + 1}`;
    const posts = server.seen.filter((one) => one.method === 'POST' && one.url === url).length;
    const said = saidOf(place);
    const most = 1 + said.filter((as) => as === 'redo').length;
    const least = isDone && said.length === 0 ? 1 : 0;
    if (posts < least || posts > most) found.push(`POST ${url} came ${posts} times`);
  }
  return found;
}

async function allCalls(client: Client) {
  const all: { call_id: string; idempotency_key: string; runs: number }[] = [];
  for (let before: string | undefined; ; ) {
    const { items, next } = await client.calls({ limit: '1000', ...(before && { before }) });
    all.push(...items);
    if (next === null) return all;
    before = next;
  }
}

async function takeAll(client: Client, name: string): Promise<string[]> {
  const bodies: string[] = [];
  for (;;) {
    const taken = await client.takeInbox(name, { limit: 100 });
    if (taken.length === 0) return bodies;
    bodies.push(...taken.map(({ body }) => body));
  }
}
