import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realClock, realEventLoop } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { realVolume } from '../../engines/disk/volume.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import { prepareHome } from '../home/home-folder.ts';
import { findGarbage, removeGarbage } from './garbage.ts';

const deps = { disk: realDisk, clock: realClock, eventLoop: realEventLoop };
const litter = '.x.0123456789abcdef.pending';

interface TemporaryHome extends TemporaryFolder {
  /** Writes three bytes that old. */
  plant(path: string, hoursOld: number): void;
  found(): Promise<string[]>;
}

async function temporaryHome(): Promise<TemporaryHome> {
  const folder = temporaryFolder();
  await prepareHome({ disk: realDisk, volume: realVolume }, folder.path);
  return {
    ...folder,
    plant(path, hoursOld) {
      mkdirSync(dirname(folder.at(path)), { recursive: true });
      writeFileSync(folder.at(path), 'abc');
      age(folder.at(path), hoursOld);
    },
    async found() {
      const items = await findGarbage(deps, folder.path);
      return items.map(({ path }) => path.slice(folder.path.length + 1));
    },
  };
}

function age(path: string, hoursOld: number): void {
  const seconds = realClock.now() / 1000 - hoursOld * 3600;
  utimesSync(path, seconds, seconds);
}

test('findGarbage() finds old litter in our folders, and none of an agent', async () => {
  await using home = await temporaryHome();
  const ours = ['', 'agents/jean/', 'agents/jean/inbox/', 'blobs/ab/', 'keys/', 'transfers/a/b/'];
  for (const folder of ours) home.plant(`${folder}${litter}`, 2);
  const others = [
    'agents/jean/workspace/',
    'agents/jean/outbox/',
    'agents/jean/outbox/.pending/',
    'run/',
  ];
  for (const folder of others) home.plant(`${folder}${litter}`, 2);
  home.plant('blobs/.fresh.0123456789abcdef.pending', 0.5);
  home.plant('keys/owner.key', 2);

  expect(await home.found()).toEqual(ours.map((folder) => `${folder}${litter}`));
});

test('findGarbage() takes what is old in tmp, a folder being as old as the newest in it', async () => {
  await using home = await temporaryHome();
  home.plant('tmp/old', 2);
  home.plant('tmp/fresh', 0.5);
  home.plant('tmp/old-folder/a', 2);
  age(home.at('tmp/old-folder'), 2);
  home.plant('tmp/busy-folder/a', 0.5);
  age(home.at('tmp/busy-folder'), 2);
  symlinkSync('/etc', home.at('tmp/link'));

  expect(await home.found()).toEqual(['tmp/old', 'tmp/old-folder']);
});

test('findGarbage() takes logs beyond those that are kept', async () => {
  await using home = await temporaryHome();
  for (const name of ['daemon.log', 'daemon.log.9', 'daemon.log.10', 'daemon.log.11', 'other.12']) {
    home.plant(`logs/${name}`, 100);
  }

  expect(await home.found()).toEqual(['logs/daemon.log.10', 'logs/daemon.log.11']);
});

test('findGarbage() keeps the newest three backups of migrations, and what a restore put aside', async () => {
  await using home = await temporaryHome();
  for (const number of [2, 3, 4, 5, 6]) home.plant(`ledger.db.before-000${number}`, 100 - number);
  home.plant('ledger.db.before-restore-2020-01-01', 1000);

  expect(await home.found()).toEqual(['ledger.db.before-0002', 'ledger.db.before-0003']);
});

test('removeGarbage() removes what was found and tells what that freed', async () => {
  await using home = await temporaryHome();
  home.plant('tmp/folder/a', 2);
  home.plant('tmp/folder/b', 2);
  age(home.at('tmp/folder'), 2);
  home.plant(litter, 2);

  const removal = await removeGarbage(deps, home.path, await findGarbage(deps, home.path));

  expect(removal).toMatchObject({ freed_bytes: 9, failed: [] });
  expect(removal.items).toHaveLength(2);
  expect(await home.found()).toEqual([]);
  expect(readdirSync(home.at('tmp'))).toEqual([]);
});

test('removeGarbage() leaves alone what has changed, gone or become a link meanwhile', async () => {
  await using home = await temporaryHome();
  await using elsewhere = temporaryFolder();
  for (const name of ['changed', 'gone', 'linked']) home.plant(`tmp/${name}`, 2);
  home.plant(`agents/jean/inbox/${litter}`, 2);
  const items = await findGarbage(deps, home.path);
  writeFileSync(home.at('tmp/changed'), 'new');
  rmSync(home.at('tmp/gone'));
  rmSync(home.at('tmp/linked'));
  symlinkSync(elsewhere.path, home.at('tmp/linked'));
  rmSync(home.at('agents/jean/inbox'), { recursive: true });
  symlinkSync(elsewhere.path, home.at('agents/jean/inbox'));
  writeFileSync(elsewhere.at(litter), 'precious');

  const removal = await removeGarbage(deps, home.path, items);

  expect(removal).toMatchObject({ items: [], freed_bytes: 0 });
  expect(removal.failed).toHaveLength(4);
  expect(existsSync(elsewhere.at(litter))).toBe(true);
});

test('removeGarbage() touches nothing that it would not have found itself', async () => {
  await using home = await temporaryHome();
  await using elsewhere = temporaryFolder();
  writeFileSync(elsewhere.at('file'), 'x');
  const item = { path: elsewhere.at('file'), bytes: 1, why: 'none' };

  const removal = await removeGarbage(deps, home.path, [item]);

  expect(removal.failed).toHaveLength(1);
  expect(existsSync(elsewhere.at('file'))).toBe(true);
});

test('removeGarbage() tells what the system refused to remove, and goes on', async () => {
  await using home = await temporaryHome();
  home.plant('tmp/first', 2);
  home.plant('tmp/second', 2);
  const disk: Disk = {
    ...realDisk,
    remove: async (path) => {
      if (path.endsWith('first')) throw diskError('EACCES', path);
      return realDisk.remove(path);
    },
  };

  const removal = await removeGarbage(
    { ...deps, disk },
    home.path,
    await findGarbage(deps, home.path),
  );

  expect(removal.items).toMatchObject([{ path: home.at('tmp/second') }]);
  expect(removal.failed).toMatchObject([
    { path: home.at('tmp/first'), why: expect.stringContaining('does not let this user') },
  ]);
});
