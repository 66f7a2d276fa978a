import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type DaemonHome, daemonHome } from '../../../tests/support/daemon-home.ts';
import { sharedDaemon } from '../../../tests/support/shared-daemon.ts';
import { AosError } from '../../kernel/errors.ts';

const evil = 'a\u001b[31m\u202eb';

/** Submits a goal that nobody answers, and tells its id. */
async function longGoal(home: DaemonHome): Promise<string> {
  const model = home.script('long', [{ say: 'at last', delay_ms: 600_000 }]);
  const run = await home.aos(['run', 'Take your time', '--model', model, '--detach']);
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{32}\n$/) });
  return run.stdout.trim();
}

const refusedGoals: readonly (readonly [argv: readonly string[], code: number, says: string])[] = [
  [['--priority', '10'], 2, 'from 0 to 9'],
  [['--budget', 'cost=lots'], 2, 'dollars, as 0.50'],
  [['--delay', 'soon'], 2, '--delay wants a time'],
  [['--delay', '2h', '--deadline', '1h'], 2, 'deadline'],
  [['--agent', 'nobody'], 4, 'no agent and no template "nobody"'],
  [['--model', 'nope:x'], 4, 'nope'],
];

const shared = sharedDaemon();

describe('aos run', () => {
  test('follows what is done, and has only the answer on stdout', async () => {
    const home = shared();
    const model = home.script('two', [
      { say: 'Let me look.', call: [{ tool: 'tool.list', args: { name: 'file.read' } }] },
      { say: `Done, ${evil}`, stream: 2 },
    ]);

    const run = await home.aos(['run', 'Look around', '--model', model, '--budget', 'tokens=9000']);

    expect(run).toMatchObject({ code: 0, stdout: 'Done, a\\u001b[31m\\u202eb\n' });
    expect(run.stderr.split('\n')).toEqual([
      expect.stringMatching(/^goal [0-9a-f]{32}: default-[0-9a-f]+ takes it, because no template/),
      expect.stringMatching(/^model scripted:.*two\.json \(scripted model: follows a script\)$/),
      'Let me look.',
      expect.stringMatching(/^ {2}tool\.list \{"name":"file\.read"\} {2}ok, \d+m?s$/),
      'Done, a\\u001b[31m\\u202eb',
      expect.stringMatching(/^completed after .*: 7 steps, \d+ tokens, \$0\.00 \(scripted model/),
      '',
    ]);
  });

  test('prints every step as a line of JSON, and the goal as the last', async () => {
    const home = shared();
    const model = home.script('one', [{ say: 'Hello.' }]);

    const run = await home.aos(['run', '-', '--model', model, '--json'], { piped: 'Greet' });

    const lines = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(lines.find(({ kind }) => kind === 'step').step).toMatchObject({ seq: 1, kind: 'begun' });
    expect(lines.at(-1)).toMatchObject({
      ok: true,
      data: { goal: 'Greet', state: 'completed', result: 'Hello.', scripted: true },
    });
  });

  test('says how to begin where nothing is configured', async () => {
    const home = shared();

    const run = await home.aos(['run', 'Greet']);

    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toMatch(/aos secret set .*scripted:hello.*aos demo/);
  });

  test('refuses in words what cannot be submitted', async () => {
    const home = shared();

    for (const [argv, code, says] of refusedGoals) {
      const run = await home.aos(['run', 'Greet', '--model', 'scripted:hello', ...argv]);

      expect(run, argv.join(' ')).toMatchObject({ code, stdout: '' });
      expect(run.stderr).toContain(says);
    }
  });

  test('ends with the exit code of what went wrong, and says how to look', async () => {
    const home = shared();
    const turns = [{ call: [{ tool: 'agent.list', args: {} }] }, { say: 'words' }];
    const model = home.script('words', turns);
    const budget = (tokens: string) => ['run', 'Greet', '--model', model, '--budget', tokens];
    const before = await home.aos(['ps', '--all']);

    const refused = await home.aos(budget('tokens=1'));
    const least = /it takes (\S+) at least/.exec(refused.stderr)?.[1]?.replaceAll(',', '');

    expect([refused.code, refused.stdout, least]).toEqual([2, '', expect.stringMatching(/^\d+$/)]);
    expect(refused.stderr).toMatch(/\n {2}try: Give it several times as much\n$/);
    expect(await home.aos(['ps', '--all'])).toEqual(before);
    await home.aos(['spawn', 'there', '--model', model, '--standing']);
    const named = await home.aos(['run', 'Greet', '--agent', 'there', '--budget', 'tokens=1']);
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('does not cover')]);
    // The first request fits, and the second does not.
    const argv = budget(`tokens=${least}`);

    const run = await home.aos(argv);
    const json = await home.aos([...argv, '--json']);

    expect(run).toMatchObject({ code: 6, stdout: '' });
    expect(run.stderr).toMatch(/\nfailed after .*\nerror: The budget of .*\n {2}try: .*\n$/);
    const last = JSON.parse(json.stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(last.error).toMatchObject({
      code: 'budget.spent',
      details: { goal: { state: 'failed' } },
    });
  });

  test('says the exact command while a human has to approve', async () => {
    const home = shared();
    const path = home.folder.at('out.txt');
    const args = { path, content: 'x' };
    const model = home.script('write', [{ call: [{ tool: 'file.write', args }] }, { say: 'ok' }]);
    const ask = ['--asking-grant', `file:${home.folder.path}/**:write`];
    await home.aos(['spawn', 'jean', '--model', model, '--standing', ...ask]);
    let approving: Promise<unknown> | undefined;

    const run = await home.aos(['run', 'Write it', '--agent', 'jean'], {
      onErr(soFar) {
        const [, id] = /aos approvals approve ([0-9a-f]{32})\n/.exec(soFar) ?? [];
        if (id !== undefined) approving ??= home.aos(['approvals', 'approve', id, '--yes']);
      },
    });

    await approving;
    expect(run).toMatchObject({ code: 0, stdout: 'ok\n' });
    expect(run.stderr).toContain('file.write waits until a human approves it');
    expect(readFileSync(path, 'utf8')).toBe('x');
  });

  test('stops following at Ctrl-C, and says that the goal goes on', async () => {
    const home = shared();
    const model = home.script('long', [{ say: 'at last', delay_ms: 600_000 }]);
    const stop = new AbortController();
    const interrupted = new AosError('interrupted.signal', { message: 'Stopped by Ctrl-C' });

    const run = await home.aos(['run', 'Greet', '--model', model], {
      signal: stop.signal,
      onErr: (soFar) => {
        if (soFar.includes('model scripted:')) stop.abort(interrupted);
      },
    });

    const { items } = await home.daemon.client.goals({ open: 'true' });
    expect(run).toMatchObject({ code: 130, stdout: '' });
    expect(run.stderr).toContain(
      `The goal goes on. What becomes of it: aos inspect ${items[0]?.id}`,
    );
    expect(run.stderr).toContain(`To end it: aos cancel ${items[0]?.id}`);
  });

  test('goes on over a restart of the daemon', async () => {
    await using home = await daemonHome();
    const model = home.script('slow', [
      { say: 'first', call: [{ tool: 'tool.list', args: {} }] },
      { say: 'second', delay_ms: 800 },
    ]);
    const seen = Promise.withResolvers<void>();

    const runs = home.aos(['run', 'Greet', '--model', model], {
      onErr: (soFar) => {
        if (soFar.includes('  ok')) seen.resolve();
      },
    });
    await seen.promise;
    await home.daemon.kill();
    await home.start();

    const run = await runs;
    expect(run).toMatchObject({ code: 0, stdout: 'second\n' });
    expect(run.stderr.match(/^first$/gm)).toHaveLength(1);
  });
});

