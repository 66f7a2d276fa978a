import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasSandbox, isRoot } from '../../../tests/support/machine.ts';
import { noWalls } from '../../../tests/support/no-walls.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openTestLedger } from '../../../tests/support/temporary-ledger.ts';
import { until } from '../../../tests/support/until.ts';
import { realClock, realRandom } from '../../engines/clock.ts';
import { openProgramLogs } from '../../engines/process/program-logs.ts';
import { openPrograms } from '../../engines/process/programs.ts';
import type { CommandSpec } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Note } from '../../kernel/message/message.ts';
import { madeAt } from '../../kernel/new-id.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Programs, RunningProgram } from '../../kernel/programs.ts';
import type { SandboxLimits } from '../../kernel/sandbox.ts';
import { type AgentRow, agentInnards, findAgent, insertAgent } from '../../ledger/agents.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { BubblewrapSandboxes } from '../../sandbox/bubblewrap-sandboxes.ts';
import { CommandBodies } from './command-bodies.ts';
import type { BodySandboxes, CommandDeps } from './deps.ts';

/** A daemon's worth of it, which can die without stopping anything. */
interface World extends AsyncDisposable {
  readonly home: TemporaryFolder;
  readonly ledger: Ledger;
  readonly bodies: CommandBodies;
  readonly notes: Note[];
  readonly leases: Set<string>;
  readonly errors: object[];
  agent(name: string): Promise<AgentRow>;
  spawn(name: string, spec: Partial<CommandSpec> & Pick<CommandSpec, 'argv'>): Promise<void>;
  until(name: string, state: AgentRow['state']): Promise<AgentRow>;
  events(name: string): Promise<string[]>;
  /** The next daemon of the same home; the programs of this one go on without it. */
  crash(changes?: Partial<CommandDeps>): CommandBodies;
  nap(name: string): string;
}

