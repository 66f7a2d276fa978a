import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { waitMs } from '../../../tests/support/limits.ts';
import { runProgram } from '../../../tests/support/run-aos.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { isFull } from '../../../tests/support/tier.ts';
import { untilTrue } from '../../../tests/support/until.ts';
import type { BulkDisk } from '../../kernel/disk/bulk-disk.ts';
import { openBulkDisk, type ThreadedBulkDisk } from './bulk-disk.ts';

keepCompiled();

const plenty = { eachBytes: 100_000_000, allBytes: 1_000_000_000 };
const idleMs = 1000;

/** A folder, and a bulk disk for which one file is many; its clock stands still. */
interface Place extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly clock: SimulatedClock;
  readonly bulk: ThreadedBulkDisk;
  readonly threads: Threads;
}

async function place({ manyFiles = 1, isRunning = false } = {}): Promise<Place> {
  await using opened = new AsyncDisposableStack();
  const threads = opened.use(watchThreads());
  const folder = opened.use(temporaryFolder());
  const clock = new SimulatedClock();
  // Thrown, so that the run fails: no thread of these tests comes to grief.
  const onTrouble = (failure: unknown) => {
    throw failure;
  };
  const bulk = opened.use(openBulkDisk({ clock, onTrouble, manyFiles, idleMs }));
  if (isRunning) await start(bulk, folder);
  const kept = opened.move();
  return {
    ...{ folder, clock, bulk, threads },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function runningPlace(): Promise<Place> {
  return place({ isRunning: true });
}

/** The first call starts the thread, which takes work a moment later. */
async function start(bulk: ThreadedBulkDisk, folder: TemporaryFolder): Promise<void> {
  await bulk.takeFiles([folder.at('nothing')], plenty);
  await untilTrue(() => bulk.isRunning);
}

interface Threads extends Disposable {
  /** How many were started so far, and how many of them have not ended. */
  readonly started: number;
  readonly running: number;
  /** Ends all of them, whatever they are doing. */
  kill(): Promise<void>;
}

function watchThreads(): Threads {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => void workers.push(worker);
  process.on('worker', onWorker);
  return {
    get started() {
      return workers.length;
    },
    get running() {
      // A thread that has ended has no number any more.
      return workers.filter(({ threadId }) => threadId !== -1).length;
    },
    async kill() {
      for (const worker of workers) await worker.terminate();
    },
    [Symbol.dispose]: () => void process.off('worker', onWorker),
  };
}

/** Without giving way to anything else here, so that it sees the moment at which it comes. */
function standUntilThere(path: string): void {
  const deadline = Date.now() + waitMs;
  while (!existsSync(path)) if (Date.now() > deadline) throw new Error(`${path} never came`);
}

/** Fails where something is never answered. */
async function answered<Answer>(work: PromiseLike<Answer>): Promise<Answer> {
  const stop = new AbortController();
  const late = sleep(waitMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error('no answer came');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
    await late.catch(() => {});
  }
}

function numbered(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index}`);
}

async function texts(bulk: BulkDisk, paths: readonly string[]): Promise<string[]> {
  const answers = await bulk.takeFiles(paths, plenty);
  return answers.map((taken) =>
    taken.failure === undefined ? Buffer.from(taken.bytes).toString() : taken.failure.code,
  );
}

describe('the thread of the bulk disk', () => {
  test('is never started for a few files', async () => {
    await using few = await place({ manyFiles: 3 });
    const { bulk, folder, threads } = few;
    const names = ['a', 'b'];

    await bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));
    await bulk.moveFiles(
      names.map((name) => ({ from: folder.at(name), to: folder.at(`new ${name}`) })),
    );
    const taken = await texts(bulk, [folder.at('new a'), folder.at('new b')]);
    await nextTurn();

    expect(taken).toEqual(['a', 'b']);
    expect(bulk.isRunning).toBe(false);
    expect(threads.started).toBe(0);
  });

  test.each(['take', 'write', 'move'])(
    'is started by many files to %s, which are not kept waiting for it',
    async (what) => {
      await using many = await place({ manyFiles: 3 });
      const { bulk, folder, threads } = many;
      const paths = ['a', 'b', 'c'].map((name) => folder.at(name));

      if (what === 'take') await bulk.takeFiles(paths, plenty);
      else if (what === 'write') await bulk.writeFiles(paths.map((path) => ({ path, text: '' })));
      else await bulk.moveFiles(paths.map((path) => ({ from: path, to: `${path} new` })));
      expect(bulk.isRunning).toBe(false);
      await untilTrue(() => bulk.isRunning);

      expect(threads.started).toBe(1);
      expect(threads.running).toBe(1);
    },
  );

  test('gives ten callers at once, with many files, each its own answers', async () => {
    await using running = await runningPlace();
    const { bulk, folder, threads } = running;
    const each = isFull ? 100 : 20;
    const call = async (caller: number) => {
      const names = numbered(each, `caller ${caller} file`);
      const paths = names.map((name) => folder.at(name));
      await bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));
      const moved = await bulk.moveFiles(
        [...paths, folder.at('missing')].map((path) => ({ from: path, to: `${path} moved` })),
        { look: true },
      );
      const taken = await texts(bulk, [...paths.map((path) => `${path} moved`), ...paths]);
      return { names, moved, taken };
    };

    const answers = await answered(Promise.all(Array.from({ length: 10 }, (_, n) => call(n))));

    for (const { names, moved, taken } of answers) {
      expect(taken).toEqual([...names, ...names.map(() => 'disk.missing')]);
      expect(moved).toMatchObject([
        ...names.map((name) => ({ entry: { kind: 'file', sizeBytes: name.length } })),
        { failure: { code: 'disk.missing' } },
      ]);
    }
    expect(readdirSync(folder.path)).toHaveLength(10 * each);
    expect(bulk.isRunning).toBe(true);
    expect(threads.started).toBe(1);
  });

  test('ends after so long without work, and not before', async () => {
    await using running = await runningPlace();
    const { bulk, folder, clock, threads } = running;
    await texts(bulk, [folder.at('nothing')]);

    await clock.advance(idleMs - 1);
    await texts(bulk, [folder.at('nothing')]);
    await clock.advance(idleMs - 1);
    expect(bulk.isRunning).toBe(true);
    await clock.advance(1);

    expect(bulk.isRunning).toBe(false);
    await untilTrue(() => threads.running === 0);
  });

  test('does not end while it works, however long that takes', async () => {
    await using running = await runningPlace();
    const { bulk, folder, clock, threads } = running;
    const paths = numbered(1000, 'missing').map((name) => folder.at(name));
    await texts(bulk, [folder.at('nothing')]);

    const work = texts(bulk, paths);
    await clock.advance(idleMs);

    expect(bulk.isRunning).toBe(true);
    expect(await answered(work)).toEqual(paths.map(() => 'disk.missing'));
    expect(threads.running).toBe(1);
  });

  test('ends also when it had started too late for any work', async () => {
    await using running = await runningPlace();
    const { bulk, clock, threads } = running;

    await clock.advance(idleMs);

    expect(bulk.isRunning).toBe(false);
    await untilTrue(() => threads.running === 0);
  });

  test('is started again by work that comes after it ended, which is done all the same', async () => {
    await using running = await runningPlace();
    const { bulk, folder, clock, threads } = running;
    await bulk.writeFiles([{ path: folder.at('a'), text: 'text' }]);
    await clock.advance(idleMs);

    // One while it is ending, one when it has ended, and one in its follower.
    const taken = await answered(texts(bulk, [folder.at('a')]));
    await untilTrue(() => threads.running === 0);
    taken.push(...(await answered(texts(bulk, [folder.at('a')]))));
    await untilTrue(() => bulk.isRunning);
    taken.push(...(await answered(texts(bulk, [folder.at('a')]))));

    expect(taken).toEqual(['text', 'text', 'text']);
    expect(threads.started).toBe(2);
    expect(threads.running).toBe(1);
  });
});

describe('a bulk disk that is disposed', () => {
  test('leaves no thread and no wait behind, and may be disposed again', async () => {
    await using running = await runningPlace();
    const { bulk, folder, clock, threads } = running;
    await texts(bulk, [folder.at('nothing')]);

    await bulk[Symbol.asyncDispose]();
    await bulk[Symbol.asyncDispose]();

    expect(bulk.isRunning).toBe(false);
    expect(threads.running).toBe(0);
    expect(clock.sleeping).toBe(0);
  });

  test('leaves no thread behind that was just starting', async () => {
    await using starting = await place();
    const { bulk, folder, threads } = starting;
    await bulk.takeFiles([folder.at('nothing')], plenty);
    await untilTrue(() => threads.running === 1);
    expect(bulk.isRunning).toBe(false);

    await bulk[Symbol.asyncDispose]();

    expect(bulk.isRunning).toBe(false);
    expect(threads.running).toBe(0);
  });

  test('works on the spot from then on and starts no thread again', async () => {
    await using running = await runningPlace();
    const { bulk, folder, threads } = running;
    await bulk[Symbol.asyncDispose]();

    await answered(bulk.writeFiles([{ path: folder.at('a'), text: 'text' }]));
    const taken = await answered(texts(bulk, [folder.at('a')]));
    await nextTurn();

    expect(taken).toEqual(['text']);
    expect(threads.started).toBe(1);
  });

  test('still answers files that were being taken', async () => {
    await using running = await runningPlace();
    const { bulk, folder } = running;
    const names = numbered(400, 'file');
    const paths = names.map((name) => folder.at(name));
    await bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));

    const works = [texts(bulk, paths), texts(bulk, paths.toReversed())];
    await answered(bulk[Symbol.asyncDispose]());

    expect(await answered(Promise.all(works))).toEqual([names, names.toReversed()]);
  });

  test.each([{ inTurn: true }, { inTurn: false }])(
    'still moves the files that were being moved, inTurn $inTurn',
    async ({ inTurn }) => {
      await using running = await runningPlace();
      const { bulk, folder } = running;
      const names = numbered(500, 'file');
      await bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));

      const work = bulk.moveFiles(
        names.map((name) => ({ from: folder.at(name), to: folder.at(`new ${name}`) })),
        { inTurn, look: true },
      );
      standUntilThere(folder.at('new file 0'));
      await answered(bulk[Symbol.asyncDispose]());
      const moved = await answered(work);

      const entries = names.map(({ length }) => ({ entry: { kind: 'file', sizeBytes: length } }));
      expect(moved).toMatchObject(entries);
      expect(readdirSync(folder.path).sort()).toEqual(names.map((name) => `new ${name}`).sort());
    },
  );

  test('has written all of the files that were being written, or none', async () => {
    await using running = await runningPlace();
    const { bulk, folder } = running;
    const names = numbered(1000, 'file');

    const work = bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));
    const outcome = work.then(
      () => 'all',
      () => 'none',
    );
    standUntilThere(folder.at('file 0'));
    await answered(bulk[Symbol.asyncDispose]());

    const expected = (await answered(outcome)) === 'all' ? names.length : 0;
    expect(readdirSync(folder.path)).toHaveLength(expected);
  });

  test('leaves no wait behind when work was under way', async () => {
    await using running = await runningPlace();
    const { bulk, folder, clock, threads } = running;
    const paths = numbered(1000, 'missing').map((name) => folder.at(name));

    const works = [texts(bulk, paths), texts(bulk, paths)];
    await answered(bulk[Symbol.asyncDispose]());
    await answered(Promise.all(works));

    expect(clock.sleeping).toBe(0);
    expect(threads.running).toBe(0);
  });

  test('leaves no wait behind when an answer had come that nobody had seen yet', async () => {
    await using running = await runningPlace();
    const { bulk, folder, clock, threads } = running;

    const work = texts(bulk, [folder.at('missing')]);
    // This thread stands still, and the other answers meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    await answered(bulk[Symbol.asyncDispose]());

    expect(await answered(work)).toEqual(['disk.missing']);
    expect(clock.sleeping).toBe(0);
    expect(threads.running).toBe(0);
  });
});

describe('a thread that dies in the middle', () => {
  test('leaves the files that it was taking to be taken on the spot', async () => {
    await using running = await runningPlace();
    const { bulk, folder, threads } = running;
    const names = numbered(400, 'file');
    const paths = names.map((name) => folder.at(name));
    await bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));

    const works = [texts(bulk, paths), texts(bulk, paths.toReversed())];
    await answered(threads.kill());

    expect(await answered(Promise.all(works))).toEqual([names, names.toReversed()]);
  });

  test.each([{ inTurn: true }, { inTurn: false }])(
    'leaves the files that it was moving to be moved on the spot, inTurn $inTurn',
    async ({ inTurn }) => {
      await using running = await runningPlace();
      const { bulk, folder, threads } = running;
      const names = numbered(500, 'file');
      await bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));

      const work = bulk.moveFiles(
        names.map((name) => ({ from: folder.at(name), to: folder.at(`new ${name}`) })),
        { inTurn, look: true },
      );
      standUntilThere(folder.at('new file 0'));
      await answered(threads.kill());
      const moved = await answered(work);

      const entries = names.map(({ length }) => ({ entry: { kind: 'file', sizeBytes: length } }));
      expect(moved).toMatchObject(entries);
      expect(readdirSync(folder.path).sort()).toEqual(names.map((name) => `new ${name}`).sort());
    },
  );

  test('is not taken to have made a move that cannot be made', async () => {
    await using running = await runningPlace();
    const { bulk, folder, threads } = running;
    const names = numbered(500, 'file');
    await bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));
    const moves = names.map((name) => ({ from: folder.at(name), to: folder.at(`new ${name}`) }));
    const wrong = { from: folder.at('file 499'), to: folder.at('nowhere', 'x') };

    const work = bulk.moveFiles([...moves.slice(0, -1), wrong], { inTurn: true });
    standUntilThere(folder.at('new file 0'));
    await answered(threads.kill());
    const moved = await answered(work);

    expect(moved).toHaveLength(names.length);
    expect(moved.at(-1)).toMatchObject({ failure: { code: 'disk.missing' } });
    expect(moved.slice(0, -1).filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  test('has made new files that are told to be in the way', async () => {
    await using running = await runningPlace();
    const { bulk, folder, threads } = running;
    // So many that it is not done before it dies.
    const names = numbered(5000, 'file');

    const work = bulk.writeFiles(names.map((name) => ({ path: folder.at(name), text: name })));
    const outcome = work.catch((failure: unknown) => failure);
    standUntilThere(folder.at('file 0'));
    await answered(threads.kill());

    const message = expect.stringContaining(`"${folder.at('file 0')}"`);
    expect(await answered(outcome)).toMatchObject({ code: 'disk.exists', message });
  });

  test('leaves no wait behind when it had no work', async () => {
    await using running = await runningPlace();
    const { bulk, folder, clock, threads } = running;
    await texts(bulk, [folder.at('nothing')]);
    expect(clock.sleeping).toBe(1);

    await answered(threads.kill());
    await untilTrue(() => !bulk.isRunning);

    expect(clock.sleeping).toBe(0);
  });

  test('leaves no wait behind, and the next work starts another', async () => {
    await using running = await runningPlace();
    const { bulk, folder, clock, threads } = running;
    const paths = numbered(1000, 'missing').map((name) => folder.at(name));

    const works = [texts(bulk, paths), texts(bulk, paths)];
    await answered(threads.kill());
    await answered(Promise.all(works));
    await untilTrue(() => !bulk.isRunning);
    expect(clock.sleeping).toBe(0);
    await start(bulk, folder);

    expect(await answered(texts(bulk, [folder.at('missing')]))).toEqual(['disk.missing']);
    expect(threads.started).toBe(2);
    expect(threads.running).toBe(1);
  });
});

/** A program that asks the thread twice and prints what came of it. */
const program = `
  import { openBulkDisk } from ${JSON.stringify(join(import.meta.dirname, 'bulk-disk.ts'))};
  import { realClock } from ${JSON.stringify(join(import.meta.dirname, '../clock.ts'))};
  const troubles = [];
  const onTrouble = ({ code }) => troubles.push(code);
  await using bulk = openBulkDisk({ clock: realClock, onTrouble, manyFiles: 1 });
  const take = async () => {
    const [{ failure }] = await bulk.takeFiles(['missing'], { eachBytes: 1, allBytes: 1 });
    return failure.code;
  };
  const first = await take();
  while (!bulk.isRunning && troubles.length === 0) await new Promise((go) => setTimeout(go, 1));
  const second = await take();
  console.log(JSON.stringify({ first, second, troubles }));
`;

test('work in the thread keeps the program up until it is answered', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('program.mjs'), program);

  const run = await runProgram(process.execPath, [folder.at('program.mjs')]);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const answer = { first: 'disk.missing', second: 'disk.missing', troubles: [] };
  expect(JSON.parse(run.stdout)).toEqual(answer);
});

test('a thread that cannot start is told of, and its work is done on the spot', async () => {
  // With this option, which a thread inherits, Node starts none from a file.
  const run = await runProgram(process.execPath, ['--input-type=module', '-e', program]);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const troubles = ['ERR_INPUT_TYPE_NOT_ALLOWED'];
  const answer = { first: 'disk.missing', second: 'disk.missing', troubles };
  expect(JSON.parse(run.stdout)).toEqual(answer);
});

test.each([
  { where: 'on the spot', isRunning: false, manyFiles: 2 },
  { where: 'in the thread', isRunning: true, manyFiles: 1 },
])(
  'a file that grows while it is taken $where is told to change, or is as its identity says',
  async ({ isRunning, manyFiles }) => {
    await using growing = await place({ isRunning, manyFiles });
    const { bulk, folder } = growing;
    await using _ = appendTo(folder.at('log'));
    await untilTrue(() => existsSync(folder.at('log')));

    const sizes = new Set<number>();
    let changes = 0;
    const deadline = Date.now() + waitMs;
    for (let takes = 0; takes < 500 || changes === 0 || sizes.size < 2; takes++) {
      if (Date.now() > deadline) throw new Error('it never changed while it was taken');
      const [taken] = await bulk.takeFiles([folder.at('log')], plenty);
      if (taken === undefined || taken.failure !== undefined) throw taken?.failure;
      const { identity, bytes, changed } = taken;
      if (changed) changes++;
      else expect(bytes.length).toBe(identity.sizeBytes);
      sizes.add(identity.sizeBytes);
    }

    expect(bulk.isRunning).toBe(isRunning);
  },
);

/** Another process that adds to the file, without a pause, until it is ended. */
function appendTo(path: string): AsyncDisposable {
  const script = 'while :; do printf xxxx >> "$0"; done';
  const child = spawn('sh', ['-c', script, path], { stdio: 'ignore' });
  const closed = once(child, 'close');
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
