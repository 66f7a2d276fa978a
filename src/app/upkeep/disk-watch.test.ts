import { setImmediate as untilMicrotasksAreDone } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import type { VolumeUsage } from '../../kernel/ports.ts';
import { readDiskState, watchDisk } from './disk-watch.ts';

const limits = { home: '/home', warnPercent: 80, alertPercent: 90 };

/** A watch over a disk that a test fills. */
function watched() {
  const clock = new SimulatedClock();
  const stop = new AbortController();
  const told: string[] = [];
  const recorded: string[] = [];
  const made = { room: 0, reserve: 0 };
  const disk = { usedPercent: 10, isFailing: false, recordsFail: false, reserveFails: false };
  const tell = (level: string) => (_facts: object, words: string) => {
    told.push(`${level}: ${words.slice(0, 6)}`);
  };
  const deps = {
    clock,
    volume: {
      usage: async () => {
        if (disk.isFailing) throw diskError('EIO', '/home');
        const { usedPercent } = disk;
        const room = { freeBytes: 100 - usedPercent, writableBytes: 2 ** 20, writableFiles: 99 };
        return { usedBytes: usedPercent, ...room, fileSystem: 'ext4' };
      },
    },
    log: { info: tell('info'), warn: tell('warn'), error: tell('error') },
    record: async (kind: string, data: { readonly used_percent: number }) => {
      if (disk.recordsFail) throw diskError('ENOSPC', '/home/ledger.db');
      recorded.push(`${kind} ${data.used_percent}`);
    },
    makeRoom: async () => {
      made.room++;
    },
    keepReserve: async () => {
      made.reserve++;
      if (disk.reserveFails) throw diskError('EISDIR', '/home/.reserve');
    },
  };
  const done = watchDisk(deps, { ...limits, everyMs: 60_000 }, stop.signal);
  return {
    told,
    recorded,
    made,
    disk,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
    /** A minute later. */
    async at(usedPercent: number) {
      // The look before has ended, and the watch sleeps.
      await untilMicrotasksAreDone();
      disk.usedPercent = usedPercent;
      await clock.advance(60_000);
    },
  };
}

test('watchDisk() looks every minute and tells each crossing once, up and down', async () => {
  await using watch = watched();

  for (const percent of [79, 80, 85, 90, 95, 88, 88, 78, 50]) await watch.at(percent);

  expect(watch.recorded).toEqual([
    'disk.warned 80',
    'disk.alerted 90',
    'disk.warned 88',
    'disk.recovered 78',
  ]);
  expect(watch.told).toEqual(['warn: 80 % o', 'error: 90 % o', 'warn: 88 % o', 'info: 78 % o']);
});

test('watchDisk() does not tell again and again of a disk that stands at the limit', async () => {
  await using watch = watched();

  for (const percent of [80, 79, 80, 79, 90, 89, 90, 89]) await watch.at(percent);

  expect(watch.recorded).toEqual(['disk.warned 80', 'disk.alerted 90']);
});

test('watchDisk() goes from well to alert in one step', async () => {
  await using watch = watched();

  for (const percent of [97, 20]) await watch.at(percent);

  expect(watch.recorded).toEqual(['disk.alerted 97', 'disk.recovered 20']);
});

test('watchDisk() records later what could not be recorded on a full disk', async () => {
  await using watch = watched();
  watch.disk.recordsFail = true;
  await watch.at(99);
  await watch.at(99);
  watch.disk.recordsFail = false;

  await watch.at(98);

  expect(watch.recorded).toEqual(['disk.alerted 98']);
});

test('watchDisk() tells once that it sees nothing, and goes on when it does again', async () => {
  await using watch = watched();
  await watch.at(20);
  watch.disk.isFailing = true;
  await watch.at(99);
  await watch.at(99);
  expect(watch.told).toEqual(['error: cannot']);
  watch.disk.isFailing = false;

  await watch.at(85);

  expect(watch.recorded).toEqual(['disk.warned 85']);
});

test('watchDisk() makes room at every look while the disk is at its alert level', async () => {
  await using watch = watched();

  for (const percent of [89, 90, 95, 89, 88, 95]) await watch.at(percent);

  expect(watch.made.room).toBe(4);
});

test('watchDisk() makes room also where the event could not be written', async () => {
  await using watch = watched();
  watch.disk.recordsFail = true;

  await watch.at(99);

  expect(watch.made.room).toBe(1);
});

test('watchDisk() fills up the reserve at every look, and tells once that it cannot', async () => {
  await using watch = watched();
  watch.disk.reserveFails = true;

  await watch.at(10);
  await watch.at(10);

  expect(watch.made.reserve).toBe(3);
  expect(watch.told).toEqual(['warn: cannot']);
});

/** An empty disk that says so of itself. */
function diskOf(usage: VolumeUsage) {
  const disk = new SimulatedDisk({ seed: 1, clock: new SimulatedClock() });
  return { disk, volume: { usage: async () => usage } };
}

test('readDiskState() says full where less than a megabyte can be written', async () => {
  const room = { freeBytes: 2 ** 20 - 1, writableBytes: 2 ** 20 - 1, writableFiles: 99 };
  const usage = { usedBytes: 2 ** 40, ...room, fileSystem: 'ext4' };

  const seen = await readDiskState(diskOf(usage), limits);

  expect(seen).toMatchObject({ usedPercent: 100, state: 'full', is: 'is full' });
});

test('readDiskState() says full where there is no room for more files', async () => {
  const room = { freeBytes: 2 ** 30, writableBytes: 2 ** 30, writableFiles: 0 };
  const usage = { usedBytes: 2 ** 30, ...room, fileSystem: 'ext4' };

  const seen = await readDiskState(diskOf(usage), limits);

  const words = { is: 'has no room for more files', fix: expect.stringMatching(/^remove/) };
  expect(seen).toEqual({ usedPercent: 50, state: 'full', ...words });
});

test('watchDisk() looks at nothing once it was stopped', async () => {
  await expect(
    watchDisk(
      {
        clock: new SimulatedClock(),
        volume: { usage: () => Promise.reject(new Error('looked')) },
        log: { info: () => {}, warn: () => {}, error: () => {} },
        record: () => Promise.reject(new Error('recorded')),
        makeRoom: () => Promise.reject(new Error('made room')),
        keepReserve: () => Promise.reject(new Error('kept a reserve')),
      },
      { ...limits, everyMs: 1 },
      AbortSignal.abort(),
    ),
  ).resolves.toBeUndefined();
});

test.each([
  [79, 'ok'],
  [80, 'warning'],
  [90, 'alert'],
])('readDiskState() takes %i %% for %s', async (usedBytes, state) => {
  const room = { freeBytes: 100 - usedBytes, writableBytes: 2 ** 20, writableFiles: 99 };
  const usage = { usedBytes, ...room, fileSystem: 'ext4' };

  const seen = await readDiskState(diskOf(usage), limits);

  expect(seen).toEqual({ usedPercent: usedBytes, state });
});
