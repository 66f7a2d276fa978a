import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { waitMs } from '../../../tests/support/limits.ts';
import { hasSandbox } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realClock, realRandom } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { realProcesses } from '../../engines/process/processes.ts';
import type { Processes } from '../../kernel/ports.ts';
import { type HomeLockDeps, readHolder, takeHomeLock, takeOver } from './home-lock.ts';

keepCompiled();

const program = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'tests',
  'support',
  'hold-home-lock.ts',
);

const deps: HomeLockDeps = {
  disk: realDisk,
  random: realRandom,
  processes: realProcesses,
  clock: realClock,
};
const holder = { holder: 'test' };

interface Starter extends AsyncDisposable {
  readonly pid: number;
  /** Its first line: `held EPOCH`, or the code of its refusal. */
  readonly says: string;
  kill(signal: NodeJS.Signals): void;
  ended(): Promise<void>;
}

/** Another process that takes the lock of a home. */
function start(home: string, ...words: string[]): Promise<Starter> {
  return startThrough([], home, ...words);
}

/** The same, run by another program, such as a sandbox. */
async function startThrough(
  through: readonly string[],
  home: string,
  ...words: string[]
): Promise<Starter> {
  const [file = '', ...rest] = [...through, process.execPath, program, home, ...words];
  const child = spawn(file, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const says = await firstLine(child);
  return {
    pid: child.pid ?? 0,
    says,
    kill: (signal) => void child.kill(signal),
    ended: async () => void (await closed),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the program has no output');
  using lines = createInterface(stdout);
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  return String(line);
}

test('takeHomeLock() makes .lock with mode 600, names the holder in it and frees it at the end', async () => {
  await using folder = temporaryFolder();

  {
    await using lock = await takeHomeLock(deps, folder.path, holder);

    expect(lock.epoch).toBe(1);
    expect(statSync(folder.at('.lock')).mode & 0o777).toBe(0o600);
    expect(await readHolder(deps, folder.path)).toMatchObject({ pid: process.pid, what: 'test' });
  }
  expect(await readHolder(deps, folder.path)).toBeUndefined();
  expect(await readdir(folder.path)).toEqual(['.lock']);
});

test('each taking has a higher epoch than the one before', async () => {
  await using folder = temporaryFolder();
  const epochs: number[] = [];

  for (let round = 0; round < 3; round++) {
    await using lock = await takeHomeLock(deps, folder.path, holder);
    epochs.push(lock.epoch);
  }

  expect(epochs).toEqual([1, 2, 3]);
});

test('a second opener is refused at once and told who holds it', async () => {
  await using folder = temporaryFolder();
  await using first = await start(folder.path);

  const attempt = takeHomeLock(deps, folder.path, holder);

  await expect(attempt).rejects.toMatchObject({
    code: 'home.busy',
    message: expect.stringMatching(`process ${first.pid} \\(daemon\\) since 20`),
    fix: expect.stringMatching(/aos down.*aos up --takeover/),
    details: { pid: first.pid, what: 'daemon', since: expect.any(Number) },
  });
});

test('of five takings within one process exactly one succeeds', async () => {
  await using folder = temporaryFolder();

  const takings = await Promise.allSettled(
    Array.from({ length: 5 }, () => takeHomeLock(deps, folder.path, holder)),
  );

  const locks = takings.flatMap((taking) => (taking.status === 'fulfilled' ? [taking.value] : []));
  await using _freed = new AsyncDisposableStack();
  for (const lock of locks) _freed.use(lock);
  expect(locks).toHaveLength(1);
  // Held against other processes too: no descriptor that was closed has taken the lock along.
  await using other = await start(folder.path);
  expect(other.says).toBe('home.busy');
});

test('a refusal to the same process does not loosen the lock', async () => {
  await using folder = temporaryFolder();
  await using lock = await takeHomeLock(deps, folder.path, holder);
  await expect(takeHomeLock(deps, folder.path, holder)).rejects.toMatchObject({
    code: 'home.busy',
  });

  await using other = await start(folder.path);

  expect(other.says).toBe('home.busy');
  expect(lock.epoch).toBe(1);
});

test('a holder that is stopped keeps the lock', async () => {
  await using folder = temporaryFolder();
  await using first = await start(folder.path);
  first.kill('SIGSTOP');

  await using second = await start(folder.path);

  expect(second.says).toBe('home.busy');
});

test('a holder that is killed frees the lock, and its row means nothing', async () => {
  await using folder = temporaryFolder();
  await using first = await start(folder.path);
  first.kill('SIGKILL');
  await first.ended();

  expect(await readHolder(deps, folder.path)).toBeUndefined();
  await using lock = await takeHomeLock(deps, folder.path, holder);

  expect(lock.epoch).toBe(2);
});

test('of ten that start at once exactly one holds', async () => {
  await using folder = temporaryFolder();

  const starters = await Promise.all(Array.from({ length: 10 }, () => start(folder.path)));

  await using _ended = new AsyncDisposableStack();
  for (const starter of starters) _ended.use(starter);
  const held = starters.filter(({ says }) => says.startsWith('held'));
  expect(held).toHaveLength(1);
  expect(starters.filter(({ says }) => says === 'home.busy')).toHaveLength(9);
  expect(await readHolder(deps, folder.path)).toMatchObject({ pid: held[0]?.pid });
});

test('of ten that take over at once exactly one holds in the end', async () => {
  await using folder = temporaryFolder();
  await using old = await start(folder.path);

  const starters = await Promise.all(
    Array.from({ length: 10 }, () => start(folder.path, 'takeover')),
  );

  await using _ended = new AsyncDisposableStack();
  for (const starter of starters) _ended.use(starter);
  await old.ended();
  // One that held may have been taken over by one that came later.
  const held = starters.filter(({ says }) => says.startsWith('held'));
  const alive = held.filter(({ pid }) => realProcesses.startTimeOf(pid) !== undefined);
  expect(alive).toMatchObject([{ pid: (await readHolder(deps, folder.path))?.pid }]);
});

/** Another connection that changes the row as soon as it can, once it was told to. */
function intruder(path: string) {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const [waiting, trying, over] = [0, 1, 2];
  const worker = new Worker(
    `const { workerData: { flag, path }, parentPort } = require('node:worker_threads');
     const { DatabaseSync } = require('node:sqlite');
     const database = new DatabaseSync(path, { timeout: 0 });
     const tryOnce = () => {
       try {
         database.exec('begin immediate');
         database.exec('update holder set epoch = epoch + 100');
         database.exec('commit');
         return true;
       } catch { return false; }
     };
     parentPort.on('message', (word) => {
       if (word === 'end') { database.close(); parentPort.close(); return; }
       parentPort.postMessage('ready');
       Atomics.wait(flag, 0, ${waiting});
       let isDone = false;
       while (!isDone && Atomics.load(flag, 0) === ${trying}) isDone = tryOnce();
       parentPort.postMessage('over');
     });`,
    { eval: true, workerData: { flag, path } },
  );
  const tell = (what: number): void => {
    Atomics.store(flag, 0, what);
    Atomics.notify(flag, 0);
  };
  let stopped: Promise<unknown> | undefined;
  return {
    async prepare(): Promise<void> {
      tell(waiting);
      worker.postMessage('begin');
      await once(worker, 'message');
      stopped = once(worker, 'message');
    },
    go: () => tell(trying),
    async stop(): Promise<void> {
      tell(over);
      await stopped;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const ended = once(worker, 'exit');
      worker.postMessage('end');
      await ended;
    },
  };
}

test('whoever finds another row than its own, when it has begun again, does not hold the home', async () => {
  await using folder = temporaryFolder();
  await (await takeHomeLock(deps, folder.path, holder))[Symbol.asyncDispose]();
  await using other = intruder(folder.at('.lock'));
  // Asked for in the middle of the taking: from then on somebody tries to come in between.
  const clock = {
    ...realClock,
    now: () => {
      other.go();
      return realClock.now();
    },
  };
  const deadline = realClock.monotonicMs() + waitMs;

  for (;;) {
    await other.prepare();
    const [taking] = await Promise.allSettled([
      takeHomeLock({ ...deps, clock }, folder.path, holder),
    ]);
    await other.stop();
    if (taking.status === 'rejected') {
      expect(taking.reason).toMatchObject({ code: 'home.busy' });
      break;
    }
    await using lock = taking.value;
    expect(epochIn(folder.at('.lock'))).toBe(lock.epoch);
    expect(realClock.monotonicMs()).toBeLessThan(deadline);
  }
});

function epochIn(path: string): unknown {
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare('select epoch from holder').get()?.['epoch'];
}

describe.skipIf(!hasSandbox)('on a disk that can only be read', () => {
  test.each(['with a .lock', 'without one'])('it is said so: %s', async (how) => {
    await using folder = temporaryFolder();
    if (how === 'with a .lock') {
      await (await takeHomeLock(deps, folder.path, holder))[Symbol.asyncDispose]();
    }
    const world = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', folder.path, folder.path];

    await using starter = await startThrough(world, folder.path);

    expect(starter.says).toBe('disk.read-only');
  });
});

describe.skipIf(!hasSandbox)('on a disk that has room for .lock and for no other file', () => {
  test('it is said so, and not that .lock may not be written', async () => {
    await using folder = temporaryFolder();
    const { path } = folder;
    const rights = ['--unshare-user', '--cap-add', 'CAP_SYS_ADMIN'];
    const world = ['bwrap', ...rights, '--dev-bind', '/', '/', '--tmpfs', path];
    // The folder itself counts as one.
    const few = [
      'sh',
      '-c',
      'mount -o remount,nr_inodes=2 "$0" && : > "$0/.lock" && exec "$@"',
      path,
    ];

    await using starter = await startThrough([...world, ...few], path);

    expect(starter.says).toBe('disk.full');
  });
});

describe('raiseEpoch()', () => {
  test('raises what is kept in .lock, and the lock stays held', async () => {
    await using folder = temporaryFolder();
    {
      await using lock = await takeHomeLock(deps, folder.path, holder);

      lock.raiseEpoch(41);
      lock.raiseEpoch(7);

      expect(lock.epoch).toBe(41);
      await using other = await start(folder.path);
      expect(other.says).toBe('home.busy');
    }
    await using next = await takeHomeLock(deps, folder.path, holder);
    expect(next.epoch).toBe(42);
  });

  test('is refused once the lock was let go', async () => {
    await using folder = temporaryFolder();
    const lock = await takeHomeLock(deps, folder.path, holder);
    await lock[Symbol.asyncDispose]();

    expect(() => lock.raiseEpoch(9)).toThrow('in use by another process');
  });
});

test('a .lock that somebody removed is made anew, and the epoch can be raised above the old one', async () => {
  await using folder = temporaryFolder();
  await using first = await start(folder.path);
  expect(first.says).toBe('held 1');
  rmSync(folder.at('.lock'));

  await using lock = await takeHomeLock(deps, folder.path, holder);
  lock.raiseEpoch(2);

  expect(lock.epoch).toBe(2);
});

describe('a .lock that is not ours is refused and left alone:', () => {
  const attempt = (home: string) => takeHomeLock(deps, home, holder);
  const refusal = { code: 'home.broken-lock', fix: expect.stringContaining('remove the file') };

  test('a text', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('.lock'), 'pid 4242, started a long time ago');

    await expect(attempt(folder.path)).rejects.toMatchObject(refusal);
    await expect(readHolder(deps, folder.path)).rejects.toMatchObject(refusal);
  });

  test('the database of another program', async () => {
    await using folder = temporaryFolder();
    const database = new DatabaseSync(folder.at('.lock'));
    database.exec('create table holder (name text)');
    database.close();

    await expect(attempt(folder.path)).rejects.toMatchObject(refusal);
  });

  test.each([
    ['a pid that stands for everybody', '-1, 5'],
    ['a pid that is no number', "'all', 5"],
    ['an epoch beyond what can be counted', '1, 9223372036854775807'],
  ])('%s', async (_what, values) => {
    await using folder = temporaryFolder();
    const database = new DatabaseSync(folder.at('.lock'));
    database.exec('create table holder (one, pid, epoch, start_time, what, since)');
    database.exec(`insert into holder values (1, ${values}, '', 'daemon', 0)`);
    database.close();

    await expect(attempt(folder.path)).rejects.toMatchObject(refusal);
  });

  test('a symlink, also one that leads nowhere', async () => {
    await using folder = temporaryFolder();
    symlinkSync(folder.at('elsewhere'), folder.at('.lock'));

    await expect(attempt(folder.path)).rejects.toMatchObject(refusal);
    await expect(readHolder(deps, folder.path)).rejects.toMatchObject(refusal);
    expect(await readdir(folder.path)).toEqual(['.lock']);
  });

  test('a FIFO', async () => {
    await using folder = temporaryFolder();
    execFileSync('mkfifo', [folder.at('.lock')]);

    await expect(attempt(folder.path)).rejects.toMatchObject(refusal);
  });

  test('a folder', async () => {
    await using folder = temporaryFolder();
    await realDisk.makeFolder(folder.at('.lock'));

    await expect(attempt(folder.path)).rejects.toMatchObject(refusal);
  });
});

