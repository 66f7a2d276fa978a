import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { lookingPlace, never } from '../../../tests/support/looking-place.ts';
import { runAsOrdinary } from '../../../tests/support/ordinary.ts';
import { photoBytes } from '../../../tests/support/photo-bytes.ts';
import { sharedLooking } from '../../../tests/support/shared-threads.ts';
import type { SwapNames } from '../../../tests/support/swap-names.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { isFull } from '../../../tests/support/tier.ts';
import { openFileLooking } from './looking.ts';

keepCompiled();

const newPlace = sharedLooking();

describe('a walk', () => {
  test('never shows a name from outside while a folder is swapped for a symlink', async () => {
    await using place = newPlace();
    await using outside = newPlace();
    for (const name of ['secret 1', 'in/secret 2']) outside.write(name);
    for (const name of ['a', 'in/b']) place.write(`folder/${name}`);
    symlinkSync(outside.folder.path, place.folder.at('link'));
    const shared = new SharedArrayBuffer(8);
    const cells = new Int32Array(shared);
    const swap: SwapNames = {
      one: place.folder.at('folder'),
      other: place.folder.at('link'),
      aside: place.folder.at('aside'),
      shared,
    };
    const swapper = new Worker(join(import.meta.dirname, '../../../tests/support/swap-names.ts'), {
      workerData: swap,
    });

    const seen = new Set<string>();
    const found = { inside: 0 };
    while (Atomics.load(cells, 0) < (isFull ? 10_000 : 1500)) {
      const { files } = await place.list();
      for (const { path } of files) seen.add(path.slice(path.lastIndexOf('/') + 1));
      if (files.some(({ path }) => path.endsWith('/in/b'))) found.inside++;
    }
    Atomics.store(cells, 1, 1);
    await once(swapper, 'exit');

    expect([...seen].filter((name) => name.startsWith('secret'))).toEqual([]);
    expect(found.inside).toBeGreaterThan(0);
  });

  test('goes down further than a path can say, and back up', async () => {
    await using place = newPlace();
    const [levels, name] = isFull ? [2000, 'd'] : [300, 'd'.repeat(20)];
    // Two folders at each level: one to go into later.
    const script = `
      const { mkdirSync, writeFileSync } = require('node:fs');
      for (let level = 0; level < ${levels}; level++) {
        mkdirSync('side'); writeFileSync('side/file', ''); mkdirSync('${name}');
        process.chdir('${name}');
      }
      writeFileSync('end', '');`;
    execFileSync(process.execPath, ['-e', script], { cwd: place.folder.path });

    const { total, skippedTotal } = await place.list({ kind: 'file', limit: 10 });
    const usage = await place.looking.usage(place.request(), never);
    execFileSync('rm', ['-rf', place.folder.at(name)]);

    expect({ total, skippedTotal }).toEqual({ total: levels + 1, skippedTotal: 0 });
    expect(usage).toMatchObject({ files: levels + 1, folders: 2 * levels });
  });

  test('sees each of many names in one folder once', async () => {
    await using place = newPlace();
    // The system tells of some hundred at a time.
    const names = isFull ? 20_000 : 3000;
    // Of one file: a new file takes many times as long.
    place.write('0 é');
    for (let index = 1; index < names; index++)
      linkSync(place.folder.at('0 é'), place.folder.at(`${index} é`));

    const { total, files, truncated } = await place.list({ limit: 100 });

    expect({ total, truncated }).toEqual({ total: names, truncated: true });
    expect(new Set(files.map(({ path }) => path)).size).toBe(100);
  });

  test('by two threads sees each of many folders once', async () => {
    await using place = newPlace();
    const folders = isFull ? 3000 : 200;
    for (let index = 0; index < folders; index++)
      place.write(`${index % 10}/${index % 100}/${index}/file`);

    for (let round = 0; round < 10; round++) {
      expect((await place.list({ kind: 'file', limit: 5000 })).files).toHaveLength(folders);
    }
  });

  test('goes on past a folder that it may not read, and says so', async () => {
    await using place = newPlace();
    place.write('shut/a');
    place.write('b');
    chmodSync(place.folder.at('shut'), 0);
    const file = (path: string) => join(import.meta.dirname, path);
    const request = place.request({ base: { held: place.folder.path, path: place.folder.path } });

    await using programs = temporaryFolder();
    writeFileSync(
      programs.at('look.mjs'),
      `import { openFileLooking } from ${JSON.stringify(file('looking.ts'))};
      import { realClock } from ${JSON.stringify(file('../clock.ts'))};
      await using looking = openFileLooking({ clock: realClock, zone: 'UTC' });
      const request = ${JSON.stringify(request)};
      console.log(JSON.stringify(await looking.list(request, new AbortController().signal)));`,
    );

    const seen = runAsOrdinary(`
      import { execFileSync } from 'node:child_process';
      const args = [${JSON.stringify(programs.at('look.mjs'))}];
      console.log(execFileSync(process.execPath, args, { encoding: 'utf8' }));`);

    chmodSync(place.folder.at('shut'), 0o700);
    expect(seen).toMatchObject({
      total: 2,
      skippedTotal: 1,
      skipped: [{ path: place.folder.at('shut'), why: 'unreadable' }],
    });
  });

  test('does not go onto another disk', async () => {
    await using place = newPlace();
    const base = { held: '/', path: '/' };

    const { skipped, files } = await place.list({
      base,
      glob: ['{proc,dev}', '*'],
      recursive: false,
    });

    expect(files).toEqual([]);
    expect(skipped.map(({ why }) => why)).toContain('other-disk');
  });
});

