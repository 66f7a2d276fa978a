import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { limitMs } from '../../../tests/support/limits.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { times } from '../../../tests/support/tier.ts';
import { until } from '../../../tests/support/until.ts';
import type { ProgramOrder, ProgramRecord } from '../../kernel/programs.ts';
import { realClock } from '../clock.ts';
import { findGroups } from './control-group.ts';
import { openPrograms } from './programs.ts';

const hasGroups = findGroups() !== undefined;
const searchPath = process.env['PATH'] ?? '';
let starts = 0;

function order(folder: TemporaryFolder, ...argv: [string, ...string[]]): ProgramOrder {
  starts += 1;
  return {
    id: `${process.pid}x${starts}`,
    argv,
    cwd: folder.path,
    env: { PATH: searchPath, AOS_TEST_MARK: process.env['AOS_TEST_MARK'] ?? '' },
    logPath: folder.at('logs', 'one.log'),
    statusFolder: folder.at('status'),
  };
}

/** A number of seconds that no other process sleeps. */
function ownNap(): string {
  starts += 1;
  return `${3600 + starts}.${process.pid}`;
}

function sleepers(nap: string): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(nap);
    } catch {
      return false;
    }
  }).length;
}

const logOf = ({ logPath }: ProgramOrder) => readFileSync(logPath, 'utf8');
const fifty = `
i=0
while [ $i -lt 50 ]; do
  case $((i % 4)) in
    0) setsid sh -c 'trap "" TERM HUP; sleep "$0"' "$1" & ;;
    1) (setsid sh -c 'trap "" TERM HUP; sleep "$0"' "$1" &) ;;
    2) setsid sleep "$1" & ;;
    3) env -i setsid /bin/sleep "$1" & ;;
  esac
  i=$((i + 1))
done
trap '' TERM
echo all there
while :; do sleep "$1"; done`;