async function world(
  changes: Partial<CommandDeps> = {},
  home: TemporaryFolder = temporaryFolder(),
): Promise<World> {
  const ledger = await openTestLedger(home.at('ledger.db'));
  const notes: Note[] = [];
  const leases = new Set<string>();
  const errors: object[] = [];
  const started: RunningProgram[] = [];
  const deps: CommandDeps = {
    ledger,
    clock: realClock,
    random: realRandom,
    programs: openPrograms({ clock: realClock }),
    logs: openProgramLogs(),
    log: { error: (facts) => void errors.push(facts) },
    home: home.path,
    environmentOf: async () => ({
      PATH: process.env['PATH'] ?? '',
      AOS_TEST_MARK: process.env['AOS_TEST_MARK'] ?? '',
    }),
    sandboxes: noWalls,
    leases: {
      take: async (subject) => leases.add(subject).size,
      release: async (subject) => void leases.delete(subject),
    },
    notify: async (note) => void notes.push(note),
    slots: 8,
    graceMs: 300,
    ...changes,
  };
  let life = { isOver: false };
  const bodiesOf = (changed: Partial<CommandDeps> = {}) => {
    const programs = mortal(openPrograms({ clock: realClock }), started, life);
    return new CommandBodies({ ...deps, programs, ...changed });
  };
  let newest = bodiesOf();
  const agent = async (name: string) => {
    const row = await findAgent(ledger.committed, name);
    if (row === undefined) throw new Error(`no agent ${name}`);
    return row;
  };
  return {
    home,
    ledger,
    bodies: newest,
    notes,
    leases,
    errors,
    agent,
    spawn: (name, spec) => insertCommand(ledger, home, name, spec),
    until: (name, state) =>
      until(async () => {
        const row = await agent(name);
        expect(row.state).toBe(state);
        return row;
      }),
    events: async (name) =>
      (
        await ledger.committed.all<{ kind: string }>(
          'select kind from events where subject = $1 order by seq',
          [`agent:${name}`],
        )
      ).map(({ kind }) => kind),
    crash: (next = {}) => {
      leases.clear();
      life.isOver = true;
      life = { isOver: false };
      newest = bodiesOf(next);
      return newest;
    },
    nap: (name) => home.at('agents', name, 'workspace'),
    async [Symbol.asyncDispose]() {
      await newest[Symbol.asyncDispose]();
      for (const program of started) await program.kill();
      await ledger[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Programs of a daemon that hears of no end any more once its own life is over. */
function mortal(
  programs: Programs,
  started: RunningProgram[],
  life: { readonly isOver: boolean },
): Programs {
  return {
    check: (order) => programs.check(order),
    partsOf: (order) => programs.partsOf(order),
    holdsBy: () => programs.holdsBy(),
    adopt: (record) => programs.adopt(record),
    async start(order) {
      const program = await programs.start(order);
      started.push(program);
      const ended = program.ended.then((end) => (life.isOver ? new Promise<never>(() => {}) : end));
      return {
        ended,
        record: program.record,
        programPid: () => program.programPid(),
        condition: () => program.condition(),
        endedAt: () => program.endedAt(),
        freeze: () => program.freeze(),
        thaw: () => program.thaw(),
        terminate: () => program.terminate(),
        kill: () => program.kill(),
      };
    },
  };
}

async function insertCommand(
  ledger: Ledger,
  home: TemporaryFolder,
  name: string,
  spec: Partial<CommandSpec>,
): Promise<void> {
  mkdirSync(home.at('agents', name, 'workspace'), { recursive: true });
  const whole = { body: 'command', env: {}, restart: 'never', ...spec };
  await ledger.transact(async (tx) => {
    const made = { status: 'active', state: 'pending', body: 'command' } as const;
    await insertAgent(tx, { ...made, name, registered_at: 1 });
    await tx.run('update agents set spec = $2, parent = $3 where name = $1', [
      name,
      JSON.stringify(whole),
      'boss',
    ]);
  });
}

/** Where a pause is not the subject, only that there is one. */
const hurried: Clock = {
  ...realClock,
  sleep: (ms, signal) => realClock.sleep(ms / 10, signal),
};

const sh = (script: string): CommandSpec['argv'] => ['sh', '-c', script];
const forever = sh('while :; do echo x >> ticks; sleep 0.01; done');

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function isTicking(path: string): Promise<boolean> {
  const before = sizeOf(path);
  await realClock.sleep(150);
  return sizeOf(path) > before;
}

test('a program runs under a lease in its workspace, and its end completes the agent', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: sh('pwd; until [ -e go ]; do sleep 0.01; done') });

  expect(await at.bodies.start('jean')).toBe('running');

  const running = await at.agent('jean');
  expect(running).toMatchObject({ state: 'running', pid: expect.any(Number) });
  expect(at.leases).toEqual(new Set(['agent:jean']));
  mkdirSync(join(at.nap('jean'), 'go'));
  expect(await at.until('jean', 'completed')).toMatchObject({
    pid: null,
    reason: expect.stringMatching(/^exited with 0 after /),
  });
  await until(() => expect(at.leases.size).toBe(0));
  expect(readFileSync(at.home.at('logs', 'agents', 'jean.log'), 'utf8')).toBe(
    `${at.nap('jean')}\n`,
  );
  expect(readdirSync(at.home.at('run', 'programs'))).toEqual([]);
  expect(await at.events('jean')).toEqual(['agent.running', 'agent.completed']);
});

test('a program that fails tells how, with its last lines and no others', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: sh('echo "no \x1b[31mkey"; sleep 0.05; exit 3') });
  mkdirSync(at.home.at('logs', 'agents'), { recursive: true });
  writeFileSync(at.home.at('logs', 'agents', 'jean.log'), 'of an earlier start\n');

  await at.bodies.start('jean');

  const { reason } = await at.until('jean', 'failed');
  expect(reason).toMatch(/^exited with 3 after \d{2,} ms; last lines: no \\u001b\[31mkey$/);
  expect(at.notes).toEqual([]);
});

test('a program that is not there fails the agent with the reason, at once', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: ['clade'], restart: 'always' });

  await expect(at.bodies.start('jean')).rejects.toMatchObject({ code: 'program.missing' });

  expect(await at.agent('jean')).toMatchObject({
    state: 'failed',
    reason: 'There is no program "clade" on the PATH',
  });
  expect(at.leases.size).toBe(0);
  expect((await agentInnards(at.ledger.committed, 'jean'))?.program).toBeNull();
});

