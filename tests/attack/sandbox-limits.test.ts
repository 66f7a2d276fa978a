/** Too much of everything, by a program in a sandbox: the host and the daemon keep answering. */
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import { runProgram } from '../support/run-aos.ts';
import {
  longTest,
  oneSandboxDaemon,
  processesWith,
  type SandboxDaemon,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { isFull } from '../support/tier.ts';
import { until } from '../support/until.ts';

const megabyte = 2 ** 20;
const small = {
  sandboxMegabytes: 128,
  sandboxProcesses: 32,
  sandboxCpuPercent: 50,
  sandboxesReady: 2,
  workspaceMegabytes: 24,
  workspaceFiles: 500,
};

// Far above a machine with work to do, far below one that hangs.
const slowestAnswerMs = limitMs(1000);

/** Memory that is used: its own, in perl. */
const hog = (megabytes: number) => `perl -e '$x = "x" x (${megabytes} << 20); sleep 20'`;

underEachDaemon((mode) => {
  const long = longTest(mode);
  const daemon = oneSandboxDaemon(mode, { agents: ['jean', 'lee'], settings: small });

  test('/tmp stops at 64 MiB, /dev/shm at 16', async () => {
    const fill = (place: string) =>
      `dd if=/dev/zero of=${place}/f bs=1M 2>&1 | tail -n 1 >/dev/null; stat -c %s ${place}/f; rm ${place}/f`;

    const { stdout } = await daemon().sh('jean', `${fill('/dev/shm')}; ulimit -f; ${fill('/tmp')}`);

    const [shm = 0, , tmp = 0] = (stdout ?? '').split('\n').map(Number);
    expect(shm).toBeLessThanOrEqual(16 * megabyte);
    expect(shm).toBeGreaterThan(15 * megabyte);
    // One file may be as large as the workspace.
    expect(tmp).toBeLessThanOrEqual(24 * megabyte);
    const pieces = 'for i in 1 2 3 4 5; do head -c 20000000 /dev/zero > /tmp/$i; done; du -sk /tmp';
    const { stdout: all = '', stderr } = await daemon().sh('jean', pieces);
    expect(Number.parseInt(all, 10)).toBeLessThanOrEqual(64 * 1024);
    expect(stderr).toMatch(/No space left/);
  });

  test('a huge file, also one full of holes, is stopped and said so', async () => {
    const dense = await daemon().execute('jean', {
      ...{ program: 'dd', args: ['if=/dev/zero', 'of=dense', 'bs=1M', 'count=100'] },
    });
    const sparse = await daemon().execute('jean', {
      program: 'truncate',
      args: ['-s', '1T', 'sp'],
    });
    await daemon().sh('jean', 'rm -f dense sp');

    expect(dense).toMatchObject({ stopped_by: expect.stringMatching(/file-size|workspace/) });
    expect(sparse).toMatchObject({ stopped_by: 'file-size' });
  });

  long('a workspace that is filled stops the program, and can be emptied by the next', async () => {
    const fill =
      'for i in $(seq 40); do head -c 2000000 /dev/zero > big-$i; done; sleep 5; echo done';

    const rounds = await underLook(daemon(), 'a full workspace', async () => ({
      filled: await daemon().sh('jean', fill),
      emptied: await daemon().sh('jean', 'rm -f big-*; ls | wc -l'),
      written: await daemon().sh('jean', 'echo x > small; rm small'),
    }));

    for (const { filled, emptied, written } of rounds) {
      expect(filled).toMatchObject({ stopped_by: 'workspace', exit_code: null });
      expect(written).toMatchObject({ stopped_by: null, exit_code: 0 });
      expect(emptied).toMatchObject({ exit_code: 0, stopped_by: null, stdout: '0\n' });
    }
  });

  long('a workspace with too many files stops the program', async () => {
    const fill =
      'i=0; while :; do mkdir -p d/$((i / 100)); : > d/$((i / 100))/$i; i=$((i + 1)); done';

    const rounds = await underLook(daemon(), 'too many files', async () => ({
      filled: await daemon().sh('jean', fill),
      emptied: await daemon().sh('jean', 'rm -rf d small; ls | wc -l'),
    }));

    for (const { filled, emptied } of rounds) {
      expect(filled).toMatchObject({ stopped_by: 'workspace' });
      expect(emptied).toMatchObject({ stdout: '0\n' });
    }
  });

  test('files that were deleted and are still open count too', async () => {
    const hidden = `perl -e 'for (1..20) { open($f[$_], "+>", "h$_"); unlink "h$_"; print {$f[$_]} "x" x 3e6; $f[$_]->flush } sleep 10; print "done"' -MIO::Handle`;

    const { stopped_by, stdout } = await daemon().sh('lee', hidden);

    expect(stopped_by).toBe('workspace');
    expect(stdout).toBe('');
  });

  long('a program that wants too much memory is stopped, and said so', async () => {
    const hogged = await underLook(daemon(), 'a memory hog', () => daemon().sh('jean', hog(400)));

    for (const each of hogged) {
      expect(each).toMatchObject({ stopped_by: 'memory', exit_code: null });
    }
    // What stopped one is not held against the next.
    const next = await daemon().sh('jean', 'kill -9 $$');
    expect(next).toMatchObject({ stopped_by: null, signal: 'SIGKILL', limits_met: [] });
  });

  long('the same memory spread over twenty children', async () => {
    const spread = `for i in $(seq 20); do ${hog(20)} & done; wait; echo done`;

    const hogged = await underLook(daemon(), 'twenty hogs', () => daemon().sh('jean', spread));

    for (const each of hogged) expect(each).toMatchObject({ stopped_by: 'memory', stdout: '' });
  });

  long('a fork bomb meets the limit, and hears of it', async () => {
    const bomb = `perl -e '$| = 1; my $n = 0; while (1) { my $p = fork; if (!defined $p) { last } if (!$p) { sleep 15; exit } $n++ } print "$n $!"; kill 9, -1'`;

    const bombed = await underLook(daemon(), 'a fork bomb', () => daemon().sh('jean', bomb));

    const isCounted = await hasGroups(daemon());
    for (const { stdout = '', limits_met } of bombed) {
      const [made = '', ...why] = stdout.split(' ');
      expect(Number(made)).toBeGreaterThan(10);
      expect(Number(made)).toBeLessThan(32);
      expect(why.join(' ')).toBe('Resource temporarily unavailable');
      if (isCounted) expect(limits_met).toEqual(['processes']);
    }
  });

  long('a fork bomb that grows on all sides is ended with its call', async () => {
    const mark = `bomb-${mode}-5d1c`;
    const bomb = `: ${mark}; b() { b | b & }; b; sleep 10`;

    await underLook(daemon(), 'a fork bomb of the shell', () =>
      daemon().sh('jean', bomb, { timeout_ms: 1000 }),
    );

    expect(processesWith(mark)).toEqual([]);
  });

  long('a program that spins ends at its time, within its share of a processor', async () => {
    const spin = `perl -e 'fork; $SIG{ALRM} = sub { print join(" ", times), "\\n"; exit }; alarm 1; 1 while 1'; sleep 0.3`;

    const spun = await underLook(daemon(), 'two that spin', () => daemon().sh('jean', spin));
    const late = await daemon().sh('jean', 'while :; do :; done', { timeout_ms: 500 });

    expect(late).toMatchObject({ stopped_by: 'time', exit_code: null });
    // Without control groups nothing holds the share.
    if (!(await hasGroups(daemon()))) return;
    for (const { stdout = '' } of spun) {
      const used = stdout.trim().split('\n').map(Number.parseFloat);
      const all = used.reduce((sum, each) => sum + each, 0);
      expect(used).toHaveLength(2);
      expect(all).toBeLessThan(1 * 0.5 * 1.3);
    }
  });

  long('a flood of output is cut off, on both streams, and said so', async () => {
    const flood = await underLook(daemon(), 'a flood', () => daemon().sh('jean', 'yes & yes >&2'));
    const both = await daemon().sh('jean', 'yes out & yes err >&2', { max_output_bytes: 10_000 });

    for (const { stopped_by, truncated } of [...flood, both]) {
      expect({ stopped_by, truncated }).toEqual({ stopped_by: 'output', truncated: true });
    }
    const kept = (both.stdout ?? '').length + (both.stderr ?? '').length;
    expect(kept).toBeLessThanOrEqual(10_000);
    expect(kept).toBeGreaterThan(9000);
  });

  test('whoever opens all descriptors gets no more than a limit', async () => {
    const open = `perl -e 'my @f; while (open(my $f, "<", "/dev/null")) { push @f, $f } print scalar(@f), " $!"'`;

    const { stdout = '' } = await daemon().sh('jean', open);

    expect(stdout).toMatch(/^10\d\d Too many open files$/);
  });

  test('the first process inside is under the limits, by what doctor says holds them', async () => {
    const [program, ...args] = daemon().aos;
    const { stdout: said } = await runProgram(program, [...args, 'doctor']);

    const { stdout = '' } = await daemon().sh('jean', 'cat /proc/1/limits');

    if (await hasGroups(daemon())) {
      expect(said).toMatch(/held by control groups: .*memory, processes, cpu exactly/);
    } else {
      expect(said).toMatch(/held by rlimits: output, time, processes exactly; .*cpu not at all/);
      // Those of the program, and a few for the shell that opens its network.
      expect(stdout).toMatch(/^Max processes +48 +48 /m);
      expect(stdout).toMatch(/^Max file size +25165824 +25165824 /m);
      expect(stdout).toMatch(/^Max data size +2281701376 +2281701376 /m);
    }
  });

  test('no limit can be raised from inside', async () => {
    const raise =
      'for l in c f n; do ulimit -$l unlimited 2>/dev/null && echo raised $l; done; prlimit --nofile=99999 true && echo raised';

    const { stdout } = await daemon().sh('jean', `${raise}; true`);

    expect(stdout).toBe('');
  });

  long('twenty calls at once are all answered', async () => {
    const places = Array.from({ length: 20 }, (_, place) => place);
    const call = (place: number) =>
      daemon().sh(place % 2 === 0 ? 'jean' : 'lee', `echo ${place}; sleep 0.2`);

    const rounds = await underLook(daemon(), 'twenty calls', () => Promise.all(places.map(call)));

    for (const answers of rounds) {
      expect(answers.map(({ stdout }) => stdout)).toEqual(places.map((place) => `${place}\n`));
    }
  });
});

/** As the host sees it: inside, a group looks as if it were the topmost. */
async function hasGroups(daemon: SandboxDaemon): Promise<boolean> {
  const mark = `group-${daemon.mode}-7f21`;
  const asked = daemon.sh('lee', `: ${mark}; until test -e go; do sleep 0.02; done; rm -f go`);
  const groups = await until(() => {
    const [pid] = processesWith(mark);
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  });
  writeFileSync(join(daemon.workspaceOf('lee'), 'go'), '');
  await asked;
  return /aos-box/.test(groups);
}

// In full a number of looks of which one in a hundred says something, and a load that lasts.
const shortestLoadMs = isFull ? 1000 : 0;
const fewestLooks = isFull ? 20 : 4;

/**
 * Does it again and again, in full for a second at least, and asks /readyz every 20 ms meanwhile.
 * Prints the p99 of that, and does not accept a slow one.
 */
async function underLook<T>(
  { daemon, mode }: SandboxDaemon,
  what: string,
  work: () => Promise<T>,
): Promise<readonly T[]> {
  const tookMs: number[] = [];
  const over = new AbortController();
  const looking = lookUntil(over.signal, daemon.url, tookMs);
  const done: T[] = [];
  const endMs = performance.now() + shortestLoadMs;
  try {
    while (performance.now() < endMs || tookMs.length < fewestLooks) done.push(await work());
    return done;
  } finally {
    over.abort();
    await looking;
    const sorted = tookMs.toSorted((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    process.stdout.write(
      `/readyz during ${what} (${mode}): p99 ${p99.toFixed(1)} ms of ${sorted.length}\n`,
    );
    expect(sorted.length).toBeGreaterThanOrEqual(fewestLooks);
    expect(p99).toBeLessThan(slowestAnswerMs);
  }
}

async function lookUntil(over: AbortSignal, url: string, tookMs: number[]): Promise<void> {
  while (!over.aborted) {
    const beganMs = performance.now();
    await ready(url);
    tookMs.push(performance.now() - beganMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function ready(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(new URL('/readyz', url), { agent: false }, (answer) => {
      answer.resume().once('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`/readyz answered ${answer.statusCode}`));
      });
    }).once('error', reject);
  });
}
