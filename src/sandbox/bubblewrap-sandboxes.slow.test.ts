import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { until } from '../../tests/support/until.ts';
import { realClock, realRandom } from '../engines/clock.ts';
import type { SandboxLimits, SandboxResult, SandboxRun } from '../kernel/sandbox.ts';
import { BubblewrapSandboxes, type SandboxOptions } from './bubblewrap-sandboxes.ts';

const limits: SandboxLimits = {
  memoryBytes: 256 * 2 ** 20,
  processes: 64,
  cpuPercent: 100,
  fileBytes: 64 * 2 ** 20,
  openFiles: 256,
  workspaceBytes: 64 * 2 ** 20,
  workspaceFiles: 10_000,
};

const uid = process.getuid?.() === 0 ? 2_100_000_001 : undefined;

/** A workspace, and sandboxes that see it. */
function place(more: Partial<SandboxOptions> = {}) {
  const folder = temporaryFolder();
  const workspace = folder.at('workspace');
  mkdirSync(workspace, { mode: 0o700 });
  if (uid !== undefined) chownSync(workspace, uid, uid);
  const ports = { clock: realClock, random: realRandom, log: { error: () => {} } };
  const sandboxes = new BubblewrapSandboxes({ ...ports, folder: folder.at('made'), ...more });
  return {
    ...{ folder, workspace, sandboxes },
    run: (script: string, order: Partial<SandboxRun> = {}): Promise<SandboxResult> =>
      sandboxes.run({
        view: { principal: 'agent:jean', uid, workspace, sees: [], unixSockets: false },
        command: { argv: ['/bin/sh', '-c', script], cwd: '/workspace', env: {} },
        ...{ limits, stdin: undefined, outputBytes: 1e6, network: undefined, timeoutMs: 20_000 },
        signal: new AbortController().signal,
        ...order,
      }),
    async [Symbol.asyncDispose]() {
      await sandboxes[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Those with this word among their arguments, as the host sees them. */
function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => argumentsOf(pid).includes(word));
}

function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    // It has just ended.
    return '';
  }
}

test('the wall stands on this machine', async () => {
  await using at = place();
  expect(await at.sandboxes.state()).toMatchObject({ kind: 'works' });
});