test('an agent that is unknown, over, or under the lease of another is not started', async () => {
  await using at = await world({
    leases: { take: async () => undefined, release: async () => {} },
  });
  await at.spawn('jean', { argv: forever });
  await at.spawn('over', { argv: forever });
  await at.bodies.terminate('over');

  await expect(at.bodies.start('nobody')).rejects.toMatchObject({ code: 'agent.unknown' });
  await expect(at.bodies.start('over')).rejects.toMatchObject({ code: 'agent.wrong-state' });
  await expect(at.bodies.start('jean')).rejects.toMatchObject({ code: 'lease.lost' });
  expect(await at.agent('jean')).toMatchObject({ state: 'pending' });
});

test('what a program leaves behind when it ends is killed', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: sh(`setsid ${forever[0]} -c '${forever[2]}' & sleep 0.1`) });

  await at.bodies.start('jean');

  await at.until('jean', 'completed');
  expect(await isTicking(join(at.nap('jean'), 'ticks'))).toBe(false);
});

test('agents beyond the slots wait, and are started in order as slots become free', async () => {
  await using at = await world({ slots: 1 });
  for (const name of ['a', 'b', 'c']) {
    await at.spawn(name, { argv: sh('until [ -e go ]; do sleep 0.01; done') });
  }

  const started = [];
  for (const name of ['a', 'b', 'c']) started.push(await at.bodies.start(name));
  expect(started).toEqual(['running', 'waiting', 'waiting']);
  expect(await at.agent('b')).toMatchObject({ state: 'pending' });
  mkdirSync(join(at.nap('a'), 'go'));

  await at.until('b', 'running');
  expect(await at.agent('c')).toMatchObject({ state: 'pending' });
  await at.bodies.terminate('b');
  await at.until('c', 'running');
});

test('pause() stops all of it, resume() lets it go on', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: forever });
  await at.bodies.start('jean');
  const ticks = join(at.nap('jean'), 'ticks');
  await until(() => expect(sizeOf(ticks)).toBeGreaterThan(0));

  await at.bodies.pause('jean', { by: 'owner', reason: 'lunch' });

  expect(await at.agent('jean')).toMatchObject({ state: 'paused', reason: 'lunch', health: null });
  expect(await isTicking(ticks)).toBe(false);
  await at.bodies.tick();
  expect(await at.agent('jean')).toMatchObject({ health: null });
  await expect(at.bodies.pause('jean')).rejects.toMatchObject({ code: 'agent.wrong-state' });

  await at.bodies.resume('jean');

  expect(await at.agent('jean')).toMatchObject({ state: 'running' });
  expect(await isTicking(ticks)).toBe(true);
  await expect(at.bodies.resume('jean')).rejects.toMatchObject({ code: 'agent.wrong-state' });
});

test('an agent that waits for a slot can be paused, and waits again when it is resumed', async () => {
  await using at = await world({ slots: 1 });
  for (const name of ['a', 'b']) await at.spawn(name, { argv: forever });
  for (const name of ['a', 'b']) await at.bodies.start(name);

  await at.bodies.pause('b');
  await at.bodies.terminate('a');
  await realClock.sleep(50);
  expect(await at.agent('b')).toMatchObject({ state: 'paused', pid: null });
  await at.bodies.resume('b');

  expect(await at.agent('b')).toMatchObject({ state: 'running' });
});

test('terminate() ends a program that ignores a polite word, also twice at once', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: sh(`trap '' TERM; ${forever[2]}`), restart: 'always' });
  await at.bodies.start('jean');
  const wish = { by: 'owner', reason: 'enough' };

  await Promise.all([at.bodies.terminate('jean', wish), at.bodies.terminate('jean', wish)]);

  expect(await at.agent('jean')).toMatchObject({
    ...{ state: 'terminated', status: 'terminated', reason: 'enough', pid: null },
  });
  expect(await isTicking(join(at.nap('jean'), 'ticks'))).toBe(false);
  expect(at.leases.size).toBe(0);
  expect((await at.events('jean')).filter((kind) => kind === 'agent.terminated')).toHaveLength(1);
});

test('terminate() lets a program that is paused clean up after itself', async () => {
  await using at = await world({ graceMs: 5000 });
  const script = `trap 'echo bye > bye; exit 0' TERM; echo x > ticks; ${forever[2]}`;
  await at.spawn('jean', { argv: sh(script) });
  await at.bodies.start('jean');
  await until(() => expect(sizeOf(join(at.nap('jean'), 'ticks'))).toBeGreaterThan(0));
  await at.bodies.pause('jean');

  await at.bodies.terminate('jean');

  expect(existsSync(join(at.nap('jean'), 'bye'))).toBe(true);
  expect(await at.agent('jean')).toMatchObject({ state: 'terminated' });
});