test('readHolder() finds nobody where there is no .lock', async () => {
  await using folder = temporaryFolder();

  expect(await readHolder(deps, folder.path)).toBeUndefined();
  expect(await readdir(folder.path)).toEqual([]);
});

describe('takeOver()', () => {
  test('ends a holder that is stopped and takes the home', async () => {
    await using folder = temporaryFolder();
    await using old = await start(folder.path);
    old.kill('SIGSTOP');

    await using lock = await takeOver(deps, folder.path, holder);

    await old.ended();
    expect(lock.epoch).toBe(2);
    expect(await readHolder(deps, folder.path)).toMatchObject({ pid: process.pid });
  });

  test('just takes a home whose holder is gone already', async () => {
    await using folder = temporaryFolder();
    await using old = await start(folder.path);
    old.kill('SIGKILL');
    await old.ended();

    await using lock = await takeOver(deps, folder.path, holder);

    expect(lock.epoch).toBe(2);
  });

  test('kills nobody whose start time is not that of the row, and gives up in words', async () => {
    await using folder = temporaryFolder();
    await using old = await start(folder.path);
    const clock = new SimulatedClock();
    const killed: number[] = [];
    const processes: Processes = {
      selfPid: process.pid,
      startTimeOf: () => 'another start',
      bootId: () => undefined,
      kill: (pid) => {
        killed.push(pid);
        return 'sent';
      },
    };

    const attempt = expect(
      takeOver({ ...deps, clock, processes }, folder.path, holder),
    ).rejects.toMatchObject({ code: 'home.takeover-failed' });
    while (clock.monotonicMs() < 6000) {
      await realClock.sleep(1);
      await clock.advance(200);
    }

    await attempt;
    expect(killed).toEqual([]);
    expect(await readHolder(deps, folder.path)).toMatchObject({ pid: old.pid });
  });

  test('spares whoever took the home after the owner that was there had ended', async () => {
    await using folder = temporaryFolder();
    await using old = await start(folder.path);
    await using later = new AsyncDisposableStack();
    const killed: number[] = [];
    const processes: Processes = {
      ...realProcesses,
      kill: (pid, signal) => {
        killed.push(pid);
        return realProcesses.kill(pid, signal);
      },
    };
    let faster: Starter | undefined;
    const sleep = async (): Promise<void> => {
      await old.ended();
      faster ??= later.use(await start(folder.path));
    };

    const clock = { ...realClock, sleep };
    const attempt = takeOver({ ...deps, clock, processes }, folder.path, holder);

    await expect(attempt).rejects.toMatchObject({ code: 'home.busy' });
    expect(killed).toEqual([old.pid]);
    expect(await readHolder(deps, folder.path)).toMatchObject({ pid: faster?.pid });
  });

  test("says in words that another user's process cannot be ended", async () => {
    await using folder = temporaryFolder();
    await using old = await start(folder.path);
    const processes: Processes = { ...realProcesses, kill: () => 'denied' };

    const attempt = takeOver({ ...deps, processes }, folder.path, holder);

    await expect(attempt).rejects.toMatchObject({
      code: 'home.takeover-denied',
      fix: expect.stringContaining(`kill -9 ${old.pid}`),
    });
  });

  test('never ends its own process', async () => {
    await using folder = temporaryFolder();
    await using _lock = await takeHomeLock(deps, folder.path, holder);

    await expect(takeOver(deps, folder.path, holder)).rejects.toMatchObject({ code: 'home.busy' });
  });
});
