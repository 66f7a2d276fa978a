import {
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { type WalkCount, type WalkOrder, walkFolder } from './watch-walk.ts';

function walk(order: WalkOrder): WalkCount {
  const steps = walkFolder(order);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const kib = (count: number) => Buffer.alloc(count * 1024, 1);
const openFiles = () => readdirSync('/proc/self/fd').length;

test('allocated bytes are counted, a hard link once, and what a symlink leads to not at all', async () => {
  await using folder = temporaryFolder();
  await using elsewhere = temporaryFolder();
  mkdirSync(folder.at('a'));
  writeFileSync(folder.at('a', 'file'), kib(100));
  linkSync(folder.at('a', 'file'), folder.at('again'));
  writeFileSync(elsewhere.at('large'), kib(5000));
  symlinkSync(elsewhere.path, folder.at('out'));
  symlinkSync(folder.path, folder.at('loop'));
  symlinkSync(elsewhere.at('large'), folder.at('large'));

  const { bytes, files } = walk({ path: folder.path });

  expect(files).toBe(6);
  expect(bytes).toBeGreaterThanOrEqual(100 * 1024);
  expect(bytes).toBeLessThan(140 * 1024);
});

test('a file with holes counts as what is on the disk', async () => {
  await using folder = temporaryFolder();
  const file = openSync(folder.at('sparse'), 'w');
  ftruncateSync(file, 10_000_000_000);
  closeSync(file);

  expect(walk({ path: folder.path }).bytes).toBeLessThan(100_000);
});

test('a name that is no text is an entry like any other, and so is what is below it', async () => {
  await using folder = temporaryFolder();
  const strange = Buffer.concat([Buffer.from(`${folder.path}/`), Buffer.from([0xff, 0xe9, 0x0a])]);
  mkdirSync(strange);
  writeFileSync(Buffer.concat([strange, Buffer.from('/ä')]), kib(50));

  const { bytes, files } = walk({ path: folder.path });

  expect(files).toBe(2);
  expect(bytes).toBeGreaterThanOrEqual(50 * 1024);
});

test('few folders are open at once, however deep it goes', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at(...Array.from({ length: 300 }, () => 'x')), { recursive: true });
  const openBefore = openFiles();
  let most = 0;

  for (const _ of walkFolder({ path: folder.path })) most = Math.max(most, openFiles());

  expect(most - openBefore).toBeGreaterThan(50);
  expect(most - openBefore).toBeLessThan(70);
});

test('the walk ends as soon as there is too much', async () => {
  await using folder = temporaryFolder();
  for (let i = 0; i < 200; i++) writeFileSync(folder.at(`f${i}`), kib(4));

  const tooMany = walk({ path: folder.path, most: { bytes: 1e9, files: 10 } });
  const tooLarge = walk({ path: folder.path, most: { bytes: 50 * 1024, files: 1e6 } });
  const fine = walk({ path: folder.path, most: { bytes: 1e9, files: 200 } });

  expect(tooMany).toMatchObject({ isOver: true, files: 11 });
  expect(tooLarge.isOver).toBe(true);
  expect(tooLarge.bytes).toBeLessThan(60 * 1024);
  expect(fine).toMatchObject({ isOver: false, files: 200 });
});

test('what was there before is not fresh, and only something fresh can be too much', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('a'));
  writeFileSync(folder.at('a', 'old'), kib(100));
  writeFileSync(folder.at('a', 'gone'), kib(4));
  await sleep(50);
  const freshSince = Date.now();
  await sleep(5);
  unlinkSync(folder.at('a', 'gone'));
  const order = { path: folder.path, most: { bytes: 10_000, files: 1 }, freshSince };

  const after = walk(order);
  writeFileSync(folder.at('a', 'new'), kib(4));
  // Only the system sets the time that counts.
  utimesSync(folder.at('a', 'new'), 1, 1);
  const more = walk(order);

  expect(after).toMatchObject({ isOver: false, fresh: { bytes: 0, files: 0 } });
  expect(more.isOver).toBe(true);
});

test('what is added to a file that was there before is fresh', async () => {
  await using folder = temporaryFolder();
  writeFileSync(folder.at('old'), kib(100));
  await sleep(50);
  const freshSince = Date.now();
  await sleep(5);

  writeFileSync(folder.at('old'), kib(100), { flag: 'a' });

  const { isOver } = walk({ path: folder.path, most: { bytes: 10_000, files: 9 }, freshSince });
  expect(isOver).toBe(true);
});

test('a file that is removed but held open counts', async () => {
  await using folder = temporaryFolder();
  const file = openSync(folder.at('hidden'), 'w');
  writeSync(file, kib(500));
  unlinkSync(folder.at('hidden'));

  const without = walk({ path: folder.path });
  const { bytes } = walk({ path: folder.path, pids: [process.pid, process.pid] });
  closeSync(file);

  expect(without.bytes).toBe(0);
  expect(bytes).toBeGreaterThanOrEqual(500 * 1024);
  expect(bytes).toBeLessThan(900 * 1024);
});

test('what disappears while it is walked is skipped', async () => {
  await using folder = temporaryFolder();
  for (let i = 0; i < 100; i++) {
    mkdirSync(folder.at(`d${i}`));
    writeFileSync(folder.at(`d${i}`, 'f'), 'x');
  }
  const steps = walkFolder({ path: folder.path });
  steps.next();
  steps.next();

  for (let i = 0; i < 100; i++) rmSync(folder.at(`d${i}`), { recursive: true });
  let step = steps.next();
  while (step.done !== true) step = steps.next();

  expect(step.value.files).toBeLessThanOrEqual(200);
});

test('a walk that is given up closes what it holds', async () => {
  await using folder = temporaryFolder();
  for (let i = 0; i < 100; i++) writeFileSync(folder.at(`f${i}`), 'x');
  const openBefore = openFiles();
  const steps = walkFolder({ path: folder.path });
  steps.next();
  steps.next();
  expect(openFiles()).toBeGreaterThan(openBefore);

  steps.return({
    bytes: 0,
    files: 0,
    fresh: { bytes: 0, files: 0 },
    isOver: false,
    memoryBytes: 0,
  });

  expect(openFiles()).toBe(openBefore);
});

test('where there is no such folder, there is nothing', async () => {
  await using folder = temporaryFolder();

  expect(walk({ path: folder.at('missing') })).toMatchObject({ bytes: 0, files: 0 });
});
