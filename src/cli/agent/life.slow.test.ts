import { mkdirSync, realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type DaemonHome, daemonHome } from '../../../tests/support/daemon-home.ts';
import { sharedDaemon } from '../../../tests/support/shared-daemon.ts';

/** The data of a command with --json, which has to end well. */
async function dataOf(home: DaemonHome, ...argv: readonly string[]): Promise<unknown> {
  const { code, stdout } = await home.aos([...argv, '--json']);
  expect(code, stdout).toBe(0);
  return JSON.parse(stdout).data;
}

async function terminatedIn({ daemon }: DaemonHome): Promise<number> {
  const agents = await Array.fromAsync(daemon.client.agents());
  return agents.filter(({ state }) => state === 'terminated').length;
}

const refusedSpawns: readonly (readonly [argv: readonly string[], code: number, says: string])[] = [
  [['jean'], 2, 'a model or a program'],
  [['jean', '--model', 'scripted:hello', '--', 'ls'], 2, 'and not both'],
  [['no/name', '--', 'ls'], 2, 'a name has letters'],
  [['jean', '--cli', 'sleep "1'], 2, 'a quote in it does not end'],
  [['jean', '--budget', 'tokns=1', '--', 'ls'], 2, 'Did you mean "tokens"?'],
  [['jean', '--env', 'A', '--', 'ls'], 2, '--env wants NAME=VALUE'],
  [['jean', '--restart', 'alway', '--', 'ls'], 2, 'never, on-failure, always'],
  [['jean', '--model', 'scripted:nothing'], 4, 'nothing'],
  [['jean', '--', '/no/such/program'], 4, '/no/such/program'],
  [['jean', '--instructions', '@/no/file', '--model', 'scripted:hello'], 4, '/no/file'],
];

const shared = sharedDaemon();

describe('aos spawn', () => {
  test('makes an agent of a program, of the words after "--" or of one word', async () => {
    const home = shared();

    const words = await home.aos(['spawn', 'one', '--', 'sleep', '300']);
    const word = await dataOf(home, 'spawn', 'two', '--cli', 'sleep "300"', '--restart', 'never');

    expect(words).toMatchObject({ code: 0, stderr: '' });
    expect(words.stdout).toMatch(
      /^Agent one runs as process \d+\.\nTo look at it: aos inspect one\n$/,
    );
    expect(word).toMatchObject({ agent: 'two', operation: null, pid: expect.any(Number) });
    const details = await home.daemon.client.agentDetails('two');
    expect(details).toMatchObject({ argv: ['sleep', '300'], state: 'running' });
  });

  test('gives a program its folder and its variables, and keeps what it writes', async () => {
    const home = shared();
    mkdirSync(home.folder.at('work'));

    await home.aos([
      ...['spawn', 'writer', '--cwd', home.folder.at('work'), '--env', 'A=b=c'],
      ...['--', 'sh', '-c', 'pwd; echo "$A"; printf "\\033[2J\\n"'],
    ]);
    await home.aos(['wait', 'writer', '--timeout', '10s']);
    const run = await home.aos(['logs', 'writer']);
    const lines = await home.aos(['logs', 'writer', '--tail', '1', '--json']);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toBe(`${realpathSync(home.folder.at('work'))}\nb=c\n\\u001b[2J\n`);
    expect(JSON.parse(lines.stdout)).toEqual({ line: '\u001b[2J' });
  });

  test('makes an agent on a scripted model, and says that it follows a script', async () => {
    const home = shared();
    const model = home.script('hello', [{ say: 'Hello.' }]);

    const run = await home.aos(['spawn', 'greeter', '--model', model, '--goal', 'Greet']);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('(scripted model: follows a script). Its goal is ');
  });

  test('refuses in words what cannot be made', async () => {
    const home = shared();

    for (const [argv, code, says] of refusedSpawns) {
      const run = await home.aos(['spawn', ...argv]);

      expect(run, argv.join(' ')).toMatchObject({ code, stdout: '' });
      expect(run.stderr).toContain(says);
      expect(run.stderr).toMatch(/^error: .+\n {2}try: .+\n$/);
    }
  });
});

describe('a family of programs', () => {
  test('is listed, looked at, paused, resumed and ended', async () => {
    const home = shared();
    const before = await terminatedIn(home);
    await home.aos(['spawn', 'mother', '--', 'sh', '-c', 'echo born; exec sleep 300']);
    await home.aos(['spawn', 'child', '--parent', 'mother', '--', 'sleep', '300']);

    const tree = await home.aos(['ps', '--tree']);
    const paused = await home.aos(['pause', 'mother', '--reason', 'a rest']);
    const seen = await home.aos(['inspect', 'mother']);
    const resumed = await dataOf(home, 'resume', 'mother');
    const killed = await home.aos(['kill', 'mother']);
    const after = await home.aos(['ps']);
    const all = await dataOf(home, 'ps', '--all');

    expect(tree.stdout).toMatch(/^mother +command +running +process \d+ .*\n {2}child +command/m);
    expect(paused.stdout).toBe('Agent mother is paused.\n');
    expect(seen.stdout).toMatch(/^state +paused for .*\nwhy +a rest$/m);
    expect(seen.stdout).toMatch(/^program +sh -c 'echo born; exec sleep 300'$/m);
    expect(seen.stdout).toMatch(/^children +child$/m);
    expect(seen.stdout).toMatch(/its last words, from ".*mother\.log":\n {2}born\n$/);
    expect(resumed).toEqual({ name: 'mother', state: 'running' });
    expect(killed.stdout).toBe(
      'Agent mother is terminated. With it ended 1 agent that it had spawned: child.\n',
    );
    expect(after.stdout).toBe(
      `There are no agents.\n${before + 2} terminated agents not shown: aos ps --all\n`,
    );
    expect(all).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ name: 'child' }),
        expect.objectContaining({ name: 'mother' }),
      ]),
      left_out: 0,
    });
  });

  test('is told of once in a frame of top', async () => {
    const home = shared();
    const before = await terminatedIn(home);
    await home.aos(['spawn', 'shown', '--', 'sleep', '300']);

    const run = await home.aos(['top', '--once']);
    const data = await dataOf(home, 'top');

    const others = before === 0 ? '' : `, ${before} terminated`;
    expect(run.stdout).toBe(
      `agents     1 running${others}\ngoals      0 begun, 0 queued\napprovals  none wait\n`,
    );
    expect(data).toMatchObject({ agents: { running: 1 }, approvals: 0, goals: [] });
  });
});

