import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { hasSandbox } from '../../../tests/support/machine.ts';
import { until } from '../../../tests/support/until.ts';
import { realClock } from '../../engines/clock.ts';
import { bytesIn, exactBytesIn, exactMemory, ProcessTable } from './watch-memory.ts';

const status = `Name:\tsh\nPPid:\t7\nVmRSS:\t 9000 kB\nRssAnon:\t    112 kB
RssFile:\t 1596 kB\nRssShmem:\t     8 kB\nVmSwap:\t      4 kB\n`;
const rollup = `5600-7ffe ---p 00000000 00:00 0    [rollup]\nRss:   1744 kB\nPss:    330 kB
Pss_Anon:  112 kB\nPss_File:  218 kB\nPss_Shmem:   10 kB\nSwap:  9 kB\nSwapPss:  3 kB\n`;

test('memory that a file backs does not count, and what is swapped out does', () => {
  expect(bytesIn(status)).toBe((112 + 8 + 4) * 1024);
  expect(exactBytesIn(rollup)).toBe((112 + 10 + 3) * 1024);
  expect(bytesIn('Name:\tkthreadd\nPPid:\t0\n')).toBe(0);
});

test('a kernel that does not say what files back counts all of it', () => {
  expect(exactBytesIn('Rss: 20 kB\nPss:    12 kB\nSwapPss:  0 kB\n')).toBe(12 * 1024);
  expect(exactBytesIn('')).toBeUndefined();
});

test.skipIf(!hasSandbox)(
  'look() finds all that is in a sandbox, those whose parent has ended too',
  async () => {
    const nest = 'sh -c "setsid sleep 60 & sleep 60 & exit 0"; echo there; read line';
    const walls = ['--bind', '/', '/', '--dev', '/dev', '--unshare-pid', '--proc', '/proc'];
    const child = spawn('bwrap', [...walls, '--die-with-parent', 'sh', '-c', nest], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const pid = child.pid ?? 0;
    const table = new ProcessTable();

    const seen = table.look([pid]).get(pid);
    const [again, none] = [table.look([pid]).get(pid), table.look([2 ** 30]).get(2 ** 30)];

    // Two of the launcher, the shell, and both that sleep.
    expect(seen?.pids).toHaveLength(5);
    expect(again?.pids).toHaveLength(5);
    expect(seen?.bytes).toBeGreaterThan(100_000);
    expect(none).toEqual({ pids: [], bytes: 0 });
    child.stdin.end('\n');
    await once(child, 'close');
  },
);

test('one that was seen before it was asked for is found with all below it', async () => {
  const table = new ProcessTable();
  const child = spawn('sh', ['-c', 'sleep 60 & echo there; read line; kill $!'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  table.look([]);

  const seen = table.look([pid]).get(pid);

  expect(seen?.pids).toHaveLength(2);
  child.stdin.end('\n');
  await once(child, 'close');
});

test('what parent and child have together is counted once, exactly', async () => {
  // A shell that is in brackets is a copy of the one outside.
  const fork =
    'x=$(head -c 50000000 /dev/zero | tr "\\0" x); for i in 1 2 3 4; do (sleep 60; :) & done; echo there; wait';
  const child = spawn('bash', ['-c', fork], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  const table = new ProcessTable();
  await until(() => expect(table.look([pid]).get(pid)?.pids.length).toBeGreaterThan(4));
  const { pids = [], bytes = 0 } = table.look([pid]).get(pid) ?? {};

  const steps = exactMemory(pids);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const closed = once(child, 'close');
  process.kill(-pid, 'SIGKILL');
  await closed;

  expect(bytes).toBeGreaterThan(200_000_000);
  // About 50 MB, of which a busy system may have some elsewhere, and not five times as many.
  expect(step.value).toBeGreaterThan(25_000_000);
  expect(step.value).toBeLessThan(150_000_000);
});

test('a look at 64 processes is over in a moment', async () => {
  const many = 'for i in $(seq 63); do sleep 60 & done; echo there; read line; kill $(jobs -p)';
  const child = spawn('bash', ['-c', many], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  const table = new ProcessTable();
  expect(table.look([pid]).get(pid)?.pids).toHaveLength(64);
  const tookMs = Array.from({ length: 20 }, () => {
    const begunMs = realClock.monotonicMs();
    table.look([pid]);
    return realClock.monotonicMs() - begunMs;
  }).sort((a, b) => a - b);

  process.stdout.write(`a look at 64 processes: ${tookMs[10]?.toFixed(2)} ms\n`);

  expect(tookMs[10]).toBeLessThan(5);
  child.stdin.end('\n');
  await once(child, 'close');
});