describe('a goal that takes long', () => {
  test('is in the queue, is looked at by the beginning of its id, and is cancelled', async () => {
    const home = shared();
    const id = await longGoal(home);
    await home.aos(['wait', id, '--for', 'running', '--timeout', '10s']);

    const queue = await home.aos(['queue']);
    const seen = await home.aos(['inspect', id.slice(0, 20)]);
    const top = await home.aos(['top', '--once']);
    const cancelled = await home.aos(['cancel', id, '--reason', `enough ${evil}`]);
    const over = await home.aos(['queue']);
    const all = await home.aos(['queue', '--all', '--json']);
    const again = await home.aos(['cancel', id]);
    const waited = await home.aos(['wait', id]);

    expect(queue.stdout).toMatch(
      /^[0-9a-f]{16} {2}default-\S+ {2}running {2}priority 5 .* Take your time\n$/,
    );
    expect(seen.stdout).toMatch(/^model +scripted:.* \(scripted model: follows a script\)$/m);
    expect(seen.stdout).toMatch(/^ {2}tokens +0 +\d+ +none$/m);
    expect(seen.stdout).toMatch(/^steps:\n {2}1 {2}begun/m);
    expect(top.stdout).toMatch(/^[0-9a-f]{16} {2}default-\S+ {2}running/m);
    expect(cancelled.stdout).toBe(`Goal ${id} is cancelled.\n`);
    expect(over.stdout).toBe('No goal is open.\n');
    expect(JSON.parse(all.stdout).data.items).toContainEqual(
      expect.objectContaining({ id, state: 'cancelled' }),
    );
    expect(again).toMatchObject({ code: 5, stdout: '' });
    expect(waited.code).toBe(5);
    expect(waited.stderr).toContain('enough a\\u001b[31m\\u202eb');
  });

  test('is told of by kill when its agent ends', async () => {
    const home = shared();
    const id = await longGoal(home);
    const { agent } = await home.daemon.client.goal(id);

    const run = await home.aos(['kill', agent]);

    expect(run.stdout).toBe(`Agent ${agent} is terminated. Cancelled: 1 goal.\n`);
  });
});