test('what an earlier daemon left of its sandboxes is ended before anything is run', async () => {
  await using at = place();
  const pipes = at.folder.at('made/pipes');
  mkdirSync(pipes, { recursive: true });
  spawnSync('mkfifo', [`${pipes}/3`]);
  // As of a daemon that was killed before its launcher had asked to end with it.
  const launcher = 'exec bwrap --die-with-parent --unshare-pid --dev-bind / / "$@" 0<>"$0"';
  const inside = 'setsid perl -e "sleep 60; # left-behind" <&- >&- 2>&- & echo up; sleep 60';
  const words = ['-c', launcher, `${pipes}/3`, '/bin/sh', '-c', inside];
  const left = spawn('/bin/sh', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  using _ = { [Symbol.dispose]: () => left.kill('SIGKILL') };
  await once(left.stdout, 'data');
  await until(() => expect(processesWith('left-behind')).not.toEqual([]));

  const state = await at.sandboxes.state();

  expect(state.kind).toBe('works');
  await until(() => expect(processesWith('left-behind')).toEqual([]));
});

describe('a program', () => {
  test('has its two streams apart, and can open them by name', async () => {
    await using at = place();
    const { stdout, stderr, end } = await at.run(
      'echo a; echo b > /dev/stdout; echo c > /dev/stderr',
    );

    expect([text(stdout), text(stderr)]).toEqual(['a\nb\n', 'c\n']);
    expect(end).toEqual({ kind: 'exited', code: 0 });
  });

  test.each([
    ['exit 7', { kind: 'exited', code: 7 }],
    ['kill -TERM $$', { kind: 'killed', signal: 'SIGTERM' }],
    ['kill -9 $$', { kind: 'killed', signal: 'SIGKILL' }],
    ['head -c 100000000 /dev/zero > big', { kind: 'stopped', by: 'file-size' }],
    ['kill -9 -1; exit 0', { kind: 'exited', code: 0 }],
  ])('that does "%s" ends so', async (script, end) => {
    await using at = place();
    expect((await at.run(`rm -f big; ${script}`)).end).toEqual(end);
  });

  test('reads all of its input, however long', async () => {
    await using at = place();
    const stdin = Buffer.alloc(8 * 2 ** 20, 'x');

    expect(text((await at.run('wc -c', { stdin })).stdout).trim()).toBe(String(stdin.length));
  });

  test('need not read its input', async () => {
    await using at = place();
    const stdin = Buffer.alloc(8 * 2 ** 20, 'x');

    expect((await at.run('exit 0', { stdin })).end).toEqual({ kind: 'exited', code: 0 });
  });

  test('inherits three descriptors', async () => {
    await using at = place();
    expect(text((await at.run('ls /proc/self/fd')).stdout)).toBe('0\n1\n2\n3\n');
  });

  test('shows what it writes while it writes', async () => {
    await using at = place();
    const seen: string[] = [];
    const onOutput: SandboxRun['onOutput'] = (stream, bytes) =>
      void seen.push(`${stream}: ${text(bytes)}`);

    await at.run('echo a; sleep 0.2; echo b >&2', { onOutput });

    expect(seen).toEqual(['stdout: a\n', 'stderr: b\n']);
  });

  test('that writes too much is stopped, and what it wrote before is there', async () => {
    await using at = place();
    const { stdout, truncated, end } = await at.run('yes', { outputBytes: 1000 });

    expect(end).toEqual({ kind: 'stopped', by: 'output' });
    expect([stdout.length, truncated]).toEqual([1000, true]);
  });
});

describe('when a call is over, nothing of it is left:', () => {
  test.each([
    ['its time is over', 'setsid sleep WORD & (setsid sleep WORD &) ; sleep WORD', 300],
    ['it ends before what it started', 'setsid sleep WORD & exit 0', 20_000],
    ['it was a daemon', '(setsid sh -c "trap \\"\\" TERM HUP; sleep WORD" &) ; exit 0', 20_000],
  ])('%s', async (_what, script, timeoutMs) => {
    await using at = place();
    const word = `77${Math.floor(performance.now() * 1000)}`;

    await at.run(script.replaceAll('WORD', word), { timeoutMs });

    expect(processesWith(word)).toEqual([]);
  });

  test('whoever called has ended it', async () => {
    await using at = place();
    const word = `78${Math.floor(performance.now() * 1000)}`;
    const stop = new AbortController();
    const running = at.run(`setsid sleep ${word} & sleep ${word}`, { signal: stop.signal });
    await until(() => expect(processesWith(word).length).toBeGreaterThan(0));

    stop.abort(new Error('enough'));

    await expect(running).rejects.toThrow('enough');
    expect(processesWith(word)).toEqual([]);
  });

  test('one that was ended before it began', async () => {
    await using at = place();
    const stop = new AbortController();
    stop.abort(new Error('enough'));

    await expect(at.run('echo x > began', { signal: stop.signal })).rejects.toThrow('enough');

    expect(readdirSync(at.workspace)).not.toContain('began');
  });
});

test('twenty at once are twenty, and each has its own', async () => {
  await using at = place();
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, index) => at.run(`echo ${index}; ls /proc | grep -c '^[0-9]'`)),
  );

  const printed = all.map(({ stdout }) => text(stdout).split('\n'));
  expect(printed.map(([index]) => Number(index))).toEqual([...all.keys()]);
  for (const [, processes] of printed) expect(Number(processes)).toBeLessThan(8);
});

test('what a call leaves in memory is not there for the next', async () => {
  await using at = place();
  await at.run('echo secret > /tmp/left; echo secret > /dev/shm/left; echo kept > kept');

  const { stdout } = await at.run('ls /tmp /dev/shm; cat kept');

  expect(text(stdout)).toBe('/dev/shm:\n\n/tmp:\nkept\n');
});

test('the daemon accepts on the loopback of a sandbox that has a network', async () => {
  await using at = place();
  const { stdout } = await at.run(
    `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:3128"); print <$s>'; env | grep -c -i proxy=`,
    {
      network: (listener) => {
        const server = listener.server as Server;
        server.on('connection', (socket) => socket.end('from outside\n'));
        return { [Symbol.asyncDispose]: async () => void server.close() };
      },
    },
  );

  expect(text(stdout)).toBe('from outside\n7\n');
});

