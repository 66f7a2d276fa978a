import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { limitMs } from '../../../tests/support/limits.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { isFull } from '../../../tests/support/tier.ts';
import { until } from '../../../tests/support/until.ts';
import { realClock } from '../../engines/clock.ts';
import type { LimitGroup } from './limit-groups.ts';
import { BoxWatch, type WatchedBox } from './watch.ts';

keepCompiled();

const limits = { workspaceBytes: 2_000_000, workspaceFiles: 200, memoryBytes: 100_000_000 };
const kib = (count: number) => Buffer.alloc(count * 1024, 1);

interface Place extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly watch: BoxWatch;
  readonly stops: string[];
  readonly troubles: unknown[];
  box(parts?: Partial<WatchedBox>): WatchedBox;
}

function place(): Place {
  const folder = temporaryFolder();
  const [stops, troubles]: [string[], unknown[]] = [[], []];
  const log = { error: (facts: object) => void troubles.push(facts) };
  const watch = new BoxWatch({ clock: realClock, log });
  return {
    ...{ folder, watch, stops, troubles },
    box: (parts) => ({
      ...{ id: 'one', workspace: folder.path, limits, group: undefined, pid: process.pid },
      ...{ stop: (by) => void stops.push(by), ...parts },
    }),
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Nobody is stopped for anything else: this very process is the box, and it has a lot. */
const roomy = { ...limits, memoryBytes: Number.POSITIVE_INFINITY };

test('a run that fills its workspace is stopped, once', async () => {
  await using at = place();
  using _ = at.watch.watch(at.box({ limits: roomy }));
  await sleep(250);
  expect(at.stops).toEqual([]);

  writeFileSync(at.folder.at('large'), kib(3000));

  await until(() => expect(at.stops).toEqual(['workspace']));
  writeFileSync(at.folder.at('larger'), kib(3000));
  await sleep(400);
  expect(at.stops).toEqual(['workspace']);
  expect(await at.watch.isOver(at.folder.path, limits)).toBe(true);
});

test('a run that makes too many files is stopped', async () => {
  await using at = place();
  using _ = at.watch.watch(at.box({ limits: roomy }));

  for (let i = 0; i < 250; i++) mkdirSync(at.folder.at(`d${i}`));

  await until(() => expect(at.stops).toEqual(['workspace']));
});

test('a workspace that was too full before may be emptied, and not filled further', async () => {
  await using at = place();
  for (let i = 0; i < 3; i++) writeFileSync(at.folder.at(`old${i}`), kib(2000));
  await sleep(50);

  using _ = at.watch.watch(at.box({ limits: roomy }));
  await sleep(150);
  rmSync(at.folder.at('old0'));
  await sleep(450);
  expect(at.stops).toEqual([]);
  expect(await at.watch.isOver(at.folder.path, limits)).toBe(true);
  writeFileSync(at.folder.at('new'), kib(2500));

  await until(() => expect(at.stops).toEqual(['workspace']));
});

test('what a run wrote before the first look does not raise its limit', async () => {
  await using at = place();
  writeFileSync(at.folder.at('old'), kib(2500));
  await sleep(50);

  using _ = at.watch.watch(at.box({ limits: roomy }));
  writeFileSync(at.folder.at('new'), kib(10));

  await until(() => expect(at.stops).toEqual(['workspace']));
});

test('a run that was too short to be looked at is known by what it left', async () => {
  await using at = place();
  const run = at.watch.watch(at.box({ limits: roomy }));
  writeFileSync(at.folder.at('large'), kib(3000));

  run[Symbol.dispose]();
  await until(async () => expect(await at.watch.isOver(at.folder.path, limits)).toBe(true));
  rmSync(at.folder.at('large'));
  at.watch.watch(at.box({ limits: roomy }))[Symbol.dispose]();

  await until(async () => expect(await at.watch.isOver(at.folder.path, limits)).toBe(false));
  expect(at.stops).toEqual([]);
});

test('a stop that throws is logged, not repeated, and holds up nobody else', async () => {
  await using at = place();
  let calls = 0;
  const stop = () => {
    calls += 1;
    throw new Error('no');
  };
  using _ = at.watch.watch(at.box({ limits: roomy, stop }));
  using __ = at.watch.watch(at.box({ limits: roomy, id: 'two' }));

  writeFileSync(at.folder.at('large'), kib(3000));

  await until(() => expect(at.stops).toEqual(['workspace']));
  await sleep(300);
  expect(calls).toBe(1);
  expect(at.troubles).toEqual([{ err: new Error('no') }]);
});

test('a run that is over while its workspace is walked is not stopped', async () => {
  await using at = place();
  fill(at.folder, 3000);
  const run = at.watch.watch(at.box({ limits: roomy }));
  await sleep(102);

  run[Symbol.dispose]();
  run[Symbol.dispose]();
  await sleep(300);

  expect(at.stops).toEqual([]);
});

test('many who have little memory each are stopped as one who has much', async () => {
  await using at = place();
  const hold = 'const a = Buffer.alloc(2e7, 1); setTimeout(() => a, 60_000)';
  const many = `for i in 1 2 3 4 5 6; do "$1" -e '${hold}' & done; wait`;
  await using child = running('bash', ['-c', many, 'bash', process.execPath]);
  using _ = at.watch.watch(at.box({ pid: child.pid }));

  await until(() => expect(at.stops).toEqual(['memory']));
});

test('memory that parent and children have together is no reason to stop', async () => {
  await using at = place();
  // A shell that is in brackets is a copy of the one outside.
  const fork =
    'x=$(head -c 40000000 /dev/zero | tr "\\0" x); for i in 1 2 3 4 5; do (sleep 60; :) & done; echo there; wait';
  await using child = running('bash', ['-c', fork]);
  await once(child.program.stdout ?? child.program, 'data');
  using _ = at.watch.watch(at.box({ pid: child.pid }));

  await sleep(700);

  expect(at.stops).toEqual([]);
});

test('memory in files that only exist in memory counts', async () => {
  await using at = place();
  const hold = `
    const { openSync, unlinkSync, writeSync } = require('node:fs');
    const name = '/dev/shm/aos-test-' + process.pid;
    const file = openSync(name, 'w');
    unlinkSync(name);
    for (let i = 0; i < 15; i++) writeSync(file, Buffer.alloc(1e7, 1));
    setTimeout(() => {}, 60_000);`;
  await using child = running(process.execPath, ['-e', hold]);
  using _ = at.watch.watch(at.box({ pid: child.pid }));

  await until(() => expect(at.stops).toEqual(['memory']));
});

test('a box whose group saw somebody killed is stopped', async () => {
  await using at = place();
  let memoryKills = 0;
  const group: LimitGroup = {
    ...{
      procsPaths: [],
      folder: undefined,
      pids: () => [],
      counted: () => 0,
      remove: () => {},
    },
    met: () => ({ memoryKills, processRefusals: 5 }),
  };
  using _ = at.watch.watch(at.box({ group }));
  await sleep(250);
  expect(at.stops).toEqual([]);

  memoryKills = 1;

  await until(() => expect(at.stops).toEqual(['memory']));
});

test('a thread that breaks is logged and replaced, and stops nobody', async () => {
  await using at = place();
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => void workers.push(worker);
  process.on('worker', onWorker);
  using _ = at.watch.watch(at.box({ limits: roomy }));
  await until(() => expect(workers).toHaveLength(1));

  await workers[0]?.terminate();
  writeFileSync(at.folder.at('large'), kib(3000));

  expect(await at.watch.measureFolder(at.folder.path)).toBeUndefined();
  expect(at.troubles).toHaveLength(1);
  expect(at.stops).toEqual([]);
  await until(() => expect(at.stops).toEqual(['workspace']));
  process.off('worker', onWorker);
});

/** With so many entries. Second names, because they are made faster than files. */
function fill(folder: TemporaryFolder, entries: number): void {
  const perFolder = 1000;
  for (let d = 0; d < entries / perFolder; d++) {
    mkdirSync(folder.at(`d${d}`));
    writeFileSync(folder.at(`d${d}`, 'f'), 'x');
    for (let i = 0; i < perFolder - 2; i++) {
      linkSync(folder.at(`d${d}`, 'f'), folder.at(`d${d}`, `f${i}`));
    }
  }
}

const entries = isFull ? 200_000 : 30_000;

test('very many entries do not hold up this thread, and a small folder does not wait for them', {
  timeout: limitMs(180_000),
}, async () => {
  await using at = place();
  fill(at.folder, entries);
  await using small = temporaryFolder();
  const many = { ...roomy, workspaceFiles: 1_000_000 };
  using _ = at.watch.watch(at.box({ limits: many }));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();

  const begunMs = realClock.monotonicMs();
  const large = at.watch.measureFolder(at.folder.path);
  let isLargeDone = false;
  void large.then(() => {
    isLargeDone = true;
  });
  await at.watch.measureFolder(small.path);
  const wasLargeDone = isLargeDone;
  const smallMs = realClock.monotonicMs() - begunMs;
  const measured = await large;
  const largeMs = realClock.monotonicMs() - begunMs;

  delay.disable();
  const delayMs = delay.max / 1e6;
  process.stdout.write(
    `${entries} entries: ${largeMs.toFixed(0)} ms in the thread, the event loop was late by ${delayMs.toFixed(1)} ms at most, a small folder took ${smallMs.toFixed(0)} ms\n`,
  );
  expect(measured?.files).toBe(entries);
  // Were it walked here, it would be late by all of that; a busy machine makes both longer.
  expect(delayMs).toBeLessThan(Math.max(limitMs(250), largeMs / 4));
  expect(wasLargeDone).toBe(false);
  if (isFull) expect(smallMs).toBeLessThan(largeMs / 2);
});

test('a walk that is under way when it is disposed of leaves nothing open', async () => {
  await using at = place();
  fill(at.folder, 20_000);
  const small = temporaryFolder();
  const large = at.watch.measureFolder(at.folder.path);
  // Both are under way once the second has an answer.
  await at.watch.measureFolder(small.path);
  await small[Symbol.asyncDispose]();

  await at.watch[Symbol.asyncDispose]();

  expect(await large).toBeUndefined();
  const held = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      // Of this very listing.
      return '';
    }
  });
  expect(held.filter((path) => path.startsWith(at.folder.path))).toEqual([]);
});

test('after it is disposed of, nothing is known and nobody is stopped', async () => {
  await using at = place();
  at.watch.watch(at.box({ limits: roomy }));
  await at.watch.measureFolder(at.folder.path);
  writeFileSync(at.folder.at('large'), kib(3000));

  await at.watch[Symbol.asyncDispose]();

  expect(await at.watch.measureFolder(at.folder.path)).toBeUndefined();
  expect(at.stops).toEqual([]);
  expect(at.troubles).toEqual([]);
});

interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly program: ChildProcess;
}

/** Gone, with all that is in its group of processes, when the block ends. */
function running(name: string, args: string[]): Running {
  const program = spawn(name, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const pid = program.pid ?? 0;
  return {
    ...{ pid, program },
    async [Symbol.asyncDispose]() {
      const closed = once(program, 'close');
      process.kill(-pid, 'SIGKILL');
      await closed;
    },
  };
}