test('terminate() works while it starts, waits for a slot, rests, is over, and is unknown', async () => {
  await using at = await world({ slots: 1 });
  await at.spawn('starting', { argv: forever, restart: 'always' });
  await at.spawn('waiting', { argv: forever });
  await at.spawn('resting', { argv: ['false'], restart: 'always' });
  await at.spawn('over', { argv: ['true'] });

  const start = at.bodies.start('starting');
  await at.bodies.start('waiting');
  await Promise.all(['starting', 'waiting'].map((name) => at.bodies.terminate(name)));
  await start;
  await at.bodies.start('resting');
  await until(async () => {
    expect((await at.agent('resting')).reason).toContain('starts again');
  });
  await at.bodies.terminate('resting');
  await at.bodies.start('over');
  await at.until('over', 'completed');
  await at.bodies.terminate('over');

  await realClock.sleep(700);
  for (const name of ['starting', 'waiting', 'resting', 'over']) {
    expect(await at.agent(name)).toMatchObject({ state: 'terminated', pid: null });
  }
  expect(at.leases.size).toBe(0);
  await expect(at.bodies.terminate('nobody')).rejects.toMatchObject({ code: 'agent.unknown' });
});

test('a program that fails is started again, and given up when it fails too often', async () => {
  await using at = await world({ clock: hurried, intensity: { most: 2, withinMs: 60_000 } });
  await at.spawn('jean', { argv: sh('echo x >> starts; exit 1'), restart: 'on-failure' });

  await at.bodies.start('jean');

  const { reason } = await at.until('jean', 'failed').then(() =>
    until(async () => {
      const row = await at.agent('jean');
      expect(row.reason).toContain('too often');
      return row;
    }),
  );
  expect(reason).toMatch(/^exited with 1 after/);
  expect(sizeOf(join(at.nap('jean'), 'starts'))).toBe(6);
  expect(at.notes.map(({ to }) => to)).toEqual(['agent:boss', 'owner']);
  expect(new Set(at.notes.map(({ key }) => key)).size).toBe(2);
});

test('a program that completes is started again only where it always is', async () => {
  await using at = await world({ clock: hurried, intensity: { most: 1, withinMs: 60_000 } });
  await at.spawn('once', { argv: sh('echo x >> starts'), restart: 'on-failure' });
  await at.spawn('always', { argv: sh('echo x >> starts'), restart: 'always' });

  await at.bodies.start('once');
  await at.bodies.start('always');

  await at.until('always', 'failed');
  expect(await at.agent('once')).toMatchObject({ state: 'completed' });
  expect(sizeOf(join(at.nap('once'), 'starts'))).toBe(2);
  expect(sizeOf(join(at.nap('always'), 'starts'))).toBe(4);
});

test('a program that somebody else stopped shows as frozen until it goes on', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: sh('echo $$ > pid; while :; do sleep 0.01; done') });
  await at.bodies.start('jean');
  const pidFile = join(at.nap('jean'), 'pid');
  await until(() => expect(sizeOf(pidFile)).toBeGreaterThan(1));
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const lookFor = (health: 'frozen' | null) =>
    until(async () => {
      await at.bodies.tick();
      expect(await at.agent('jean')).toMatchObject({ state: 'running', health });
    });

  process.kill(pid, 'SIGSTOP');
  await lookFor('frozen');
  process.kill(pid, 'SIGCONT');
  await lookFor(null);

  expect(await at.events('jean')).toEqual(['agent.running', 'agent.frozen', 'agent.thawed']);
});

test('tick() moves on a log that has grown too long', async () => {
  await using at = await world({ logs: openProgramLogs({ limitBytes: 1000, keep: 2 }) });
  await at.spawn('jean', { argv: sh('while :; do echo 0123456789; sleep 0.001; done') });
  await at.bodies.start('jean');
  const log = at.home.at('logs', 'agents', 'jean.log');
  await until(() => expect(sizeOf(log)).toBeGreaterThan(1000));

  await at.bodies.tick();

  expect(existsSync(`${log}.1`)).toBe(true);
  await until(() => expect(sizeOf(log)).toBeGreaterThan(0));
});