describe('photos', () => {
  test('are found and sorted by when they were taken, else by when they were changed', async () => {
    await using place = newPlace();
    place.write('new.jpg', photoBytes({ taken: '2024:07:06 07:08:09' }));
    place.write('old.jpg', photoBytes({ taken: '2001:01:01 00:00:00' }));
    utimesSync(place.write('guessed.jpg', photoBytes({ model: 'Camera' })), 0, 1_300_000_000);

    const { files } = await place.list({ sort: { by: 'taken', order: 'asc' } });
    const since2010 = await place.names({ takenAfter: Date.UTC(2010) });

    const told = files.map(({ path, takenAt, isTakenGuessed }) => [
      path.slice(place.folder.path.length + 1),
      takenAt,
      isTakenGuessed,
    ]);
    expect(told).toEqual([
      ['old.jpg', Date.UTC(2001), false],
      ['guessed.jpg', 1_300_000_000_000, true],
      ['new.jpg', Date.parse('2024-07-06T07:08:09Z'), false],
    ]);
    expect(since2010).toEqual(['guessed.jpg', 'new.jpg']);
  });
});

describe('the threads', () => {
  test('end after so long without work, and start again with it', async () => {
    await using place = lookingPlace();
    mkdirSync(place.folder.at('a'));
    const clock = new SimulatedClock();
    await using looking = openFileLooking({ clock, zone: 'UTC', idleMs: 1000 });
    using threads = countThreads();

    const first = await looking.list(place.request(), never);
    const running = threads.running();
    await clock.advance(1000);
    await threads.allEnded();
    const second = await looking.list(place.request(), never);

    expect(running).toBe(2);
    expect([first.total, second.total]).toEqual([1, 1]);
    expect(threads.running()).toBe(2);
  });

  test('are gone when it is disposed of, also in the middle of work', async () => {
    await using place = lookingPlace();
    for (let index = 0; index < 200; index++) place.write(`${index}/a`);
    using threads = countThreads();
    const looking = openFileLooking({ clock: new SimulatedClock(), zone: 'UTC' });

    const look = looking.list(place.request(), never).catch((failure: unknown) => failure);
    await looking[Symbol.asyncDispose]();
    await looking[Symbol.asyncDispose]();

    expect(await look).toBeInstanceOf(Error);
    expect(threads.running()).toBe(0);
  });
});

function countThreads() {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => void workers.push(worker);
  process.on('worker', onWorker);
  return {
    // A thread that has ended has no number any more.
    running: () => workers.filter(({ threadId }) => threadId !== -1).length,
    allEnded: async () => {
      for (const worker of workers) if (worker.threadId !== -1) await once(worker, 'exit');
    },
    [Symbol.dispose]: () => void process.off('worker', onWorker),
  };
}
