import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { isRoot } from '../../../tests/support/machine.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openBulkDisk } from './bulk-disk.ts';
import { realDisk } from './disk.ts';

const theirs = { uid: 2_000_000_001, gid: 2_000_000_002 };
const ours = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

function ownerOf(path: string): typeof theirs {
  const { uid, gid } = lstatSync(path);
  return { uid, gid };
}

/** A folder of ours, `mine`, and one of somebody else's, `theirs`. */
function twoFolders(): TemporaryFolder {
  const folder = temporaryFolder();
  for (const name of ['mine', 'theirs']) mkdirSync(folder.at(name), { mode: 0o700 });
  chownSync(folder.at('theirs'), theirs.uid, theirs.gid);
  return folder;
}

async function create(path: string, options?: Parameters<typeof realDisk.create>[1]) {
  await using writer = await realDisk.create(path, options);
  await writer.append(Buffer.from('words'));
}

describe.skipIf(!isRoot)('as root', () => {
  test('a file or folder that is made belongs to whom the folder around it belongs', async () => {
    await using folder = twoFolders();

    for (const name of ['mine', 'theirs']) {
      await create(folder.at(name, 'file'), { mode: 0o640 });
      await realDisk.makeFolder(folder.at(name, 'folder'));
    }

    expect(ownerOf(folder.at('mine/file'))).toEqual(ours);
    expect(ownerOf(folder.at('mine/folder'))).toEqual(ours);
    expect(ownerOf(folder.at('theirs/file'))).toEqual(theirs);
    expect(ownerOf(folder.at('theirs/folder'))).toEqual(theirs);
    expect(lstatSync(folder.at('theirs/file')).mode & 0o777).toBe(0o640);
    expect(lstatSync(folder.at('theirs/folder')).mode & 0o777).toBe(0o700);
  });

  test('also in a folder that is held, and in one below it', async () => {
    await using folder = twoFolders();
    await using held = await realDisk.holdFolder(folder.at('theirs'));

    await create(`${held.path}/file`);
    await realDisk.makeFolder(`${held.path}/below`);
    await create(`${held.path}/below/file`);

    for (const name of ['file', 'below', 'below/file']) {
      expect(ownerOf(folder.at('theirs', name))).toEqual(theirs);
    }
  });

  test('a file for which an owner is named is that owner’s', async () => {
    await using folder = twoFolders();

    await create(folder.at('theirs/file'), { owner: ours });
    await create(folder.at('mine/file'), { owner: theirs });

    expect(ownerOf(folder.at('theirs/file'))).toEqual(ours);
    expect(ownerOf(folder.at('mine/file'))).toEqual(theirs);
  });

  test('what is ours becomes theirs when it is moved there, one by one or many at once', async () => {
    await using folder = twoFolders();
    await using bulk = openBulkDisk({ clock: new SimulatedClock(), onTrouble: () => {} });
    await using held = await realDisk.holdFolder(folder.at('theirs'));
    for (const name of ['one', 'two', 'three']) writeFileSync(folder.at('mine', name), name);

    await realDisk.rename(folder.at('mine/one'), folder.at('theirs/one'));
    await bulk.moveFiles([
      { from: folder.at('mine/two'), to: `${held.path}/two` },
      { from: folder.at('mine/three'), to: folder.at('theirs/three') },
    ]);

    for (const name of ['one', 'two', 'three']) {
      expect(ownerOf(folder.at('theirs', name))).toEqual(theirs);
    }
  });

  test('what is theirs, or another’s, stays so wherever it is moved', async () => {
    await using folder = twoFolders();
    for (const name of ['theirs/one', 'mine/other']) writeFileSync(folder.at(name), '');
    chownSync(folder.at('theirs/one'), theirs.uid, theirs.gid);
    chownSync(folder.at('mine/other'), 2_000_000_009, 2_000_000_009);

    await realDisk.rename(folder.at('theirs/one'), folder.at('mine/one'));
    await realDisk.rename(folder.at('mine/other'), folder.at('theirs/other'));

    expect(ownerOf(folder.at('mine/one'))).toEqual(theirs);
    expect(lstatSync(folder.at('theirs/other')).uid).toBe(2_000_000_009);
  });

  test('a symlink that is moved there is given away itself, and not what it leads to', async () => {
    await using folder = twoFolders();
    writeFileSync(folder.at('target'), 'ours');
    symlinkSync(folder.at('target'), folder.at('mine/link'));

    await realDisk.rename(folder.at('mine/link'), folder.at('theirs/link'));

    expect(ownerOf(folder.at('theirs/link'))).toEqual(theirs);
    expect(ownerOf(folder.at('target'))).toEqual(ours);
  });

  test('a second name gives nothing away', async () => {
    await using folder = twoFolders();
    writeFileSync(folder.at('mine/one'), '');

    await realDisk.link(folder.at('mine/one'), folder.at('theirs/one'));

    expect(ownerOf(folder.at('theirs/one'))).toEqual(ours);
  });

  test('what fails leaves nothing, and is told by the path that was named', async () => {
    await using folder = twoFolders();
    writeFileSync(folder.at('theirs/taken'), '');

    const taken = realDisk.create(folder.at('theirs/taken'));
    const missing = realDisk.create(folder.at('nowhere/file'));
    const moved = realDisk.rename(folder.at('mine/none'), folder.at('theirs/none'));

    await expect(taken).rejects.toMatchObject({
      code: 'disk.exists',
      message: expect.stringContaining('theirs/taken'),
    });
    await expect(missing).rejects.toMatchObject({ code: 'disk.missing' });
    await expect(moved).rejects.toMatchObject({ code: 'disk.missing' });
    expect(existsSync(folder.at('theirs/none'))).toBe(false);
  });

  test('a file of theirs with a second name is moved with nothing given to anybody', async () => {
    await using folder = twoFolders();
    writeFileSync(folder.at('theirs/a'), '');
    chownSync(folder.at('theirs/a'), theirs.uid, theirs.gid);
    chmodSync(folder.at('theirs/a'), 0o600);
    linkSync(folder.at('theirs/a'), folder.at('theirs/b'));

    await realDisk.rename(folder.at('theirs/a'), folder.at('mine/a'));

    expect(ownerOf(folder.at('theirs/b'))).toEqual(theirs);
  });
});