test('the next daemon adopts what still runs, paused or not, and ends what has ended', async () => {
  await using at = await world();
  await at.spawn('running', { argv: forever });
  await at.spawn('paused', { argv: forever });
  await at.spawn('ended', { argv: sh('until [ -e go ]; do sleep 0.01; done; exit 4') });
  await at.spawn('again', { argv: forever, restart: 'on-failure' });
  for (const name of ['running', 'paused', 'ended', 'again']) await at.bodies.start(name);
  await at.bodies.pause('paused');
  const [again, ended] = [await at.agent('again'), await at.agent('ended')];
  const over: string[] = [];
  const next = at.crash({ onEnd: (name) => void over.push(name) });
  mkdirSync(join(at.nap('ended'), 'go'));
  const shellOf = async (name: string): Promise<number> =>
    JSON.parse((await agentInnards(at.ledger.committed, name))?.program ?? '{}').pid;
  // The shell in front of it: nobody is left to tell how it ended.
  const shell = await shellOf('again');
  process.kill(shell, 'SIGKILL');
  process.kill(again.pid ?? 0, 'SIGKILL');
  // That of the other one writes it down, after its program has ended.
  for (const pid of [shell, again.pid, ended.pid, await shellOf('ended')])
    await until(() => expect(existsSync(`/proc/${pid}/exe`)).toBe(false));

  await next.recover();

  expect(await at.agent('running')).toMatchObject({ state: 'running' });
  expect(await at.agent('paused')).toMatchObject({ state: 'paused' });
  expect(await at.agent('ended')).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/^exited with 4 at 20\S+Z, while no daemon watched$/),
  });
  expect((await at.agent('again')).reason).toContain('ended without a word');
  expect(over.sort()).toEqual(['again', 'ended']);
  expect((await at.until('again', 'running')).pid).not.toBe(again.pid);
  expect(at.leases).toEqual(new Set(['agent:running', 'agent:paused', 'agent:again']));
  expect(await isTicking(join(at.nap('running'), 'ticks'))).toBe(true);
  expect(await isTicking(join(at.nap('paused'), 'ticks'))).toBe(false);
  expect(await at.events('running')).toEqual(['agent.running', 'agent.adopted']);
  await next.resume('paused');
  expect(await isTicking(join(at.nap('paused'), 'ticks'))).toBe(true);
  process.kill((await at.agent('paused')).pid ?? 0, 'SIGKILL');
  expect((await at.until('paused', 'failed')).reason).toMatch(
    /^was killed by SIGKILL after \d+ m?s/,
  );
  await next.terminate('running');
  expect(await isTicking(join(at.nap('running'), 'ticks'))).toBe(false);
});

test('what a daemon that died in the middle of a start has left is killed, and started by policy', async () => {
  await using at = await world();
  for (const restart of ['never', 'on-failure'] as const) {
    await at.spawn(restart, { argv: forever, restart });
    await at.bodies.start(restart);
    // As it was between the start and the row that tells of it.
    const program = (await agentInnards(at.ledger.committed, restart))?.program ?? '';
    const noted = { ...JSON.parse(program), pid: 0, start_time: '', pending: true };
    await at.ledger.transact((tx) =>
      tx.run(`update agents set state = 'pending', pid = null, program = $2 where name = $1`, [
        restart,
        JSON.stringify(noted),
      ]),
    );
  }

  await at.crash().recover();

  expect(await at.agent('never')).toMatchObject({
    state: 'failed',
    reason: 'the daemon ended while it was being started',
  });
  expect(await isTicking(join(at.nap('never'), 'ticks'))).toBe(false);
  expect(await at.agent('on-failure')).toMatchObject({ state: 'running' });
  expect(at.leases).toEqual(new Set(['agent:on-failure']));
});

test('a row that says running and names no program does not say so for long', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: forever });
  await at.ledger.transact((tx) => tx.run(`update agents set state = 'running'`));

  await at.crash().recover();

  expect(await at.agent('jean')).toMatchObject({ state: 'failed' });
});

