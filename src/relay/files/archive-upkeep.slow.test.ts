import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { isInstalled } from '../../../tests/support/machine.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import { compressArchive, makeRoom, pruneArchive } from './archive-upkeep.ts';

/** A home on 2030-01-01 with the archive of some days. */
function place(disk: Disk = realDisk) {
  const folder = temporaryFolder();
  const clock = new SimulatedClock();
  const plant = (path: string, text: string): void => {
    const file = folder.at('archive', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const random = seededRandom('archive');
  const told: object[] = [];
  const log = { error: (facts: object) => void told.push(facts) };
  const deps = { disk, random, clock, log, home: folder.path };
  return {
    ...folder,
    deps,
    told,
    clock,
    plant,
    list: (path = '') => readdirSync(folder.at('archive', path)),
  };
}

test('pruneArchive() removes the days that are too old, and only those', async () => {
  await using home = place();
  for (const day of ['2029-11-30', '2029-12-01', '2029-12-02', '2030-01-01']) {
    home.plant(`${day}/jean/a.msg`, 'text');
  }
  home.plant('notes/a.txt', 'not ours');

  const removed = await pruneArchive(home.deps, { keepDays: 30, now: home.clock.now() });

  expect(removed).toEqual(['2029-11-30', '2029-12-01']);
  expect(home.list()).toEqual(['2029-12-02', '2030-01-01', 'notes']);
});

test('pruneArchive() does not follow a symlink out of the archive', async () => {
  await using home = place();
  home.plant('2029-01-01/jean/a.msg', 'text');
  mkdirSync(home.at('elsewhere'));
  writeFileSync(home.at('elsewhere', 'kept'), 'text');
  symlinkSync(home.at('elsewhere'), home.at('archive', '2029-01-01', 'jean', 'link.msg'));

  await pruneArchive(home.deps, { keepDays: 30, now: home.clock.now() });

  expect(home.list()).toEqual([]);
  expect(readdirSync(home.at('elsewhere'))).toEqual(['kept']);
});

/** A disk that does not let anybody do that to paths with such an end. */
function denying(call: 'read' | 'remove', end: string): Disk {
  const denied = (path: string): boolean => path.endsWith(end);
  return {
    ...realDisk,
    [call]: async (path: string) => {
      if (denied(path)) throw diskError('EACCES', path);
      return realDisk[call](path);
    },
  };
}

/** Folders in each other, also where the path of the last is longer than the system takes. */
function plantNested(folder: string, names: readonly string[]): void {
  const half = names.length / 2;
  const outer = [folder, ...names.slice(0, half)].join('/');
  const inner = [`${folder}.inner`, ...names.slice(half + 1)].join('/');
  mkdirSync(outer, { recursive: true });
  mkdirSync(inner, { recursive: true });
  writeFileSync(`${inner}/deep`, 'text');
  renameSync(`${folder}.inner`, `${outer}/${names[half]}`);
}

test('pruneArchive() removes folders whose paths are longer than the system takes', async () => {
  await using home = place();
  home.plant('2029-01-01/jean/a.msg', 'text');
  const names = Array.from({ length: 30 }, () => 'n'.repeat(200));
  plantNested(home.at('archive', '2029-01-01', 'jean', 'x.msg'), names);

  const removed = await pruneArchive(home.deps, { keepDays: 30, now: home.clock.now() });

  expect(removed).toEqual(['2029-01-01']);
  expect(home.list()).toEqual([]);
});

test.each(['stat', 'remove', 'holdFolder'] as const)(
  'pruneArchive() removes nothing elsewhere when a folder becomes a symlink after %s',
  async (call) => {
    let swap = (): void => {};
    const disk: Disk = {
      ...realDisk,
      [call]: async (path: string) => {
        try {
          return await realDisk[call](path);
        } finally {
          if (path.endsWith('/w.msg')) swap();
        }
      },
    };
    await using home = place(disk);
    home.plant('2029-01-01/jean/w.msg/kept', 'text');
    mkdirSync(home.at('elsewhere'));
    writeFileSync(home.at('elsewhere', 'kept'), 'text');
    swap = () => {
      const folder = home.at('archive', '2029-01-01', 'jean', 'w.msg');
      renameSync(folder, home.at('aside'));
      symlinkSync(home.at('elsewhere'), folder);
      swap = () => {};
    };

    await pruneArchive(home.deps, { keepDays: 30, now: home.clock.now() });

    expect(readdirSync(home.at('elsewhere'))).toEqual(['kept']);
  },
);

test('pruneArchive() passes over what cannot be removed, and tells of it', async () => {
  await using home = place(denying('remove', 'b.msg'));
  for (const name of ['a.msg', 'b.msg', 'c.msg']) home.plant(`2029-01-01/jean/${name}`, 'text');
  home.plant('2029-01-01/mary/a.msg', 'text');
  home.plant('2029-01-02/jean/a.msg', 'text');

  const removed = await pruneArchive(home.deps, { keepDays: 30, now: home.clock.now() });

  expect(removed).toEqual(['2029-01-02']);
  expect(home.list()).toEqual(['2029-01-01']);
  expect(home.list('2029-01-01')).toEqual(['jean']);
  expect(home.list('2029-01-01/jean')).toEqual(['b.msg']);
  expect(home.told).toMatchObject([
    { day: '2029-01-01', failed: 1, such_as: ['jean/b.msg'], error: { code: 'disk.denied' } },
  ]);
});

test('pruneArchive() passes over folders that lie too deep', async () => {
  await using home = place();
  home.plant('2029-01-01/jean/a.msg', 'text');
  const names = Array.from({ length: 80 }, () => 'd');
  plantNested(home.at('archive', '2029-01-01', 'jean', 'x.msg'), names);

  const removed = await pruneArchive(home.deps, { keepDays: 30, now: home.clock.now() });

  expect(removed).toEqual([]);
  expect(home.list('2029-01-01/jean')).toEqual(['x.msg']);
  expect(home.told).toMatchObject([{ day: '2029-01-01', failed: 1 }]);
});

test('there may be no archive yet', async () => {
  await using home = place();

  expect(await pruneArchive(home.deps, { keepDays: 1, now: home.clock.now() })).toEqual([]);
  expect(await compressArchive(home.deps)).toBe(0);
});

test.skipIf(!isInstalled('tar'))('compressArchive() makes files that tar reads', async () => {
  await using home = place();
  const long = `${'n'.repeat(150)}é.msg`;
  const texts = { 'a.msg': 'text of a', 'b.msg': 'x'.repeat(512), [long]: 'long' };
  for (const [name, text] of Object.entries(texts)) home.plant(`2029-12-31/jean/${name}`, text);
  home.plant('2030-01-01/jean/today.msg', 'stays');

  const packed = await compressArchive(home.deps);

  expect(packed).toBe(3);
  expect(home.list('2029-12-31')).toEqual(['jean.tar.gz']);
  expect(home.list('2030-01-01/jean')).toEqual(['today.msg']);
  mkdirSync(home.at('unpacked'));
  const file = home.at('archive', '2029-12-31', 'jean.tar.gz');
  execFileSync('tar', ['-xzf', file, '-C', home.at('unpacked')]);
  for (const [name, text] of Object.entries(texts)) {
    expect(readFileSync(home.at('unpacked', name), 'utf8')).toBe(text);
  }
});

test('compressArchive() packs what came late into a file of its own, and leaves what is no file', async () => {
  await using home = place();
  home.plant('2029-12-31/jean/a.msg', 'first');
  await compressArchive(home.deps);
  home.plant('2029-12-31/jean/b.msg', 'late');
  symlinkSync('/nowhere', home.at('archive', '2029-12-31', 'jean', 'link.msg'));

  await compressArchive(home.deps);

  expect(home.list('2029-12-31')).toEqual(['jean', 'jean.2.tar.gz', 'jean.tar.gz']);
  expect(home.list('2029-12-31/jean')).toEqual(['link.msg']);
});

test('compressArchive() passes over a file that cannot be read, and tells of it each time', async () => {
  await using home = place(denying('read', 'b.msg'));
  for (const name of ['a.msg', 'b.msg', 'c.msg']) home.plant(`2029-12-31/jean/${name}`, 'text');
  home.plant('2029-12-31/mary/a.msg', 'text');

  const first = await compressArchive(home.deps);
  const second = await compressArchive(home.deps);

  expect([first, second]).toEqual([3, 0]);
  expect(home.list('2029-12-31')).toEqual(['jean', 'jean.tar.gz', 'mary.tar.gz']);
  expect(home.list('2029-12-31/jean')).toEqual(['b.msg']);
  const line = { day: '2029-12-31', failed: 1, such_as: ['jean/b.msg'] };
  expect(home.told).toMatchObject([line, line]);
});

test('a power cut at any call of compressArchive() loses no message', async () => {
  for (let call = 1; ; call++) {
    const clock = new SimulatedClock();
    const disk = new SimulatedDisk({ seed: call, clock });
    const day = '/archive/2029-12-31';
    for (const path of ['/archive', day, `${day}/jean`]) await disk.makeFolder(path);
    for (const name of ['a.msg', 'b.msg']) {
      await using writer = await disk.create(`${day}/jean/${name}`);
      await writer.append(Buffer.from(`text of ${name}`));
      await writer.sync();
    }
    for (const path of ['/', '/archive', day, `${day}/jean`]) await disk.syncFolder(path);
    const log = { error: () => {} };
    const deps = { disk, clock, log, random: seededRandom(call), home: '' };
    disk.crashAtCall(disk.calls + call);
    const done = await compressArchive(deps).then(
      () => true,
      () => false,
    );
    if (done) disk.crash();
    disk.restart();

    const inFolder: readonly string[] = await disk.list(`${day}/jean`).catch(() => []);
    const packed = (await disk.list(day)).includes('jean.tar.gz')
      ? gunzipSync(await readWholeFile(disk, `${day}/jean.tar.gz`, 100_000)).toString()
      : '';
    for (const name of ['a.msg', 'b.msg']) {
      expect(inFolder.includes(name) || packed.includes(`text of ${name}`)).toBe(true);
    }
    if (done) break;
  }
});

test('makeRoom() packs first, then removes the oldest days until there is room, never today', async () => {
  await using home = place();
  for (const day of ['2029-12-29', '2029-12-30', '2029-12-31', '2030-01-01']) {
    home.plant(`${day}/jean/a.msg`, 'text');
  }

  const made = await makeRoom(home.deps, async () => home.list().length > 2);
  const all = await makeRoom(home.deps, async () => true);
  const none = await makeRoom(home.deps, async () => false);

  expect(made).toEqual({ packed: 3, removedDays: ['2029-12-29', '2029-12-30'] });
  expect(all).toEqual({ packed: 0, removedDays: ['2029-12-31'] });
  expect(none).toEqual({ packed: 0, removedDays: [] });
  expect(home.list()).toEqual(['2030-01-01']);
});

test('makeRoom() goes on to the next day when one can neither be packed nor removed', async () => {
  const disk = denying('remove', 'b.msg');
  await using home = place({ ...disk, read: denying('read', 'b.msg').read });
  home.plant('2029-12-30/jean/b.msg', 'text');
  home.plant('2029-12-31/jean/a.msg', 'text');

  const made = await makeRoom(home.deps, async () => true);

  expect(made).toEqual({ packed: 1, removedDays: ['2029-12-31'] });
  expect(home.list()).toEqual(['2029-12-30']);
});
