import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realEventLoop } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { freeReserve, keepReserve, plainerIfFull, withRoom } from './reserve.ts';

const MiB = 1024 * 1024;

/** A home on a disk of that size, of which others may take some. */
function homeOn(sizeBytes: number) {
  const { path: home, at, ...folder } = temporaryFolder();
  const path = at('.reserve');
  const room = { takenBytes: 0, files: 1000 };
  const reserved = async () => (await realDisk.stat(path))?.sizeBytes ?? 0;
  const volume = {
    usage: async () => {
      const freeBytes = sizeBytes - room.takenBytes - (await reserved());
      const usedBytes = sizeBytes - freeBytes;
      const writable = { writableBytes: freeBytes, writableFiles: room.files };
      return { usedBytes, freeBytes, ...writable, fileSystem: 'ext4' };
    },
  };
  const random = { bytes: (size: number) => new Uint8Array(size) };
  const deps = { disk: realDisk, volume, random, eventLoop: realEventLoop };
  return { ...folder, ...deps, home, path, reserved, room };
}

test.each([
  [1000, 36],
  [64, 32],
  [5, 2],
  [1, 0],
])('keepReserve() keeps of %i MiB that are free %i', async (free, kept) => {
  await using home = homeOn(free * MiB);

  await keepReserve(home, home.home);
  await keepReserve(home, home.home);

  expect(await home.reserved()).toBe(kept * MiB);
});

test('keepReserve() fills up what a crash has cut short, or a disk that was short of room', async () => {
  await using home = homeOn(1000 * MiB);
  await using cut = await home.disk.create(home.path);
  await cut.append(Buffer.from('abc'));

  await keepReserve(home, home.home);

  expect(await home.reserved()).toBe(35 * MiB + 3);
});

test('keepReserve() takes no file of a disk that has room for few more', async () => {
  await using home = homeOn(64 * MiB);
  home.room.files = 3;

  await keepReserve(home, home.home);

  expect(await home.disk.stat(home.path)).toBeUndefined();
});

test('freeReserve() gives it back, and says how much that was', async () => {
  await using home = homeOn(1000 * MiB);
  await keepReserve(home, home.home);

  expect(await freeReserve(home, home.home)).toBe(36 * MiB);
  expect(await home.disk.stat(home.path)).toBeUndefined();
  expect(await freeReserve(home, home.home)).toBe(0);
});

test('withRoom() gives the reserve back on a full disk before the work, and not on another', async () => {
  await using home = homeOn(64 * MiB);
  await keepReserve(home, home.home);

  const before = await withRoom(home, home.home, home.reserved);
  home.room.takenBytes = 32 * MiB;
  const onFull = await withRoom(home, home.home, home.reserved);

  expect(before).toEqual({ result: 32 * MiB, givenBytes: 0 });
  expect(onFull).toEqual({ result: 0, givenBytes: 32 * MiB });
});

test('withRoom() gives the reserve back where the work finds too little room, and does it again', async () => {
  await using home = homeOn(64 * MiB);
  await keepReserve(home, home.home);
  const work = async () => {
    if ((await home.reserved()) > 0) throw thrown('disk.full');
    return 'done';
  };

  const done = await withRoom(home, home.home, work);

  expect(done).toEqual({ result: 'done', givenBytes: 32 * MiB });
});

test('withRoom() gives the reserve back after work that took the last room itself', async () => {
  await using home = homeOn(64 * MiB);
  await keepReserve(home, home.home);
  const work = async () => {
    home.room.takenBytes = 32 * MiB;
    return 'done';
  };

  const done = await withRoom(home, home.home, work);

  expect(done).toEqual({ result: 'done', givenBytes: 32 * MiB });
});

test('withRoom() keeps the reserve on a disk that is short of files only', async () => {
  await using home = homeOn(64 * MiB);
  await keepReserve(home, home.home);
  home.room.files = 0;

  const done = await withRoom(home, home.home, home.reserved);

  expect(done).toEqual({ result: 32 * MiB, givenBytes: 0 });
});

test('withRoom() throws what the work throws where there is nothing to give back, or no need', async () => {
  await using home = homeOn(64 * MiB);
  const full = withRoom(home, home.home, () => Promise.reject(thrown('disk.full')));
  await expect(full).rejects.toMatchObject({ code: 'disk.full' });
  await keepReserve(home, home.home);

  const other = withRoom(home, home.home, () => Promise.reject(thrown('home.busy')));

  await expect(other).rejects.toMatchObject({ code: 'home.busy' });
  expect(await home.reserved()).toBe(32 * MiB);
});

test('freeReserve() leaves alone what is no file', async () => {
  await using home = homeOn(10 * MiB);
  await home.disk.makeFolder(home.path);

  expect(await freeReserve(home, home.home)).toBe(0);
  await expect(keepReserve(home, home.home)).rejects.toMatchObject({ code: 'disk.not-a-file' });
});

const thrown = (code: ErrorCode) => new AosError(code, { message: 'no' });

test('plainerIfFull() advises "aos gc" only where there is something to give back', async () => {
  await using home = homeOn(10 * MiB);
  const without = await plainerIfFull(home, home.home, thrown('ledger.full'));
  await keepReserve(home, home.home);

  const withReserve = await plainerIfFull(home, home.home, thrown('disk.full'));

  expect(without).toMatchObject({ code: 'disk.full', fix: expect.stringMatching(/^free 36 MiB/) });
  expect(withReserve).toMatchObject({ code: 'disk.full', fix: expect.stringMatching(/^aos gc/) });
});

test.each(['ledger.failed', 'ledger.unreadable'] as const)(
  'plainerIfFull() takes %s for a full disk only where the disk is full',
  async (code) => {
    await using home = homeOn(10 * MiB);
    const failure = thrown(code);

    const elsewhere = await plainerIfFull(home, home.home, failure);
    home.room.takenBytes = 10 * MiB;
    const onFull = await plainerIfFull(home, home.home, failure);

    expect(onFull).toMatchObject({ code: 'disk.full' });
    expect(elsewhere).toBe(failure);
  },
);

test('plainerIfFull() says of a disk without room for more files to remove some', async () => {
  await using home = homeOn(10 * MiB);
  await keepReserve(home, home.home);
  home.room.files = 0;

  const told = await plainerIfFull(home, home.home, thrown('disk.full'));

  expect(told).toMatchObject({
    message: expect.stringContaining('has no room for more files'),
    fix: expect.stringMatching(/^remove 64 files/),
  });
});