test('a daemon that stops ends its programs, and the next one starts those that may be', async () => {
  await using at = await world();
  await at.spawn('never', { argv: forever });
  await at.spawn('always', { argv: forever, restart: 'always' });
  await at.spawn('paused', { argv: forever, restart: 'on-failure' });
  for (const name of ['never', 'always', 'paused']) await at.bodies.start(name);
  await at.bodies.pause('paused');

  await at.bodies[Symbol.asyncDispose]();

  for (const name of ['never', 'always', 'paused'])
    expect(await isTicking(join(at.nap(name), 'ticks'))).toBe(false);
  expect(await at.agent('never')).toMatchObject({
    state: 'failed',
    reason: 'the daemon was stopped while it ran',
  });
  expect(await at.agent('always')).toMatchObject({
    state: 'pending',
    reason: 'stopped with the daemon',
  });
  expect(await at.agent('paused')).toMatchObject({ state: 'paused', pid: null });
  expect(at.leases.size).toBe(0);
  await expect(at.bodies.start('always')).rejects.toMatchObject({ code: 'agent.not-there' });

  const next = at.crash();
  await next.recover();

  expect(await at.agent('always')).toMatchObject({ state: 'running' });
  expect(await at.agent('paused')).toMatchObject({ state: 'paused', pid: null });
  await next.resume('paused');
  expect(await at.agent('paused')).toMatchObject({ state: 'running' });
});

test('an agent whose start fails while nobody waits for it tells its parent and the owner', async () => {
  await using at = await world({ slots: 1 });
  await at.spawn('first', { argv: forever });
  await at.spawn('second', { argv: ['./clade'] });
  const program = join(at.nap('second'), 'clade');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  await at.bodies.start('first');
  await at.bodies.start('second');

  // It was there when it was looked for.
  rmSync(program);
  await at.bodies.terminate('first');

  await at.until('second', 'failed');
  await until(() => expect(at.notes).toHaveLength(2));
  expect(at.notes[1]).toMatchObject({
    to: 'owner',
    body: expect.stringContaining('There is no program'),
  });
});

test('a program of which the ledger cannot be told does not run', async () => {
  await using at = await world();
  await at.spawn('jean', { argv: forever });
  const full = failingLedger(at.ledger, { from: 2, to: 2 });
  const bodies = at.crash({ ledger: full });

  await expect(bodies.start('jean')).rejects.toThrow('the disk is full');

  expect(await at.agent('jean')).toMatchObject({ state: 'pending', pid: null });
  expect(await isTicking(join(at.nap('jean'), 'ticks'))).toBe(false);
  expect(at.leases.size).toBe(0);
});

test('an end that could not be kept at once is kept later', async () => {
  await using at = await world({ clock: hurried });
  await at.spawn('jean', { argv: sh('sleep 0.05; exit 5') });
  const bodies = at.crash({ ledger: failingLedger(at.ledger, { from: 3, to: 3 }) });

  await bodies.start('jean');

  expect((await at.until('jean', 'failed')).reason).toContain('exited with 5');
  expect(at.errors).toHaveLength(1);
});

/** The transactions with these numbers, from 1, fail. */
function failingLedger(
  ledger: Ledger,
  { from, to }: { readonly from: number; readonly to: number },
): Ledger {
  let count = 0;
  return {
    committed: ledger.committed,
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: async () => {},
    async transact(work) {
      count += 1;
      if (count >= from && count <= to) throw new Error('the disk is full');
      return ledger.transact(work);
    },
  };
}

