/** What a review has found of programs that are asked for by messages, on the real daemon. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { endAgents } from '../../tests/support/daemon-home.ts';
import { limitMs } from '../../tests/support/limits.ts';
import {
  type FoundMessage,
  lookIntoInbox,
  namesIn,
  outboxOf,
  putIntoOutbox,
} from '../../tests/support/message-files.ts';
import { type RunningDaemon, startDaemon } from '../../tests/support/running-daemon.ts';
import { agentNames, writeScript } from '../../tests/support/runtime-home.ts';
import { type TemporaryFolder, temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { until } from '../../tests/support/until.ts';

/** Of no other test, so that what is left of it can be found. */
const forever = `86409.${process.pid}`;

interface ProgramHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
  readonly daemon: RunningDaemon;
}

/** With the guest jean in it, who may spawn and release. */
async function programHome(...args: readonly string[]): Promise<ProgramHome> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const home = folder.at('home');
  const daemon = opened.use(await startDaemon(home, { args }));
  await daemon.client.register('jean', {});
  await daemon.client.grant({ agent: 'jean', capability: 'agent:*:spawn,release' });
  const kept = opened.move();
  return {
    ...{ folder, home, daemon },
    async [Symbol.asyncDispose]() {
      // One that is killed would leave its programs running.
      await daemon.stop();
      await kept.disposeAsync();
    },
  };
}

/** For all who need no setting of their own. */
let home: ProgramHome;
beforeAll(async () => {
  home = await programHome();
});
afterEach(() => endAgents(home));
afterAll(() => home[Symbol.asyncDispose]());

type Answer = FoundMessage & { readonly tookMs: number };

/** The ack or nack with these words in it that comes into jean's inbox after the request. */
async function ask(
  { home }: ProgramHome,
  kind: 'spawn' | 'release',
  body: string,
  words: string,
): Promise<Answer> {
  const before = new Set(lookIntoInbox(home, 'jean').map(({ name }) => name));
  const startedAt = performance.now();
  putIntoOutbox(home, 'jean', `TO: __orchestrator__\nKIND: ${kind}\n\n${body}\n`);
  return until(() => {
    const found = lookIntoInbox(home, 'jean').find(
      ({ name, headers, body: told }) =>
        !before.has(name) && /^n?ack$/.test(headers['KIND'] ?? '') && told.includes(words),
    );
    if (found === undefined) throw new Error('nobody has answered yet');
    return { ...found, tookMs: performance.now() - startedAt };
  });
}

const spawn = (home: ProgramHome, name: string, cli: string) =>
  ask(home, 'spawn', `NAME: ${name}\nCLI: ${cli}`, name);

test('where no slot is free a program is said to wait, and a missing one is refused at once', async () => {
  await using narrow = await programHome('--set', 'programSlots=1');
  const { client } = narrow.daemon;

  const first = await spawn(narrow, 'first', `sleep ${forever}`);
  const second = await spawn(narrow, 'second', `sleep ${forever}`);
  const missing = await spawn(narrow, 'missing', 'no-such-program-x');
  const byOwner = await client.spawn('third', { cli: ['sleep', forever] });

  expect(first.body).toMatch(/^STARTED: first\nPID: \d+\n/);
  expect(second.headers).toMatchObject({ KIND: 'ack' });
  expect(second.body).toMatch(/^WAITING: second\n/);
  expect(missing.headers).toMatchObject({ KIND: 'nack' });
  expect(missing.body).toContain('CODE: program.missing');
  expect(missing.tookMs).toBeLessThan(limitMs(3000));
  expect(byOwner).toMatchObject({ pid: null, waiting: true });
  await ask(narrow, 'release', 'NAME: first', 'RELEASED: first');
  await until(async () =>
    expect(await client.agentDetails('second')).toMatchObject({ state: 'running' }),
  );
});

test('a program that does not want to end holds up no other answer', async () => {
  const ready = join(home.home, 'agents', 'stubborn', 'workspace', 'ready');
  const script = `trap '' TERM; touch ready; while :; do sleep 1; done`;
  await spawn(home, 'stubborn', `sh -c "${script}"`);
  await until(() => expect(existsSync(ready)).toBe(true));

  const released = ask(home, 'release', 'NAME: stubborn', 'RELEASED: stubborn');
  await until(() => expect(namesIn(outboxOf(home.home, 'jean'))).toEqual([]));
  const missing = await spawn(home, 'missing', 'no-such-program-x');

  expect(missing.headers).toMatchObject({ KIND: 'nack' });
  expect(missing.tookMs).toBeLessThan(limitMs(3000));
  // It would take five seconds until it is made to.
  const { pid } = await home.daemon.client.agentDetails('stubborn');
  process.kill(pid ?? 0, 'SIGKILL');
  expect((await released).tookMs).toBeGreaterThan(missing.tookMs);
});

