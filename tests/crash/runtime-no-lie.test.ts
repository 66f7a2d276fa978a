/** What is shown of agents holds, also right after their daemon died under them. */
import { expect, test } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import type { WireAgent, WireAgentDetails } from '../../src/gateway/contract/contract.ts';
import { limitMs } from '../support/limits.ts';
import { runAos } from '../support/run-aos.ts';
import { type RunningDaemon, startDaemon } from '../support/running-daemon.ts';
import { liarsIn, processesWith, programOf, writeScript } from '../support/runtime-home.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const leaseMs = 15_000;
const enoughSlots = { args: ['--set', 'modelSlots=12'] };
const thinkers = Array.from({ length: 12 }, (_, place) => `thinker-${place}`);
const sleepers = Array.from({ length: 8 }, (_, place) => `sleeper-${place}`);

/** Of no other test, so that what is left of it can be found. */
const sleepingFor = `86400.${process.pid}`;

interface Team extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
}

/** Programs outlive a daemon that is killed, so they are ended by a last one that is stopped. */
function teamFolder(): Team {
  const folder = temporaryFolder();
  const home = folder.at('home');
  return {
    ...{ folder, home },
    async [Symbol.asyncDispose]() {
      await using last = await startDaemon(home, { args: ['--takeover'] });
      await last.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function startTeam({ client }: RunningDaemon, folder: TemporaryFolder): Promise<void> {
  // Long enough that all think at once for a while, however slow the machine is.
  const slow = { delay_ms: limitMs(1200), call: [{ tool: 'tool.list' }] };
  const model = writeScript(folder, 'slow', { turns: [slow, slow, { say: 'thought' }] });
  for (const name of sleepers) await client.spawn(name, { cli: ['sleep', sleepingFor] });
  await Promise.all(thinkers.map((name) => client.spawn(name, { model, goal: 'think' })));
}

const detailsOf = (client: Client, names: readonly string[]): Promise<WireAgentDetails[]> =>
  Promise.all(names.map((name) => client.agentDetails(name)));

const pidsOf = (all: readonly WireAgentDetails[]) => all.map(({ pid }) => pid);

const isUnder = (epoch: number) => (one: WireAgentDetails) =>
  one.state === 'running' && one.lease?.owner === `daemon ${epoch}`;

test('of twenty agents whose daemon is killed each goes on, or has failed with a reason', async () => {
  await using team = teamFolder();
  const { folder, home } = team;
  await using first = await startDaemon(home, enoughSlots);
  await startTeam(first, folder);
  const before = await until(async () => {
    const all = await detailsOf(first.client, [...thinkers, ...sleepers]);
    expect(all.filter(isUnder(1))).toHaveLength(20);
    return all;
  });
  const pids = pidsOf(before.slice(thinkers.length));

  await first.kill();
  const liars = liarsIn(home);
  // One ends while nobody watches.
  process.kill(programOf(pids[0]), 'SIGKILL');
  await until(async () => expect(await lookedAt(home)).toEqual(asTheyAre));
  const startedAt = performance.now();
  await using second = await startDaemon(home, enoughSlots);
  liars.push(...liarsIn(home));
  // Whoever looked without a daemon owned the home meanwhile.
  const status = await second.client.status();
  const epoch = status.role === 'owner' ? status.epoch : 0;
  const after = await until(async () => {
    liars.push(...liarsIn(home));
    const all = await detailsOf(second.client, [...thinkers, ...sleepers.slice(1)]);
    expect(all.filter(isUnder(epoch))).toHaveLength(19);
    return all;
  });
  const tookMs = performance.now() - startedAt;

  expect(liars).toEqual([]);
  expect(tookMs).toBeLessThan(leaseMs);
  expect(pidsOf(after.slice(thinkers.length))).toEqual(pids.slice(1));
  expect(await second.client.agentDetails('sleeper-0')).toMatchObject({
    ...{ state: 'failed', pid: null, lease: null, reason: expect.stringContaining('SIGKILL') },
  });
  await until(async () => {
    for (const { state, lease } of await detailsOf(second.client, thinkers)) {
      expect({ state, lease }).toEqual({ state: 'completed', lease: null });
    }
  });
  expect(liarsIn(home)).toEqual([]);
  await second.stop();
  expect(processesWith(sleepingFor)).toEqual([]);
});

const asTheyAre = Object.fromEntries([
  ...thinkers.map((name) => [name, 'pending: no daemon is there; it goes on when one is']),
  ['sleeper-0', 'failed: was killed by SIGKILL at WHEN, while no daemon watched'],
  ...sleepers.slice(1).map((name) => [name, 'running: running since WHEN; no daemon watches it']),
]);

/** What a command tells of them that finds no daemon. */
async function lookedAt(home: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await runAos(['--home', home, 'ps', '--json']);
  const { items } = JSON.parse(stdout).data as { readonly items: readonly WireAgent[] };
  const words = items.map(({ name, state, reason }) => {
    return [name, `${state}: ${reason?.replace(/\d{4}-\d\d-\d\dT[\d:]{8}Z/, 'WHEN')}`] as const;
  });
  return Object.fromEntries(words);
}

test('a program that somebody stops from outside shows as frozen, and no longer when it goes on', async () => {
  await using team = teamFolder();
  await using daemon = await startDaemon(team.home);
  const { pid } = await daemon.client.spawn('sleeper', { cli: ['sleep', sleepingFor] });
  const program = programOf(pid);
  const ps = async () => (await runAos(['--home', team.home, 'ps'])).stdout;

  process.kill(program, 'SIGSTOP');
  await until(async () => expect(await ps()).toMatch(/sleeper .*frozen/));
  process.kill(program, 'SIGCONT');
  await until(async () => expect(await ps()).not.toContain('frozen'));

  const kinds = await Array.fromAsync(daemon.client.events({ subject: 'agent:sleeper' }));
  expect(kinds.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['agent.frozen', 'agent.thawed']),
  );
});

test('what a frozen daemon was doing is taken up by the one that takes its home over', async () => {
  await using team = teamFolder();
  const { folder, home } = team;
  await using frozen = await startDaemon(home, enoughSlots);
  const path = folder.at('written');
  const call = [{ tool: 'file.write', args: { path, content: 'once' } }];
  // Long enough to be seen at work.
  const turns = [{ delay_ms: limitMs(800), call }, { say: 'written' }];
  const model = writeScript(folder, 'writer', { turns });
  const grants = [`file:${path}:write`];
  const { pid } = await frozen.client.spawn('sleeper', { cli: ['sleep', sleepingFor] });
  await frozen.client.spawn('writer', { model, goal: 'write', grants });
  await until(async () =>
    expect(await frozen.client.agentDetails('writer')).toMatchObject({ state: 'running' }),
  );
  frozen.signal('SIGSTOP');

  await using taken = await startDaemon(home, { args: ['--takeover'] });

  expect(await frozen.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await taken.client.agentDetails('sleeper')).toMatchObject({
    ...{ pid, state: 'running', lease: { owner: 'daemon 2' } },
  });
  await until(async () => {
    const { items } = await taken.client.goals({ agent: 'writer' });
    expect(items).toMatchObject([{ state: 'completed' }]);
  });
  expect((await taken.client.calls({ agent: 'writer' })).items).toMatchObject([
    { tool: 'file.write', state: 'answered' },
  ]);
  expect(liarsIn(home)).toEqual([]);
});