describe.skipIf(!hasSandbox)('a program behind a wall', () => {
  const limits: SandboxLimits = {
    ...{ memoryBytes: 64 * 2 ** 20, processes: 64, cpuPercent: 200, openFiles: 256 },
    ...{ fileBytes: 2 ** 20, workspaceBytes: 8 * 2 ** 20, workspaceFiles: 100 },
  };

  /** Walls as `app` makes them, but for what is seen behind them. */
  function walls(folder: TemporaryFolder) {
    const log = { error: () => {} };
    const engines = { clock: realClock, random: realRandom, log };
    const sandboxes = new BubblewrapSandboxes({ ...engines, folder: folder.at('sandbox') });
    const uid = isRoot ? 2_139_999_998 : undefined;
    const workspaceOf = (name: string) => folder.at('agents', name, 'workspace');
    const served: Server[] = [];
    const bodies: BodySandboxes = {
      limits,
      async orderFor(name, { argv }) {
        const workspace = workspaceOf(name);
        if (uid !== undefined) chownSync(workspace, uid, uid);
        const view = { principal: `agent:${name}`, uid, workspace, sees: [], unixSockets: true };
        const env = { PATH: '/usr/bin:/bin', AOS_TEST_MARK: process.env['AOS_TEST_MARK'] ?? '' };
        const [, ...rest] = argv;
        return { view, limits, command: { argv: ['/bin/sh', ...rest], cwd: '/workspace', env } };
      },
      prepare: (order) => sandboxes.prepareBody(order),
      hold: (name, body) =>
        sandboxes.holdBody({
          ...{ ...body, startedAt: madeAt(body.id), limits, workspace: workspaceOf(name) },
          ...{ mail: [], mailLimits: limits },
        }),
      serve: (_name, server) => {
        if (!(server instanceof Server)) throw new Error('that is no listener');
        served.push(server);
        return { [Symbol.asyncDispose]: async () => void server.close() };
      },
    };
    return {
      ...{ bodies, served },
      async [Symbol.asyncDispose]() {
        // Those of a daemon that died are still open: this process has not.
        for (const server of served) server.close();
        await sandboxes[Symbol.asyncDispose]();
      },
    };
  }

  async function walledWorld() {
    const home = temporaryFolder();
    const wall = walls(home);
    const inner = await world({ sandboxes: wall.bodies }, home);
    return {
      ...inner,
      wall,
      async [Symbol.asyncDispose]() {
        await inner[Symbol.asyncDispose]();
        await wall[Symbol.asyncDispose]();
        await home[Symbol.asyncDispose]();
      },
    };
  }

  const dataOf = async ({ ledger }: World, kind: string) => {
    const found = await ledger.committed.all<{ data: string | null }>(
      'select data from events where kind = $1 order by seq',
      [kind],
    );
    return found.map(({ data }) => data ?? '');
  };

  test('runs, has its network served, and the events say that it has a wall', async () => {
    await using at = await walledWorld();
    await at.spawn('jean', { argv: forever });

    await at.bodies.start('jean');

    await until(() => expect(sizeOf(join(at.nap('jean'), 'ticks'))).toBeGreaterThan(0));
    expect(at.wall.served).toHaveLength(1);
    expect(await dataOf(at, 'agent.running')).toEqual([expect.stringContaining('"sandbox":"on"')]);
    await at.bodies.terminate('jean');
    expect((await at.agent('jean')).state).toBe('terminated');
  });

  test('that passes a limit is stopped, and its end says which', async () => {
    await using at = await walledWorld();
    await at.spawn('hog', { argv: sh('sleep 0.2; exec tail /dev/zero') });
    await at.spawn('filler', {
      argv: sh('while :; do head -c 900000 /dev/zero > f$((i+=1)); done'),
    });
    await at.spawn('writer', { argv: sh('sleep 0.2; exec head -c 5000000 /dev/zero > one') });

    await Promise.all(['hog', 'filler', 'writer'].map((name) => at.bodies.start(name)));

    expect((await at.until('hog', 'failed')).reason).toContain('used more memory than 64 MB');
    expect((await at.until('filler', 'failed')).reason).toContain(
      'filled its workspace beyond 8 MB',
    );
    expect((await at.until('writer', 'failed')).reason).toContain('a file of more than 1 MB');
  });

  test('is adopted by the next daemon, which says that its network is lost', async () => {
    await using at = await walledWorld();
    await at.spawn('jean', { argv: sh('until [ -e go ]; do sleep 0.02; done; exit 3') });
    await at.bodies.start('jean');

    const next = at.crash();
    await next.recover();
    writeFileSync(join(at.nap('jean'), 'go'), '');

    expect((await at.until('jean', 'failed')).reason).toContain('exited with 3');
    expect(await at.events('jean')).toContain('sandbox.network-lost');
  });

  test('that cannot be started leaves its agent failed, with the reason', async () => {
    await using home = temporaryFolder();
    const sandboxes: BodySandboxes = {
      ...noWalls,
      orderFor: async () => {
        throw new AosError('sandbox.unavailable', { message: 'There is no wall here' });
      },
    };
    await using at = await world({ sandboxes }, home);
    await at.spawn('jean', { argv: forever });

    const attempt = at.bodies.start('jean');

    await expect(attempt).rejects.toMatchObject({ code: 'sandbox.unavailable' });
    expect(await at.agent('jean')).toMatchObject({
      ...{ state: 'failed', reason: 'There is no wall here' },
    });
    expect(existsSync(join(at.nap('jean'), 'ticks'))).toBe(false);
  });
});