test('without one there is nobody to connect to', async () => {
  await using at = place();
  const { stdout } = await at.run(
    `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new("127.0.0.1:3128") ? "yes" : "no"'; cat /proc/net/dev | grep -c :`,
  );

  expect(text(stdout)).toBe('no1\n');
});

describe('without control groups', () => {
  test('processes are counted all the same, and memory is watched', async () => {
    await using at = place({ groups: 'off', ready: 0 });
    const small = { ...limits, processes: 16, memoryBytes: 64 * 2 ** 20 };
    const forks = 'i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; echo $i';
    const hog = `perl -e '$x = "x" x 200e6; sleep 10'`;

    const bomb = await at.run(forks, { limits: small });
    const eater = await at.run(hog, { limits: small });

    expect(await at.sandboxes.state()).toMatchObject({ rung: 'rlimits', holds: { cpu: 'not' } });
    expect(text(bomb.stderr)).toMatch(/fork/i);
    expect(eater.end).toEqual({ kind: 'stopped', by: 'memory' });
  });
});

describe('where the wall does not hold, nothing runs:', () => {
  async function expectRefused(places: readonly string[], says: RegExp): Promise<void> {
    await using at = place({ places });

    const attempt = at.run('echo x > /workspace/ran');

    await expect(attempt).rejects.toMatchObject({
      code: 'sandbox.unavailable',
      message: expect.stringMatching(says),
      fix: expect.stringMatching(/\w+/),
    });
    expect(readdirSync(at.workspace)).not.toContain('ran');
  }

  /** A folder with a launcher that does this instead. */
  function launcherThat(script: string) {
    const folder = temporaryFolder();
    writeFileSync(folder.at('bwrap'), `#!/bin/sh\n${script}\n`);
    chmodSync(folder.at('bwrap'), 0o755);
    return folder;
  }

  test('there is no bubblewrap', async () => {
    await expectRefused(['/nowhere'], /bubblewrap is not installed/);
  });

  test('it is too old', async () => {
    await using folder = launcherThat('echo bubblewrap 0.4.1');

    await expectRefused([folder.path], /0\.8 is needed/);
  });

  test('it does nothing', async () => {
    await using folder = launcherThat('case $1 in --version) echo bubblewrap 0.9.0;; esac');

    await expectRefused([folder.path], /it said nothing/);
  });

  test('it may not make namespaces', async () => {
    await using folder = launcherThat(
      'case $1 in --version) echo bubblewrap 0.9.0;; *) echo "bwrap: setting up uid map: Permission denied" >&2; exit 1;; esac',
    );

    await expectRefused([folder.path], /setting up uid map: Permission denied/);
  });

  test('it starts programs without any wall', async () => {
    await using folder = launcherThat(
      'case $1 in --version) echo bubblewrap 0.9.0; exit;; esac\nwhile [ "$1" != /bin/sh ]; do shift; done\nexec "$1" "$2" "$(echo "$3" | sed s,/workspace,/,g)"',
    );

    await expectRefused([folder.path], /host's files are visible/);
  });
});

test('one that is made ready is used, and what waits for a principal can be taken away', async () => {
  await using at = place();
  await at.run('true');
  const waiting = () => processesWith('/usr/bin/bwrap').length;
  await until(() => expect(waiting()).toBeGreaterThan(0));

  await at.sandboxes.discard('agent:bob');
  expect(waiting()).toBeGreaterThan(0);
  await at.sandboxes.discard('agent:jean');

  expect(text((await at.run('echo still')).stdout)).toBe('still\n');
});

test('what was refused is tried again once somebody has mended it', async () => {
  await using folder = temporaryFolder();
  await using at = place({ places: [folder.path], clock: { ...realClock, monotonicMs } });
  let passedMs = 0;
  function monotonicMs(): number {
    return realClock.monotonicMs() + passedMs;
  }
  expect(await at.sandboxes.state()).toMatchObject({ kind: 'unavailable' });

  symlinkSync('/usr/bin/bwrap', folder.at('bwrap'));
  expect(await at.sandboxes.state()).toMatchObject({ kind: 'unavailable' });
  passedMs = 6000;

  expect(await at.sandboxes.state()).toMatchObject({ kind: 'works' });
});