test('a name for one that no agent has is suggested, and what is no name is refused', async () => {
  const home = shared();
  await home.aos(['spawn', 'worker', '--', 'sleep', '300']);

  for (const command of ['pause', 'resume', 'kill', 'inspect', 'wait', 'logs']) {
    const unknown = await home.aos([command, 'wroker']);
    const json = await home.aos([command, 'wroker', '--json']);
    const evil = await home.aos([command, '../x\u001b']);

    expect(unknown, command).toMatchObject({ code: 4, stdout: '' });
    expect(unknown.stderr).toMatch(/^error: .*wroker.* Did you mean "worker"\?\n {2}try: /);
    expect(JSON.parse(json.stdout), command).toMatchObject({ ok: false });
    expect(evil.code, command).toBeGreaterThan(0);
    expect(evil.stderr, command).toContain('"../x\\u001b"');
  }
});

test('aos logs says of nobody that there is no such agent, and of a guest that it writes none', async () => {
  const home = shared();
  await home.aos(['register', 'guest']);

  const nobody = await home.aos(['logs', 'nosuch']);
  const guest = await home.aos(['logs', 'guest']);

  expect(nobody).toMatchObject({ code: 4, stdout: '' });
  expect(nobody.stderr).toBe('error: There is no agent "nosuch".\n  try: aos ps\n');
  expect(guest).toMatchObject({ code: 4, stdout: '' });
  expect(guest.stderr).toContain('There is no log of agent "guest"; only programs write one.');
});

describe('aos wait', () => {
  test('ends well when it is so, with 8 when it is late, with 5 when it ended otherwise', async () => {
    const home = shared();
    await home.aos(['spawn', 'waited', '--', 'sleep', '300']);

    const running = await home.aos(['wait', 'waited', '--for', 'running', '--timeout', '10s']);
    const late = await home.aos(['wait', 'waited', '--timeout', '200ms']);
    await home.aos(['kill', 'waited']);
    const other = await home.aos(['wait', 'waited', '--for', 'running', '--json']);

    expect(running).toMatchObject({ code: 0, stdout: 'Agent "waited" is running.\n' });
    expect(late).toMatchObject({ code: 8, stdout: '' });
    expect(late.stderr).toContain('Agent "waited" is still running, and not completed');
    expect(other.code).toBe(5);
    expect(JSON.parse(other.stdout).error).toMatchObject({ code: 'agent.wrong-state' });
  });

  test('refuses a state that no agent is ever in', async () => {
    const home = shared();
    await home.aos(['spawn', 'other', '--', 'sleep', '300']);

    const run = await home.aos(['wait', 'other', '--for', 'queued']);

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('No agent is ever "queued"');
  });
});

describe('aos logs', () => {
  test('shows the end of the log of the daemon', async () => {
    const home = shared();

    const run = await home.aos(['logs', '--tail', '1000']);

    expect(run.code).toBe(0);
    expect(run.stdout).toContain('"msg":"the daemon starts"');
  });

  test('goes on with what is written from now on', async () => {
    const home = shared();
    const stop = new AbortController();
    const words = ['-c', 'while :; do echo tick; sleep 0.1; done'];
    await home.aos(['spawn', 'ticker', '--', 'sh', ...words]);

    const run = await home.aos(['logs', 'ticker', '-f', '--tail', '0'], {
      signal: stop.signal,
      onOut: () => stop.abort(),
    });

    expect(run.stdout).toMatch(/^(?:tick\n)+$/);
  });
});

describe('without a daemon', () => {
  test('agents can be looked at, and not moved', async () => {
    await using home = await daemonHome();
    await home.daemon.client.register('guest');
    await home.daemon.stop();

    const read = [await home.aos(['ps']), await home.aos(['inspect', 'guest'])];
    const moved = [
      await home.aos(['spawn', 'one', '--', 'ls']),
      await home.aos(['kill', 'guest']),
      await home.aos(['run', 'x', '--model', 'scripted:hello']),
    ];

    expect(read.map(({ code }) => code)).toEqual([0, 0]);
    expect(moved.map(({ code }) => code)).toEqual([7, 7, 7]);
    for (const { stderr } of moved) expect(stderr).toContain('try: aos up --detach');
  });
});