describe('a goal that is not due', () => {
  test('gets another priority', async () => {
    const home = shared();
    const argv = ['run', 'Later', '--model', 'scripted:hello', '--delay', '1h', '--detach'];
    const id = (await home.aos(argv)).stdout.trim();

    const run = await home.aos(['prioritize', id, '0']);
    const queue = await home.aos(['queue']);
    const json = await home.aos(['prioritize', id, '9', '--json']);

    expect(run.stdout).toBe(`Goal ${id} has priority 0 now.\n`);
    expect(queue.stdout).toMatch(/queued, due in 59 min \d+ s {2}priority 0/);
    expect(JSON.parse(json.stdout).data).toMatchObject({ id, priority: 9 });
  });
});

describe('a goal that was reached', () => {
  test('is looked at with its steps, its calls and its result, and is gone on with', async () => {
    const home = shared();
    const argv = ['run', 'Greet', '--model', 'scripted:hello', '--detach'];
    const id = (await home.aos(argv)).stdout.trim();
    await home.aos(['wait', id, '--timeout', '20s']);

    const short = await home.aos(['inspect', id]);
    const whole = await home.aos(['inspect', id, '--steps']);
    const { agent } = await home.daemon.client.goal(id);
    const call = (await home.daemon.client.calls({ agent })).items[0]?.call_id ?? '';
    const ofCall = await home.aos(['inspect', call]);
    const retried = await home.aos(['retry', id, '--from', '1', '--json']);
    const wrong = await home.aos(['retry', id, '--from', '99']);

    expect(short.stdout).toMatch(/^ {2}4 {2}results +tool\.list \{\} ok: /m);
    expect(short.stdout).toMatch(/\n\nresult:\n {2}I am the scripted model/);
    expect(whole.stdout).toMatch(/^step 1 .* begun\n {2}because: /m);
    expect(ofCall.stdout).toMatch(/^tool +tool\.list \(read\)$/m);
    expect(JSON.parse(retried.stdout).data).toMatchObject({ from: 1 });
    expect(wrong).toMatchObject({ code: 4, stdout: '' });
  });
});

test('a goal is named by its id, by four digits of it or more, and by nothing else', async () => {
  const home = shared();

  for (const argv of [
    ['prioritize', 'ID', '0'],
    ['cancel', 'ID'],
    ['retry', 'ID'],
  ]) {
    const withId = (id: string) => argv.map((word) => (word === 'ID' ? id : word));
    const typed = await home.aos(withId('../x'));
    const unknown = await home.aos(withId('abcd'));

    expect(typed).toMatchObject({ code: 2, stdout: '' });
    expect(typed.stderr).toContain('is no id of a goal');
    expect(unknown).toMatchObject({ code: 4, stdout: '' });
  }
});

test('aos inspect says when the beginning of an id fits several', async () => {
  const home = shared();
  const argv = ['run', 'x', '--model', 'scripted:hello', '--delay', '1h', '--detach'];
  const [first = ''] = (await home.aos(argv)).stdout.split('\n');
  await home.aos(argv);

  const run = await home.aos(['inspect', first.slice(0, 5)]);

  expect(run).toMatchObject({ code: 5, stdout: '' });
  expect(run.stderr).toContain('fits several');
});