test('the children of a goal are counted also where they are asked for by messages', async () => {
  const { client } = home.daemon;
  const before = answeredIn(home);
  const calls = ['one', 'two', 'three'].map((name) => ({
    tool: 'message.send',
    args: {
      ...{ to: '__orchestrator__', kind: 'spawn' },
      body: `NAME: ${name}\nCLI: sleep ${forever}\n`,
    },
  }));
  const model = writeScript(home.folder, 'many', { turns: [{ call: calls }, { say: 'done' }] });

  const grants = ['agent:*:spawn', 'message:*:send'];
  await client.spawn('boss', { model, grants });

  await client.submitGoal({ goal: 'go', agent: 'boss', budget: ['children=1', 'tokens=20000'] });
  await until(() => expect(answeredIn(home)).toBe(before + 3));

  const agents = await Array.fromAsync(client.agents());
  expect(agents.filter(({ parent }) => parent === 'boss')).toHaveLength(1);
});

/** How many requests are done, whatever became of them. */
function answeredIn({ home }: ProgramHome): number {
  using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const done = `select count(*) as count from pending_operations
    where operation_type = 'spawn' and completed_at is not null`;
  return Number(database.prepare(done).get()?.['count']);
}

test('the name of a program that is over is not had by an agent that did not spawn it', async () => {
  const { client } = home.daemon;
  const capability = 'file:/etc/hostname:read';
  await client.spawn('tool', { cli: ['true'], grants: [capability] });
  await until(async () =>
    expect(await client.agentDetails('tool')).toMatchObject({ state: 'completed' }),
  );
  const held = async () => (await client.grants({ agent: 'tool' })).items;

  const answer = await spawn(home, 'tool', `sleep ${forever}`);
  const before = await held();
  await client.spawn('tool', { cli: ['true'] });

  expect(answer.headers).toMatchObject({ KIND: 'nack' });
  expect(answer.body).toContain('CODE: agent.exists');
  expect(before.map((one) => one.capability)).toContain(capability);
  // The owner has it again, with nothing of before.
  expect((await held()).map(({ origin }) => origin)).toEqual(['default', 'default']);
});

test('a program that ends at once was not started, and whoever asked hears its last lines', async () => {
  const noShell = home.folder.at('no-shell');
  writeFileSync(noShell, '#!/no/such/interpreter\n', { mode: 0o755 });

  const early = await spawn(home, 'early', 'sh -c "echo no key; exit 2"');
  const broken = await ask(
    home,
    'spawn',
    `NAME: broken\nCLI: ${noShell}`,
    'CODE: sandbox.bad-folder',
  );
  const byOwner = home.daemon.client.spawn('mine', { cli: ['sh', '-c', 'echo no key; exit 2'] });

  await expect(byOwner).rejects.toMatchObject({
    ...{ code: 'program.not-started', message: expect.stringContaining('no key') },
  });
  expect(early.headers).toMatchObject({ KIND: 'nack' });
  expect(early.body).toMatch(/no key.*CODE: program\.not-started/s);
  expect(broken.headers).toMatchObject({ KIND: 'nack' });
});

test('what cannot be started leaves nobody behind', async () => {
  const { client } = home.daemon;
  const before = await agentNames(client);
  const orders = [
    { cli: ['true'], env: { PATH: '/tmp' } },
    { cli: ['true'], env: { 'A B': 'x' } },
    { cli: ['true'], cwd: home.folder.at('nowhere') },
    { cli: ['no-such-program-x'] },
  ];

  for (const order of orders) await expect(client.spawn('worker', order)).rejects.toThrow();

  expect(await agentNames(client)).toEqual(before);
});

test('the number that is told is that of the program itself', async () => {
  const names = Array.from({ length: 8 }, (_, place) => `worker-${place}`);

  const spawned = await Promise.all(
    names.map((name) => home.daemon.client.spawn(name, { cli: ['sleep', forever] })),
  );

  const lines = spawned.map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  expect(lines).toEqual(names.map(() => expect.stringMatching(/^\S*sleep\0/)));
  process.kill(spawned[0]?.pid ?? 0, 'SIGTERM');
  await until(async () =>
    expect(await home.daemon.client.agentDetails('worker-0')).toMatchObject({ state: 'failed' }),
  );
});

test('what was held for a guest that is paused is held over a restart of the daemon', async () => {
  await using folder = temporaryFolder();
  const place = folder.at('home');
  const first = await startDaemon(place);
  await using _first = first;
  await first.client.register('jean', {});
  await first.client.pauseAgent('jean');
  await first.client.send({ to: 'jean', body: 'held' });
  await first.kill();

  await using second = await startDaemon(place);
  await second.client.register('sam', {});
  await second.client.send({ to: 'sam', body: 'not held' });
  await until(() => expect(lookIntoInbox(place, 'sam')).toHaveLength(1));
  const whilePaused = lookIntoInbox(place, 'jean');
  await second.client.resumeAgent('jean');

  expect(whilePaused).toEqual([]);
  await until(() =>
    expect(lookIntoInbox(place, 'jean')).toMatchObject([{ body: expect.stringContaining('held') }]),
  );
});