describe.each(['auto', 'off'] as const)('with control groups: %s,', (groups) => {
  const programs = openPrograms({ clock: realClock, groups });

  test('kill() leaves none of 50 grandchildren in sessions of their own that ignore SIGTERM', async () => {
    await using folder = temporaryFolder();
    const nap = ownNap();
    const ordered = order(folder, 'sh', '-c', fifty, 'sh', nap);
    const program = await programs.start(ordered);
    await until(() => expect(logOf(ordered)).toContain('all there'));
    await until(() => expect(sleepers(nap)).toBeGreaterThan(60));

    await program.terminate();
    const begunMs = realClock.monotonicMs();
    await program.kill();

    expect(sleepers(nap)).toBe(0);
    expect(realClock.monotonicMs() - begunMs).toBeLessThan(limitMs(2000));
    expect(await program.ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
    expect(program.condition()).toBe('gone');
    expect(program.record.group === undefined || !existsSync(program.record.group)).toBe(true);
  });

  test('freeze() stops all of them, condition() says so, and thaw() lets them go on', async () => {
    await using folder = temporaryFolder();
    const count = 'while :; do echo x >> "$0"; done';
    const both = `setsid sh -c '${count}' "$1" & exec sh -c '${count}' "$2"`;
    const files = [folder.at('one'), folder.at('two')] as const;
    const program = await programs.start(order(folder, 'sh', '-c', both, 'sh', ...files));
    const sizes = () => files.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    await until(() => expect(Math.min(...sizes())).toBeGreaterThan(0));
    expect(program.condition()).toBe('running');

    await program.freeze();
    const frozen = sizes();
    await realClock.sleep(100);

    expect(sizes()).toEqual(frozen);
    expect(program.condition()).toBe('stopped');

    await program.thaw();

    await until(() => expect(Math.min(...sizes())).toBeGreaterThan(Math.max(...frozen)));
    expect(program.condition()).toBe('running');
    await program.kill();
  });

  test('freeze() and thaw() reach one that is stopped in the middle of starting another', async () => {
    await using folder = temporaryFolder();
    const count = 'while :; do echo x >> "$0"; sleep 0; done';
    const program = await programs.start(order(folder, 'sh', '-c', count, folder.at('ticks')));
    const ticks = () => statSync(folder.at('ticks'), { throwIfNoEntry: false })?.size ?? 0;

    for (let round = 0; round < times({ fast: 30, full: 300 }); round++) {
      const before = ticks();
      await until(() => expect(ticks()).toBeGreaterThan(before));
      expect(program.condition()).toBe('running');
      const begunMs = realClock.monotonicMs();

      await program.freeze();

      expect(program.condition()).toBe('stopped');
      expect(realClock.monotonicMs() - begunMs).toBeLessThan(limitMs(1000));
      await program.thaw();
    }
    await program.kill();
  });

  test('terminate() reaches one that is frozen', async () => {
    await using folder = temporaryFolder();
    const program = await programs.start(order(folder, 'sleep', ownNap()));
    await program.freeze();

    await program.terminate();

    expect(await program.ended).toEqual({ kind: 'killed', signal: 'SIGTERM' });
    await program.kill();
  });

  test('a program that somebody else stopped is stopped, and the shell in front of it is not', async () => {
    await using folder = temporaryFolder();
    const ordered = order(folder, 'sh', '-c', 'echo $$; while :; do sleep 0.01; done');
    const program = await programs.start(ordered);
    await until(() => expect(logOf(ordered)).toMatch(/^\d+\n$/));

    process.kill(program.record.pid, 'SIGSTOP');
    expect(program.condition()).toBe('running');
    process.kill(Number(logOf(ordered)), 'SIGSTOP');

    await until(() => expect(program.condition()).toBe('stopped'));
    await program.kill();
    expect(program.condition()).toBe('gone');
  });

  test.each([
    ['exit 0', { kind: 'exited', code: 0 }],
    ['exit 3', { kind: 'exited', code: 3 }],
    ['exit 255', { kind: 'exited', code: 255 }],
    ['kill -SEGV $$', { kind: 'killed', signal: 'SIGSEGV' }],
    ['kill -TERM 0', { kind: 'killed', signal: 'SIGTERM' }],
    ['kill -KILL 0', { kind: 'killed', signal: 'SIGKILL' }],
  ])('the end of a program that does `%s` is known', async (script, end) => {
    await using folder = temporaryFolder();

    const program = await programs.start(order(folder, 'sh', '-c', script));

    expect(await program.ended).toEqual(end);
    await program.kill();
  });

  test('what a program that ended has left behind is killed', async () => {
    await using folder = temporaryFolder();
    const nap = ownNap();
    const script = 'setsid sleep "$1" & (sleep "$1" &) ; sleep 0.05';
    const program = await programs.start(order(folder, 'sh', '-c', script, 'sh', nap));
    await program.ended;
    await until(() => expect(sleepers(nap)).toBe(2));

    await program.kill();

    expect(sleepers(nap)).toBe(0);
  });

  test('a program outlives who started it, is adopted with its exit status, and killed', async () => {
    await using folder = temporaryFolder();
    const nap = ownNap();
    const script = 'until [ -e go ]; do sleep 0.02; done; setsid sleep "$1" & sleep 0.05; exit 7';
    const ordered = order(folder, 'sh', '-c', script, 'sh', nap);
    const record = await startAndDie(ordered, groups);

    const adopted = programs.adopt(record);
    expect(adopted.condition()).toBe('running');
    writeFileSync(folder.at('go'), '');

    expect(await adopted.ended).toEqual({ kind: 'exited', code: 7 });
    expect(adopted.condition()).toBe('gone');
    await adopted.kill();
    expect(sleepers(nap)).toBe(0);
  });

  test('one that ended before it was adopted tells its exit status, and what is left is killed', async () => {
    await using folder = temporaryFolder();
    const nap = ownNap();
    const script = 'setsid sleep "$1" & sleep 0.05; exit 9';
    const ordered = order(folder, 'sh', '-c', script, 'sh', nap);
    const record = await startAndDie(ordered, groups);
    await until(() => expect(existsSync(folder.at('status', `${record.id}.exit`))).toBe(true));
    await until(() => expect(programs.adopt(record).condition()).toBe('gone'));

    const adopted = programs.adopt(record);

    expect(await adopted.ended).toEqual({ kind: 'exited', code: 9 });
    await adopted.kill();
    expect(sleepers(nap)).toBe(0);
  });

  test('a start of which only the id is known can be killed', async () => {
    await using folder = temporaryFolder();
    const nap = ownNap();
    const { id, statusFolder } = await startAndDie(order(folder, 'sleep', nap), groups);

    const adopted = programs.adopt({ id, pid: 0, startTime: '', statusFolder });
    await adopted.kill();

    expect(sleepers(nap)).toBe(0);
    expect(await adopted.ended).toEqual({ kind: 'unknown' });
  });

  test('a number that came to mean another process is not signalled', async () => {
    await using folder = temporaryFolder();
    await using other = sleepingChild();
    const { id, statusFolder } = order(folder, 'true');
    const record = { id, pid: other.pid, startTime: 'another-boot/1', statusFolder };

    const adopted = programs.adopt(record);
    await adopted.terminate();
    await adopted.kill();

    expect(adopted.condition()).toBe('gone');
    expect(other.isAlive()).toBe(true);
  });
});

// Without a group such a process shows nothing by which it could be found.
test.skipIf(!hasGroups)(
  'with a control group, kill() finds also who hides: no environment, no parent, own session',
  async () => {
    await using folder = temporaryFolder();
    const programs = openPrograms({ clock: realClock });
    const nap = ownNap();
    const script = '(env -i setsid /bin/sleep "$1" &); (env -i setsid /bin/sleep "$1" &); exit 0';
    const program = await programs.start(order(folder, 'sh', '-c', script, 'sh', nap));
    await program.ended;
    await until(() => expect(sleepers(nap)).toBe(2));

    await program.kill();

    expect(sleepers(nap)).toBe(0);
  },
);

describe('a program', () => {
  const programs = openPrograms({ clock: realClock });

  test('writes to its log in order, behind what is there, in a file for the owner only', async () => {
    await using folder = temporaryFolder();
    const script =
      'i=0; while [ $i -lt 200 ]; do echo $i; i=$((i+1)); echo $i >&2; i=$((i+1)); done';
    const ordered = order(folder, 'sh', '-c', script);
    mkdirSync(folder.at('logs'));
    writeFileSync(ordered.logPath, 'before\n');
    chmodSync(ordered.logPath, 0o644);

    const program = await programs.start(ordered);
    await program.ended;
    await program.kill();

    const lines = Array.from({ length: 200 }, (_, line) => String(line));
    expect(logOf(ordered)).toBe(`${['before', ...lines].join('\n')}\n`);
    expect(statSync(ordered.logPath).mode & 0o777).toBe(0o600);
  });

  test('gets the environment that was ordered and nothing else but its mark', async () => {
    await using folder = temporaryFolder();
    const env = { status: 'a b', code: "'$(touch x)'", PATH: searchPath };
    const ordered = {
      ...order(folder, process.execPath, '-p', 'JSON.stringify(process.env)'),
      env,
    };

    const program = await programs.start(ordered);
    await program.ended;
    await program.kill();

    expect(JSON.parse(logOf(ordered))).toEqual({ ...env, AOS_BODY: ordered.id });
  });

  test('gets its arguments as they are', async () => {
    await using folder = temporaryFolder();
    const odd = ['', 'a b', '$(touch x)', '"; touch x; "', "'", '-n', '*', 'é\n'];
    const print = 'console.log(JSON.stringify(process.argv.slice(1)))';
    const ordered = order(folder, process.execPath, '-e', print, '--', ...odd);

    const program = await programs.start(ordered);
    await program.ended;
    await program.kill();

    expect(JSON.parse(logOf(ordered))).toEqual(odd);
    expect(existsSync(folder.at('x'))).toBe(false);
  });

  test('inherits no file of ours, and ignores no signal', async () => {
    await using folder = temporaryFolder();
    await using ours = await open(folder.at('ours'), 'w');
    const script = 'readlink /proc/$$/fd/*; grep SigIgn /proc/$$/status';
    const ordered = order(folder, 'sh', '-c', script);

    const program = await programs.start(ordered);
    await program.ended;
    await program.kill();

    expect(ours.fd).toBeGreaterThan(2);
    expect(logOf(ordered)).not.toContain(folder.at('ours'));
    expect(logOf(ordered)).toContain('/dev/null');
    expect(logOf(ordered)).toMatch(/SigIgn:\s0+\n/);
  });

  test.each([
    ['no-such-program', 'program.missing', 'There is no program "no-such-program" on the PATH'],
    ['/no/such/program', 'program.missing', 'There is no program "/no/such/program"'],
    ['', 'program.missing', 'There is no program ""'],
    ['./notes.txt', 'program.not-executable', 'cannot be executed'],
    ['notes.txt', 'program.not-executable', 'cannot be executed'],
    ['.', 'program.missing', 'There is no program "."'],
  ])('named %j is refused with %s', async (name, code, words) => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('notes.txt'), 'hello');
    const env = { PATH: `${folder.path}:${searchPath}` };

    const attempt = programs.start({ ...order(folder, name), env });

    await expect(attempt).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });

  test('is not looked for in the working folder because the PATH has an empty place', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('planted'), '#!/bin/sh\n', { mode: 0o755 });

    const attempt = programs.start({ ...order(folder, 'planted'), env: { PATH: ':.:' } });

    await expect(attempt).rejects.toMatchObject({ code: 'program.missing' });
  });

  test('whose folder is not there, or is a file, is refused', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('file'), '');

    for (const cwd of [folder.at('gone'), folder.at('file')]) {
      const attempt = programs.start({ ...order(folder, 'true'), cwd });

      await expect(attempt).rejects.toMatchObject({ code: 'program.bad-folder' });
    }
  });

  test.each([
    ['an argument with a zero byte', 'a\0b', 'zero byte'],
    ['arguments that are too long', 'x'.repeat(3_000_000), 'too long'],
  ])('with %s is refused in words', async (_what, argument, words) => {
    await using folder = temporaryFolder();

    const attempt = programs.start(order(folder, 'true', argument));

    await expect(attempt).rejects.toMatchObject({
      code: 'program.not-started',
      message: expect.stringContaining(words),
    });
  });

  test('that the system cannot run ends at once, and says so in its log', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('broken'), '#!/no/such/shell\n', { mode: 0o755 });
    const ordered = order(folder, './broken');

    const program = await programs.start(ordered);

    expect(await program.ended).toEqual({ kind: 'exited', code: 127 });
    expect(logOf(ordered)).toContain('not found');
    await program.kill();
  });
});

/** Starts it from another process, which is then killed. */
async function startAndDie(ordered: ProgramOrder, groups: string): Promise<ProgramRecord> {
  const from = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const code = `
    import { realClock } from ${from('../clock.ts')};
    import { openPrograms } from ${from('./programs.ts')};
    const programs = openPrograms({ clock: realClock, groups: process.argv[2] });
    const { record } = await programs.start(JSON.parse(process.argv[1]));
    console.log(JSON.stringify(record));`;
  const args = ['--input-type=module', '-e', code, JSON.stringify(ordered), groups];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const [line] = await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await closed;
  return JSON.parse(String(line));
}

function sleepingChild() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  return {
    pid: child.pid ?? 0,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
